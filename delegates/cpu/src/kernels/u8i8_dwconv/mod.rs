//! Convolutions of bytes where each channel has its own weights.
//!
//! A dot product of four bytes needs four taps of one channel side by side. So four rows of the image are interleaved first, a part
//! of a row of pixels and a block of channels at a time; then each column of the filter is one dot product per channel:
//!
//! ```text
//! rows y‥y+3, pixel p:    a0 a1 … a63        planes:    quad 0: … [a0 b0 c0 d0 a1 b1 … d3, a16 … d19, a32 …, a48 …] of p, of p+1 …
//!                         b0 b1 … b63                   quad 1: … [a4 b4 c4 d4 … d7, a20 …] …
//!                         c0 …          interleave      quad 2
//!                         d0 …              ─►          quad 3
//! ```
//! A block has as many channels as a vector has bytes, or a half or a quarter of them: then a vector holds two or four pixels, which
//! lie side by side in the planes, so that any column of the filter finds its bytes in one vector.

mod body;

use crate::isa::Isa;
use crate::requantize::{Bytes, Channels};
use crate::rescale::{Limits, QuantizedRow, RealChannels};
use crate::simd::dot::{self, Dot};

/// Four rows to be interleaved.
#[derive(Clone, Copy)]
pub struct Rows {
    /// The block's first channel in the first pixel of each row.
    pub from: [*const u8; 4],
    /// Bytes from one pixel to the next in each row.
    pub steps: [usize; 4],
    /// Pixels: none, or at least as many as a vector holds.
    pub count: usize,
    /// Channels of the block that there are.
    pub channels: usize,
    /// The first pixel's place in the first plane.
    pub to: *mut u8,
    /// Bytes from one plane to the next.
    pub plane: usize,
}

/// Results of a part of a row.
#[derive(Clone, Copy)]
pub struct Outputs {
    /// The planes.
    pub planes: *const u8,
    /// Bytes from one plane to the next.
    pub plane: usize,
    /// For each dot product, where the first result finds its bytes in the first plane.
    pub offsets: *const usize,
    /// Number of dot products.
    pub taps: usize,
    /// `[taps][4]` vectors of weights.
    pub weights: *const u8,
    /// What the sums become.
    pub results: Results,
    /// Number of pixels.
    pub count: usize,
    /// Channels of the block that there are.
    pub channels: usize,
    /// The first result.
    pub c: *mut u8,
    /// Bytes from one pixel of results to the next.
    pub step: usize,
}

/// What sums become. A table has four blocks of channels, in the order of interleaved lanes.
#[derive(Clone, Copy)]
pub enum Results {
    /// Bytes.
    Bytes {
        /// The channels.
        table: *const i64,
        /// Whether they need the general way of scaling.
        is_general: bool,
        /// What the results become.
        bytes: Bytes,
    },
    /// `f32`.
    Reals {
        /// The channels.
        table: *const u32,
        /// How the image was quantized.
        image: QuantizedRow,
        /// The range of results.
        limits: Limits,
    },
}

impl Results {
    /// Those from block `block` of `lanes` channels on.
    pub fn from(self, block: usize, lanes: usize) -> Results {
        match self {
            Results::Bytes { table, is_general, bytes } => {
                let table = table.wrapping_add(block * Channels::stride(lanes));
                Results::Bytes { table, is_general, bytes }
            }
            Results::Reals { table, image, limits } => {
                let table = table.wrapping_add(block * RealChannels::stride(lanes));
                Results::Reals { table, image, limits }
            }
        }
    }
}

/// # Safety
/// The machine has the instruction set. Pixels are readable for `channels` bytes; the planes are writable for as many pixels.
pub type Interleave = unsafe fn(&Rows);
/// # Safety
/// The machine has the instruction set. Planes are readable at all offsets for `count` pixels, rounded up to whole vectors, weights
/// and table are whole, and `count` pixels of results are writable for `channels` channels.
pub type Convolve = unsafe fn(&Outputs);

/// Kernels for blocks of some number of channels.
pub struct Width {
    /// Channels of a block.
    pub channels: usize,
    /// Pixels that a vector holds.
    pub pixels: usize,
    /// Makes planes of rows.
    pub interleave: Interleave,
    /// Makes results of planes.
    pub convolve: Convolve,
}

/// A family member.
pub struct DwConv {
    /// As in `u8i8_dwconv__avx512vnni`.
    pub name: &'static str,
    /// The instructions it needs.
    pub isa: Isa,
    /// Sums in a vector.
    pub lanes: usize,
    /// Bytes of a vector of weights.
    pub weights: usize,
    /// What planes have less than the bytes of the image, 0 or 128: biases hold it times the sums of weights, zero points are less by it.
    pub offset: u8,
    /// From the widest on.
    pub widths: &'static [Width],
}

impl DwConv {
    /// The best member on this machine, up to `isa`.
    pub fn select(isa: Isa) -> &'static DwConv {
        TABLE.iter().rfind(|member| member.isa <= isa && member.isa.is_available()).unwrap_or(&TABLE[0])
    }
}

macro_rules! member {
    ($module:ident, $name:literal, $isa:ident, $dot:ident, [$($pixels:literal)*] $(, $features:literal)?) => {
        mod $module {
            use super::*;
            use crate::simd::Simd;

            type D = dot::$dot;
            const LANES: usize = <<D as Dot>::S as Simd>::LANES;

            $(#[target_feature(enable = $features)])?
            unsafe fn interleave<const P: usize>(rows: &Rows) {
                // SAFETY: the caller's promise.
                unsafe { body::interleave::<<D as Dot>::S, P, { D::OFFSET }>(D::new().ints(), rows) }
            }
            $(#[target_feature(enable = $features)])?
            unsafe fn convolve<const P: usize>(outputs: &Outputs) {
                // SAFETY: the caller's promise.
                unsafe { body::convolve::<D, P>(D::new(), outputs) }
            }

            pub(super) const MEMBER: DwConv = DwConv {
                name: $name,
                isa: Isa::$isa,
                lanes: LANES,
                weights: D::WEIGHTS,
                offset: D::OFFSET,
                widths: &[$(Width {
                    channels: 4 * LANES / $pixels,
                    pixels: $pixels,
                    interleave: interleave::<$pixels>,
                    convolve: convolve::<$pixels>,
                }),*],
            };
        }
    };
}

member!(scalar, "u8i8_dwconv__scalar", Scalar, ScalarDot, [1]);
#[cfg(all(target_arch = "x86_64", feature = "avx2"))]
member!(avx2, "u8i8_dwconv__avx2", Avx2, Avx2Dot, [1 2], "avx2,fma");
#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
member!(
    avx512,
    "u8i8_dwconv__avx512",
    Avx512,
    Avx512Dot,
    [1 2 4],
    "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma"
);
#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
member!(
    avx512vnni,
    "u8i8_dwconv__avx512vnni",
    Avx512Vnni,
    VnniDot,
    [1 2 4],
    "avx512vnni,avx512f,avx512bw,avx512dq,avx512vl,avx2,fma"
);
#[cfg(all(target_arch = "aarch64", feature = "neon"))]
member!(neon, "u8i8_dwconv__neon", Neon, NeonBytes, [1], "neon");
#[cfg(all(target_arch = "aarch64", feature = "neon"))]
member!(neondot, "u8i8_dwconv__neondot", NeonDot, NeonDot, [1], "neon,dotprod");
#[cfg(all(target_arch = "aarch64", feature = "neon"))]
member!(neoni8mm, "u8i8_dwconv__neoni8mm", NeonI8mm, NeonI8mm, [1], "neon,dotprod,i8mm");

/// All members of the family, the slowest first.
pub static TABLE: &[DwConv] = &[
    scalar::MEMBER,
    #[cfg(all(target_arch = "x86_64", feature = "avx2"))]
    avx2::MEMBER,
    #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
    avx512::MEMBER,
    #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
    avx512vnni::MEMBER,
    #[cfg(all(target_arch = "aarch64", feature = "neon"))]
    neon::MEMBER,
    #[cfg(all(target_arch = "aarch64", feature = "neon"))]
    neondot::MEMBER,
    #[cfg(all(target_arch = "aarch64", feature = "neon"))]
    neoni8mm::MEMBER,
];

#[cfg(test)]
mod tests;
