//! Vectors that are computed before any of them is used.
//!
//! Zen 4 and others have two units that multiply and four that add. If multiplications and additions take turns,
//! additions occupy units that multiply: products of words take 1.25 times as long as if several multiplications came
//! first. The compiler orders instructions as it likes, unless something needs all results.

use core::arch::asm;
use core::arch::x86_64::*;

macro_rules! together {
    ($(#[$attribute:meta])* $name:ident($v:ident) = $features:literal $class:ident) => {
        /// The same vectors. The compiler computes four of them, or two, before it uses one.
        $(#[$attribute])*
        #[inline]
        #[target_feature(enable = $features)]
        pub(super) fn $name<const N: usize>(mut x: [$v; N]) -> [$v; N] {
            let (fours, rest) = x.as_chunks_mut();
            for [a, b, c, d] in fours {
                // SAFETY: there is no instruction.
                unsafe {
                    asm!(
                        "/* {0} {1} {2} {3} */",
                        inout($class) *a, inout($class) *b, inout($class) *c, inout($class) *d,
                        options(pure, nomem, nostack, preserves_flags)
                    )
                };
            }
            if let [a, b, ..] = rest {
                // SAFETY: there is no instruction.
                unsafe {
                    asm!(
                        "/* {0} {1} */", inout($class) *a, inout($class) *b,
                        options(pure, nomem, nostack, preserves_flags)
                    )
                };
            }
            x
        }
    };
}

together! { together(__m256i) = "avx2" ymm_reg }
together! {
    #[cfg(feature = "avx512")]
    together_wide(__m512i) = "avx512f" zmm_reg
}
