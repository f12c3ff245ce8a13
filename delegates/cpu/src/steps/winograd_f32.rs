//! Convolution of `f32` by 3 × 3 filters with stride 1, after Winograd: in blocks of tiles that fit the cache
//!
//! ```text
//! pixels ─► V[f][tile][channel]  ─► P[f] = V[f] · U[f], f = 0..α² ─► results + bias, clamped ─► epilogue
//!          (a tile at a time)       (packed products)                (a tile at a time)
//! ```

use std::ops::Range;

use arenite_abi::prelude::*;
use arenite_base::{Aligned, Clamp, Stored, StoredRows};
use arenite_layers::{Id, Window, aligned_zeros};

use super::conv_f32::ConvF32Parameters;
use crate::isa::Isa;
use crate::kernels::f32_gemm::{Gemm, Prefetch, Tile};
use crate::kernels::f32_map::Map;
use crate::kernels::f32_winograd::{FILTERS, Output, Winograd};
use crate::kernels::transpose::Transpose;
use crate::kernels::widen;
use crate::memory::{Disjoint, LINE, Lead, Source};
use crate::reach::epilogue::{self, Epilogue, EpilogueOp, OutputRows};
use crate::reach::tiles::{self, CacheShare, Tiles};
use crate::step::{Grain, Run, Step};
use crate::store::{Block, Store};

/// Bytes of V and P together that are worked on at a time: most of a second-level cache.
const BLOCK: usize = 3 << 19;
/// Channels whose filters are transformed before they are packed. They fit the cache.
const DEPTH: usize = 64;
/// Values between the lines of V or P, so that they do not fall on the same lines of a cache.
const SKEW: usize = 16;

/// A convolution by 3 × 3 filters.
pub(crate) struct WinogradF32 {
    gemm: &'static Gemm,
    map: &'static Map,
    winograd: &'static Winograd,
    tiles: Tiles,
    filters: usize,
    /// Weights of all products, in order.
    packed: Block<f32>,
    bias: Aligned<f32>,
    zeros: Aligned<f32>,
    clamp: Clamp,
    epilogue: Vec<EpilogueOp>,
    input: Id,
    output: Id,
}

/// Multiply-adds that one value of a transform costs.
const TRANSFORM: usize = 160;
/// Multiply-adds in the time that it takes to read one weight from beyond the second-level cache.
const STREAM: usize = 24;
/// Bytes of weights that stay in the second-level cache.
const NEAR: usize = 1 << 20;

/// The fastest tile size for this convolution, estimated from the operations and the weights that it reads. `None` if
/// the plain convolution is faster.
pub(crate) fn choose(
    isa: Isa,
    gemm: &Gemm,
    window: &Window,
    groups: usize,
    filters: usize,
) -> Option<&'static Winograd> {
    let (rows, columns, channels) = (window.rows, window.columns, window.channels);
    if groups != 1 || !tiles::fits(window) || channels < 8 || filters < 8 {
        return None;
    }
    let padded = filters.next_multiple_of(gemm.lanes);
    let stream = |weights: usize| if weights * 4 > NEAR { weights * STREAM } else { 0 };
    let direct = window.positions() * 9 * channels * padded + stream(9 * channels * padded);
    let cost = |w: &Winograd| {
        let tiles = window.batches * rows.output.div_ceil(w.m) * columns.output.div_ceil(w.m);
        let products = w.alpha() * w.alpha();
        let mr = tiles.next_multiple_of(if tiles < rows_of(gemm, filters) { 1 } else { 2 });
        products * (mr * channels * padded + tiles * (channels + filters) * TRANSFORM / 16)
            + stream(products * channels * padded)
    };
    let sizes = [2, 4].into_iter().filter_map(|m| Winograd::select(isa, m));
    let best = sizes.min_by_key(|w| cost(w))?;
    (cost(best) * 5 / 4 < direct).then_some(best)
}

/// The most rows of a product.
fn rows_of(gemm: &Gemm, filters: usize) -> usize {
    gemm.rows(filters).min(gemm.mr)
}

impl WinogradF32 {
    /// Transforms and packs the weights.
    pub(crate) fn new(
        gemm: &'static Gemm,
        map: &'static Map,
        winograd: &'static Winograd,
        store: &Store,
        parts: ConvF32Parameters<'_>,
    ) -> Result<Self> {
        let ConvF32Parameters { window, filters, .. } = parts;
        let channels = window.channels;
        let products = winograd.alpha() * winograd.alpha();
        let len = gemm.packed_len(channels, filters);
        let key = format!("{} {} {filters} × {channels} {}", gemm.name, winograd.name, parts.name);
        let packed = store.block(&key, products * len, |packed: &mut [f32]| {
            let mut from = 0;
            while from < filters {
                let width = gemm.panel_width(from, filters);
                let panel = PanelAt { product: len, first: from * (channels + 1), width };
                let part = from..from + width.min(filters - from);
                transform((gemm, winograd), (&parts.weights, channels), part, packed, panel);
                from += width;
            }
        })?;
        let mut bias = aligned_zeros(filters)?;
        if let Some(values) = parts.bias {
            bias.copy_from_slice(values);
        }
        let one = products * (channels + filters) * size_of::<f32>();
        Ok(WinogradF32 {
            gemm,
            map,
            winograd,
            tiles: Tiles::new(
                window,
                winograd.m,
                CacheShare { room: BLOCK, tile: one },
                rows_of(gemm, filters),
            ),
            filters,
            packed,
            bias,
            zeros: aligned_zeros(channels)?,
            clamp: parts.clamp,
            epilogue: parts.epilogue,
            input: parts.input,
            output: parts.output,
        })
    }

    fn products(&self) -> usize {
        self.winograd.alpha() * self.winograd.alpha()
    }

    /// Values from one product's rows to the next's, in V and in P.
    fn strides(&self) -> [usize; 2] {
        [self.tiles.block * self.tiles.window.channels + SKEW, self.tiles.block * self.filters + SKEW]
    }

    /// Transforms the inputs of a tile, row `r` of the block.
    ///
    /// # Safety
    /// No other thread may access row `r` of each product in `v`.
    unsafe fn transform(&self, tile: usize, r: usize, input: Source<'_, f32>, v: Disjoint<'_, f32>) {
        let channels = self.tiles.window.channels;
        let pixels = self.tiles.pixels(tile, input, &self.zeros);
        let stride = self.strides()[0];
        let v = v.tile(r * channels, [self.products(), stride, channels]);
        // SAFETY: the table's entry was selected for this machine; each pixel has all channels, and V, of which the row
        // is the caller's, has as many for each product.
        unsafe { (self.winograd.input)(channels, pixels.as_ptr(), v, stride) };
    }

    /// Multiplies some rows of product `f`.
    ///
    /// # Safety
    /// No other thread may access these rows of `p`.
    unsafe fn multiply(&self, f: usize, rows: Range<usize>, v: Source<'_, f32>, p: Disjoint<'_, f32>) {
        let Range { start: first, end } = rows;
        let (channels, [vs, ps], rows) = (self.tiles.window.channels, self.strides(), end - first);
        let a = v.at(f * vs + first * channels, rows * channels);
        let pointers: [*const f32; 16] = std::array::from_fn(|r| a.wrapping_add(r * channels));
        let len = self.gemm.packed_len(channels, self.filters);
        let panels = self.packed[f * len..][..len].as_ptr();
        let c = p.tile(f * ps + first * self.filters, [rows, self.filters, self.filters]);
        let (mut panel, mut column) = (0, 0);
        while column < self.filters {
            let width = self.gemm.panel_width(column, self.filters);
            let weights = panels.wrapping_add(panel);
            let tile = Tile {
                a: pointers.as_ptr(),
                taps: 1,
                k: channels,
                weights,
                c: c.wrapping_add(column),
                stride: self.filters,
                columns: width.min(self.filters - column),
                prefetch: match first {
                    0 => Prefetch::ahead(weights, width),
                    _ if end < 2 * (end - first) + 2 => Prefetch::panel(weights.wrapping_add(len), width),
                    _ => Prefetch::nothing(weights),
                },
                ..Tile::PLAIN
            };
            // SAFETY: the kernel was selected for this machine; each row has a pointer to all channels; the product's
            // panels were sliced, whose widths add up to its filters; these rows of P, looked up as a whole, are the
            // caller's.
            unsafe { self.gemm.kernel(width, rows)(&tile) };
            (panel, column) = (panel + width * (channels + 1), column + width);
        }
    }

    /// Transforms the products of a tile, row `r` of the block, to results.
    ///
    /// # Safety
    /// No other thread may access the tile's results in `output`, the tensor.
    unsafe fn finish(
        &self,
        tile: usize,
        r: usize,
        p: Source<'_, f32>,
        output: Disjoint<'_, f32>,
        epilogue: &Epilogue<'_>,
    ) {
        let (position, size) = self.tiles.results(tile);
        let (first, width) = (position * self.filters, self.tiles.window.columns.output);
        let (stride, row) = (self.strides()[1], width * self.filters);
        let transform = Output {
            channels: self.filters,
            p: p.at(r * self.filters, (self.products() - 1) * stride + self.filters),
            stride,
            bias: self.bias.as_ptr(),
            y: output.tile(first, [size[0], row, size[1] * self.filters]),
            row,
            size,
            low: self.clamp.low,
            high: self.clamp.high,
        };
        // SAFETY: selected for this machine; P has a row of all filters for each product, `new` made a bias for each
        // filter, and the results are the caller's.
        unsafe { (self.winograd.output)(&transform) };
        let rows = OutputRows { first, stride: row, count: size[0], len: size[1] * self.filters };
        // SAFETY: the tile's rows, which were just written.
        unsafe { epilogue.apply(self.map, output, rows) };
    }
}

/// The location of a panel of each product in packed weights.
struct PanelAt {
    /// Values of all panels of a product.
    product: usize,
    /// Values of the product before this panel.
    first: usize,
    /// Columns.
    width: usize,
}

/// Transforms some filters of `[filters][9][channels]` to columns of a panel of each product. The panels must hold
/// zeros: these are their biases.
fn transform(
    (gemm, winograd): (&Gemm, &Winograd),
    (weights, channels): (&Stored<'_>, usize),
    filters: Range<usize>,
    packed: &mut [f32],
    PanelAt { product: len, first: panel, width }: PanelAt,
) {
    let (from, count) = (filters.start, filters.len());
    let (transpose, products) = (Transpose::words(gemm.isa), winograd.alpha() * winograd.alpha());
    let mut transformed = vec![0.0; products * count * DEPTH.min(channels)];
    let mut room = Vec::new();
    for first in (0..channels).step_by(DEPTH) {
        let depth = DEPTH.min(channels - first);
        for j in 0..count {
            let taps = StoredRows {
                first: (from + j) * 9 * channels + first,
                stride: channels,
                count: 9,
                len: depth,
            };
            let (taps, stride) = weights.rows(taps, widen::halves(gemm.isa), &mut room);
            for i in (0..depth).step_by(FILTERS) {
                let n = FILTERS.min(depth - i);
                let mut g = [[0.0; FILTERS]; 9];
                for (tap, g) in g.iter_mut().enumerate() {
                    g[..n].copy_from_slice(&taps[tap * stride + i..][..n]);
                }
                // SAFETY: selected for this machine.
                let u = unsafe { (winograd.filters)(&g) };
                for (f, u) in u[..products].iter().enumerate() {
                    transformed[(f * count + j) * depth + i..][..n].copy_from_slice(&u[..n]);
                }
            }
        }
        for (rows, packed) in transformed.chunks_exact(count * depth).zip(packed.chunks_exact_mut(len)) {
            let lines = &mut packed[panel + (1 + first) * width..][..depth * width];
            transpose.slices((rows, depth), (lines, width), [count, depth]);
        }
    }
}

impl Step for WinogradF32 {
    fn name(&self) -> &'static str {
        "CONV_2D, Winograd"
    }

    fn lead(&self, id: Id) -> Option<Lead> {
        let has_operand = self.epilogue.iter().any(|op| op.operand() == Some(id));
        let distance = || self.tiles.distance(self.filters, size_of::<f32>()) as u64;
        // SAFETY: all threads read the whole of a block of tiles before they write its results. At this distance, the
        // results end before the input of later blocks begins.
        (id == self.input && !has_operand).then(|| unsafe { Lead::of(distance()) })
    }

    fn scratch(&self) -> usize {
        let bytes = |stride: usize| (stride * self.products() * size_of::<f32>()).next_multiple_of(LINE);
        self.strides().into_iter().map(bytes).sum()
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let input = cx.input::<f32>(self.input);
        let output = cx.output::<f32>(self.output).share();
        let [of_v, of_p] = self.strides().map(|stride| stride * self.products());
        let (v, rest) = cx.scratch().take(of_v);
        let (v, p) = (v.share(), rest.take(of_p).0.share());
        let epilogue = epilogue::bind(&self.epilogue, cx);
        let channels = self.tiles.window.channels;
        for first in (0..self.tiles.count()).step_by(self.tiles.block) {
            let rows = self.tiles.block.min(self.tiles.count() - first);
            cx.parallel_for(rows, Grain::of_cost(self.products() * channels * TRANSFORM / 16), |range| {
                for r in range {
                    // SAFETY: each row of V is one thread's.
                    unsafe { self.transform(first + r, r, input, v) };
                }
            })?;
            let groups = rows.div_ceil(rows_of(self.gemm, self.filters));
            let cost = rows * channels * self.filters / groups;
            cx.parallel_for(self.products() * groups, Grain::of_cost(cost), |range| {
                for item in range {
                    let (f, g) = (item / groups, item % groups);
                    let part = g * rows / groups..(g + 1) * rows / groups;
                    // SAFETY: each group of rows of a product is one thread's; all rows of V are written.
                    unsafe { self.multiply(f, part, v.written(), p) };
                }
            })?;
            cx.parallel_for(
                rows,
                Grain::of_cost(self.products() * self.filters * TRANSFORM / 16),
                |range| {
                    for r in range {
                        // SAFETY: only one thread accesses a tile; all products are written.
                        unsafe { self.finish(first + r, r, p.written(), output, &epilogue) };
                    }
                },
            )?;
        }
        Ok(())
    }
}
