//! Numbers of half precision as `f32`, which holds each of them.

use half::f16;

use crate::isa::Isa;

/// # Safety
/// The machine has the instruction set. Both slices are of one length.
pub type Kernel = unsafe fn(&[f16], &mut [f32]);

/// A conversion.
#[non_exhaustive]
pub struct Widen {
    /// As in `f16_widen_8__avx2`.
    pub name: &'static str,
    /// The features that it needs.
    pub isa: Isa,
    /// Converts.
    pub widen: Kernel,
}

member_of_table!(Widen);

/// What widens halves with the instructions up to `isa`.
pub fn halves(isa: Isa) -> impl Fn(&[f16], &mut [f32]) {
    let widen = Widen::select(isa).widen;
    move |from, to| {
        let len = from.len().min(to.len());
        // SAFETY: selected for this machine; both slices have `len` elements.
        unsafe { widen(&from[..len], &mut to[..len]) }
    }
}

fn scalar(from: &[f16], to: &mut [f32]) {
    from.iter().zip(to).for_each(|(x, y)| *y = x.to_f32());
}

/// # Safety
/// That of [`Kernel`].
#[cfg(all(target_arch = "x86_64", feature = "avx2"))]
#[target_feature(enable = "avx2,f16c")]
unsafe fn avx2(from: &[f16], to: &mut [f32]) {
    use core::arch::x86_64::{_mm_loadu_si128, _mm256_cvtph_ps, _mm256_storeu_ps};

    let (eights, rest) = from.as_chunks::<8>();
    let (results, last) = to.as_chunks_mut::<8>();
    for (x, y) in eights.iter().zip(results) {
        // SAFETY: eight numbers of 2 bytes are read, and eight of 4 bytes written.
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

    /// All numbers, among them those that are no numbers, and all lengths of a rest.
    #[test]
    fn every_entry_widens_every_number() {
        let all: Vec<f16> = (0..=u16::MAX).map(f16::from_bits).collect();
        for entry in available(TABLE) {
            for from in [0, 1, 5, 7].map(|first| &all[first..]) {
                let mut to = vec![0f32; from.len()];
                // SAFETY: available; the lengths agree.
                unsafe { (entry.widen)(from, &mut to) };
                for (x, y) in from.iter().zip(&to) {
                    assert_eq!(y.to_bits(), x.to_f32().to_bits(), "{} {:#x}", entry.name, x.to_bits());
                }
            }
        }
    }
}
