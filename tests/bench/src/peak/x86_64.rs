//! AVX2 with FMA, AVX-512F; for bytes AVX2, AVX-VNNI, AVX-512 VNNI.

use std::arch::x86_64::*;
use std::hint::black_box;

use super::Chain;

/// The number of independent sums: enough to hide a latency of five cycles on two ports, and few enough that sums and
/// factors fit sixteen registers.
const SUMS: usize = 12;

/// The fastest chain of floats that this machine has.
pub(super) fn float() -> Option<Chain> {
    let chain = |isa, run, lanes: u64| Some(Chain { isa, run, operations: 2 * lanes * SUMS as u64 });
    if is_x86_feature_detected!("avx512f") {
        // SAFETY: the machine has AVX-512F.
        return chain("avx512", |rounds| unsafe { float_avx512(rounds) }, 16);
    }
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
        // SAFETY: the machine has AVX2 and FMA.
        return chain("avx2", |rounds| unsafe { float_avx2(rounds) }, 8);
    }
    None
}

/// The fastest chain of bytes that this machine has.
pub(super) fn int8() -> Option<Chain> {
    let chain = |isa, run, products: u64| Some(Chain { isa, run, operations: 2 * products });
    if is_x86_feature_detected!("avx512vnni") {
        // SAFETY: the machine has AVX-512 VNNI, hence AVX-512F.
        return chain("avx512_vnni", |rounds| unsafe { int8_avx512_vnni(rounds) }, 64 * SUMS as u64);
    }
    if is_x86_feature_detected!("avxvnni") {
        // SAFETY: the machine has AVX-VNNI, hence AVX2.
        return chain("avx_vnni", |rounds| unsafe { int8_avx_vnni(rounds) }, 32 * SUMS as u64);
    }
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the machine has AVX2.
        return chain("avx2", |rounds| unsafe { int8_avx2(rounds) }, 32 * PAIRED_SUMS as u64);
    }
    None
}

#[target_feature(enable = "avx512f")]
fn float_avx512(rounds: u64) {
    let (x, y) = black_box((_mm512_set1_ps(1.0), _mm512_set1_ps(1e-9)));
    let mut sums = black_box([y; SUMS]);
    for _ in 0..rounds {
        for sum in &mut sums {
            *sum = _mm512_fmadd_ps(*sum, x, y);
        }
    }
    black_box(sums);
}

#[target_feature(enable = "avx2,fma")]
fn float_avx2(rounds: u64) {
    let (x, y) = black_box((_mm256_set1_ps(1.0), _mm256_set1_ps(1e-9)));
    let mut sums = black_box([y; SUMS]);
    for _ in 0..rounds {
        for sum in &mut sums {
            *sum = _mm256_fmadd_ps(*sum, x, y);
        }
    }
    black_box(sums);
}

#[target_feature(enable = "avx512f,avx512vnni")]
fn int8_avx512_vnni(rounds: u64) {
    let (x, y) = black_box((_mm512_set1_epi8(3), _mm512_set1_epi8(-2)));
    let mut sums = black_box([_mm512_setzero_si512(); SUMS]);
    for _ in 0..rounds {
        for sum in &mut sums {
            *sum = _mm512_dpbusd_epi32(*sum, x, y);
        }
    }
    black_box(sums);
}

#[target_feature(enable = "avx2,avxvnni")]
fn int8_avx_vnni(rounds: u64) {
    let (x, y) = black_box((_mm256_set1_epi8(3), _mm256_set1_epi8(-2)));
    let mut sums = black_box([_mm256_setzero_si256(); SUMS]);
    for _ in 0..rounds {
        for sum in &mut sums {
            *sum = _mm256_dpbusd_avx_epi32(*sum, x, y);
        }
    }
    black_box(sums);
}

/// The number of sums that fit sixteen registers together with their factors.
const PAIRED_SUMS: usize = 6;

/// Widening in pairs: bytes to 16 bits, 16 bits to 32, added. One factor changes each round and the others differ, so
/// that no product can be hoisted.
#[target_feature(enable = "avx2")]
fn int8_avx2(rounds: u64) {
    let (mut x, ones) = black_box((_mm256_set1_epi8(3), _mm256_set1_epi16(1)));
    let factors = black_box([_mm256_set1_epi8(-2); PAIRED_SUMS]);
    let mut sums = black_box([_mm256_setzero_si256(); PAIRED_SUMS]);
    for _ in 0..rounds {
        x = _mm256_add_epi8(x, ones);
        for (sum, factor) in sums.iter_mut().zip(factors) {
            let pairs = _mm256_maddubs_epi16(x, factor);
            *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(pairs, ones));
        }
    }
    black_box(sums);
}
