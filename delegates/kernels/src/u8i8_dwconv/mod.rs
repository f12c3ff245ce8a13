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
use crate::simd::dot::*;

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
    #[inline]
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
#[non_exhaustive]
pub struct DwConv {
    /// As in `u8i8_dwconv__avx512vnni`.
    pub name: &'static str,
    /// The features that it needs.
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

macro_rules! member {
    ($name:expr, $isa:expr, $t:ty, [$($pixels:literal)*]) => {
        DwConv {
            name: $name,
            isa: $isa,
            lanes: <$t>::LANES,
            weights: <$t>::WEIGHTS,
            offset: <$t>::OFFSET,
            widths: &[$(Width {
                channels: 4 * <$t>::LANES / $pixels,
                pixels: $pixels,
                interleave: interleave::<$pixels>,
                convolve: convolve::<$pixels>,
            }),*],
        }
    };
}

family! {
    DwConv: "u8i8_dwconv" {
        fn interleave[P: usize](rows: &Rows);
        fn convolve[P: usize](outputs: &Outputs);
    }
    scalar(ScalarDot, [1]);
    avx2(Avx2Dot, [1 2]);
    avx512(Avx512Dot, [1 2 4]);
    vnni256(Vnni256Dot, [1 2]);
    avxvnni(AvxVnniDot, [1 2]);
    avx512vnni(VnniDot, [1 2 4]);
    neon(NeonBytes, [1]);
    neondot(NeonDot, [1]);
    neoni8mm(NeonI8mm, [1]);
}
member_of_table!(DwConv);

#[cfg(test)]
mod tests;
