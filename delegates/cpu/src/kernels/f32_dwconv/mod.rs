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
#[cfg(all(target_arch = "x86_64", feature = "avx2"))]
use crate::simd::Avx2;
#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
use crate::simd::Avx512;
#[cfg(all(target_arch = "aarch64", feature = "neon"))]
use crate::simd::Neon;
use crate::simd::{Scalar, Simd};

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
pub struct DwConv {
    /// As in `f32_dwconv_7x16__avx512`.
    pub name: &'static str,
    /// The instructions it needs.
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
    /// The best member on this machine, up to `isa`.
    pub fn select(isa: Isa) -> &'static DwConv {
        TABLE.iter().rfind(|member| member.isa <= isa && member.isa.is_available()).unwrap_or(&TABLE[0])
    }

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
    ($m:ident, $k:literal, $stride:literal, $($n:literal)*) => {
        Taps {
            taps: $k,
            stride: $stride,
            even: &[$($m::tile::<$k, $stride, $n, true>),*],
            pointed: &[$($m::tile::<$k, $stride, $n, false>),*],
        }
    };
}

macro_rules! member {
    ($module:ident, $name:literal, $isa:ident, $simd:ident, $results:literal, $n:tt $(, $features:literal)?) => {
        mod $module {
            use super::*;

            $(#[target_feature(enable = $features)])?
            unsafe fn tile<const K: usize, const STRIDE: usize, const N: usize, const EVEN: bool>(t: &Tile) {
                // SAFETY: the caller's promise: the instructions, and the tile's pointers.
                unsafe { body::tile::<$simd, K, STRIDE, N, EVEN>($simd::new(), t) }
            }
            $(#[target_feature(enable = $features)])?
            unsafe fn exact<const N: usize>(t: &Tile) {
                // SAFETY: the caller's promise: the instructions, and the tile's pointers.
                unsafe { body::exact::<$simd, N>($simd::new(), t) }
            }

            member!(@table $name, $isa, $simd, $results, $module, $n);
        }
    };
    (@table $name:literal, $isa:ident, $simd:ident, $results:literal, $module:ident, ($($n:literal)*)) => {
        use super::$module as m;

        pub const MEMBER: DwConv = DwConv {
            name: $name,
            isa: Isa::$isa,
            lanes: $simd::LANES,
            results: $results,
            by_taps: &[
                taps!(m, 3, 1, $($n)*),
                taps!(m, 3, 2, $($n)*),
                taps!(m, 5, 1, $($n)*),
                taps!(m, 5, 2, $($n)*),
                taps!(m, 7, 1, $($n)*),
                taps!(m, 7, 2, $($n)*),
            ],
            exact: &[$(exact::<$n>),*],
        };
    };
}

member!(scalar, "f32_dwconv_4x4__scalar", Scalar, Scalar, 4, (1 2 3 4));
#[cfg(all(target_arch = "x86_64", feature = "avx2"))]
member!(avx2, "f32_dwconv_4x8__avx2", Avx2, Avx2, 4, (1 2 3 4), "avx2,fma");
#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
member!(
    avx512, "f32_dwconv_7x16__avx512", Avx512, Avx512, 7, (1 2 3 4 5 6 7),
    "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma"
);
#[cfg(all(target_arch = "aarch64", feature = "neon"))]
member!(neon, "f32_dwconv_7x4__neon", Neon, Neon, 7, (1 2 3 4 5 6 7), "neon");

/// All members of the family, the slowest first.
pub static TABLE: &[DwConv] = &[
    scalar::MEMBER,
    #[cfg(all(target_arch = "x86_64", feature = "avx2"))]
    avx2::MEMBER,
    #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
    avx512::MEMBER,
    #[cfg(all(target_arch = "aarch64", feature = "neon"))]
    neon::MEMBER,
];

#[cfg(test)]
mod tests;
