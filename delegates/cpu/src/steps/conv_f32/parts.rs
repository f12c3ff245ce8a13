//! The parts of a convolution of `f32`.

use arenite_abi::prelude::*;
use arenite_base::{Clamp, Stored};
use arenite_layers::{EpilogueOp, Id, Window};

use crate::kernels::f32_gemm::Gemm;
use crate::reach::patches_f32::{Patches, ROOM};
use crate::store::{Block, Store};

/// Most values that the tiles of a call read: half a first-level cache.
const READ: usize = ROOM;

/// Most results of tiles that are finished together: they stay in the first-level cache. A larger tile is finished
/// alone.
pub(super) const TOGETHER: usize = 1 << 10;

/// The parts of a [`ConvF32`](super::ConvF32).
pub(crate) struct ConvF32Parameters<'a> {
    /// The window. Its `channels` are the channels of the whole input.
    pub window: Window,
    /// Groups of channels.
    pub groups: usize,
    /// Output channels, of all groups.
    pub filters: usize,
    /// Names the weights in a cache.
    pub name: String,
    /// `[filters][taps][channels / groups]`.
    pub weights: Stored<'a>,
    /// One per filter, or none.
    pub bias: Option<&'a [f32]>,
    /// Range of results before `epilogue`.
    pub clamp: Clamp,
    /// The epilogue.
    pub epilogue: Vec<EpilogueOp>,
    /// Read.
    pub input: Id,
    /// Written.
    pub output: Id,
}

impl ConvF32Parameters<'_> {
    /// Whether the epilogue reads another tensor.
    pub(super) fn has_operand(&self) -> bool {
        self.epilogue.iter().any(|op| matches!(op, EpilogueOp::Binary(..)))
    }

    /// Copies of pixels, where they replace pointers: if all groups read them, and the pixels of a tile fit the room.
    pub(super) fn patches(&self, gemm: &Gemm) -> Option<Patches> {
        if self.groups == 1 { Patches::new(&self.window, gemm.most_rows(self.filters)) } else { None }
    }

    /// How many tiles of `columns` columns a call computes. Kernels apply the epilogue if it `is_fused`.
    pub(super) fn tiles_per_call(&self, gemm: &Gemm, is_fused: bool, columns: usize) -> usize {
        let rows = gemm.most_rows(self.filters / self.groups);
        let depth = match self.patches(gemm) {
            Some(patches) => patches.stride,
            None if self.window.is_point() => self.window.channels,
            None => return 1,
        };
        let read = READ / (rows * depth).max(1);
        let finished =
            if is_fused || self.epilogue.is_empty() { read } else { TOGETHER / (rows * columns).max(1) };
        read.min(finished).max(1)
    }

    /// Packs the weights of each group, a matrix of `lines` by `columns`.
    pub(super) fn pack(
        &self,
        gemm: &'static Gemm,
        store: &Store,
        [lines, columns]: [usize; 2],
    ) -> Result<Block<f32>> {
        let ConvF32Parameters { groups, filters, bias, name, .. } = self;
        let group = gemm.packed_len(lines, columns);
        let key = format!("{} {filters}/{groups} × {lines}, bias {}, {name}", gemm.name, bias.is_some());
        store.block(&key, group * groups, |packed: &mut [f32]| {
            for (g, packed) in packed.chunks_exact_mut(group).enumerate() {
                let bias = |j: usize| bias.map_or(0.0, |bias| bias[g * columns + j]);
                gemm.pack_rows(lines, columns, packed, (&self.weights, g * columns * lines), bias);
            }
        })
    }
}
