//! Transforms of Winograd's minimal filtering `F(m × m, 3 × 3)`: convolutions with fewer multiplications.
//!
//! After Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks", 2015. With α = m + 2, a tile of α × α inputs gives
//! m × m outputs:
//!
//! ```text
//! Y = Aᵀ [ (G g Gᵀ) ⊙ (Bᵀ d B) ] A        ⊙ for all tiles and channels: α² products of matrices
//! multiplications per output: (α / m)² = 4 for m = 2, 2.25 for m = 4, in place of 9
//! ```

mod body;

use crate::isa::Isa;
use crate::simd::Simd;

/// Transforms of one size on one instruction set.
pub struct Winograd {
    /// As in `f32_winograd_4x4__avx512`.
    pub name: &'static str,
    /// The instructions it needs.
    pub isa: Isa,
    /// Outputs along one side of a tile.
    pub m: usize,
    /// `Bᵀ d B` of one tile: `(channels, pixels, v, stride)`. `pixels` are α² pointers to `channels` values; value `f` of the
    /// transform of channel `c` goes to `v[f · stride + c]`.
    pub input: unsafe fn(usize, *const *const f32, *mut f32, usize),
    /// `Aᵀ p A + bias` of one tile, clamped: see [`Output`].
    pub output: unsafe fn(&Output),
    /// `G g Gᵀ` of `FILTERS` filters side by side: tap `t` of filter `i` is `g[t][i]`; the first α² rows of the result are used.
    pub filters: unsafe fn(&[[f32; FILTERS]; 9]) -> [[f32; FILTERS]; 36],
}

/// Arguments of an output transform.
pub struct Output {
    /// Channels of the result.
    pub channels: usize,
    /// Value `f` of channel `c` is `p[f · stride + c]`.
    pub p: *const f32,
    /// See `p`.
    pub stride: usize,
    /// One per channel.
    pub bias: *const f32,
    /// The tile's first pixel.
    pub y: *mut f32,
    /// Values from one row of pixels to the next; pixels of a row are `channels` apart.
    pub row: usize,
    /// Rows and columns of the tile that are inside the image, at most m.
    pub size: [usize; 2],
    /// Smallest result.
    pub low: f32,
    /// Largest result.
    pub high: f32,
}

impl Winograd {
    /// The best member for tiles of `m × m` on this machine, up to `isa`.
    pub fn select(isa: Isa, m: usize) -> Option<&'static Winograd> {
        TABLE.iter().rfind(|w| w.m == m && w.isa <= isa && w.isa.is_available())
    }

    /// α, the inputs along one side of a tile.
    pub const fn alpha(&self) -> usize {
        self.m + 2
    }
}

#[inline(always)]
fn filters<const A: usize>(rows: &[[f64; 3]; A], g: &[[f32; FILTERS]; 9]) -> [[f32; FILTERS]; 36] {
    let mut u = [[0.0; FILTERS]; 36];
    for (i, a) in rows.iter().enumerate() {
        let half: [[f64; FILTERS]; 3] = std::array::from_fn(|k| {
            std::array::from_fn(|l| (0..3).map(|t| a[t] * f64::from(g[t * 3 + k][l])).sum())
        });
        for (j, b) in rows.iter().enumerate() {
            u[i * A + j] = std::array::from_fn(|l| (0..3).map(|k| b[k] * half[k][l]).sum::<f64>() as f32);
        }
    }
    u
}

/// Filters that are transformed together.
pub const FILTERS: usize = 8;

const G2: [[f64; 3]; 4] = [[1.0, 0.0, 0.0], [0.5, 0.5, 0.5], [0.5, -0.5, 0.5], [0.0, 0.0, 1.0]];

const G4: [[f64; 3]; 6] = [
    [0.25, 0.0, 0.0],
    [-1.0 / 6.0, -1.0 / 6.0, -1.0 / 6.0],
    [-1.0 / 6.0, 1.0 / 6.0, -1.0 / 6.0],
    [1.0 / 24.0, 1.0 / 12.0, 1.0 / 6.0],
    [1.0 / 24.0, -1.0 / 12.0, 1.0 / 6.0],
    [0.0, 0.0, 1.0],
];

macro_rules! members {
    ($module:ident, $two:literal, $four:literal, $isa:ident, $simd:ident $(, $features:literal)?) => {
        mod $module {
            use super::*;
            use crate::simd::$simd as S;

            $(#[target_feature(enable = $features)])?
            unsafe fn filters_2(g: &[[f32; FILTERS]; 9]) -> [[f32; FILTERS]; 36] {
                filters(&G2, g)
            }
            $(#[target_feature(enable = $features)])?
            unsafe fn filters_4(g: &[[f32; FILTERS]; 9]) -> [[f32; FILTERS]; 36] {
                filters(&G4, g)
            }
            $(#[target_feature(enable = $features)])?
            unsafe fn input<const A: usize>(channels: usize, pixels: *const *const f32, v: *mut f32, stride: usize) {
                // SAFETY: the caller's promise.
                unsafe { body::input::<S, A>(S::new(), channels, pixels, v, stride) }
            }
            $(#[target_feature(enable = $features)])?
            unsafe fn output<const A: usize>(o: &Output) {
                // SAFETY: the caller's promise.
                unsafe { body::output::<S, A>(S::new(), o) }
            }

            pub const TWO: Winograd =
                Winograd { name: $two, isa: Isa::$isa, m: 2, input: input::<4>, output: output::<4>, filters: filters_2 };
            pub const FOUR: Winograd =
                Winograd { name: $four, isa: Isa::$isa, m: 4, input: input::<6>, output: output::<6>, filters: filters_4 };
        }
    };
}

members!(scalar, "f32_winograd_2x2__scalar", "f32_winograd_4x4__scalar", Scalar, Scalar);
#[cfg(all(target_arch = "x86_64", feature = "avx2"))]
members!(avx2, "f32_winograd_2x2__avx2", "f32_winograd_4x4__avx2", Avx2, Avx2, "avx2,fma");
#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
members!(
    avx512,
    "f32_winograd_2x2__avx512",
    "f32_winograd_4x4__avx512",
    Avx512,
    Avx512,
    "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma"
);
#[cfg(all(target_arch = "aarch64", feature = "neon"))]
members!(neon, "f32_winograd_2x2__neon", "f32_winograd_4x4__neon", Neon, Neon, "neon");

/// All members of the family, the slowest first.
pub static TABLE: &[Winograd] = &[
    scalar::TWO,
    scalar::FOUR,
    #[cfg(all(target_arch = "x86_64", feature = "avx2"))]
    avx2::TWO,
    #[cfg(all(target_arch = "x86_64", feature = "avx2"))]
    avx2::FOUR,
    #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
    avx512::TWO,
    #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
    avx512::FOUR,
    #[cfg(all(target_arch = "aarch64", feature = "neon"))]
    neon::TWO,
    #[cfg(all(target_arch = "aarch64", feature = "neon"))]
    neon::FOUR,
];

#[cfg(test)]
mod tests;
