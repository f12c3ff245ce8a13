//! Pools of `f32`: the largest value, or the mean, of each channel under a window.
//!
//! ```text
//! a tile: N results side by side
//!   input rows   ├─┬─┬─┬─┬─┤     each column is folded first, for all windows that hold it;
//!                ├─┼─┼─┼─┼─┤     then the columns of each window
//!                └─┴─┴─┴─┴─┘
//! c[n][channel] = clamp(factor[n] · Σ x)   or   clamp(max x)
//! ```

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
    /// Of means, for each result what its sum is multiplied by.
    pub factors: *const f32,
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
/// kernel is one of [`Kernels::exact`]; factors for all results; each result is writable for `channels` values.
pub type Microkernel = unsafe fn(&Tile);

/// `N − 1`: the kernel of `N` results.
type ByResults = &'static [Microkernel];

/// Microkernels for windows of so many columns at such a stride, whose pixels lie at even steps.
pub struct Columns {
    /// Columns of a window.
    pub taps: usize,
    /// Columns of the input from one result to the next.
    pub stride: usize,
    /// By number of results.
    pub kernels: ByResults,
}

/// What pools compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The largest value.
    Max,
    /// The mean.
    Mean,
}

/// The microkernels of a kind.
pub struct Kernels {
    /// Specialised ones.
    pub by_columns: &'static [Columns],
    /// Any window, each tap a row of its own, all pixels found by pointers, none read past its channels.
    pub exact: ByResults,
}

/// The family on one instruction set.
pub struct Pool {
    /// As in `f32_pool_7x16__avx512`.
    pub name: &'static str,
    /// The instructions it needs.
    pub isa: Isa,
    /// Channels of a vector.
    pub lanes: usize,
    /// Most results of a tile.
    pub results: usize,
    /// Largest values.
    pub max: Kernels,
    /// Means.
    pub mean: Kernels,
}

impl Pool {
    /// The best member on this machine, up to `isa`.
    pub fn select(isa: Isa) -> &'static Pool {
        TABLE.iter().rfind(|member| member.isa <= isa && member.isa.is_available()).unwrap_or(&TABLE[0])
    }

    /// The kernels of a kind.
    pub fn of(&self, kind: Kind) -> &Kernels {
        match kind {
            Kind::Max => &self.max,
            Kind::Mean => &self.mean,
        }
    }
}

impl Kernels {
    /// The kernels for windows of `taps` columns at `stride`, if there are some.
    pub fn columns(&self, taps: usize, stride: usize) -> Option<&'static Columns> {
        self.by_columns.iter().find(|kernels| kernels.taps == taps && kernels.stride == stride)
    }
}

macro_rules! columns {
    ($m:ident, $max:literal, $k:literal, $stride:literal, $($n:literal)*) => {
        Columns {
            taps: $k,
            stride: $stride,
            kernels: &[$($m::tile::<$max, $k, $stride, $n>),*],
        }
    };
}

macro_rules! kernels {
    ($m:ident, $max:literal, $($n:literal)*) => {
        Kernels {
            by_columns: &[
                columns!($m, $max, 2, 1, $($n)*),
                columns!($m, $max, 2, 2, $($n)*),
                columns!($m, $max, 3, 1, $($n)*),
                columns!($m, $max, 3, 2, $($n)*),
            ],
            exact: &[$($m::exact::<$max, $n>),*],
        }
    };
}

macro_rules! member {
    ($module:ident, $name:literal, $isa:ident, $simd:ident, $results:literal, ($($n:literal)*) $(, $features:literal)?) => {
        mod $module {
            use super::*;
            use super::$module as m;

            $(#[target_feature(enable = $features)])?
            pub unsafe fn tile<const MAX: bool, const K: usize, const STRIDE: usize, const N: usize>(t: &Tile) {
                // SAFETY: the caller's promise: the instructions, and the tile's pointers.
                unsafe { body::tile::<$simd, MAX, K, STRIDE, N>($simd::new(), t) }
            }
            $(#[target_feature(enable = $features)])?
            pub unsafe fn exact<const MAX: bool, const N: usize>(t: &Tile) {
                // SAFETY: the caller's promise: the instructions, and the tile's pointers.
                unsafe { body::exact::<$simd, MAX, N>($simd::new(), t) }
            }

            pub const MEMBER: Pool = Pool {
                name: $name,
                isa: Isa::$isa,
                lanes: $simd::LANES,
                results: $results,
                max: kernels!(m, true, $($n)*),
                mean: kernels!(m, false, $($n)*),
            };
        }
    };
}

member!(scalar, "f32_pool_4x4__scalar", Scalar, Scalar, 4, (1 2 3 4));
#[cfg(all(target_arch = "x86_64", feature = "avx2"))]
member!(avx2, "f32_pool_4x8__avx2", Avx2, Avx2, 4, (1 2 3 4), "avx2,fma");
#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
member!(
    avx512, "f32_pool_7x16__avx512", Avx512, Avx512, 7, (1 2 3 4 5 6 7),
    "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma"
);
#[cfg(all(target_arch = "aarch64", feature = "neon"))]
member!(neon, "f32_pool_7x4__neon", Neon, Neon, 7, (1 2 3 4 5 6 7), "neon");

/// All members of the family, the slowest first.
pub static TABLE: &[Pool] = &[
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
