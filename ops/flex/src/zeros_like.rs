//! ZerosLike: zeros in the shape of the input. Any type.
//! Defined by: tensorflow/core/kernels/constant_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;
use arenite_ops::kit::node;

use crate::kit::elements::pick;
use crate::kit::kernel::{Call, Inputs, Kernel, Node};
use crate::kit::node_def::NodeDef;

/// The `FlexZerosLike` op.
pub type ZerosLike = Node<Definition>;

/// Shape function and kernel of `FlexZerosLike`.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexZerosLike";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        let (x, y) = node.unary()?;
        node::same_type(&x, &y)?;
        Ok(Definition)
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        x.dims(0).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        pick(call, 0, &[], |_| None)
    }
}
