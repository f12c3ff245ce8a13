//! ArgMax: where the largest element along an axis is, the first one. Reals, integers, BOOL to I16, U16, I32, I64.
//! Defined by: tensorflow/core/kernels/argmax_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node, axis_of, integer, shape_of};
use crate::kit::node_def::NodeDef;
use crate::kit::number::put_integers;
use crate::kit::values::Values;

/// The op.
pub type ArgMax = Node<Definition>;

/// What it computes.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexArgMax";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(2..=2, 1..=1)?;
        Ok(Definition)
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let (dims, Some(axis)) = (x.dims(0)?, x.integer(1)?) else { return Ok(None) };
        let mut sizes: Vec<i64> = dims.as_slice().iter().map(|&d| d.into()).collect();
        let axis = axis_of(axis, dims.rank())?;
        ensure!(dims.size(axis) > 0, "axis {axis} of {:?} is empty", dims.as_slice());
        sizes.remove(axis);
        shape_of(sizes).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let dims = call.dims(0)?;
        let (outer, size, inner) = dims.split_at(axis_of(integer(&call.input(1)?)?, dims.rank())?);
        let x = Values::of(&call.input(0)?)?;
        let better = |a: usize, b: usize| match &x {
            Values::Real(x) => x[a] > x[b],
            Values::Int(x) => x[a] > x[b],
            Values::Complex(_) => false,
        };
        let best = (0..outer * inner).map(|k| {
            let start = k / inner * size * inner + k % inner;
            (1..size).fold(0, |best, i| if better(start + i * inner, start + best * inner) { i } else { best }) as i64
        });
        put_integers(call.output(0)?, best)
    }
}
