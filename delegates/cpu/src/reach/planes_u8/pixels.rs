//! Depthwise convolutions with few results. The bytes of four taps are interleaved in registers, for one pixel of the
//! results at a time: planes would take longer to fill.
//!
//! ```text
//! taps:      0 1 2 3   4 5 6 7   8 · · ·        by fours, row by row of the filter; the last ones have weights of 0
//! offsets:   one per tap and result; OUTSIDE for taps outside of the image
//! ```

use std::mem::MaybeUninit;
use std::ops::Range;

use arenite_abi::prelude::*;
use arenite_layers::Window;

use super::blocks::Block;
use super::{MOST_TAPS, OUTSIDE};
use crate::kernels::u8i8_dwconv::{DwConv, Outputs, Pixel, Results};
use crate::memory::{Disjoint, Source};
use crate::reach::terms::terms;
use crate::store::{self, Store};

/// Most results per channel.
const FEW: usize = 4;
/// The offset of taps outside of the image.
const NOWHERE: u32 = u32::MAX;

/// A window with few positions over images of bytes, with packed weights of each channel.
pub(crate) struct Pixels {
    member: &'static DwConv,
    kernel: Pixel,
    window: Window,
    blocks: Vec<Block>,
    packed: store::Block<u8>,
    groups: usize,
    /// By position and tap: the first byte of the pixel under the tap.
    offsets: Vec<u32>,
    /// By position: the bytes from the first pixel under a tap to the end of the last one.
    spans: Vec<Range<usize>>,
}

impl Pixels {
    /// Whether it is for this window and these weights.
    pub(crate) fn takes(window: &Window, weights: &[i16]) -> bool {
        let is_small = window.batches * window.image() < NOWHERE as usize;
        let fits = window.rows.taps * window.columns.taps <= MOST_TAPS && window.positions() <= FEW;
        is_small && fits && weights.iter().all(|&w| terms(w) == 1)
    }

    /// Packs `weights`, `[rows][columns][channels]`, that a cache knows by `name`.
    pub(crate) fn new(
        member: &'static DwConv,
        kernel: Pixel,
        store: &Store,
        window: &Window,
        (name, weights): (&str, &[i16]),
    ) -> Result<Pixels> {
        let (taps, channels) = (window.rows.taps * window.columns.taps, window.channels);
        let (groups, width) = (taps.div_ceil(4), &member.widths[0]);
        let block =
            |first| Block { width, first, channels: width.channels.min(channels - first), parts: Vec::new() };
        let blocks = Vec::from_iter((0..channels).step_by(width.channels).map(block));
        let vectors = 4 * groups * member.weights;
        let key = format!("{} pixels {taps} × {channels} {name}", member.name);
        let packed = store.block(&key, blocks.len() * vectors, |packed: &mut [u8]| {
            for (block, packed) in blocks.iter().zip(packed.chunks_exact_mut(vectors)) {
                for (g, packed) in packed.chunks_exact_mut(4 * member.weights).enumerate() {
                    block.pack(member, packed, |i, channel| {
                        weights.get((4 * g + i) * channels + channel).map_or(0, |&w| w as i8)
                    });
                }
            }
        })?;
        let pixels = Pixels {
            member,
            kernel,
            window: *window,
            blocks,
            packed,
            groups,
            offsets: Vec::new(),
            spans: Vec::new(),
        };
        Ok(pixels.located())
    }

    /// Locates the taps of all positions.
    fn located(mut self) -> Pixels {
        let Window { rows, columns, channels, batches, .. } = self.window;
        let all = (0..batches).flat_map(|image| (0..rows.output).map(move |y| (image, y)));
        for (image, y, x) in all.flat_map(|(image, y)| (0..columns.output).map(move |x| (image, y, x))) {
            let from = self.offsets.len();
            for tap in 0..4 * self.groups {
                let (i, j) = (tap / columns.taps, tap % columns.taps);
                let pixel = rows.at(y, i).zip(columns.at(x, j)).filter(|_| i < rows.taps);
                let offset =
                    pixel.map(|(y, x)| image * self.window.image() + (y * columns.input + x) * channels);
                self.offsets.push(offset.map_or(NOWHERE, |offset| offset as u32));
            }
            let inside = || self.offsets[from..].iter().filter(|&&offset| offset != NOWHERE);
            let (first, last) = (inside().min().copied(), inside().max().copied());
            let span = first.zip(last).map_or(0..0, |(first, last)| first as usize..last as usize + channels);
            self.spans.push(span);
        }
        self
    }

    /// A value of each channel in the order of lanes; `none` for lanes without a channel.
    pub(crate) fn order<T: Copy>(&self, none: T, of: impl Fn(usize) -> T) -> Vec<T> {
        self.blocks.iter().flat_map(|block| block.order(self.member, none, &of)).collect()
    }

    /// The window.
    pub(crate) fn window(&self) -> &Window {
        &self.window
    }

    /// Computes these results. `outside` has [`OUTSIDE`] bytes of the zero point.
    ///
    /// # Safety
    /// No other thread may access these results in `output`, the tensor. `results` must be bytes, with far channels for
    /// all blocks.
    pub(crate) unsafe fn compute(
        &self,
        positions: Range<usize>,
        input: Source<'_, u8>,
        outside: Source<'_, u8>,
        results: Results,
        output: Disjoint<'_, u8>,
    ) {
        let (taps, channels) = (4 * self.groups, self.window.channels);
        let outside = outside.at(0, OUTSIDE);
        let mut pointers = [const { MaybeUninit::uninit() }; MOST_TAPS + 3];
        for position in positions {
            let Range { start, end } = self.spans[position];
            let input = input.at(start, end - start).wrapping_sub(start);
            let c = output.at(position * channels, channels);
            for (b, block) in self.blocks.iter().enumerate() {
                for (pointer, &offset) in pointers.iter_mut().zip(&self.offsets[position * taps..][..taps]) {
                    let inside = input.wrapping_add(offset as usize + block.first);
                    pointer.write(if offset == NOWHERE { outside } else { inside });
                }
                let vectors = taps * self.member.weights;
                let outputs = Outputs {
                    planes: std::ptr::null(),
                    plane: 0,
                    offsets: std::ptr::null(),
                    taps: self.groups,
                    weights: self.packed[b * vectors..][..vectors].as_ptr(),
                    results: results.from(4 * b, self.member.lanes),
                    count: 1,
                    channels: block.channels,
                    c: c.wrapping_add(block.first),
                    step: channels,
                };
                // SAFETY: selected for this machine. Each tap has a pointer to the block's channels of a pixel, which
                // `at` checked, or to `OUTSIDE` bytes. The caller guarantees results and channels.
                unsafe { (self.kernel)(&outputs, pointers.as_ptr().cast()) };
            }
        }
    }
}
