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

pub use arenite_layers::ops::pool_2d::Kind;

use super::pixels::Pixels;
use crate::isa::Isa;
use crate::simd::*;

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

/// The microkernels of a kind.
pub struct Kernels {
    /// Specialised ones.
    pub by_columns: &'static [Columns],
    /// Any window, each tap a row of its own, all pixels found by pointers, none read past its channels.
    pub exact: ByResults,
}

/// The family on one instruction set.
#[non_exhaustive]
pub struct Pool {
    /// As in `f32_pool_7x16__avx512`.
    pub name: &'static str,
    /// The features that it needs.
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
    ($max:literal, $k:literal, $stride:literal, $($n:literal)*) => {
        Columns { taps: $k, stride: $stride, kernels: &[$(tile::<$max, $k, $stride, $n>),*] }
    };
}

macro_rules! kernels {
    ($max:literal, $($n:literal)*) => {
        Kernels {
            by_columns: &[
                columns!($max, 2, 1, $($n)*),
                columns!($max, 2, 2, $($n)*),
                columns!($max, 3, 1, $($n)*),
                columns!($max, 3, 2, $($n)*),
            ],
            exact: &[$(exact::<$max, $n>),*],
        }
    };
}

macro_rules! member {
    ($name:expr, $isa:expr, $t:ty, [$($n:literal)*]) => {
        Pool {
            name: $name,
            isa: $isa,
            lanes: <$t>::LANES,
            results: [$($n),*].len(),
            max: kernels!(true, $($n)*),
            mean: kernels!(false, $($n)*),
        }
    };
}

family! {
    Pool: "f32_pool" {
        fn tile[MAX: bool, K: usize, STRIDE: usize, N: usize](t: &Tile);
        fn exact[MAX: bool, N: usize](t: &Tile);
    }
    scalar("_4x4" Scalar, [1 2 3 4]);
    avx2("_4x8" Avx2, [1 2 3 4]);
    avx512("_7x16" Avx512, [1 2 3 4 5 6 7]);
    neon("_7x4" Neon, [1 2 3 4 5 6 7]);
}
member_of_table!(Pool);

#[cfg(test)]
mod tests;
