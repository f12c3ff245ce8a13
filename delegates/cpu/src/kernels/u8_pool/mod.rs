//! Pools of bytes: of each channel the mean or the largest of some pixels.

mod body;

use crate::isa::Isa;

/// The pixels of a window and what becomes of them.
#[derive(Clone, Copy)]
pub struct Window {
    /// Pixels, at least one.
    pub pixels: *const *const u8,
    /// How many.
    pub count: usize,
    /// Channels.
    pub n: usize,
    /// Smallest result.
    pub low: u8,
    /// Largest result.
    pub high: u8,
    /// The division of means.
    pub mean: Mean,
    /// The results.
    pub c: *mut u8,
}

/// A division by `count` to the nearest.
#[derive(Clone, Copy)]
pub struct Mean {
    /// A block of channels that are alike: their bias is half of `count`, their factor `1 / count`, rounded down.
    pub table: *const i64,
    /// Below this sum ties go down: where signed numbers are negative. 0 if there are no ties.
    pub middle: i32,
}

/// The family on one instruction set. Its functions are unsafe to call: the machine has the instructions, pixels are readable and results
/// writable for `n` bytes, and the table is whole.
pub struct Pools {
    /// As in `u8_pool__avx512`.
    pub name: &'static str,
    /// The instructions it needs.
    pub isa: Isa,
    /// Lanes of a block.
    pub lanes: usize,
    /// The mean.
    pub mean: unsafe fn(&Window),
    /// The largest.
    pub largest: unsafe fn(&Window),
}

impl Pools {
    /// The best member on this machine, up to `isa`.
    pub fn select(isa: Isa) -> &'static Pools {
        TABLE.iter().rfind(|pools| pools.isa <= isa && pools.isa.is_available()).unwrap_or(&TABLE[0])
    }
}

macro_rules! member {
    ($module:ident, $name:literal, $isa:ident, $simd:ident $(, $features:literal)?) => {
        mod $module {
            use super::*;
            use crate::simd::{$simd as S, Simd};

            $(#[target_feature(enable = $features)])?
            unsafe fn mean(window: &Window) {
                // SAFETY: the caller's promise.
                unsafe { body::mean::<S>(S::new(), window) }
            }
            $(#[target_feature(enable = $features)])?
            unsafe fn largest(window: &Window) {
                // SAFETY: the caller's promise.
                unsafe { body::largest::<S>(S::new(), window) }
            }

            pub(super) const MEMBER: Pools =
                Pools { name: $name, isa: Isa::$isa, lanes: S::LANES, mean, largest };
        }
    };
}

member!(scalar, "u8_pool__scalar", Scalar, Scalar);
#[cfg(all(target_arch = "x86_64", feature = "avx2"))]
member!(avx2, "u8_pool__avx2", Avx2, Avx2, "avx2,fma");
#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
member!(avx512, "u8_pool__avx512", Avx512, Avx512, "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma");
#[cfg(all(target_arch = "aarch64", feature = "neon"))]
member!(neon, "u8_pool__neon", Neon, Neon, "neon");

/// All members of the family, the slowest first.
pub static TABLE: &[Pools] = &[
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
