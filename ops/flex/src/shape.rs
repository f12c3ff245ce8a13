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

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        each_type(|x| gives::<super::Shape>(&[], &[x(&[1, 2], &[5, 6])], &[ints(&[1, 2])]));
        gives::<super::Shape>(&[("out_type", Type(I64))], &[Tensor::f32(&[0, 3], &[])], &[longs(&[0, 3])]);
        gives::<super::Shape>(&[], &[int(5)], &[ints(&[])]);
    }

    #[test]
    fn refusals() {
        refuses::<super::Shape>(&[], &[int(1), int(1)], &[I32], "it has 2 inputs, this op takes 1 to 1");
        refuses::<super::Shape>(&[], &[ints(&[1])], &[F32], "FLOAT32 is not an element type of this op");
    }
}
