//! TensorListLength: the number of elements of a tensor list.
//! Defined by: tensorflow/core/kernels/list_kernels.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node};
use crate::kit::list::List;
use crate::kit::node_def::NodeDef;
use crate::kit::number::put_integers;

/// The `FlexTensorListLength` op.
pub type TensorListLength = Node<Definition>;

/// Shape function and kernel of `FlexTensorListLength`.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexTensorListLength";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(1..=1, 1..=1)?;
        Ok(Definition)
    }

    fn shape(&self, _: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        Ok(Some(Dims::SCALAR))
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let count = List::of(&call.input(0)?)?.elements.len();
        put_integers(call.output(0)?, [count as i64])
    }
}
