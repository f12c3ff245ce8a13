//! Shape: the sizes of the input. Any type to I32, I64.
//! Defined by: tensorflow/core/kernels/shape_ops.h.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node, shape_of};
use crate::kit::node_def::NodeDef;
use crate::kit::number::put_integers;

/// The `FlexShape` op.
pub type Shape = Node<Definition>;

/// Shape function and kernel of `FlexShape`.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexShape";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(1..=1, 1..=1)?;
        Ok(Definition)
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        shape_of([x.dims(0)?.rank() as i64]).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let dims = call.dims(0)?;
        put_integers(call.output(0)?, dims.as_slice().iter().map(|&d| d.into()))
    }
}
