//! ZerosLike: zeros in the shape of the input. Any type.
//! Defined by: tensorflow/core/kernels/constant_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

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
        ensure!(
            x.ty == y.ty,
            "input '{}' is {}, output '{}' is {}; they must agree",
            x.name,
            x.ty,
            y.name,
            y.ty
        );
        Ok(Definition)
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        x.dims(0).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        pick(call, 0, &[], |_| None)
    }
}

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        each_type(|x| gives::<super::ZerosLike>(&[], &[x(&[1, 2], &[5, 6])], &[x(&[1, 2], &[0, 0])]));
        gives::<super::ZerosLike>(&[], &[float(f32::NAN)], &[float(0.0)]);
        gives::<super::ZerosLike>(&[], &[longs(&[])], &[longs(&[])]);
    }

    #[test]
    fn refusals() {
        refuses::<super::ZerosLike>(&[], &[], &[I32], "it has 0 inputs, this op takes 1 to 1");
    }
}
