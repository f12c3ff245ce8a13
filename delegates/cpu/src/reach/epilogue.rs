//! Epilogues: sums with other tensors, clamps and functions that are applied to rows of results while these are in the
//! cache.

use arenite_base::Binary;
pub(crate) use arenite_layers::EpilogueOp;
use arenite_layers::Id;

use crate::kernels::f32_map::Map;
use crate::memory::{Disjoint, Source, Target};
use crate::step::{Inputs, Run};

/// An operation with its operand.
#[derive(Clone, Copy)]
pub(crate) struct BoundOp<'r> {
    op: &'r EpilogueOp,
    other: Source<'r, f32>,
}

/// Rows of results that an epilogue is applied to.
#[derive(Clone, Copy)]
pub(crate) struct OutputRows {
    /// The first element of the first row.
    pub first: usize,
    /// Elements from one row to the next.
    pub stride: usize,
    /// Number of rows.
    pub count: usize,
    /// Elements of a row.
    pub len: usize,
}

/// Most operations.
pub(crate) const MAX_OPS: usize = 6;

/// Operations with access to their operands.
#[derive(Clone, Copy)]
pub(crate) struct Epilogue<'r> {
    ops: &'r [EpilogueOp],
    inputs: Inputs<'r>,
}

/// The operations of a step that runs.
pub(crate) fn bind<'r>(ops: &'r [EpilogueOp], cx: &'r Run<'_>) -> Epilogue<'r> {
    Epilogue { ops, inputs: cx.inputs() }
}

impl<'r> Epilogue<'r> {
    /// No operations.
    pub(crate) const NONE: Epilogue<'r> = Epilogue { ops: &[], inputs: Inputs::NONE };

    /// An operand.
    pub(crate) fn operand(&self, id: Id) -> Source<'r, f32> {
        self.inputs.get(id)
    }

    /// In the order in which they are applied.
    pub(crate) fn iter(&self) -> impl Iterator<Item = BoundOp<'r>> + use<'_, 'r> {
        let other = |op: &EpilogueOp| op.operand().map_or(Source::NONE, |id| self.inputs.get(id));
        self.ops.iter().map(move |op| BoundOp { op, other: other(op) })
    }

    /// Applies each operation in turn to rows of the tensor `y`: `y[i] = f(y[i])`.
    ///
    /// # Safety
    /// No other thread may access these rows.
    pub(crate) unsafe fn apply(
        &self,
        map: &Map,
        y: Disjoint<'_, f32>,
        OutputRows { first, stride, count, len }: OutputRows,
    ) {
        for bound in self.iter() {
            for at in (0..count).map(|row| first + row * stride) {
                // SAFETY: one of the rows, which no other thread accesses, as the caller guarantees.
                let mut y = unsafe { y.part(at, len) };
                bound.apply_over(map, &mut y, at);
            }
        }
    }
}

impl BoundOp<'_> {
    /// `y[i] = f(y[i])`; otherwise as [`apply`](Self::apply).
    pub(crate) fn apply_over(&self, map: &Map, y: &mut Target<'_, f32>, at: usize) {
        // SAFETY: `apply` reads the source on this thread, by kernels that read each element before they write the one
        // at its place.
        self.apply(map, unsafe { y.over() }, y, at);
    }

    /// `y[i] = f(x[i])`; `y[0]` is element `at` of the tensor that operands go with, or are a row of.
    pub(crate) fn apply(&self, map: &Map, x: Source<'_, f32>, y: &mut Target<'_, f32>, at: usize) {
        let n = y.len();
        match *self.op {
            EpilogueOp::Binary(op, _) => map.two(op, x, self.other.part(at, n), y),
            EpilogueOp::Row(op, _, len) => apply_row(map, op, self.other.part(0, len), x, y, at),
            EpilogueOp::Scalar(op, b) => map.with_number(op, x, b, y),
            EpilogueOp::Clamp(clamp) => map.clamped(clamp, x, y),
            EpilogueOp::Unary(f) => map.one(f, x, y),
        }
    }
}

/// Most elements of a row that is repeated.
const REPEATED: usize = 128;
/// Whole vectors have at most this many elements, a power of two.
const VECTOR: usize = 16;

/// `y[i] = f(x[i], row[(at + i) % row.len()])`.
fn apply_row(
    map: &Map,
    op: Binary,
    row: Source<'_, f32>,
    x: Source<'_, f32>,
    y: &mut Target<'_, f32>,
    at: usize,
) {
    let (n, column) = (y.len(), at % row.len());
    if n <= row.len() - column {
        return map.with_row(op, x, row.part(column, n), y);
    }
    let mut room = [0.0; REPEATED];
    let several = repeat(row, n, &mut room);
    let mut some = |row: Source<'_, f32>, done, len| {
        map.with_row(op, x.part(done, len), row, &mut y.part(done, len));
        done + len
    };
    let mut done = 0;
    if column > 0 {
        let first = (row.len() - column).min(n);
        done = some(row.part(column, first), done, first);
    }
    for row in [several, row] {
        if n - done >= row.len() {
            done = some(row, done, (n - done) / row.len() * row.len());
        }
    }
    if done < n {
        some(row.part(0, n - done), done, n - done);
    }
}

/// The row as often as makes whole vectors, if it fits into `room` and `n` elements are several times as many.
fn repeat<'r>(row: Source<'r, f32>, n: usize, room: &'r mut [f32; REPEATED]) -> Source<'r, f32> {
    let len = row.len();
    let times = (VECTOR >> len.trailing_zeros().min(VECTOR.ilog2())).min(REPEATED / len);
    if times < 2 || n < 2 * times * len {
        return row;
    }
    let all = &mut room[..times * len];
    for part in all.chunks_exact_mut(len) {
        Target::of(part).copy_from(row);
    }
    Source::of(all)
}
