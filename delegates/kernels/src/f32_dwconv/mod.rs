//! Depthwise convolution of `f32`: each channel's window with its own taps.
//!
//! ```text
//! a tile: N results side by side         weights: blocks of `lanes` channels
//!   input rows   ├─┬─┬─┬─┬─┤               ┌─ bias ───────┐
//!                ├─┼─┼─┼─┼─┤               ├─ row 0, tap 0 ┤
//!                └─┴─┴─┴─┴─┘               ├─ row 0, tap 1 ┤
//!   results        c c c                   └─ …            ┘
//! c[n][channel] = clamp(bias[channel] + Σ_row Σ_k x[row][n · stride + k][channel] · w[row][k][channel])
//! ```
//! A microkernel iterates over the channels of a tile. For each vector of channels it loads every pixel once and every
//! tap once, and uses a pixel for all results whose windows contain it. All kernels add taps in the same order, so the
//! kernel does not change a result's bits.

mod body;

use super::pixels::Pixels;
use crate::isa::Isa;
use crate::simd::*;

/// The arguments of a microkernel.
#[derive(Clone, Copy)]
pub struct Tile {
    /// The pixels in the windows.
    pub pixels: Pixels,
    /// The first block of weights.
    pub weights: *const f32,
    /// The distance from the bias to the first tap that is added, in taps.
    pub skip: usize,
    /// The distance between blocks of weights, in values.
    pub block: usize,
    /// The address of the first result.
    pub c: *mut f32,
    /// The distance between results, in values.
    pub stride: usize,
    /// The number of channels.
    pub channels: usize,
    /// The smallest result.
    pub low: f32,
    /// The largest result.
    pub high: f32,
}

/// # Safety
/// The machine must have the instruction set. Each pixel must be readable for `channels` values, rounded up to whole
/// vectors unless the kernel is [`DwConv::exact`]. The weights must be readable for all blocks. Each result must be
/// writable for `channels` values.
pub type Microkernel = unsafe fn(&Tile);

/// The kernel for `N` results is at index `N − 1`.
type ByResults = &'static [Microkernel];

/// Microkernels for rows of `taps` taps with a stride.
pub struct Taps {
    /// The number of taps of a row.
    pub taps: usize,
    /// The distance between results in columns of the input.
    pub stride: usize,
    /// Kernels for columns at equal distances.
    pub even: ByResults,
    /// Kernels that access columns by pointer.
    pub pointed: ByResults,
}

/// The family for one instruction set.
#[non_exhaustive]
pub struct DwConv {
    /// The name, such as `f32_dwconv_7x16__avx512`.
    pub name: &'static str,
    /// The CPU features that it needs.
    pub isa: Isa,
    /// The number of channels of a vector.
    pub lanes: usize,
    /// The most results of a tile.
    pub results: usize,
    /// Kernels for particular taps and strides.
    pub by_taps: &'static [Taps],
    /// Kernels for any taps, each of which is a row; all pixels are accessed by pointer, and none is read past its
    /// channels.
    pub exact: ByResults,
}

impl DwConv {
    /// The kernels for rows of `taps` taps with `stride`, if there are any.
    pub fn taps(&self, taps: usize, stride: usize) -> Option<&'static Taps> {
        self.by_taps.iter().find(|kernels| kernels.taps == taps && kernels.stride == stride)
    }

    /// The size of a block of packed weights, in values.
    pub const fn block(&self, taps: usize) -> usize {
        (1 + taps) * self.lanes
    }

    /// Packs `weights`, of shape `[taps][channels]`, and `bias(channel)`, block by block.
    pub fn pack(&self, channels: usize, weights: &[f32], packed: &mut [f32], bias: impl Fn(usize) -> f32) {
        let taps = weights.len() / channels;
        for (b, block) in packed.chunks_exact_mut(self.block(taps)).enumerate() {
            let from = b * self.lanes;
            let used = self.lanes.min(channels - from);
            block.fill(0.0);
            block[..used].iter_mut().enumerate().for_each(|(j, x)| *x = bias(from + j));
            for (line, tap) in block.chunks_exact_mut(self.lanes).skip(1).zip(weights.chunks_exact(channels))
            {
                line[..used].copy_from_slice(&tap[from..from + used]);
            }
        }
    }
}

macro_rules! taps {
    ($k:literal, $stride:literal, $($n:literal)*) => {
        Taps {
            taps: $k,
            stride: $stride,
            even: &[$(tile::<$k, $stride, $n, true>),*],
            pointed: &[$(tile::<$k, $stride, $n, false>),*],
        }
    };
}

macro_rules! member {
    ($name:expr, $isa:expr, $t:ty, [$($n:literal)*]) => {
        DwConv {
            name: $name,
            isa: $isa,
            lanes: <$t>::LANES,
            results: [$($n),*].len(),
            by_taps: &[
                taps!(3, 1, $($n)*),
                taps!(3, 2, $($n)*),
                taps!(5, 1, $($n)*),
                taps!(5, 2, $($n)*),
                taps!(7, 1, $($n)*),
                taps!(7, 2, $($n)*),
            ],
            exact: &[$(exact::<$n>),*],
        }
    };
}

family! {
    DwConv: "f32_dwconv" {
        fn tile[K: usize, STRIDE: usize, N: usize, EVEN: bool](t: &Tile);
        fn exact[N: usize](t: &Tile);
    }
    scalar("_4x4" Scalar, [1 2 3 4]);
    avx2("_4x8" Avx2, [1 2 3 4]);
    avx512("_7x16" Avx512, [1 2 3 4 5 6 7]);
    neon("_7x4" Neon, [1 2 3 4 5 6 7]);
}
member_of_table!(DwConv);

#[cfg(test)]
mod tests;
