//! Epilogues: sums with other tensors, clamps and functions that are applied to rows of results while these are in the
//! cache.

use arenite_base::Binary;
pub(crate) use arenite_layers::EpilogueOp;

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

/// Elements of repeated rows: 4 KiB.
const ROOM: usize = 1024;

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
            EpilogueOp::Row(op, _, len) if len <= ROOM / 8 && n > ROOM => {
                self.repeated_row((op, len), map, x, y, at);
            }
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

    /// A function of all elements and a row, which is repeated, so that one call of the kernel computes many rows.
    fn repeated_row(
        &self,
        (op, len): (Binary, usize),
        map: &Map,
        x: Source<'_, f32>,
        y: &mut Target<'_, f32>,
        at: usize,
    ) {
        let (mut room, count, first) = ([0.0; ROOM], ROOM / len * len, at % len);
        let row = (first..len).chain(0..first);
        room.iter_mut().zip(row).for_each(|(to, column)| *to = self.other.get(column));
        let mut filled = len;
        while filled < count {
            let more = filled.min(count - filled);
            room.copy_within(..more, filled);
            filled += more;
        }
        for done in (0..y.len()).step_by(count) {
            let some = count.min(y.len() - done);
            map.two(op, x.part(done, some), Source::of(&room[..some]), &mut y.part(done, some));
        }
    }
}
