//! The products of transposed convolutions of bytes: one per [phase](super::phases) of the stride, with its taps.

use std::mem::MaybeUninit;

use arenite_abi::prelude::*;
use arenite_layers::Window;

use super::patches_u8::{RESULT, SPEED};
use super::phases::{self, Form, Layout, MAX_TAPS, PhaseInput, PhaseTile};
use crate::kernels::u8i8_gemm::{Cached, Extent, Gemm, Product, ProductSizes, Results};
use crate::memory::{Disjoint, Source};
use crate::reach::weights_u8::{Weights, wrapping_sum};
use crate::step::{Grain, Run};
use crate::store::{Block, Store};

/// Most rows of a tile.
pub(crate) const ROWS: usize = 32;

/// Packed weights of all phases, with a `T` per form that determines the results.
pub(crate) struct Phases<T> {
    gemm: &'static Gemm,
    /// Of the convolution whose gradient this is: its input is the output here.
    pub window: Window,
    /// Channels of the input.
    pub depth: usize,
    layout: Layout,
    /// How sums become bytes, by the number of a form.
    tables: Vec<T>,
    packed: Block<u8>,
}

/// A column of the products of a phase.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column {
    /// The channel of the output.
    pub channel: usize,
    /// The sum of the weights that it has in this phase.
    pub sum: i32,
}

/// A row of the output to be computed.
#[derive(Clone, Copy)]
pub(crate) struct Row<'r> {
    /// Its number, counted through all images.
    pub line: usize,
    /// The input's bytes.
    pub input: Source<'r, u8>,
    /// A pixel outside of the image, padded to a multiple of four bytes.
    pub outside: Source<'r, u8>,
    /// The output.
    pub output: Disjoint<'r, u8>,
    /// Bytes of a result.
    pub size: usize,
}

/// Weights `[channels of the output][taps][channels of the input]`.
struct Filter<'a> {
    weights: &'a Weights<'a>,
    window: Window,
    depth: usize,
}

impl Filter<'_> {
    /// The weight of column `j` of a form at one of its taps.
    fn weight(&self, form: &Form, j: usize, tap: usize, c: usize) -> i8 {
        let (rows, columns) = (&self.window.rows, &self.window.columns);
        let ([_, across], [y, x]) = (form.taps, form.first);
        let ky = y + tap / across * rows.stride;
        let kx = x + j / self.window.channels + tap % across * columns.stride;
        let o = j % self.window.channels;
        self.weights.at(((o * rows.taps + ky) * columns.taps + kx) * self.depth + c)
    }

    fn column(&self, form: &Form, j: usize) -> Column {
        let taps = form.taps[0] * form.taps[1];
        let all = (0..taps).flat_map(|tap| (0..self.depth).map(move |c| (tap, c)));
        let sum = wrapping_sum(all.map(|(tap, c)| self.weight(form, j, tap, c)));
        Column { channel: j % self.window.channels, sum }
    }
}

impl<T> Phases<T> {
    /// Packs weights `[channels of the output][taps][depth]`, which have a name in the cache. Calls `table(lanes,
    /// columns)` for each form.
    pub(crate) fn new(
        gemm: &'static Gemm,
        store: &Store,
        (window, depth): (Window, usize),
        (name, weights): (&str, &Weights<'_>),
        table: impl Fn(usize, &[Column]) -> T,
    ) -> Result<Self> {
        let filter = Filter { weights, window, depth };
        let most = window.rows.taps_of_phase(0) * window.columns.taps_of_phase(0);
        let gemm = Gemm::select_for(
            gemm.isa,
            ProductSizes {
                rows: window.batches * window.rows.input * window.columns.input,
                taps: most,
                k: depth,
                columns: window.channels,
            },
        );
        let mut len = 0;
        let layout = Layout::new(&window, |taps, width| {
            let at = len;
            len += gemm.packed_len(taps, depth, width * window.channels).next_multiple_of(64);
            at
        });
        let strides = [window.rows.stride, window.columns.stride];
        let key = format!("{} {:?} by {strides:?} × {depth} {name}", gemm.name, layout.forms);
        let packed = store.block(&key, len, |packed: &mut [u8]| {
            for form in &layout.forms {
                let (taps, count) = (form.taps[0] * form.taps[1], form.width * window.channels);
                let panels = &mut packed[form.packed..][..gemm.packed_len(taps, depth, count)];
                gemm.pack(taps, depth, count, panels, |j, tap, c| filter.weight(form, j, tap, c));
            }
        })?;
        let of_form = |form: &Form| {
            let columns = 0..form.width * window.channels;
            table(gemm.lanes, &columns.map(|j| filter.column(form, j)).collect::<Vec<Column>>())
        };
        let tables = layout.forms.iter().map(of_form).collect();
        Ok(Phases { gemm, window, depth, layout, tables, packed })
    }

    /// The number of bytes that a pixel outside of the image must have.
    pub(crate) fn outside(&self) -> usize {
        self.depth.next_multiple_of(4)
    }

    /// Calls `f` with the number of each row of the output, on several threads, which have begun a session.
    pub(crate) fn for_each(&self, cx: &Run<'_>, f: impl Fn(usize) + Sync) -> Result<()> {
        let Window { batches, rows, columns, channels } = self.window;
        let taps = (rows.taps * columns.taps).div_ceil(rows.stride * columns.stride);
        let cost = columns.input * channels * taps * (self.depth / SPEED + RESULT);
        cx.parallel_for(batches * rows.input, Grain::of_cost(cost), |range| {
            // SAFETY: the member was selected for this machine.
            let _session = unsafe { self.gemm.begin() };
            range.for_each(&f);
        })
    }

    /// Computes a row. `results` gives the results of a phase.
    ///
    /// # Safety
    /// This thread must have begun a session, and no other thread may access the row in the output. The results must
    /// have channels for the columns of their phase, elements of `row.size` bytes and, if they have terms, terms for
    /// [`ROWS`] rows.
    pub(crate) unsafe fn row(&self, row: &Row<'_>, results: impl Fn(&T) -> Results) {
        let Row { line, input, outside, output, size } = *row;
        let (rows, columns) = (&self.window.rows, &self.window.columns);
        let outside = outside.at(0, self.outside());
        let (image, y) = (line / rows.input, line % rows.input);
        let (phase, lead) = ((y + rows.before) % rows.stride, (y + rows.before) / rows.stride);
        let width = columns.input * self.window.channels;
        for (phase, form) in self.layout.row(phase) {
            let (tiles, results) = (self.gemm.parts(phase.count), results(&self.tables[phase.form]));
            for t in 0..tiles {
                let (first, end) = self.gemm.part(t, phase.count);
                let mut pointers = [const { MaybeUninit::<*const u8>::uninit() }; ROWS * MAX_TAPS];
                let pixels = PhaseInput { input, depth: self.depth, outside };
                let tile = PhaseTile { phase, form, image, lead, results: first..end };
                phases::point(&self.window, tile, pixels, &mut pointers);
                let taps = form.taps[0] * form.taps[1];
                let start = line * width + (phase.first + first * phase.step) * self.window.channels;
                let [count, stride] = [form.width, phase.step * size].map(|n| n * self.window.channels);
                let panels = &self.packed[form.packed..][..self.gemm.packed_len(taps, self.depth, count)];
                let product = Product {
                    a: pointers.as_ptr().cast(),
                    step: 0,
                    rows: end - first,
                    taps,
                    k: self.depth,
                    reach: if self.depth.is_multiple_of(4) { Extent::Groups } else { Extent::Exact },
                    weights: panels.as_ptr(),
                    cached: Cached::of(self.packed.len()),
                    column_bytes: self.gemm.column_bytes(taps, self.depth),
                    results,
                    c: output.tile(start * size, [end - first, stride, count * size]),
                    stride,
                    columns: count,
                };
                // SAFETY: `gemm` was selected for this machine; the caller guarantees session and results. Pointers are
                // to the `depth` bytes of a pixel or of `outside`, in whole fours if read so; `panels` was sliced.
                unsafe { self.gemm.multiply(&product) };
            }
        }
    }
}
