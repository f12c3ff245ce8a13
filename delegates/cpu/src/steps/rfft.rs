//! Fourier transforms of the last two axes of `f32`, as half spectra.
//!
//! ```text
//! x [slices, rows, columns] ─► y [slices, height, width / 2 + 1] complex     cropped, or padded with zeros
//! ```
//! Each task has `f64` scratch memory. It transforms the rows of a slice, then the columns.

use arenite_abi::prelude::*;

use crate::kernels::f64_fft::{Fft, RowTables, Spectrum, column_roots, reversed};
use crate::memory::Source;
use crate::step::{Grain, Run, Step, StepValues};

/// The most tasks, each of which needs scratch memory.
const TASKS: usize = 8;

/// The sizes of a transform.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RfftSizes {
    /// How many slices are transformed.
    pub slices: usize,
    /// Rows and columns of a slice of the input.
    pub input: [usize; 2],
    /// Rows and columns that are transformed: powers of two, at least two columns.
    pub lengths: [usize; 2],
}

/// Transforms slices.
pub(crate) struct RfftF32 {
    fft: &'static Fft,
    sizes: RfftSizes,
    tables: RowTables,
    /// For the columns.
    roots: Vec<[f64; 2]>,
    /// Slices of a task.
    chunk: usize,
    values: StepValues,
}

impl RfftF32 {
    /// Of these sizes, for at most `threads` threads.
    pub(crate) fn new(fft: &'static Fft, sizes: RfftSizes, threads: usize, values: StepValues) -> Self {
        let [height, width] = sizes.lengths;
        let chunk = sizes.slices.div_ceil(threads.clamp(1, TASKS));
        let (tables, roots) = (RowTables::new(width), column_roots(height));
        RfftF32 { fft, sizes, tables, roots, chunk, values }
    }

    /// The bytes of the tables for these sizes.
    pub(crate) fn table_bytes(sizes: &RfftSizes) -> usize {
        let [height, width] = sizes.lengths;
        RowTables::bytes(width) + height / 2 * size_of::<[f64; 2]>()
    }

    /// Complex numbers of a slice of the output.
    fn outputs(&self) -> usize {
        self.sizes.lengths[0] * self.tables.outputs()
    }

    /// Numbers of scratch memory per task.
    fn work(&self) -> usize {
        self.tables.work() + 2 * self.outputs()
    }

    fn slice(&self, x: Source<'_, f32>, work: &mut [f64], y: &mut [[f32; 2]]) {
        let ([rows, columns], [height, _]) = (self.sizes.input, self.sizes.lengths);
        let (work, spectrum) = work.split_at_mut(self.tables.work());
        let (re, im) = spectrum.split_at_mut(self.outputs());
        let outputs = self.tables.outputs();
        for (to, (re, im)) in re.chunks_exact_mut(outputs).zip(im.chunks_exact_mut(outputs)).enumerate() {
            let from = reversed(to, height);
            if from < rows {
                let row = x.part(from * columns, columns);
                // SAFETY: `part` checked the row. No step writes its input, as this one allows no overlap.
                let row = unsafe { std::slice::from_raw_parts(row.at(0, columns), columns) };
                self.fft.row(&self.tables, row, work, Spectrum { re, im });
            } else {
                re.fill(0.0);
                im.fill(0.0);
            }
        }
        self.fft.columns(&self.roots, outputs, Spectrum { re, im });
        for (y, (re, im)) in y.iter_mut().zip(re.iter().zip(im.iter())) {
            *y = [*re as f32, *im as f32];
        }
    }
}

impl Step for RfftF32 {
    fn name(&self) -> &'static str {
        "RFFT2D"
    }

    fn scratch(&self) -> usize {
        self.sizes.slices.div_ceil(self.chunk) * self.work() * size_of::<f64>()
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let (x, scratch) = (cx.input::<f32>(self.values.input), cx.scratch().cast::<f64>().share());
        let (inputs, outputs) = (self.sizes.input[0] * self.sizes.input[1], self.outputs());
        let bits = self.sizes.lengths.map(|n| n.trailing_zeros() as usize);
        let cost = 2 * self.chunk * outputs * (bits[0] + bits[1]);
        let y = cx.output::<[f32; 2]>(self.values.output);
        cx.parallel_parts(y, self.chunk * outputs, Grain::of_cost(cost), |tasks, mut y| {
            // SAFETY: each task has its own part of the scratch memory, and ranges of tasks are disjoint.
            let mut work = unsafe { scratch.part(tasks.start * self.work(), self.work()) };
            let first = tasks.start * self.chunk;
            for (i, y) in y.as_mut_slice().chunks_exact_mut(outputs).enumerate() {
                self.slice(x.part((first + i) * inputs, inputs), work.as_mut_slice(), y);
            }
        })
    }
}
