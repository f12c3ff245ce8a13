//! Means of bytes: sums, which are then scaled.

use arenite_abi::prelude::*;
use arenite_layers::Id;

use super::fold_int::{PART, Shape, column_sums};
use crate::kernels::int_fold::IntFolds;
use crate::kernels::u8_real::{Reals, Sums};
use crate::memory::{Source, Target};
use crate::requantize::{Bytes, Channel, Channels};
use crate::step::{Grain, Run, Step, StepValues};

const _: () = assert!(PART.is_multiple_of(16), "parts are whole vectors of sums");

/// How sums become bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scaling {
    /// A channel, and how many of each `inner` results it scales: the first ones.
    pub first: (Channel, usize),
    /// The others.
    pub rest: Channel,
    /// How results become bytes.
    pub bytes: Bytes,
}

/// A mean.
pub(crate) struct MeanU8 {
    fold: &'static IntFolds,
    reals: &'static Reals,
    shape: Shape,
    /// The bits that make inputs unsigned, by exclusive or.
    flip: u8,
    table: Channels,
    /// Whether all sums are scaled alike.
    is_alike: bool,
    input: Id,
    output: Id,
}

impl MeanU8 {
    /// The mean with this scaling, of bytes that are combined with `flip` by exclusive or.
    pub(crate) fn new(
        (fold, reals): (&'static IntFolds, &'static Reals),
        (shape, flip): (Shape, u8),
        scaling: Scaling,
        StepValues { input, output }: StepValues,
    ) -> Self {
        let Scaling { first: (first, count), rest, bytes } = scaling;
        let is_alike = shape.inner == 1 || count == 0;
        let channels = match is_alike {
            true => vec![if count > 0 { first } else { rest }; reals.lanes],
            false => (0..shape.inner).map(|i| if i < count { first } else { rest }).collect(),
        };
        let table = Channels::new(reals.lanes, &channels, bytes);
        MeanU8 { fold, reals, shape, flip, table, is_alike, input, output }
    }

    /// Scales the sums of the channels from `from` on, which is a multiple of [`PART`].
    fn finish(&self, sums: &[i32], from: usize, y: &mut Target<'_, u8>) {
        let from = if self.is_alike { 0 } else { from };
        let sums = Sums {
            n: sums.len(),
            x: sums.as_ptr(),
            table: self.table.block(from),
            step: if self.is_alike { 0 } else { Channels::stride(self.reals.lanes) },
            is_general: self.table.is_general,
            bytes: self.table.bytes,
        };
        // SAFETY: selected for this machine; there is room for `n` bytes, and the table, made for all channels, has a
        // block for each vector of sums from channel `from` on, or one for all of them.
        unsafe { (self.reals.requantize)(&sums, y.at(0, sums.n)) };
    }

    /// Means of runs, from result `from` on.
    fn runs(&self, from: usize, x: Source<'_, u8>, y: &mut Target<'_, u8>) {
        let (mut sums, n, folded) = ([0; PART], y.len(), self.shape.folded);
        self.fold.bytes.rows_summed(x.part(from * folded, n * folded), folded, self.flip, &mut sums[..n]);
        self.finish(&sums[..n], 0, y);
    }

    /// Means of columns, from result `from` of slab `outer` on.
    fn columns(&self, outer: usize, from: usize, x: Source<'_, u8>, y: &mut Target<'_, u8>) {
        let n = y.len();
        let sums = column_sums(&self.fold.bytes, x, self.shape, [outer, from, n], self.flip);
        self.finish(&sums[..n], from, y);
    }
}

impl Step for MeanU8 {
    fn name(&self) -> &'static str {
        "MEAN"
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let Shape { outer, folded, inner } = self.shape;
        let x = cx.input::<u8>(self.input);
        let y = cx.output::<u8>(self.output).share();
        let (count, all) = if inner == 1 { (1, outer) } else { (outer, inner) };
        let parts = all.div_ceil(PART);
        cx.parallel_for(count * parts, Grain::of_cost(folded * PART.min(all)), |range| {
            for item in range {
                let (o, from) = (item / parts, item % parts * PART);
                // SAFETY: parts cut a slab, slabs cut the output, and each part is one thread's.
                let mut y = unsafe { y.part(o * all + from, PART.min(all - from)) };
                match inner {
                    1 => self.runs(from, x, &mut y),
                    _ => self.columns(o, from, x, &mut y),
                }
            }
        })
    }
}
