//! `f32` convolution over depth, height and width as a matrix product, with a pointer per tap.
//!
//! ```text
//! slice of the output   one batch and one position along the depth
//! taps of a slice       for each slice of the input under the window, the taps of CONV_2D; zeros outside of the input
//! ```

use std::mem::MaybeUninit;

use arenite_abi::prelude::*;
use arenite_base::{Aligned, Clamp};
use arenite_layers::{Axis, Window, aligned_zeros};

use crate::kernels::f32_gemm::{Gemm, Prefetch, Tile};
use crate::memory::{Disjoint, Source};
use crate::reach::panels::{Panels, part, split};
use crate::reach::pointers::{MAX_POSITIONS, MAX_TAPS, PixelSource, Pointers, Room};
use crate::step::{Grain, Run, Step, StepValues};
use crate::store::{Block, Store};

/// Bytes of packed weights that every tile reads, as for CONV_2D.
const BLOCK: usize = 1 << 19;

/// The parts of a convolution.
pub(crate) struct Conv3dParameters<'a> {
    /// The window along the depth.
    pub depth: Axis,
    /// The window over a slice. Its images are the slices of all batches.
    pub plane: Window,
    /// Output channels.
    pub filters: usize,
    /// `[depth][height][width][channels][filters]`.
    pub weights: &'a [f32],
    /// One number per filter, or none.
    pub bias: Option<&'a [f32]>,
    /// The range of results.
    pub clamp: Clamp,
}

/// A convolution with packed weights.
pub(crate) struct Conv3d {
    depth: Axis,
    plane: Window,
    pointers: Pointers,
    filters: usize,
    packed: Block<f32>,
    zeros: Aligned<f32>,
    clamp: Clamp,
    blocks: Vec<Panels>,
    /// Tiles of a slice of the output.
    tiles: usize,
    grain: Grain,
    ends: StepValues,
}

impl Conv3d {
    /// Packs the weights, which `name` names in the store.
    pub(crate) fn new(
        gemm: &'static Gemm,
        (store, name): (&Store, &str),
        parts: &Conv3dParameters<'_>,
        ends: StepValues,
    ) -> Result<Self> {
        let Conv3dParameters { depth, plane, filters, weights, bias, clamp } = *parts;
        let lines = depth.taps * plane.rows.taps * plane.columns.taps * plane.channels;
        ensure!(weights.len() == lines * filters, "{} weights, not {lines} × {filters}", weights.len());
        let key = format!("{} CONV_3D {filters} × {lines}, bias {}, {name}", gemm.name, bias.is_some());
        let packed = store.block(&key, gemm.packed_len(lines, filters), |packed: &mut [f32]| {
            let bias = |filter: usize| bias.map_or(0.0, |bias| bias[filter]);
            gemm.pack(lines, filters, packed, |filter, line| weights[line * filters + filter], bias);
        })?;
        let positions = plane.rows.output * plane.columns.output;
        let tiles = positions.div_ceil(gemm.rows(filters));
        let blocks = Panels::blocks(gemm, BLOCK, [lines, filters], tiles, positions);
        Ok(Conv3d {
            depth,
            plane,
            pointers: Pointers::new(plane, false)?,
            filters,
            packed,
            zeros: aligned_zeros(plane.channels)?,
            clamp,
            grain: Grain::of_cost(positions * filters * lines / (blocks.len() * tiles).max(1)),
            blocks,
            tiles,
            ends,
        })
    }

    /// Slices of the output.
    fn slices(&self) -> usize {
        self.plane.batches / self.depth.input * self.depth.output
    }

    /// Fills in the pointers of `rows` positions `first..` of a slice of the output, all taps of one after another, and
    /// looks up the pixels.
    fn point(
        &self,
        slice: usize,
        [first, rows]: [usize; 2],
        pointers: &mut Room<f32>,
        input: Source<'_, f32>,
    ) {
        let area = self.plane.rows.output * self.plane.columns.output;
        let taps = self.plane.rows.taps * self.plane.columns.taps;
        let (batch, d) = (slice / self.depth.output, slice % self.depth.output);
        let (outside, seen) = (self.zeros.as_ptr(), PixelSource { input, from: 0, len: self.plane.channels });
        for (tap, pointers) in pointers.chunks_exact_mut(taps * rows).enumerate() {
            match self.depth.at(d, tap) {
                Some(inside) => {
                    let from = (batch * self.depth.input + inside) * area + first;
                    self.pointers.fill_taps(pointers, self.pointers.runs(from..from + rows), seen, outside);
                }
                None => pointers.fill(MaybeUninit::new(outside)),
            }
        }
    }

    /// Computes tile `item` of a block of columns of a slice.
    ///
    /// # Safety
    /// No other thread may access the tile's results in `output`.
    unsafe fn tile(
        &self,
        item: usize,
        pointers: &mut Room<f32>,
        input: Source<'_, f32>,
        output: Disjoint<'_, f32>,
    ) {
        let (rest, t) = split(item, self.tiles);
        let (slice, block) = split(rest, self.blocks.len());
        let area = self.plane.rows.output * self.plane.columns.output;
        let positions = part(area, t, self.tiles);
        let (first, rows) = (positions.start, positions.len());
        let taps = self.depth.taps * self.plane.rows.taps * self.plane.columns.taps;
        let pointers = &mut pointers[..taps * rows];
        self.point(slice, [first, rows], pointers, input);
        let Panels { from, columns, ref packed, ref panels } = self.blocks[block];
        let start = (slice * area + first) * self.filters + from;
        let c = output.tile(start, [rows, self.filters, columns]);
        let packed = self.packed[packed.clone()].as_ptr();
        for panel in panels {
            let weights = packed.wrapping_add(panel.packed);
            let tile = Tile {
                a: pointers.as_ptr().cast(),
                taps,
                k: self.plane.channels,
                weights,
                c: c.wrapping_add(panel.from),
                stride: self.filters,
                columns: panel.columns,
                low: self.clamp.low,
                high: self.clamp.high,
                prefetch: Prefetch::nothing(weights),
                ..Tile::PLAIN
            };
            // SAFETY: the kernel was selected for this machine; `point` filled in `taps · rows` pointers to `k` values
            // that it looked up, or to as many zeros; the block's panels were sliced, whose widths add up to `columns`;
            // the results, looked up as a whole, are the caller's.
            unsafe { panel.kernel(rows)(&tile) };
        }
    }

    /// Calls `work` with room for the pointers of a tile. A function of its own, because they take many pages of stack.
    #[inline(never)]
    fn with_room(work: impl FnOnce(&mut Room<f32>)) {
        work(&mut [const { MaybeUninit::uninit() }; MAX_POSITIONS * MAX_TAPS]);
    }
}

impl Step for Conv3d {
    fn name(&self) -> &'static str {
        "CONV_3D"
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let (input, output) = (cx.input(self.ends.input), cx.output(self.ends.output).share());
        cx.parallel_for(self.slices() * self.blocks.len() * self.tiles, self.grain, |range| {
            Self::with_room(|pointers| {
                for item in range {
                    // SAFETY: an item is a tile of a slice by a block of columns; no other item has any of its results.
                    unsafe { self.tile(item, pointers, input, output) };
                }
            });
        })
    }
}
