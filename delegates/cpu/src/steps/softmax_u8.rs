//! Softmax of bytes: exponentials come from a table and are added in order. Each row has a separate table of results.

use arenite_abi::prelude::*;
use arenite_base::Aligned;
use arenite_layers::Id;

use crate::kernels::int_fold::IntFolds;
use crate::kernels::u8_map::ByteMap;
use crate::kernels::u8_real::{Halves, Reals};
use crate::memory::{InPlace, Source, Target};
use crate::step::{Grain, Run, Step, StepValues};

/// Rows whose exponentials are added at the same time. Additions to one sum wait for each other; those to different
/// sums do not.
const TOGETHER: usize = 8;
/// Longest row for which a separate table does not pay.
const SHORT: usize = 64;
/// Multiply-adds of `f32` in the time of one element.
const COST: usize = 24;

/// Softmax along runs.
pub(crate) struct SoftmaxU8 {
    kernels: (&'static IntFolds, &'static ByteMap, &'static Reals),
    /// `exp(step · (q − 255))` of all bytes q.
    exponentials: Aligned<f32>,
    /// Of the results.
    scale: f32,
    flip: u8,
    halves: Halves,
    depth: usize,
    input: Id,
    output: Id,
}

/// The real values of the bytes of a softmax.
pub(crate) struct Scales {
    /// A byte larger by 1 has an exponential larger by `exp(step)`.
    pub step: f32,
    /// The scale of the results.
    pub scale: f32,
    /// What results are combined with by exclusive or: 0x80 makes signed bytes of them.
    pub flip: u8,
}

impl SoftmaxU8 {
    /// Softmax of rows of `depth` bytes.
    pub(crate) fn new(
        kernels: (&'static IntFolds, &'static ByteMap, &'static Reals),
        Scales { step, scale, flip }: Scales,
        halves: Halves,
        depth: usize,
        StepValues { input, output }: StepValues,
    ) -> Self {
        let mut exponentials = Aligned::zeros(256);
        for (q, e) in exponentials.iter_mut().enumerate() {
            *e = libm::exp(f64::from(-step * (255 - q) as f32)) as f32;
        }
        SoftmaxU8 { kernels, exponentials, scale, flip, halves, depth, input, output }
    }

    /// Computes `y`, at most [`TOGETHER`] rows that start at row `first`.
    fn together(&self, first: usize, input: Source<'_, u8>, y: &mut Target<'_, u8>) {
        let count = y.len() / self.depth;
        if self.depth <= SHORT {
            return self.short(input.part(first * self.depth, y.len()), y);
        }
        if count < TOGETHER / 2 {
            return (0..count)
                .for_each(|r| self.long::<1>(first + r, input, &mut y.part(r * self.depth, self.depth)));
        }
        self.long::<TOGETHER>(first, input, y);
    }

    /// Computes `y`, at most `N` rows that start at row `first`, with a table of results for each.
    fn long<const N: usize>(&self, first: usize, input: Source<'_, u8>, y: &mut Target<'_, u8>) {
        let (fold, map, reals) = self.kernels;
        let count = y.len() / self.depth;
        // Missing rows repeat the last one.
        let rows: [Source<'_, u8>; N] =
            std::array::from_fn(|r| input.part((first + r.min(count - 1)) * self.depth, self.depth));
        let largest = rows.map(|row| fold.bytes.largest_of(row));
        let tables = largest.map(|q| self.up_to(q));
        let sums = add(&rows, &tables);
        for r in 0..count {
            let mut results = [0; 256];
            let n = tables[r].len();
            let inverse = 1.0 / (sums[r] * self.scale);
            let to = &mut Target::of(&mut results[..n]);
            reals.quantized_positive(tables[r], inverse, self.halves, to);
            results.iter_mut().for_each(|byte| *byte ^= self.flip);
            map.looked_up(rows[r], &results, &mut y.part(r * self.depth, self.depth));
        }
    }

    /// `exp(step · (q − largest))` of each byte q up to a row's largest.
    fn up_to(&self, largest: u8) -> &[f32] {
        &self.exponentials[255 - usize::from(largest)..]
    }

    /// Results of short rows, without tables of results.
    fn short(&self, x: Source<'_, u8>, y: &mut Target<'_, u8>) {
        let (_, _, reals) = self.kernels;
        let mut shares = [0.0; TOGETHER * SHORT];
        let shares = &mut shares[..y.len()];
        for (r, to) in shares.chunks_exact_mut(self.depth).enumerate() {
            let row = x.part(r * self.depth, self.depth);
            let table = self.up_to(row.iter().fold(0, u8::max));
            let mut sum = 0.0;
            for (exponential, q) in to.iter_mut().zip(row.iter()) {
                *exponential = table[usize::from(q)];
                sum += *exponential;
            }
            let inverse = 1.0 / (sum * self.scale);
            to.iter_mut().for_each(|share| *share *= inverse);
        }
        reals.quantized_positive(shares, 1.0, self.halves, y);
        if self.flip != 0 {
            y.as_mut_slice().iter_mut().for_each(|byte| *byte ^= self.flip);
        }
    }
}

/// The sums of the table entries of each row's bytes, added in order.
fn add<const N: usize>(rows: &[Source<'_, u8>; N], tables: &[&[f32]; N]) -> [f32; N] {
    let mut sums = [0.0; N];
    let n = rows[0].len();
    let rows = rows.map(|row| row.at(0, n));
    for i in 0..n {
        for ((sum, row), table) in sums.iter_mut().zip(rows).zip(tables) {
            // SAFETY: rows have `n` bytes. No byte is above its row's maximum, whose entry is the last one of the
            // table.
            *sum += unsafe { *table.get_unchecked(usize::from(*row.add(i))) };
        }
    }
    sums
}

impl Step for SoftmaxU8 {
    fn name(&self) -> &'static str {
        "SOFTMAX"
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let input = cx.input::<u8>(self.input);
        let (unit, grain) = (TOGETHER * self.depth, Grain::of_cost(TOGETHER * self.depth * COST));
        cx.parallel_parts(cx.output::<u8>(self.output), unit, grain, |groups, mut y| {
            for (i, group) in groups.enumerate() {
                let n = unit.min(y.len() - i * unit);
                self.together(group * TOGETHER, input, &mut y.part(i * unit, n));
            }
        })
    }

    fn in_place(&self, id: Id) -> InPlace {
        // SAFETY: results of a group of rows go to a buffer first, or the thread that reads a byte writes it
        // afterwards.
        unsafe { InPlace::only_if(id == self.input) }
    }
}
