//! ConcatV2: inputs joined along an axis, which is the last input. Any type.
//! Defined by: tensorflow/core/kernels/concat_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node, axis_of, integer, shape_of};
use crate::kit::node_def::NodeDef;
use crate::kit::elements::{pick, ravel, unravel};

/// The op.
pub type ConcatV2 = Node<Definition>;

/// What it computes.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexConcatV2";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(2..=usize::MAX, 1..=1)?;
        Ok(Definition)
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let Some(axis) = x.integer(x.len() - 1)? else { return Ok(None) };
        let (axis, dims) = join(x, axis, 0, x.len() - 1)?;
        joined(axis, &dims).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let x = call.inputs();
        let axis = integer(&call.input(x.len() - 1)?)?;
        let (axis, dims) = join(&x, axis, 0, x.len() - 1)?;
        put(call, axis, &dims, 0)
    }
}

fn join(x: &Inputs<'_, '_>, axis: i64, first: usize, count: usize) -> Result<(usize, Vec<Dims>)> {
    let dims = (first..first + count).map(|i| x.dims(i)).collect::<Result<Vec<_>>>()?;
    let axis = axis_of(axis, dims[0].rank())?;
    for other in &dims {
        let agrees = other.rank() == dims[0].rank()
            && (0..other.rank()).all(|a| a == axis || other.size(a) == dims[0].size(a));
        ensure!(agrees, "{:?} and {:?} are not joined along axis {axis}", dims[0].as_slice(), other.as_slice());
    }
    Ok((axis, dims))
}

fn joined(axis: usize, dims: &[Dims]) -> Result<Dims> {
    let mut sizes: Vec<i64> = dims[0].as_slice().iter().map(|&d| d.into()).collect();
    sizes[axis] = dims.iter().map(|d| d.size(axis) as i64).sum();
    shape_of(sizes)
}

fn put(call: &Call<'_, '_>, axis: usize, dims: &[Dims], first: usize) -> Result<()> {
    let output = call.output_dims(0)?;
    let sources = (0..dims.len()).map(|i| call.input(first + i)).collect::<Result<Vec<_>>>()?;
    pick(call, 0, &sources, |k| {
        let mut at = unravel(k, &output);
        let mut source = 0;
        while source + 1 < dims.len() && at[axis] >= dims[source].size(axis) {
            at[axis] -= dims[source].size(axis);
            source += 1;
        }
        Some((source, ravel(&at, &dims[source])))
    })
}
