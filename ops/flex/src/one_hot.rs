//! OneHot: vectors that hold one value at the position given by an index, and another value elsewhere. Any type.
//! Inputs: indices, depth, on, off.
//! Defined by: tensorflow/core/kernels/one_hot_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::elements::pick;
use crate::kit::kernel::{Call, Inputs, Kernel, Node, axis_of, integers, shape_of};
use crate::kit::node_def::NodeDef;

/// The `FlexOneHot` op.
pub type OneHot = Node<Definition>;

/// Attributes, shape function and kernel of `FlexOneHot`.
pub struct Definition {
    axis: i64,
}

impl Kernel for Definition {
    const NAME: &'static str = "FlexOneHot";

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>) -> Result<Self> {
        node.expect(4..=4, 1..=1)?;
        for i in [2, 3] {
            let value = node.input(i)?;
            ensure!(value.rank() == 0, "'{}' is {:?}; a scalar is needed", value.name, value.shape);
        }
        let axis = def.int("axis", -1)?;
        ensure!(axis >= -1, "attribute 'axis' is {axis}; it must be -1 or an axis");
        Ok(Definition { axis })
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let (dims, Some(depth)) = (x.dims(0)?, x.scalar(1)?) else { return Ok(None) };
        let mut sizes: Vec<i64> = dims.as_slice().iter().map(|&d| d.into()).collect();
        sizes.insert(axis_of(self.axis, dims.rank() + 1)?, depth);
        shape_of(sizes).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let output = call.output_dims(0)?;
        let (_, depth, inner) = output.split_at(axis_of(self.axis, output.rank())?);
        let indices = integers(&call.input(0)?)?;
        pick(call, 0, &[call.input(2)?, call.input(3)?], |k| {
            let index = indices.get(k / (depth * inner) * inner + k % inner)?;
            Some((usize::from(*index != (k / inner % depth) as i64), 0))
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        each_type(|x| {
            let inputs = [ints(&[1, -1, 2]), int(2), x(&[], &[5]), x(&[], &[4])];
            gives::<super::OneHot>(&[], &inputs, &[x(&[3, 2], &[4, 5, 4, 4, 4, 4])]);
            gives::<super::OneHot>(&[("axis", Int(0))], &inputs, &[x(&[2, 3], &[4, 4, 4, 5, 4, 4])]);
        });
        let inputs = [Tensor::i64(&[1, 2], &[0, 1]), int(2), int(1), int(0)];
        gives::<super::OneHot>(&[("axis", Int(1))], &inputs, &[Tensor::i32(&[1, 2, 2], &[1, 0, 0, 1])]);
        gives::<super::OneHot>(&[], &[Tensor::u8(&[], &[1]), int(3), int(1), int(0)], &[ints(&[0, 1, 0])]);
        gives::<super::OneHot>(&[], &[ints(&[0]), int(0), int(1), int(0)], &[Tensor::i32(&[1, 0], &[])]);
    }

    #[test]
    fn refusals() {
        let (i, one, zero) = (ints(&[0, 2]), int(1), int(0));
        let inputs = [i.clone(), int(-1), one.clone(), zero.clone()];
        let message =
            "[2, -1] is not a valid shape; sizes must not be negative, and at most 8 axes are supported";
        refuses::<super::OneHot>(&[], &inputs, &[I32], message);
        let inputs = [i.clone(), ints(&[3]), one.clone(), zero.clone()];
        refuses::<super::OneHot>(&[], &inputs, &[I32], "'in1' is [1]; a scalar is needed");
        let inputs = [i.clone(), int(3), ints(&[1]), zero.clone()];
        refuses::<super::OneHot>(&[], &inputs, &[I32], "'in2' is [1]; a scalar is needed");
        let inputs = [i, int(3), one, zero];
        refuses::<super::OneHot>(
            &[("axis", Int(2))],
            &inputs,
            &[I32],
            "axis 2 does not exist in a tensor of rank 2",
        );
        let message = "attribute 'axis' is -2; it must be -1 or an axis";
        refuses::<super::OneHot>(&[("axis", Int(-2))], &inputs, &[I32], message);
    }
}
