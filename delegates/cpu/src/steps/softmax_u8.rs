//! Softmax of bytes: exponentials by a table, added in order; results by a table of each row's own.

use arenite_abi::prelude::*;
use arenite_layers::{Aligned, Id};

use crate::kernels::u8_fold::Fold;
use crate::kernels::u8_map::ByteMap;
use crate::kernels::u8_real::{Halves, Reals};
use crate::memory::Shared;
use crate::program::{Run, Step};

/// Rows whose exponentials are added at a time: a sum has to wait for each addition, several sums need not wait for one another.
const TOGETHER: usize = 8;
/// Elements of a row up to which a table of its own does not pay.
const SHORT: usize = 64;
/// Multiply-adds of `f32` in the time of one element.
const COST: usize = 24;

/// Softmax along runs.
pub struct SoftmaxU8 {
    kernels: (&'static Fold, &'static ByteMap, &'static Reals),
    /// `exp(step · (q − 255))` of all bytes q.
    exponentials: Aligned<f32>,
    /// Of the results.
    scale: f32,
    halves: Halves,
    rows: usize,
    depth: usize,
    input: Id,
    output: Id,
}

impl SoftmaxU8 {
    /// Softmax of `rows` rows of `depth` bytes, where a step of a byte multiplies by `exp(step)`; results have `scale`.
    pub fn new(
        kernels: (&'static Fold, &'static ByteMap, &'static Reals),
        (step, scale): (f32, f32),
        halves: Halves,
        [rows, depth]: [usize; 2],
        (input, output): (Id, Id),
    ) -> Self {
        let mut exponentials = Aligned::zeros(256);
        for (q, e) in exponentials.iter_mut().enumerate() {
            *e = libm::exp(f64::from(-step * (255 - q) as f32)) as f32;
        }
        SoftmaxU8 { kernels, exponentials, scale, halves, rows, depth, input, output }
    }

    /// Computes `count` rows from `first` on, at most [`TOGETHER`].
    ///
    /// # Safety
    /// `input` and `output` are the tensors; nobody else writes these rows.
    unsafe fn together(&self, first: usize, count: usize, input: *const u8, output: *mut u8) {
        let (fold, map, reals) = self.kernels;
        // Rows that are not there are the last one again.
        let row = |r: usize| (first + r.min(count - 1)) * self.depth;
        // SAFETY: inside the tensor.
        let rows: [&[u8]; TOGETHER] =
            std::array::from_fn(|r| unsafe { std::slice::from_raw_parts(input.add(row(r)), self.depth) });
        // SAFETY: selected for this machine.
        let largest = rows.map(|row| unsafe { (fold.largest)(row.len(), row.as_ptr()) });
        // Of a row, exp(step · (q − largest)) of the bytes q up to its largest.
        let tables = largest.map(|q| &self.exponentials[255 - usize::from(q)..]);
        let sums = add(&rows, &tables);
        if self.depth <= SHORT {
            // SAFETY: these rows are this call's.
            return unsafe { self.each(&rows, &tables, &sums, count, output.add(row(0))) };
        }
        for r in 0..count {
            let mut results = [0; 256];
            let n = usize::from(largest[r]) + 1;
            let inverse = 1.0 / (sums[r] * self.scale);
            // SAFETY: selected for this machine; the table has `n` numbers; this row is this call's.
            unsafe {
                (reals.quantize_positive)(n, tables[r].as_ptr(), inverse, self.halves, results.as_mut_ptr());
                (map.lookup)(self.depth, rows[r].as_ptr(), &results, output.add(row(r)));
            }
        }
    }
}

impl SoftmaxU8 {
    /// Results of short rows, one by one.
    ///
    /// # Safety
    /// `count` rows are writable at `output`; nobody else writes them.
    unsafe fn each(
        &self,
        rows: &[&[u8]; TOGETHER],
        tables: &[&[f32]; TOGETHER],
        sums: &[f32; TOGETHER],
        count: usize,
        output: *mut u8,
    ) {
        let (_, _, reals) = self.kernels;
        let mut shares = [0.0; TOGETHER * SHORT];
        for r in 0..count {
            let inverse = 1.0 / (sums[r] * self.scale);
            let to = &mut shares[r * self.depth..][..self.depth];
            for (share, &q) in to.iter_mut().zip(rows[r]) {
                *share = tables[r][usize::from(q)] * inverse;
            }
        }
        // SAFETY: selected for this machine; the rows lie one after the other.
        unsafe { (reals.quantize_positive)(count * self.depth, shares.as_ptr(), 1.0, self.halves, output) };
    }
}

/// The sums of what the tables have for the rows' bytes, each added in order.
fn add(rows: &[&[u8]; TOGETHER], tables: &[&[f32]; TOGETHER]) -> [f32; TOGETHER] {
    let mut sums = [0.0; TOGETHER];
    for i in 0..rows[0].len() {
        for ((sum, row), table) in sums.iter_mut().zip(rows).zip(tables) {
            // SAFETY: rows have one length; no byte is above its row's largest, so the table has a number for it.
            *sum += unsafe { *table.get_unchecked(usize::from(*row.get_unchecked(i))) };
        }
    }
    sums
}

impl Step for SoftmaxU8 {
    fn name(&self) -> &'static str {
        "SOFTMAX"
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let input = Shared::new(cx.place::<u8>(self.input));
        let output = Shared::new(cx.place::<u8>(self.output));
        let groups = self.rows.div_ceil(TOGETHER);
        cx.parallel_for(groups, super::grain(TOGETHER * self.depth * COST), |range| {
            for group in range {
                let first = group * TOGETHER;
                let count = TOGETHER.min(self.rows - first);
                // SAFETY: the host's tensors have the shape that the step was built for; each row is one thread's.
                unsafe { self.together(first, count, input.get(), output.get()) };
            }
        })
    }

    fn in_place(&self, id: Id) -> bool {
        id == self.input
    }
}
