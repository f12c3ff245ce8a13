//! Converts half-precision numbers to `f32`, which is exact.

use half::f16;

use crate::isa::Isa;

/// # Safety
/// The machine must have the instruction set. Both slices must have the same length.
pub type Kernel = unsafe fn(&[f16], &mut [f32]);

/// A conversion for one instruction set.
#[non_exhaustive]
pub struct Widen {
    /// The name, such as `f16_widen_8__avx2`.
    pub name: &'static str,
    /// The CPU features that it needs.
    pub isa: Isa,
    /// The function that converts a slice.
    pub widen: Kernel,
}

member_of_table!(Widen);

/// A function that converts half-precision numbers, with the features in `isa`.
pub fn halves(isa: Isa) -> impl Fn(&[f16], &mut [f32]) {
    let widen = Widen::select(isa).widen;
    move |from, to| {
        let len = from.len().min(to.len());
        // SAFETY: `select` returns a member that this machine can run; both slices have `len` elements.
        unsafe { widen(&from[..len], &mut to[..len]) }
    }
}

fn scalar(from: &[f16], to: &mut [f32]) {
    from.iter().zip(to).for_each(|(x, y)| *y = x.to_f32());
}

/// # Safety
/// The machine must have AVX2 and F16C. Both slices must have the same length.
#[cfg(all(target_arch = "x86_64", feature = "avx2"))]
#[target_feature(enable = "avx2,f16c")]
unsafe fn avx2(from: &[f16], to: &mut [f32]) {
    use core::arch::x86_64::{_mm_loadu_si128, _mm256_cvtph_ps, _mm256_storeu_ps};

    let (eights, rest) = from.as_chunks::<8>();
    let (results, last) = to.as_chunks_mut::<8>();
    for (x, y) in eights.iter().zip(results) {
        // SAFETY: the chunks have eight elements of 2 bytes to read, and eight of 4 bytes to write.
        unsafe { _mm256_storeu_ps(y.as_mut_ptr(), _mm256_cvtph_ps(_mm_loadu_si128(x.as_ptr().cast()))) };
    }
    scalar(rest, last);
}

/// All conversions, the slowest first.
pub(crate) static TABLE: &[Widen] = &[
    Widen { name: "f16_widen_1__scalar", isa: Isa::SCALAR, widen: scalar },
    #[cfg(all(target_arch = "x86_64", feature = "avx2"))]
    Widen { name: "f16_widen_8__avx2", isa: Isa::AVX2, widen: avx2 },
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
            for from in [0, 1, 5, 7].map(|first| &all[first..]) {
                let mut to = vec![0f32; from.len()];
                // SAFETY: `available` returns members that this machine can run; the lengths are equal.
                unsafe { (entry.widen)(from, &mut to) };
                for (x, y) in from.iter().zip(&to) {
                    assert_eq!(y.to_bits(), x.to_f32().to_bits(), "{} {:#x}", entry.name, x.to_bits());
                }
            }
        }
    }
}
