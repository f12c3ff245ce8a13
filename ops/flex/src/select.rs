//! Select: elements of the second input where the first is true, else of the third; the condition may have one element
//! per row. Any type.
//! Defined by: tensorflow/core/kernels/cwise_op_select.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::elements::pick;
use crate::kit::kernel::{Call, Inputs, Kernel, Node};
use crate::kit::node_def::NodeDef;

/// The `FlexSelect` op.
pub type Select = Node<Definition>;

/// Shape function and kernel of `FlexSelect`.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexSelect";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(3..=3, 1..=1)?;
        Ok(Definition)
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let (condition, a, b) = (x.dims(0)?, x.dims(1)?, x.dims(2)?);
        let fits = condition.rank() == 0
            || condition == a
            || condition.as_slice() == &a.as_slice()[..a.rank().min(1)];
        ensure!(
            a == b && fits,
            "a condition {:?} cannot choose between {:?} and {:?}",
            condition.as_slice(),
            a.as_slice(),
            b.as_slice()
        );
        Ok(Some(a))
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let condition = call.slice::<Bool>(0)?;
        let each = call.dims(1)?.flat_size() / condition.len().max(1);
        pick(call, 0, &[call.input(1)?, call.input(2)?], |k| {
            Some((usize::from(condition.get(k / each.max(1))?.0 == 0), k))
        })
    }
}
