//! Converts half-precision numbers to `f32`, which is exact.

use half::f16;

use crate::isa::Isa;

/// `(n, [x, _, _], [x moves, _, _], y)`: converts `n` numbers, or one `n` times if it does not move. Unsafe to call:
/// the machine must have the instructions, the numbers must be readable and the results writable, without overlap.
/// Nothing need be aligned.
pub type ElementKernel = unsafe fn(usize, [*const u8; 3], [bool; 3], *mut u8);

/// A conversion for one instruction set.
#[non_exhaustive]
pub struct Widen {
    /// The name, such as `f16_widen_8__avx2`.
    pub name: &'static str,
    /// The CPU features that it needs.
    pub isa: Isa,
    /// The function that converts numbers.
    pub widen: ElementKernel,
}

member_of_table!(Widen);

/// A function that converts half-precision numbers, with the features in `isa`.
pub fn halves(isa: Isa) -> impl Fn(&[f16], &mut [f32]) {
    let widen = Widen::select(isa).widen;
    move |from, to| {
        let (len, none) = (from.len().min(to.len()), core::ptr::null());
        let moves = [true, false, false];
        // SAFETY: `select` returns a member that this machine can run; both slices have `len` elements.
        unsafe { widen(len, [from.as_ptr().cast(), none, none], moves, to.as_mut_ptr().cast()) }
    }
}

/// # Safety
/// As for [`ElementKernel`].
unsafe fn scalar(n: usize, x: [*const u8; 3], moves: [bool; 3], y: *mut u8) {
    let (x, y) = (x[0].cast::<f16>(), y.cast::<f32>());
    for i in 0..n {
        // SAFETY: element `i` is below `n`; if the number does not move, there is one.
        unsafe { y.add(i).write_unaligned(x.add(if moves[0] { i } else { 0 }).read_unaligned().to_f32()) };
    }
}

/// Converts `n` numbers with `$convert`, `$lanes` at a time.
#[cfg(target_arch = "x86_64")]
macro_rules! by_vectors {
    ($n:ident, $x:ident, $moves:ident, $y:ident, $lanes:literal, $convert:expr) => {{
        let (from, to) = ($x[0].cast::<f16>(), $y.cast::<f32>());
        let whole = if $moves[0] { $n / $lanes * $lanes } else { 0 };
        for i in (0..whole).step_by($lanes) {
            // SAFETY: elements `i..i + $lanes` are below `n`.
            unsafe { $convert(from.add(i).cast(), to.add(i)) };
        }
        // SAFETY: the rest is below `n`.
        unsafe { scalar($n - whole, [from.add(whole).cast(), $x[1], $x[2]], $moves, to.add(whole).cast()) }
    }};
}

/// # Safety
/// As for [`ElementKernel`]; the machine must have AVX2 and F16C.
#[cfg(all(target_arch = "x86_64", feature = "avx2"))]
#[target_feature(enable = "avx2,f16c")]
unsafe fn avx2(n: usize, x: [*const u8; 3], moves: [bool; 3], y: *mut u8) {
    use core::arch::x86_64::{_mm_loadu_si128, _mm256_cvtph_ps, _mm256_storeu_ps};
    by_vectors!(n, x, moves, y, 8, |x, y| _mm256_storeu_ps(y, _mm256_cvtph_ps(_mm_loadu_si128(x))));
}

/// # Safety
/// As for [`ElementKernel`]; the machine must have AVX-512.
#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
unsafe fn avx512(n: usize, x: [*const u8; 3], moves: [bool; 3], y: *mut u8) {
    use core::arch::x86_64::{_mm256_loadu_si256, _mm512_cvtph_ps, _mm512_storeu_ps};
    by_vectors!(n, x, moves, y, 16, |x, y| _mm512_storeu_ps(y, _mm512_cvtph_ps(_mm256_loadu_si256(x))));
}

/// All conversions, the slowest first.
pub(crate) static TABLE: &[Widen] = &[
    Widen { name: "f16_widen_1__scalar", isa: Isa::SCALAR, widen: scalar },
    #[cfg(all(target_arch = "x86_64", feature = "avx2"))]
    Widen { name: "f16_widen_8__avx2", isa: Isa::AVX2, widen: avx2 },
    #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
    Widen { name: "f16_widen_16__avx512", isa: Isa::AVX512, widen: avx512 },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::available;

    /// All bit patterns, including NaNs, and all lengths of the remainder.
    #[test]
    fn every_entry_widens_every_number() {
        let all: Vec<f16> = (0..=u16::MAX).map(f16::from_bits).collect();
        for entry in available(TABLE) {
            for from in [0, 1, 5, 7, 13].map(|first| &all[first..]) {
                let mut to = vec![0f32; from.len()];
                let x = [from.as_ptr().cast(), core::ptr::null(), core::ptr::null()];
                // SAFETY: `available` returns members that this machine can run; the lengths are equal.
                unsafe { (entry.widen)(from.len(), x, [true, false, false], to.as_mut_ptr().cast()) };
                for (x, y) in from.iter().zip(&to) {
                    assert_eq!(y.to_bits(), x.to_f32().to_bits(), "{} {:#x}", entry.name, x.to_bits());
                }
            }
        }
    }
}
