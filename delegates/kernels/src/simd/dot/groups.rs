//! Dot products of four consecutive bytes: VNNI on 256 bits, in both encodings, and on 512 bits; products of pairs of
//! words, and of pairs of bytes.

use core::arch::x86_64::*;

#[cfg(feature = "avx512")]
use super::together::together_wide;
use super::{Dot, Ints, together::together};
#[cfg(feature = "avx512")]
use crate::simd::Avx512;
use crate::simd::{Avx2, Simd};

macro_rules! dot {
    ($(#[$attribute:meta])* $name:ident($s:ident, $v:ident): $bytes:literal $splat:ident $load:ident $dot:expr
        $(, $together:ident $multiply:ident $add:ident)?) => {
        $(#[$attribute])*
        #[derive(Clone, Copy)]
        pub struct $name($s);

        $(#[$attribute])*
        // SAFETY: only `new` creates a value, and it requires that the machine has the instructions.
        unsafe impl Dot for $name {
            type S = $s;
            type A = $v;
            type W = $v;
            const WEIGHTS: usize = $bytes;
            const OFFSET: u8 = 0;

            #[inline(always)]
            unsafe fn new() -> Self {
                // SAFETY: the machine has the instructions, as `new` requires.
                $name(unsafe { $s::new() })
            }
            #[inline(always)]
            fn ints(self) -> $s {
                self.0
            }
            #[inline(always)]
            fn spread(self, four: u32) -> $v {
                // SAFETY: `self` proves that the machine has the instructions.
                unsafe { $splat(four as i32) }
            }
            #[inline(always)]
            unsafe fn fours(self, p: *const u8) -> $v {
                // SAFETY: `self` proves that the machine has the instructions; a vector of bytes is readable, as `Dot`
                // requires.
                unsafe { $load(p.cast()) }
            }
            #[inline(always)]
            unsafe fn weights(self, p: *const u8) -> $v {
                // SAFETY: `self` proves that the machine has the instructions; a vector of weights is readable, as
                // `Dot` requires.
                unsafe { $load(p.cast()) }
            }
            #[inline(always)]
            fn dot(self, sum: $v, a: $v, w: $v) -> $v {
                // SAFETY: `self` proves that the machine has the instructions, which access only registers.
                unsafe { ($dot)(sum, a, w) }
            }
            $(
                #[inline(always)]
                fn dot_row<const V: usize>(self, sums: &mut [$v; V], a: $v, w: [$v; V]) {
                    // SAFETY: `self` proves that the machine has the instructions, which access only registers.
                    unsafe {
                        let products: [$v; V] = $together(std::array::from_fn(|v| $multiply(a, w[v])));
                        for v in 0..V {
                            sums[v] = $add(sums[v], products[v]);
                        }
                    }
                }
            )?
        }
    };
}

dot! {
    /// Dot products with AVX-VNNI.
    AvxVnniDot(Avx2, __m256i): 32 _mm256_set1_epi32 _mm256_loadu_si256 _mm256_dpbusd_avx_epi32
}
dot! {
    /// Dot products with AVX-512 VNNI on 256 bits.
    #[cfg(feature = "avx512")]
    Vnni256Dot(Avx2, __m256i): 32 _mm256_set1_epi32 _mm256_loadu_si256 _mm256_dpbusd_epi32
}
dot! {
    /// Dot products with AVX-512 VNNI.
    #[cfg(feature = "avx512")]
    VnniDot(Avx512, __m512i): 64 _mm512_set1_epi32 _mm512_loadu_si512 _mm512_dpbusd_epi32
}
dot! {
    /// Products of words with AVX2.
    Avx2Words(Avx2, __m256i): 32 _mm256_set1_epi32 _mm256_loadu_si256 |sum, a, w| _mm256_add_epi32(sum, _mm256_madd_epi16(a, w))
}
dot! {
    /// Products of words with AVX-512.
    #[cfg(feature = "avx512")]
    Avx512Words(Avx512, __m512i): 64 _mm512_set1_epi32 _mm512_loadu_si512 |sum, a, w| _mm512_add_epi32(sum, _mm512_madd_epi16(a, w)),
        together_wide _mm512_madd_epi16 _mm512_add_epi32
}
dot! {
    /// Products of bytes with AVX2. Sums of two products must fit 16 bits.
    Avx2Pairs(Avx2, __m256i): 32 _mm256_set1_epi32 _mm256_loadu_si256 |sum, a, w| {
        _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_maddubs_epi16(a, w), _mm256_set1_epi16(1)))
    }
}
dot! {
    /// Products of bytes with AVX-512. Sums of two products must fit 16 bits.
    #[cfg(feature = "avx512")]
    Avx512Pairs(Avx512, __m512i): 64 _mm512_set1_epi32 _mm512_loadu_si512 |sum, a, w| {
        _mm512_add_epi32(sum, _mm512_madd_epi16(_mm512_maddubs_epi16(a, w), _mm512_set1_epi16(1)))
    }
}
dot! {
    /// Like [`Avx2Pairs`], for rows of signed bytes. 128 is added to weights.
    Avx2SignedPairs(Avx2, __m256i): 32 _mm256_set1_epi32 load_plus_128 |sum, a, w| {
        _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_maddubs_epi16(w, a), _mm256_set1_epi16(1)))
    }
}
dot! {
    /// Like [`Avx512Pairs`], for rows of signed bytes. 128 is added to weights.
    #[cfg(feature = "avx512")]
    Avx512SignedPairs(Avx512, __m512i): 64 _mm512_set1_epi32 load_plus_128_wide |sum, a, w| {
        _mm512_add_epi32(sum, _mm512_madd_epi16(_mm512_maddubs_epi16(w, a), _mm512_set1_epi16(1)))
    }
}

/// Loads weights and adds 128, which makes them unsigned.
///
/// # Safety
/// A vector of weights must be readable.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn load_plus_128(p: *const __m256i) -> __m256i {
    // SAFETY: as `# Safety` requires.
    unsafe { _mm256_xor_si256(_mm256_loadu_si256(p), _mm256_set1_epi8(-128)) }
}

/// Like [`load_plus_128`].
///
/// # Safety
/// A vector of weights must be readable.
#[cfg(feature = "avx512")]
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn load_plus_128_wide(p: *const __m512i) -> __m512i {
    // SAFETY: as `# Safety` requires.
    unsafe { _mm512_xor_si512(_mm512_loadu_si512(p), _mm512_set1_epi8(-128)) }
}

/// Dot products of several groups.
pub trait Dots: Dot {
    /// The number of bytes per vector before a panel's groups: the sums of its columns, if products may saturate.
    const BEFORE: usize = 4 * Self::LANES;

    /// `sum + Σ a · w` of `N` groups. Products of pairs of bytes are added in 16 bits, so sums of `2 N` must fit.
    fn dot_all<const N: usize>(
        self,
        sum: <Self::S as Ints>::I,
        a: [Self::A; N],
        w: [Self::W; N],
    ) -> <Self::S as Ints>::I;

    /// Like [`dot_all`](Self::dot_all), for several vectors of columns.
    #[inline(always)]
    fn dot_all_row<const N: usize, const V: usize>(
        self,
        sums: &mut [<Self::S as Ints>::I; V],
        a: [Self::A; N],
        w: [[Self::W; N]; V],
    ) {
        for k in 0..N {
            self.dot_row(sums, a[k], std::array::from_fn(|v| w[v][k]));
        }
    }
}

#[cfg(feature = "avx512")]
impl Dots for VnniDot {
    const BEFORE: usize = 0;

    #[inline(always)]
    fn dot_all<const N: usize>(self, sum: __m512i, a: [__m512i; N], w: [__m512i; N]) -> __m512i {
        a.into_iter().zip(w).fold(sum, |sum, (a, w)| self.dot(sum, a, w))
    }
}

macro_rules! pairs {
    ($(#[$attribute:meta])* $name:ident($v:ident): $multiply:expr,
        $add:ident $one:ident $pairs:ident $total:ident $together:ident) => {
        $(#[$attribute])*
        impl Dots for $name {
            #[inline(always)]
            fn dot_all<const N: usize>(self, sum: $v, a: [$v; N], w: [$v; N]) -> $v {
                // SAFETY: `self` proves that the machine has the instructions, which access only registers.
                unsafe {
                    let mut words = ($multiply)(a[0], w[0]);
                    for k in 1..N {
                        words = $add(words, ($multiply)(a[k], w[k]));
                    }
                    $total(sum, $pairs(words, $one(1)))
                }
            }
            #[inline(always)]
            fn dot_all_row<const N: usize, const V: usize>(
                self,
                sums: &mut [$v; V],
                a: [$v; N],
                w: [[$v; N]; V],
            ) {
                // SAFETY: `self` proves that the machine has the instructions, which access only registers.
                unsafe {
                    let mut words = [$one(0); V];
                    for k in 0..N {
                        let products: [$v; V] = $together(std::array::from_fn(|v| ($multiply)(a[k], w[v][k])));
                        for v in 0..V {
                            words[v] = if k == 0 { products[v] } else { $add(words[v], products[v]) };
                        }
                    }
                    let pairs: [$v; V] = $together(std::array::from_fn(|v| $pairs(words[v], $one(1))));
                    for v in 0..V {
                        sums[v] = $total(sums[v], pairs[v]);
                    }
                }
            }
        }
    };
}

pairs! {
    Avx2Pairs(__m256i): |a, w| _mm256_maddubs_epi16(a, w),
        _mm256_add_epi16 _mm256_set1_epi16 _mm256_madd_epi16 _mm256_add_epi32 together
}
pairs! {
    #[cfg(feature = "avx512")]
    Avx512Pairs(__m512i): |a, w| _mm512_maddubs_epi16(a, w),
        _mm512_add_epi16 _mm512_set1_epi16 _mm512_madd_epi16 _mm512_add_epi32 together_wide
}
pairs! {
    Avx2SignedPairs(__m256i): |a, w| _mm256_maddubs_epi16(w, a),
        _mm256_add_epi16 _mm256_set1_epi16 _mm256_madd_epi16 _mm256_add_epi32 together
}
pairs! {
    #[cfg(feature = "avx512")]
    Avx512SignedPairs(__m512i): |a, w| _mm512_maddubs_epi16(w, a),
        _mm512_add_epi16 _mm512_set1_epi16 _mm512_madd_epi16 _mm512_add_epi32 together_wide
}
