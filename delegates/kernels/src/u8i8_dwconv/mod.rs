//! Depthwise convolutions of bytes: each channel has its own weights.
//!
//! A dot product of four bytes needs four consecutive taps of one channel. So four rows of the image are interleaved
//! first, for a part of a row of pixels and one block of channels at a time. Then each column of the filter is one dot
//! product per channel:
//!
//! ```text
//! rows y‥y+3, pixel p:    a0 a1 … a63        planes:    quad 0: … [a0 b0 c0 d0 a1 b1 … d3, a16 … d19, a32 …, a48 …] of p, of p+1 …
//!                         b0 b1 … b63                   quad 1: … [a4 b4 c4 d4 … d7, a20 …] …
//!                         c0 …          interleave      quad 2
//!                         d0 …              ─►          quad 3
//! ```
//! A block has as many channels as a vector has bytes, or a half or a quarter of that. Then a vector has two or four
//! pixels, which are adjacent in the planes, so that the bytes for any column of the filter are in one vector.

mod body;

use crate::isa::Isa;
use crate::requantize::{Bytes, Channels};
use crate::rescale::{QuantizedRow, RealChannels};
use crate::simd::dot::*;
use arenite_base::Clamp;

/// Four rows to interleave.
#[derive(Clone, Copy)]
pub struct PixelRows {
    /// The address of the block's first channel in the first pixel of each row.
    pub from: [*const u8; 4],
    /// The distance between pixels in each row, in bytes.
    pub steps: [usize; 4],
    /// The number of pixels: 0, or at least as many as a vector holds.
    pub count: usize,
    /// The number of channels in the block; the last block of a tensor may have fewer.
    pub channels: usize,
    /// The address of the first pixel in the first plane.
    pub to: *mut u8,
    /// The distance between planes, in bytes.
    pub plane: usize,
}

/// The arguments for computing a part of a row of results.
#[derive(Clone, Copy)]
pub struct Outputs {
    /// The address of the planes.
    pub planes: *const u8,
    /// The distance between planes, in bytes.
    pub plane: usize,
    /// For each dot product, the offset of the first result's bytes in the first plane.
    pub offsets: *const usize,
    /// The number of dot products.
    pub taps: usize,
    /// `[taps][4]` vectors of weights.
    pub weights: *const u8,
    /// How sums are converted to results.
    pub results: Results,
    /// The number of pixels.
    pub count: usize,
    /// The number of channels in the block; the last block of a tensor may have fewer.
    pub channels: usize,
    /// The address of the first result.
    pub c: *mut u8,
    /// The distance between pixels of results, in bytes.
    pub step: usize,
}

/// How sums are converted to results. A table has four blocks of channels, in the order of interleaved lanes.
#[derive(Clone, Copy)]
pub enum Results {
    /// To bytes.
    Bytes {
        /// The address of the channels.
        table: *const i64,
        /// Whether all channels round up and shift to the right by 32 or more.
        is_far: bool,
        /// The output range.
        bytes: Bytes,
    },
    /// To `f32`.
    Reals {
        /// The address of the channels.
        table: *const u32,
        /// The quantization of the image.
        image: QuantizedRow,
        /// The range of results.
        limits: Clamp,
    },
}

impl Results {
    /// The same, for channels that start at block `block` of `lanes` channels.
    #[inline]
    pub fn from(self, block: usize, lanes: usize) -> Results {
        match self {
            Results::Bytes { table, is_far, bytes } => {
                let table = table.wrapping_add(block * Channels::stride(lanes));
                Results::Bytes { table, is_far, bytes }
            }
            Results::Reals { table, image, limits } => {
                let table = table.wrapping_add(block * RealChannels::stride(lanes));
                Results::Reals { table, image, limits }
            }
        }
    }
}

/// # Safety
/// The machine must have the instruction set. Pixels must be readable for `channels` bytes, and the planes writable for
/// as many pixels.
pub type Interleave = unsafe fn(&PixelRows);
/// # Safety
/// The machine must have the instruction set. Planes must be readable at all offsets for `count` pixels, rounded up to
/// whole vectors. Weights and table must be complete, and `count` pixels of results writable for `channels` channels.
pub type Convolve = unsafe fn(&Outputs);

/// Computes one pixel of results from the pixels under the taps: four pointers for each of `taps` dot products. The
/// planes are not used, and the block has as many channels as the widest.
///
/// # Safety
/// The machine must have the instruction set. Pixels must be readable for `channels` bytes. Weights and table must be
/// complete, the results bytes with far channels, and one pixel of them writable for `channels` channels.
pub type Pixel = unsafe fn(&Outputs, *const *const u8);

/// Kernels for blocks with a particular number of channels.
pub struct Width {
    /// The number of channels of a block.
    pub channels: usize,
    /// The number of pixels in a vector.
    pub pixels: usize,
    /// Interleaves rows into planes.
    pub interleave: Interleave,
    /// Computes results from planes.
    pub convolve: Convolve,
}

/// A member of the family.
#[non_exhaustive]
pub struct DwConv {
    /// The name, such as `u8i8_dwconv__avx512vnni`.
    pub name: &'static str,
    /// The CPU features that it needs.
    pub isa: Isa,
    /// The number of sums in a vector.
    pub lanes: usize,
    /// The size of a vector of weights in bytes.
    pub weights: usize,
    /// The number that is subtracted from the bytes of the image in the planes, 0 or 128. Biases must include it times
    /// the sums of weights, and zero points must be smaller by it.
    pub offset: u8,
    /// Computes one pixel of results, for channels that are all far; `None` if planes are as fast.
    pub pixel: Option<Pixel>,
    /// The kernels by width, the widest first.
    pub widths: &'static [Width],
}

macro_rules! member {
    ($name:expr, $isa:expr, $t:ty, $pixels:tt, pixel) => {
        DwConv { pixel: Some(pixel::<1>), ..member!($name, $isa, $t, $pixels) }
    };
    ($name:expr, $isa:expr, $t:ty, [$($pixels:literal)*]) => {
        DwConv {
            name: $name,
            isa: $isa,
            lanes: <$t>::LANES,
            weights: <$t>::WEIGHTS,
            offset: <$t>::OFFSET,
            pixel: None,
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
        fn interleave[P: usize](rows: &PixelRows);
        fn convolve[P: usize](outputs: &Outputs);
        #[allow(dead_code)] // Where planes are as fast.
        fn pixel[P: usize](outputs: &Outputs, rows: *const *const u8);
    }
    scalar(ScalarDot, [1]);
    avx2(Avx2Dot, [1 2], pixel);
    avx512(Avx512Dot, [1 2 4], pixel);
    vnni256(Vnni256Dot, [1 2], pixel);
    avxvnni(AvxVnniDot, [1 2], pixel);
    avx512vnni(VnniDot, [1 2 4], pixel);
    neon(NeonBytes, [1]);
    neondot(NeonDot, [1]);
    neoni8mm(NeonI8mm, [1]);
}
member_of_table!(DwConv);

#[cfg(test)]
mod tests;
