//! Transpose: permutes the axes. Any type.
//! Defined by: tensorflow/core/kernels/transpose_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::elements::{pick, ravel, unravel};
use crate::kit::kernel::{Call, Inputs, Kernel, Node, axis_of, integers, shape_of};
use crate::kit::node_def::NodeDef;

/// The `FlexTranspose` op.
pub type Transpose = Node<Definition>;

/// Shape function and kernel of `FlexTranspose`.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexTranspose";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(2..=2, 1..=1)?;
        Ok(Definition)
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let (dims, Some(order)) = (x.dims(0)?, x.list(1)?) else { return Ok(None) };
        let axes = axes(&order, &dims)?;
        shape_of(axes.iter().map(|&axis| dims.size(axis) as i64)).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        turn(call)
    }
}

fn axes(order: &[i64], dims: &Dims) -> Result<Vec<usize>> {
    let axes = order.iter().map(|&axis| axis_of(axis, dims.rank())).collect::<Result<Vec<_>>>()?;
    let all = (0..dims.rank()).all(|axis| axes.contains(&axis));
    ensure!(
        axes.len() == dims.rank() && all,
        "{order:?} is not a permutation of the axes of {:?}",
        dims.as_slice()
    );
    Ok(axes)
}

fn turn(call: &Call<'_, '_>) -> Result<()> {
    let (dims, output) = (call.dims(0)?, call.output_dims(0)?);
    let axes = axes(&integers(&call.input(1)?)?, &dims)?;
    pick(call, 0, &[call.input(0)?], |k| {
        let (at, mut from) = (unravel(k, &output), [0; 8]);
        axes.iter().zip(at).for_each(|(&axis, i)| from[axis] = i);
        Some((0, ravel(&from, &dims)))
    })
}

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        each_type(|x| {
            let data = x(&[1, 2, 3], &[1, 2, 3, 4, 5, 6]);
            gives::<super::Transpose>(
                &[],
                &[data.clone(), ints(&[2, 0, 1])],
                &[x(&[3, 1, 2], &[1, 4, 2, 5, 3, 6])],
            );
            gives::<super::Transpose>(&[], &[data, longs(&[1, 2, 0])], &[x(&[2, 3, 1], &[1, 2, 3, 4, 5, 6])]);
        });
        gives::<super::Transpose>(&[], &[int(5), ints(&[])], &[int(5)]);
        gives::<super::Transpose>(
            &[],
            &[Tensor::f32(&[0, 2], &[]), ints(&[1, 0])],
            &[Tensor::f32(&[2, 0], &[])],
        );
    }

    #[test]
    fn refusals() {
        let x = Tensor::i32(&[1, 2], &[1, 2]);
        refuses::<super::Transpose>(
            &[],
            &[x.clone(), ints(&[1, 1])],
            &[I32],
            "[1, 1] is not a permutation of the axes of [1, 2]",
        );
        refuses::<super::Transpose>(
            &[],
            &[x.clone(), ints(&[0])],
            &[I32],
            "[0] is not a permutation of the axes of [1, 2]",
        );
        refuses::<super::Transpose>(
            &[],
            &[x.clone(), ints(&[2, 0])],
            &[I32],
            "axis 2 does not exist in a tensor of rank 2",
        );
        let inputs = [x, Tensor::i32(&[1, 2], &[1, 0])];
        refuses::<super::Transpose>(&[], &inputs, &[I32], "'in1' is [1, 2]; a list is needed");
    }
}
