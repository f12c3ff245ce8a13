//! Pooling of `f32`: the maximum or the mean of each channel in a window.
//!
//! ```text
//! a tile: N results side by side
//!   input rows   ├─┬─┬─┬─┬─┤     each column is folded first, for all windows that hold it;
//!                ├─┼─┼─┼─┼─┤     then the columns of each window
//!                └─┴─┴─┴─┴─┘
//! c[n][channel] = clamp(factor[n] · Σ x)   or   clamp(max x)
//! ```

mod body;

use arenite_base::PoolKind;

use super::pixels::Pixels;
use crate::isa::Isa;
use crate::simd::*;

/// The arguments of a microkernel.
#[derive(Clone, Copy)]
pub struct Tile {
    /// The pixels in the windows.
    pub pixels: Pixels,
    /// For means, the factor by which each result's sum is multiplied.
    pub factors: *const f32,
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
/// vectors unless the kernel is one of [`Kernels::exact`]. Factors must be readable for all results, and each result
/// writable for `channels` values.
pub type Microkernel = unsafe fn(&Tile);

/// The kernel for `N` results is at index `N − 1`.
type ByResults = &'static [Microkernel];

/// Microkernels for windows of `taps` columns with a stride, whose pixels are at equal distances.
pub struct Columns {
    /// The number of columns of a window.
    pub taps: usize,
    /// The distance between results in columns of the input.
    pub stride: usize,
    /// The kernels by number of results.
    pub kernels: ByResults,
}

/// The microkernels for maxima or for means.
pub struct Kernels {
    /// Kernels for particular windows and strides.
    pub by_columns: &'static [Columns],
    /// Kernels for any window: each tap is a row, all pixels are accessed by pointer, and none is read past its
    /// channels.
    pub exact: ByResults,
}

/// The family for one instruction set.
#[non_exhaustive]
pub struct Pool {
    /// The name, such as `f32_pool_7x16__avx512`.
    pub name: &'static str,
    /// The CPU features that it needs.
    pub isa: Isa,
    /// The number of channels of a vector.
    pub lanes: usize,
    /// The most results of a tile.
    pub results: usize,
    /// Kernels for maxima.
    pub max: Kernels,
    /// Kernels for means.
    pub mean: Kernels,
}

impl Pool {
    /// The kernels for maxima or for means.
    pub fn of(&self, kind: PoolKind) -> &Kernels {
        match kind {
            PoolKind::Max => &self.max,
            PoolKind::Mean => &self.mean,
        }
    }
}

impl Kernels {
    /// The kernels for windows of `taps` columns with `stride`, if there are any.
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
