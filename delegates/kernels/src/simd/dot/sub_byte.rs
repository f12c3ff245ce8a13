//! Weights narrower than a byte: two of four bits, or four of two bits, are a byte in memory.

#[cfg(target_arch = "aarch64")]
use core::arch::aarch64::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

#[allow(unused_imports)] // As many as are compiled.
use super::*;

/// Dot products with signed weights, `PARTS` of which are a byte in memory.
pub trait SubByte<const PARTS: usize>: Dot {
    /// Weights in registers are `2^SHIFT` times as large.
    const SHIFT: u32;

    /// Loads the weights in the lowest bits of four bytes per lane, those in the bits above, and so on.
    ///
    /// # Safety
    /// Four bytes per lane must be readable.
    unsafe fn parts(self, p: *const u8) -> [Self::W; PARTS];

    /// `sum + Σ a · w` of all parts.
    #[inline(always)]
    fn dots(
        self,
        sum: <Self::S as Ints>::I,
        a: [Self::A; PARTS],
        w: [Self::W; PARTS],
    ) -> <Self::S as Ints>::I {
        (0..PARTS).fold(sum, |sum, k| self.dot(sum, a[k], w[k]))
    }
}

impl<const PARTS: usize> SubByte<PARTS> for ScalarDot {
    const SHIFT: u32 = 0;

    #[inline(always)]
    unsafe fn parts(self, p: *const u8) -> [Self::W; PARTS] {
        // SAFETY: four bytes per lane are readable, as `SubByte` requires.
        let bytes = unsafe { p.cast::<[[i8; 4]; 4]>().read_unaligned() };
        let bits = 8 / PARTS;
        core::array::from_fn(|k| bytes.map(|four| four.map(|b| b << (8 - bits - bits * k) >> (8 - bits))))
    }
}

/// A vector of bytes: parts move to the highest bits of a byte, where they have its sign.
#[allow(unused_macros)] // Without instruction sets.
macro_rules! bytes {
    ($($(#[$attribute:meta])* $type:ty: $load:ident $and:ident $shift:ident $splat:ident;)*) => {$(
        bytes! { @ $(#[$attribute])* $type, 2, 4, 0xf0: $load $and $shift $splat 4 }
        bytes! { @ $(#[$attribute])* $type, 4, 6, 0xc0: $load $and $shift $splat 6 4 2 }
    )*};
    (@ $(#[$attribute:meta])* $type:ty, $parts:literal, $by:literal, $mask:literal:
        $load:ident $and:ident $shift:ident $splat:ident $($left:literal)*
    ) => {
        $(#[$attribute])*
        impl SubByte<$parts> for $type {
            const SHIFT: u32 = $by;

            #[inline(always)]
            unsafe fn parts(self, p: *const u8) -> [Self::W; $parts] {
                // SAFETY: `self` proves that the machine has the instructions; four bytes per lane are readable, as
                // `SubByte` requires.
                unsafe {
                    let (bytes, mask) = ($load(p.cast()), $splat($mask as u8 as i8));
                    [$($and($shift::<$left>(bytes), mask),)* $and(bytes, mask)]
                }
            }
        }
    };
}

/// A vector of bytes whose weights are looked up in a table of 16. Pairs of products are added in 16 bits, and so are
/// the pairs of all parts, before the sums are widened to 32 bits: at most 4 · 2 · 255 · 2, or 2 · 2 · 255 · 8.
#[allow(unused_macros)] // Only x86-64 has products of pairs of bytes.
macro_rules! pairs {
    ($($(#[$attribute:meta])* $type:ty: $load:ident $and:ident $shift:ident $look:ident $splat:ident $spread:ident;)*) => {$(
        pairs! { @ $(#[$attribute])* $type, 2, 15, [0, 1, 2, 3, 4, 5, 6, 7, -8, -7, -6, -5, -4, -3, -2, -1]:
            $load $and $shift $look $splat $spread 4 }
        pairs! { @ $(#[$attribute])* $type, 4, 3, [0, 1, -2, -1, 0, 1, -2, -1, 0, 1, -2, -1, 0, 1, -2, -1]:
            $load $and $shift $look $splat $spread 2 4 6 }
    )*};
    (@ $(#[$attribute:meta])* $type:ty, $parts:literal, $mask:literal, $values:tt:
        $load:ident $and:ident $shift:ident $look:ident $splat:ident $spread:ident $($right:literal)*
    ) => {
        $(#[$attribute])*
        impl SubByte<$parts> for $type {
            const SHIFT: u32 = 0;

            #[inline(always)]
            unsafe fn parts(self, p: *const u8) -> [Self::W; $parts] {
                const VALUES: [i8; 16] = $values;
                // SAFETY: `self` proves that the machine has the instructions; four bytes per lane are readable, as
                // `SubByte` requires, and so are the 16 of the table.
                unsafe {
                    let (bytes, mask) = ($load(p.cast()), $splat($mask));
                    let values = $spread(_mm_loadu_si128(VALUES.as_ptr().cast()));
                    let part = |bytes| $look(values, $and(bytes, mask));
                    [part(bytes), $(part($shift::<$right>(bytes))),*]
                }
            }
            #[inline(always)]
            fn dots(
                self,
                sum: <Self::S as Ints>::I,
                a: [Self::A; $parts],
                w: [Self::W; $parts],
            ) -> <Self::S as Ints>::I {
                self.dot_all(sum, a, w)
            }
        }
    };
}

#[cfg(all(target_arch = "x86_64", feature = "avx2"))]
bytes! {
    AvxVnniDot: _mm256_loadu_si256 _mm256_and_si256 _mm256_slli_epi16 _mm256_set1_epi8;
    #[cfg(feature = "avx512")]
    Vnni256Dot: _mm256_loadu_si256 _mm256_and_si256 _mm256_slli_epi16 _mm256_set1_epi8;
    #[cfg(feature = "avx512")]
    VnniDot: _mm512_loadu_si512 _mm512_and_si512 _mm512_slli_epi16 _mm512_set1_epi8;
}

#[cfg(all(target_arch = "x86_64", feature = "avx2"))]
pairs! {
    Avx2Pairs: _mm256_loadu_si256 _mm256_and_si256 _mm256_srli_epi16 _mm256_shuffle_epi8 _mm256_set1_epi8
        _mm256_broadcastsi128_si256;
    #[cfg(feature = "avx512")]
    Avx512Pairs: _mm512_loadu_si512 _mm512_and_si512 _mm512_srli_epi16 _mm512_shuffle_epi8 _mm512_set1_epi8
        _mm512_broadcast_i32x4;
}

#[cfg(all(target_arch = "aarch64", feature = "neon"))]
bytes! {
    NeonBytes: vld1q_s8 vandq_s8 vshlq_n_s8 vdupq_n_s8;
    NeonDot: vld1q_s8 vandq_s8 vshlq_n_s8 vdupq_n_s8;
}
