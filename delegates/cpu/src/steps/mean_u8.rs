//! Means of bytes: sums, which are then scaled.

use arenite_abi::prelude::*;
use arenite_layers::Id;

use crate::kernels::u8_fold::{Fold, Rows};
use crate::kernels::u8_real::{Reals, Sums};
use crate::memory::Shared;
use crate::program::{Run, Step};
use crate::requantize::{Bytes, Channel, Channels};

/// Sums that are scaled together; a multiple of the lanes of all vectors.
const PART: usize = 512;

/// `[outer][folded][inner]` elements become `[outer][inner]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// How often.
    pub outer: usize,
    /// Elements that become one.
    pub folded: usize,
    /// Elements side by side.
    pub inner: usize,
}

/// How sums become bytes.
#[derive(Clone, Copy, Debug)]
pub struct Scaling {
    /// The first so many of each `inner`.
    pub first: (Channel, usize),
    /// The others.
    pub rest: Channel,
    /// What results become.
    pub bytes: Bytes,
}

/// A mean.
pub struct MeanU8 {
    fold: &'static Fold,
    reals: &'static Reals,
    shape: Shape,
    table: Channels,
    /// Whether all sums are scaled alike.
    is_alike: bool,
    input: Id,
    output: Id,
}

impl MeanU8 {
    /// The mean with this scaling.
    pub fn new(
        (fold, reals): (&'static Fold, &'static Reals),
        shape: Shape,
        scaling: Scaling,
        (input, output): (Id, Id),
    ) -> Self {
        let Scaling { first: (first, count), rest, bytes } = scaling;
        let is_alike = shape.inner == 1 || count == 0;
        let channels = match is_alike {
            true => vec![if count > 0 { first } else { rest }; reals.lanes],
            false => (0..shape.inner).map(|i| if i < count { first } else { rest }).collect(),
        };
        let table = Channels::new(reals.lanes, &channels, bytes);
        MeanU8 { fold, reals, shape, table, is_alike, input, output }
    }

    /// Scales `n` sums, those of channels from `from` on.
    ///
    /// # Safety
    /// `n` bytes are writable at `y`; `from` is a multiple of [`PART`].
    unsafe fn finish(&self, sums: &[i32], from: usize, y: *mut u8) {
        let from = if self.is_alike { 0 } else { from };
        let sums = Sums {
            n: sums.len(),
            x: sums.as_ptr(),
            table: self.table.block(from),
            step: if self.is_alike { 0 } else { Channels::stride(self.reals.lanes) },
            is_general: self.table.is_general,
            bytes: self.table.bytes,
        };
        // SAFETY: selected for this machine; the table has a block for each vector of sums.
        unsafe { (self.reals.requantize)(&sums, y) };
    }

    /// Means of runs: results `from..from + n`.
    ///
    /// # Safety
    /// `input` and `output` are the tensors; nobody else writes these results.
    unsafe fn runs(&self, from: usize, n: usize, input: *const u8, output: *mut u8) {
        let mut sums = [0; PART];
        for (i, sum) in sums[..n].iter_mut().enumerate() {
            // SAFETY: inside the tensor.
            *sum = unsafe { (self.fold.sum)(self.shape.folded, input.add((from + i) * self.shape.folded)) };
        }
        // SAFETY: these results are this call's.
        unsafe { self.finish(&sums[..n], 0, output.add(from)) };
    }

    /// Means of columns: results `from..from + n` of slab `outer`.
    ///
    /// # Safety
    /// As of [`runs`](Self::runs).
    unsafe fn columns(&self, outer: usize, from: usize, n: usize, input: *const u8, output: *mut u8) {
        let Shape { folded, inner, .. } = self.shape;
        let mut sums = [0; PART];
        // Rows of few elements are added some at a time, as one.
        let together = if n == inner { (PART / n).clamp(1, folded) } else { 1 };
        let whole = folded / together;
        // SAFETY: inside the tensors.
        unsafe {
            let first = input.add(outer * folded * inner + from);
            let rows = Rows { from: first, count: whole, step: together * inner, n: together * n };
            (self.fold.add_rows)(&rows, sums.as_mut_ptr());
            let (all, others) = sums.split_at_mut(n);
            for other in others[..(together - 1) * n].chunks_exact(n) {
                all.iter_mut().zip(other).for_each(|(sum, &x)| *sum = sum.wrapping_add(x));
            }
            let rest = first.add(whole * together * inner);
            let rows = Rows { from: rest, count: folded - whole * together, step: inner, n };
            (self.fold.add_rows)(&rows, sums.as_mut_ptr());
            self.finish(&sums[..n], from, output.add(outer * inner + from));
        }
    }
}

impl Step for MeanU8 {
    fn name(&self) -> &'static str {
        "MEAN"
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let Shape { outer, folded, inner } = self.shape;
        let input = Shared::new(cx.place::<u8>(self.input));
        let output = Shared::new(cx.place::<u8>(self.output));
        let (count, all) = if inner == 1 { (1, outer) } else { (outer, inner) };
        let parts = all.div_ceil(PART);
        cx.parallel_for(count * parts, super::grain(folded * PART.min(all)), |range| {
            for item in range {
                let (o, from) = (item / parts, item % parts * PART);
                let n = PART.min(all - from);
                // SAFETY: the host's tensors have the shape that the step was built for; each item has results of its own.
                unsafe {
                    match inner {
                        1 => self.runs(from, n, input.get(), output.get()),
                        _ => self.columns(o, from, n, input.get(), output.get()),
                    }
                }
            }
        })
    }
}
