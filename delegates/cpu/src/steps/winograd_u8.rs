//! Convolution of bytes by 3 × 3 filters with stride 1, after Winograd, in blocks of tiles that fit the cache. Results
//! have the same bits as those from [`ConvU8`](super::conv_u8::ConvU8). On machines that multiply bytes as words, this
//! takes less than half as many multiplications.
//!
//! ```text
//! pixels ─► V[f][tile][channel]  ─► P[f] = V[f] · U[f], f = 0..16 ─► sums, over P[0..4] ─► bytes
//!          (words, tile by tile)     (products of words)              (tile by tile)
//! ```

use std::ops::Range;

use arenite_abi::prelude::*;
use arenite_base::Aligned;
use arenite_layers::{Id, Window};

use super::conv_u8::ConvU8Parameters;
use crate::isa::Isa;
use crate::kernels::u8_real::{Reals, Sums};
use crate::kernels::u8_winograd::{self, ByteWinograd, CHANNELS, PRODUCTS, SUMS};
use crate::kernels::u8i8_gemm::{Cached, Extent, Gemm, Product, ProductSizes, Results, Words};
use crate::memory::{Disjoint, Source};
use crate::reach::tiles::{self, CacheShare, Tiles};
use crate::requantize::Channels;
use crate::step::{Grain, Run, Step};
use crate::store::{Block, Store};

/// Bytes of V and P together that are worked on at a time: most of a second-level cache.
const BLOCK: usize = 3 << 18;
/// The number of tiles that are multiplied together: their words of V stay in the cache while panels change.
const ROWS: usize = 48;
/// Tiles of a block that are enough to keep panels of weights busy.
const ENOUGH: usize = ROWS;
/// Bytes between the lines of V or P, so that they do not fall on the same lines of a cache.
const SKEW: usize = 64;
/// Multiply-adds of bytes in the time of a transform, per channel of the input and of the output, as measured.
const TRANSFORM: [usize; 2] = [160, 224];

/// A convolution by 3 × 3 filters.
pub(crate) struct WinogradU8 {
    words: &'static Words,
    winograd: &'static ByteWinograd,
    reals: &'static Reals,
    tiles: Tiles,
    filters: usize,
    /// Weights of all products, in order.
    packed: Block<i16>,
    channels: Channels,
    /// A pixel of zero points.
    outside: Aligned<u8>,
    input: Id,
    output: Id,
}

/// The sizes of products of all taps.
fn sizes(window: &Window, filters: usize) -> ProductSizes {
    ProductSizes { rows: window.positions(), taps: 9, k: window.channels, columns: filters }
}

/// Whether it is faster than products of all taps: by counting multiply-adds.
pub(crate) fn is_faster(gemm: &Gemm, window: &Window, groups: usize, filters: usize) -> bool {
    let channels = window.channels;
    let gemm = Gemm::select_for(gemm.isa, sizes(window, filters));
    if !gemm.has_words() || groups != 1 || !tiles::fits(window) || !(8..=CHANNELS).contains(&channels) {
        return false;
    }
    let padded = filters.next_multiple_of(SUMS);
    let tiles = window.batches * window.rows.output.div_ceil(2) * window.columns.output.div_ceil(2);
    let transforms = channels * TRANSFORM[0] + padded * TRANSFORM[1];
    tiles * (PRODUCTS * channels * padded + transforms) * 5 / 4 < window.positions() * 9 * channels * padded
}

/// Bytes of a tile's rows of V and P.
fn bytes_of_tile(channels: usize, padded: usize) -> usize {
    PRODUCTS * (channels * size_of::<i16>() + padded * size_of::<i32>())
}

impl WinogradU8 {
    /// Transforms and packs the weights, whose zero point is 0.
    pub(crate) fn new(
        isa: Isa,
        reals: &'static Reals,
        store: &Store,
        parts: ConvU8Parameters<'_>,
    ) -> Result<Self> {
        let (words, winograd) = (Words::select(isa), ByteWinograd::select(isa));
        let ConvU8Parameters { window, filters, weights, .. } = parts;
        let (channels, padded) = (window.channels, filters.next_multiple_of(SUMS));
        let len = words.packed_len(channels, padded);
        let key = format!("{} Winograd {filters} × {channels} {}", words.name, parts.name);
        let packed = store.block(&key, PRODUCTS * len, |packed: &mut [i16]| {
            for (j, c) in (0..filters).flat_map(|j| (0..channels).map(move |c| (j, c))) {
                let taps = std::array::from_fn(|tap| weights.at((j * 9 + tap) * channels + c));
                let at = words.at(channels, padded, j, c);
                for (packed, u) in packed[at..].iter_mut().step_by(len).zip(u8_winograd::filter(&taps)) {
                    *packed = u;
                }
            }
        })?;
        let mut outside = Aligned::zeros(channels);
        outside.fill(parts.zero_point);
        let one = bytes_of_tile(channels, padded);
        Ok(WinogradU8 {
            words,
            winograd,
            reals,
            tiles: Tiles::new(window, 2, CacheShare { room: BLOCK, tile: one }, Words::ROWS),
            filters,
            packed,
            channels: Channels::new(reals.lanes, parts.channels, parts.bytes),
            outside,
            input: parts.input,
            output: parts.output,
        })
    }

    /// The number of tiles in a block: as many as have their V and P in `bytes`, but at least [`ENOUGH`].
    fn block_within(&self, bytes: usize) -> usize {
        let one = bytes_of_tile(self.tiles.window.channels, self.padded());
        // Each line is rounded up by less than two skews.
        let fit = bytes.saturating_sub(4 * PRODUCTS * SKEW) / one;
        fit.max(ENOUGH)
    }

    /// Sums of a row of P.
    fn padded(&self) -> usize {
        self.filters.next_multiple_of(SUMS)
    }

    /// Bytes from one product's rows to the next's, in V and in P.
    fn strides(&self) -> [usize; 2] {
        let of = |row: usize| (self.tiles.block * row).next_multiple_of(SKEW) + SKEW;
        [of(self.tiles.window.channels * size_of::<i16>()), of(self.padded() * size_of::<i32>())]
    }

    /// Transforms the inputs of a tile, row `r` of the block.
    ///
    /// # Safety
    /// No other thread may access row `r` of each product in `v`.
    unsafe fn transform(&self, tile: usize, r: usize, input: Source<'_, u8>, v: Disjoint<'_, i16>) {
        let pixels = self.tiles.pixels(tile, input, &self.outside);
        let channels = self.tiles.window.channels;
        let stride = self.strides()[0] / size_of::<i16>();
        let v = v.tile(r * channels, [PRODUCTS, stride, channels]);
        // SAFETY: the member was selected for this machine; each pixel has all channels, and V, of which the row is the
        // caller's, as many for each product.
        unsafe { (self.winograd.input)(channels, pixels.as_ptr(), v, stride) };
    }

    /// Multiplies some rows of product `f`.
    ///
    /// # Safety
    /// No other thread may access these rows of `p`.
    unsafe fn multiply(&self, f: usize, rows: Range<usize>, (v, p): (Source<'_, u8>, Disjoint<'_, u8>)) {
        let (channels, padded) = (self.tiles.window.channels, self.padded());
        let ([vs, ps], step) = (self.strides(), channels * size_of::<i16>());
        let len = self.words.packed_len(channels, padded);
        let weights = self.packed[f * len..][..len].as_ptr().cast::<u8>();
        let stride = padded * size_of::<i32>();
        let a = v.at(f * vs + rows.start * step, rows.len() * step);
        let product = Product {
            a: &a,
            step,
            rows: rows.len(),
            taps: 1,
            k: step,
            reach: Extent::Exact,
            weights,
            cached: Cached::No,
            column_bytes: Words::column_bytes(channels),
            results: Results::Sums,
            c: p.tile(f * ps + rows.start * stride, [rows.len(), stride, stride]),
            stride,
            columns: padded,
        };
        // SAFETY: the member was selected for this machine; rows of V have all channels, and the panels of the product,
        // which were sliced, their lines; these rows of P, of whole vectors, are the caller's.
        unsafe { self.words.multiply(&product) };
    }

    /// Transforms the products of a tile, row `r` of the block, to results.
    ///
    /// # Safety
    /// No other thread may access row `r` of each product in `p`, or the tile's results in `output`, the tensor.
    unsafe fn finish(&self, tile: usize, r: usize, p: Disjoint<'_, i32>, output: Disjoint<'_, u8>) {
        let (position, [height, width]) = self.tiles.results(tile);
        let stride = self.strides()[1] / size_of::<i32>();
        let sums = p.tile(r * self.padded(), [PRODUCTS, stride, self.padded()]);
        // SAFETY: the member was selected for this machine; P, of which the row is the caller's, has a padded row for
        // each product.
        unsafe { (self.winograd.output)(self.padded(), sums, stride) };
        for (i, j) in (0..height).flat_map(|i| (0..width).map(move |j| (i, j))) {
            let sums = Sums {
                n: self.filters,
                x: sums.wrapping_add((2 * i + j) * stride),
                table: self.channels.block(0),
                step: Channels::stride(self.reals.lanes),
                is_general: self.channels.is_general,
                bytes: self.channels.bytes,
            };
            let at = (position + i * self.tiles.window.columns.output + j) * self.filters;
            // SAFETY: the member was selected for this machine. `x` is one of the first four products, which are sums
            // now, of a padded row that `tile` checked; the table has a block for each vector of filters; `at` checks
            // the pixel.
            unsafe { (self.reals.requantize)(&sums, output.at(at, self.filters)) };
        }
    }
}

impl Step for WinogradU8 {
    fn name(&self) -> &'static str {
        "CONV_2D, Winograd"
    }

    fn scratch(&self) -> usize {
        self.strides().iter().sum::<usize>() * PRODUCTS
    }

    fn shrink_scratch(&mut self, bytes: usize) {
        self.tiles.limit_block(self.tiles.block.min(self.block_within(bytes)));
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let input = cx.input::<u8>(self.input);
        let output = cx.output::<u8>(self.output).share();
        let [of_v, of_p] = self.strides().map(|stride| stride * PRODUCTS);
        let (v, rest) = cx.scratch().take::<u8>(of_v);
        let (v, p) = (v.share(), rest.take::<u8>(of_p).0.share());
        let channels = self.tiles.window.channels;
        for first in (0..self.tiles.count()).step_by(self.tiles.block) {
            let rows = self.tiles.block.min(self.tiles.count() - first);
            cx.parallel_for(rows, Grain::of_cost(channels * TRANSFORM[0] / 8), |range| {
                for r in range {
                    // SAFETY: each row of V is one thread's.
                    unsafe { self.transform(first + r, r, input, v.cast()) };
                }
            })?;
            let groups = rows.div_ceil(ROWS);
            let cost = rows * channels * self.filters / groups / 2;
            cx.parallel_for(PRODUCTS * groups, Grain::of_cost(cost), |range| {
                for item in range {
                    let (f, g) = (item / groups, item % groups);
                    let part = g * rows / groups..(g + 1) * rows / groups;
                    // SAFETY: each group of rows of a product is one thread's.
                    unsafe { self.multiply(f, part, (v.written(), p)) };
                }
            })?;
            cx.parallel_for(rows, Grain::of_cost(self.filters * TRANSFORM[1] / 8), |range| {
                for r in range {
                    // SAFETY: only one thread accesses a tile and its row of P.
                    unsafe { self.finish(first + r, r, p.cast(), output) };
                }
            })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::u8i8_gemm::Gemm;
    use arenite_layers::Axis;

    #[test]
    fn tiles_are_for_pairs_of_words_and_enough_channels() {
        let axis = |taps, stride| Axis { input: 14, taps, output: 14, stride, dilation: 1, before: 1 };
        let window = |channels, taps, stride| {
            let axis = axis(taps, stride);
            Window { batches: 1, rows: axis, columns: axis, channels }
        };
        for gemm in Gemm::available() {
            for (window, groups, filters, is_better) in [
                (window(64, 3, 1), 1, 64, true),
                (window(512, 3, 1), 1, 512, true),
                (window(3, 3, 1), 1, 64, false),
                (window(32, 3, 1), 1, 32, true),
                (window(32, 3, 1), 1, 64, true),
                (window(16, 3, 1), 1, 32, false),
                (window(32, 3, 1), 1, 16, false),
                (window(64, 3, 2), 1, 64, false),
                (window(64, 5, 1), 1, 64, false),
                (window(64, 3, 1), 2, 64, false),
                (window(CHANNELS + 1, 3, 1), 1, 64, false),
            ] {
                let want = is_better && Gemm::select_for(gemm.isa, sizes(&window, filters)).has_words();
                let got = is_faster(gemm, &window, groups, filters);
                assert_eq!(got, want, "{} {window:?} {filters}", gemm.name);
            }
        }
    }
}
