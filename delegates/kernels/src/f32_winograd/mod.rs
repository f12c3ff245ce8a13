//! Transforms of Winograd's minimal filtering `F(m × m, 3 × 3)`: convolutions with fewer multiplications.
//!
//! After Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks", 2015. With α = m + 2, a tile of α × α
//! inputs gives m × m outputs:
//!
//! ```text
//! Y = Aᵀ [ (G g Gᵀ) ⊙ (Bᵀ d B) ] A        ⊙ for all tiles and channels: α² products of matrices
//! multiplications per output: (α / m)² = 4 for m = 2, 2.25 for m = 4, in place of 9
//! ```

mod body;

use crate::isa::Isa;
use crate::simd::*;

/// The transforms for one size of tiles.
pub struct Winograd {
    /// The name, such as `f32_winograd_4x4__avx512`.
    pub name: &'static str,
    /// The number of outputs along one side of a tile.
    pub m: usize,
    /// `Bᵀ d B` of one tile: `(channels, pixels, v, stride)`. `pixels` are α² pointers to `channels` values each. Value
    /// `f` of the transform of channel `c` is written to `v[f · stride + c]`.
    pub input: unsafe fn(usize, *const *const f32, *mut f32, usize),
    /// `Aᵀ p A + bias` of one tile, clamped: see [`Output`].
    pub output: unsafe fn(&Output),
    /// `G g Gᵀ` of `FILTERS` filters: tap `t` of filter `i` is `g[t][i]`. The first α² rows of the result are used.
    pub filters: unsafe fn(&[[f32; FILTERS]; 9]) -> [[f32; FILTERS]; 36],
}

/// A member of the family.
#[non_exhaustive]
pub struct Sizes {
    /// The name, such as `f32_winograd__avx512`.
    pub name: &'static str,
    /// The CPU features that it needs.
    pub isa: Isa,
    /// The transforms, by `m`.
    pub sizes: [Winograd; 2],
}

/// The arguments of an output transform.
pub struct Output {
    /// The number of channels of the result.
    pub channels: usize,
    /// The transformed values: value `f` of channel `c` is `p[f · stride + c]`.
    pub p: *const f32,
    /// The distance between the values of a channel in `p`.
    pub stride: usize,
    /// The bias of each channel.
    pub bias: *const f32,
    /// The address of the tile's first pixel.
    pub y: *mut f32,
    /// The distance between rows of pixels, in values. Pixels of a row are `channels` values apart.
    pub row: usize,
    /// The numbers of rows and columns of the tile that are inside the image, at most m.
    pub size: [usize; 2],
    /// The smallest result.
    pub low: f32,
    /// The largest result.
    pub high: f32,
}

impl Winograd {
    /// The fastest member for tiles of `m × m` that this machine can run with the features in `isa`.
    pub fn select(isa: Isa, m: usize) -> Option<&'static Winograd> {
        Sizes::select(isa).sizes.iter().find(|w| w.m == m)
    }

    /// α, the number of inputs along one side of a tile.
    pub const fn alpha(&self) -> usize {
        self.m + 2
    }
}

/// The number of filters that are transformed together.
pub const FILTERS: usize = 8;

macro_rules! member {
    ($name:expr, $isa:expr, $t:ty, $two:literal, $four:literal) => {
        Sizes {
            name: $name,
            isa: $isa,
            sizes: [
                Winograd { name: $two, m: 2, input: input::<4>, output: output::<4>, filters: filters::<4> },
                Winograd { name: $four, m: 4, input: input::<6>, output: output::<6>, filters: filters::<6> },
            ],
        }
    };
}

family! {
    Sizes: "f32_winograd" {
        fn input[A: usize](channels: usize, pixels: *const *const f32, v: *mut f32, stride: usize);
        fn output[A: usize](o: &Output);
        fn filters[A: usize](g: &[[f32; FILTERS]; 9]) -> [[f32; FILTERS]; 36];
    }
    scalar(Scalar, "f32_winograd_2x2__scalar", "f32_winograd_4x4__scalar");
    avx2(Avx2, "f32_winograd_2x2__avx2", "f32_winograd_4x4__avx2");
    avx512(Avx512, "f32_winograd_2x2__avx512", "f32_winograd_4x4__avx512");
    neon(Neon, "f32_winograd_2x2__neon", "f32_winograd_4x4__neon");
}
member_of_table!(Sizes);

#[cfg(test)]
mod tests;
