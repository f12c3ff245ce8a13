//! Convolution of 16-bit numbers with weights of 8 bits and sums of 64 bits. The pixels under a window are read through
//! pointers.

use std::ops::Range;

use arenite_abi::prelude::*;
use arenite_layers::Window;

use crate::fixed_point::Multiplier;
use crate::kernels::i16i8_dot::{Dots, ROWS, Tile};
use crate::memory::{Source, Target};
use crate::reach::pointers::{PixelSource, Pointers, Room};
use crate::reach::weights_u8::Weights;
use crate::step::{Grain, Run, Step, StepValues};
use crate::store::{Block, Store};

/// Columns of a tile.
const COLUMNS: usize = 64;

/// Converts sums of a channel to results.
#[derive(Clone, Copy)]
pub(crate) struct Scale {
    bias: i64,
    by: By,
}

/// A factor, with the width of the sums and the rounding that belong to it.
#[derive(Clone, Copy)]
enum By {
    /// `⌊(sum · value + 2^(shift − 1)) / 2^shift⌋` of sums of 64 bits.
    Wide { value: i64, shift: u32 },
    /// The same of sums that wrap at 32 bits.
    Narrow { value: i64, shift: u32 },
    /// The product with a sum of 64 bits, rounded, ties away from zero.
    Real(f64),
}

impl Scale {
    /// Multiplies sums of 64 bits by a multiplier that is rounded to 15 bits. `None` if it is too large.
    pub(crate) fn wide(bias: i64, Multiplier { value, shift }: Multiplier) -> Option<Scale> {
        let value = if value < 0x7FFF_0000 { (value + (1 << 15)) >> 16 } else { 0x7FFF };
        let shift = u32::try_from(15i32.checked_sub(shift)?).ok().filter(|&shift| shift > 0)?;
        Some(Scale { bias, by: By::Wide { value: value.into(), shift: shift.min(63) } })
    }

    /// Multiplies sums of 32 bits and rounds once. `None` if the multiplier is too large or too small.
    pub(crate) fn narrow(bias: i32, Multiplier { value, shift }: Multiplier) -> Option<Scale> {
        let shift = u32::try_from(31i32.checked_sub(shift)?).ok().filter(|shift| (1..63).contains(shift))?;
        Some(Scale { bias: bias.into(), by: By::Narrow { value: value.into(), shift } })
    }

    /// Multiplies sums of 64 bits by a real number.
    pub(crate) fn real(bias: i64, factor: f64) -> Scale {
        Scale { bias, by: By::Real(factor) }
    }

    fn apply(self, sum: i64) -> i32 {
        let sum = sum.wrapping_add(self.bias);
        let scaled = |sum: i64, value: i64, shift: u32| {
            (sum.wrapping_mul(value).wrapping_add(1 << (shift - 1)) >> shift) as i32
        };
        match self.by {
            By::Wide { value, shift } => scaled(sum, value, shift),
            By::Narrow { value, shift } => scaled((sum as i32).into(), value, shift),
            By::Real(factor) => (sum as f64 * factor).round() as i32,
        }
    }
}

/// The parts of a convolution.
pub(crate) struct ConvI16Parameters<'a> {
    /// Names the weights in a cache.
    pub name: String,
    /// The window over the input.
    pub window: Window,
    /// `[filters][taps][channels]`, without a zero point.
    pub weights: Weights<'a>,
    /// One per filter.
    pub scales: Vec<Scale>,
    /// The smallest and the largest result.
    pub limits: [i32; 2],
}

/// A convolution with a copy of its weights.
pub(crate) struct ConvI16 {
    dots: &'static Dots,
    window: Window,
    pointers: Pointers,
    /// Whether the taps of a row of the window are adjacent in the input.
    merges: bool,
    packed: Block<i8>,
    zeros: Vec<i16>,
    scales: Vec<Scale>,
    limits: [i32; 2],
    grain: Grain,
    ends: StepValues,
}

impl ConvI16 {
    /// Copies the weights.
    pub(crate) fn new(
        dots: &'static Dots,
        store: &Store,
        parts: ConvI16Parameters<'_>,
        ends: StepValues,
    ) -> Result<Self> {
        let ConvI16Parameters { name, window, weights, scales, limits } = parts;
        let lines = window.rows.taps * window.columns.taps * window.channels;
        let count = weights.len();
        ensure!(count == lines * scales.len(), "{count} weights for {lines} × {}", scales.len());
        let key = format!("i16i8 {} × {lines}, {name}", scales.len());
        let packed = store.block(&key, count, |packed: &mut [i8]| {
            packed.iter_mut().enumerate().for_each(|(i, to)| *to = weights.at(i));
        })?;
        let merges = window.columns.dilation == 1;
        Ok(ConvI16 {
            dots,
            pointers: Pointers::new(window, merges)?,
            merges,
            zeros: vec![0; window.columns.taps * window.channels],
            grain: Grain::of_cost(ROWS * lines * scales.len()),
            window,
            packed,
            scales,
            limits,
            ends,
        })
    }

    /// Fills in the pointers of positions; returns the taps and the elements per tap, which are all there.
    fn point(
        &self,
        pointers: &mut Room<i16>,
        positions: Range<usize>,
        input: Source<'_, i16>,
    ) -> (usize, usize) {
        let Window { rows, columns, channels, .. } = &self.window;
        let runs = self.pointers.runs(positions);
        let seen = |len| PixelSource { input, from: 0, len };
        if self.merges && self.pointers.are_inside(&runs) {
            let k = columns.taps * channels;
            self.pointers.fill_rows(pointers, runs, seen(k), self.zeros.as_ptr());
            return (rows.taps, k);
        }
        self.pointers.fill_taps(pointers, runs, seen(*channels), self.zeros.as_ptr());
        (rows.taps * columns.taps, *channels)
    }

    /// Computes the results of at most [`ROWS`] positions.
    fn tile(
        &self,
        positions: Range<usize>,
        pointers: &mut Room<i16>,
        input: Source<'_, i16>,
        y: &mut Target<'_, i16>,
    ) {
        let (rows, filters) = (positions.len(), self.scales.len());
        let (taps, k) = self.point(pointers, positions, input);
        for from in (0..filters).step_by(COLUMNS) {
            let columns = COLUMNS.min(filters - from);
            let mut sums = [0; ROWS * COLUMNS];
            let tile = Tile {
                a: pointers.as_ptr().cast(),
                rows,
                taps,
                k,
                weights: self.packed[from * taps * k..][..columns * taps * k].as_ptr(),
                columns,
                sums: sums.as_mut_ptr(),
            };
            // SAFETY: the kernel was selected for this machine; `point` filled in `taps · rows` pointers to `k` numbers
            // that it looked up, or to zeros, of which there are as many; the weights were sliced; there is room for
            // `rows · columns ≤ ROWS · COLUMNS` sums.
            unsafe { (self.dots.tile)(&tile) };
            for (r, sums) in sums[..rows * columns].chunks_exact(columns).enumerate() {
                let mut y = y.part(r * filters + from, columns);
                let scaled = sums.iter().zip(&self.scales[from..]).zip(y.as_mut_slice());
                scaled.for_each(|((&sum, scale), y)| {
                    *y = scale.apply(sum).max(self.limits[0]).min(self.limits[1]) as i16;
                });
            }
        }
    }
}

impl Step for ConvI16 {
    fn name(&self) -> &'static str {
        "CONV_2D"
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let (x, y) = (cx.input::<i16>(self.ends.input), cx.output::<i16>(self.ends.output));
        let unit = ROWS * self.scales.len();
        cx.parallel_parts(y, unit, self.grain, |tiles, mut y| {
            self.pointers.with_room(&mut |pointers| {
                for (i, tile) in tiles.clone().enumerate() {
                    let positions = tile * ROWS..self.window.positions().min((tile + 1) * ROWS);
                    let mut y = y.part(i * unit, positions.len() * self.scales.len());
                    self.tile(positions, pointers, x, &mut y);
                }
            });
        })
    }
}
