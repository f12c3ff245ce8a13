//! Fill: a tensor filled with one value. Any type. Inputs: shape, value.
//! Defined by: tensorflow/core/kernels/constant_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::elements::pick;
use crate::kit::kernel::{Call, Inputs, Kernel, Node};
use crate::kit::node_def::NodeDef;

/// The `FlexFill` op.
pub type Fill = Node<Definition>;

/// Shape function and kernel of `FlexFill`.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexFill";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(2..=2, 1..=1)?;
        Ok(Definition)
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        x.sizes(0)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        ensure!(call.input(1)?.len() == 1, "the value has {} elements; one is needed", call.input(1)?.len());
        pick(call, 0, &[call.input(1)?], |_| Some((0, 0)))
    }
}

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        each_type(|x| {
            gives::<super::Fill>(&[], &[ints(&[2, 1]), x(&[], &[3])], &[x(&[2, 1], &[3, 3])]);
            gives::<super::Fill>(&[], &[longs(&[]), x(&[], &[3])], &[x(&[], &[3])]);
        });
        gives::<super::Fill>(&[], &[ints(&[0, 2]), float(f32::NAN)], &[Tensor::f32(&[0, 2], &[])]);
        // A scalar serves as a shape of one axis, and a list of one element as a value.
        gives::<super::Fill>(&[], &[int(2), ints(&[7])], &[ints(&[7, 7])]);
    }

    #[test]
    fn refusals() {
        let message =
            "[-3] is not a valid shape; sizes must not be negative, and at most 8 axes are supported";
        refuses::<super::Fill>(&[], &[ints(&[-3]), int(1)], &[I32], message);
        refuses::<super::Fill>(
            &[],
            &[ints(&[3]), ints(&[1, 2])],
            &[I32],
            "the value has 2 elements; one is needed",
        );
        let inputs = [Tensor::i32(&[1, 1], &[2]), int(1)];
        refuses::<super::Fill>(&[], &inputs, &[I32], "'in0' is [1, 1]; a list of sizes is needed");
    }
}
