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
