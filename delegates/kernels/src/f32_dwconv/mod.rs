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
//! A microkernel goes over the channels of a tile: for each vector of them it loads every pixel once and every tap once, and
//! uses a pixel for all the results whose windows hold it. All kinds add taps in the same order, so the kind does not change
//! a result's bits.

mod body;

use super::pixels::Pixels;
use crate::isa::Isa;
use crate::simd::*;

/// What one call of a microkernel computes.
#[derive(Clone, Copy)]
pub struct Tile {
    /// Where the windows' pixels are.
    pub pixels: Pixels,
    /// The first block of weights.
    pub weights: *const f32,
    /// Taps between the bias and the first one that is added.
    pub skip: usize,
    /// Values from one block of weights to the next.
    pub block: usize,
    /// The first result.
    pub c: *mut f32,
    /// Values from one result to the next.
    pub stride: usize,
    /// Channels.
    pub channels: usize,
    /// Smallest result.
    pub low: f32,
    /// Largest result.
    pub high: f32,
}

/// # Safety
/// The machine has the instruction set. Each pixel is readable for `channels` values, rounded up to whole vectors unless the
/// kernel is [`DwConv::exact`]; the weights for all blocks; each result is writable for `channels` values.
pub type Microkernel = unsafe fn(&Tile);

/// `N − 1`: the kernel of `N` results.
type ByResults = &'static [Microkernel];

/// Microkernels for rows of so many taps at such a stride.
pub struct Taps {
    /// Taps of a row.
    pub taps: usize,
    /// Columns of the input from one result to the next.
    pub stride: usize,
    /// Columns at even steps.
    pub even: ByResults,
    /// Columns found by pointers.
    pub pointed: ByResults,
}

/// The family on one instruction set.
#[non_exhaustive]
pub struct DwConv {
    /// As in `f32_dwconv_7x16__avx512`.
    pub name: &'static str,
    /// The features that it needs.
    pub isa: Isa,
    /// Channels of a vector.
    pub lanes: usize,
    /// Most results of a tile.
    pub results: usize,
    /// Specialised kernels.
    pub by_taps: &'static [Taps],
    /// Any taps, each a row of its own, all pixels found by pointers, none read past its channels.
    pub exact: ByResults,
}

impl DwConv {
    /// The kernels for rows of `taps` at `stride`, if there are some.
    pub fn taps(&self, taps: usize, stride: usize) -> Option<&'static Taps> {
        self.by_taps.iter().find(|kernels| kernels.taps == taps && kernels.stride == stride)
    }

    /// Values of a block of packed weights.
    pub const fn block(&self, taps: usize) -> usize {
        (1 + taps) * self.lanes
    }

    /// Packs `weights`, `[taps][channels]`, and `bias(channel)`, block after block.
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
