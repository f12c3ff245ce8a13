//! ArgMax and ArgMin along an axis.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use super::kernel::{Call, Inputs, Program, axis_of, scalar, shape_of};
use super::node_def::NodeDef;
use super::number::put_integers;
use super::values::Values;

/// The parameters that distinguish the ops of this family.
pub struct Member {
    /// Whether the op looks for the largest element instead of the smallest.
    pub largest: bool,
    /// The output types that the op supports.
    pub outputs: &'static [ElementType],
}

/// A prepared node of the family.
pub struct Arg(&'static Member);

impl Program for Arg {
    type Member = Member;

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>, of: &'static Member) -> Result<Self> {
        let (x, _, y) = node.binary()?;
        let served = matches!(
            x.ty,
            F16 | BF16 | F32 | F64 | I8 | U8 | I16 | U16 | I32 | U32 | I64 | U64 | ElementType::Bool
        );
        ensure!(served, "input {x} is {}, which this op does not support", x.ty);
        ensure!(of.outputs.contains(&y.ty), "output {y} is {}, which this op cannot produce", y.ty);
        Ok(Arg(of))
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let (dims, Some(axis)) = (x.dims(0)?, x.data(1)?) else { return Ok(None) };
        let mut sizes: Vec<i64> = dims.as_slice().iter().map(|&d| d.into()).collect();
        let axis = axis_of(scalar(&axis)?, dims.rank())?;
        ensure!(dims.size(axis) > 0, "axis {axis} of {:?} is empty", dims.as_slice());
        sizes.remove(axis);
        shape_of(sizes).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let dims = call.dims(0)?;
        let (outer, size, inner) = dims.split_at(axis_of(scalar(&call.input(1)?)?, dims.rank())?);
        let starts = (0..outer * inner).map(|k| k / inner * size * inner + k % inner);
        let lines = starts.map(|start| Line { start, size, step: inner });
        let y = call.output(0)?;
        match Values::of(&call.input(0)?)? {
            // NaN and infinities of the wrong sign are skipped.
            Values::Real(x) => {
                let worst = if self.0.largest { f64::NEG_INFINITY } else { f64::INFINITY };
                let better = |a: f64, b: f64| if self.0.largest { a > b } else { a < b };
                put_integers(y, lines.map(|line| find_best(&x, line, worst, better)))
            }
            Values::Int(x) => {
                let worst = if self.0.largest { i128::MIN } else { i128::MAX };
                let better = |a: i128, b: i128| if self.0.largest { a > b } else { a < b };
                put_integers(y, lines.map(|line| find_best(&x, line, worst, better)))
            }
            Values::Complex(_) => Err(invalid!("complex numbers have no order")),
        }
    }
}

/// `size` elements, `step` elements from one to the next.
struct Line {
    start: usize,
    size: usize,
    step: usize,
}

/// The index of the best element: the first one if several are equal, 0 if none is better than `worst`.
fn find_best<T: Copy>(
    x: &[T],
    Line { start, size, step }: Line,
    worst: T,
    better: impl Fn(T, T) -> bool,
) -> i64 {
    let (mut best, mut value) = (0, worst);
    for i in 0..size {
        let candidate = x[start + i * step];
        if better(candidate, value) {
            (best, value) = (i, candidate);
        }
    }
    best as i64
}
