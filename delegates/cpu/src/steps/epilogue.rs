//! What is done to the rows of a result while they are in the cache: a sum with another tensor, a clamp, a function.

pub use arenite_layers::EpilogueOp;

use crate::kernels::f32_map::Map;
use crate::memory::{Disjoint, Source, Target};
use crate::program::{Inputs, Run};

/// An operation with its operand.
#[derive(Clone, Copy)]
pub struct Bound<'r> {
    op: &'r EpilogueOp,
    other: Source<'r, f32>,
}

/// Most operations.
pub const MAX_OPS: usize = 6;

/// Operations, and where their operands lie.
#[derive(Clone, Copy)]
pub struct Epilogue<'r> {
    ops: &'r [EpilogueOp],
    inputs: Inputs<'r>,
}

/// The operations of a step that runs.
pub fn bind<'r>(ops: &'r [EpilogueOp], cx: &'r Run<'_>) -> Epilogue<'r> {
    Epilogue { ops, inputs: cx.inputs() }
}

impl<'r> Epilogue<'r> {
    /// No operations.
    pub const NONE: Epilogue<'r> = Epilogue { ops: &[], inputs: Inputs::NONE };

    /// In the order in which they are applied.
    pub fn iter(&self) -> impl Iterator<Item = Bound<'r>> + use<'_, 'r> {
        let other = |op: &EpilogueOp| op.operand().map_or(Source::NONE, |id| self.inputs.get(id));
        self.ops.iter().map(move |op| Bound { op, other: other(op) })
    }

    /// `y[i] = f(y[i])` of each in turn, for runs of `n` elements: the first from `at` on, each `stride` behind the one before. `y` is
    /// the tensor.
    ///
    /// # Safety
    /// Nobody else touches the runs.
    pub unsafe fn apply(
        &self,
        map: &Map,
        y: Disjoint<'_, f32>,
        (at, stride): (usize, usize),
        (runs, n): (usize, usize),
    ) {
        for bound in self.iter() {
            for at in (0..runs).map(|run| at + run * stride) {
                // SAFETY: one of the runs, which nobody else touches, as this function requires.
                let mut y = unsafe { y.part(at, n) };
                bound.apply_over(map, &mut y, at);
            }
        }
    }
}

impl Bound<'_> {
    /// `y[i] = f(y[i])`; otherwise as [`apply`](Self::apply).
    pub fn apply_over(&self, map: &Map, y: &mut Target<'_, f32>, at: usize) {
        // SAFETY: `apply` reads the source on this thread, by kernels that read each element before they write the one at its place.
        self.apply(map, unsafe { y.over() }, y, at);
    }

    /// `y[i] = f(x[i])`; `y[0]` is element `at` of the tensor that operands go with, or are a row of.
    pub fn apply(&self, map: &Map, x: Source<'_, f32>, y: &mut Target<'_, f32>, at: usize) {
        let n = y.len();
        match *self.op {
            EpilogueOp::Binary(op, _) => map.two(op, x, self.other.part(at, n), y),
            EpilogueOp::Row(op, _, len) => {
                let (mut done, mut column) = (0, at % len);
                while done < n {
                    let some = (len - column).min(n - done);
                    let row = self.other.part(column, some);
                    map.two(op, x.part(done, some), row, &mut y.part(done, some));
                    (done, column) = (done + some, 0);
                }
            }
            EpilogueOp::Scalar(op, b) => map.with_number(op, x, b, y),
            EpilogueOp::Clamp(clamp) => map.clamped(clamp, x, y),
            EpilogueOp::Unary(f) => map.one(f, x, y),
        }
    }
}
