//! Rows of `f32` brought to mean 0 and variance 1: layer normalization.

mod body;

use crate::isa::Isa;
use crate::simd::Simd;

/// `(n, x, gamma, beta, ε, y)`: `y[i] = (x[i] − m) / √(v + ε) · gamma[i] + beta[i]` for a row of `n ≥ 1` elements with mean `m` and
/// variance `v`; a null `gamma` stands for ones, a null `beta` for zeros. `y` may be `x`.
pub type RowFn = unsafe fn(usize, *const f32, *const f32, *const f32, f32, *mut f32);

/// The family on one instruction set.
pub struct Norm {
    /// As in `f32_norm__avx512`.
    pub name: &'static str,
    /// The instructions it needs.
    pub isa: Isa,
    /// A row. Unsafe to call: the machine has the instructions, sources are readable and the target writable.
    pub row: RowFn,
}

impl Norm {
    /// The best member on this machine, up to `isa`.
    pub fn select(isa: Isa) -> &'static Norm {
        TABLE.iter().rfind(|member| member.isa <= isa && member.isa.is_available()).unwrap_or(&TABLE[0])
    }
}

macro_rules! member {
    ($module:ident, $name:literal, $isa:ident, $simd:ident $(, $features:literal)?) => {
        mod $module {
            use super::*;
            use crate::simd::$simd as S;

            $(#[target_feature(enable = $features)])?
            unsafe fn row(n: usize, x: *const f32, gamma: *const f32, beta: *const f32, epsilon: f32, y: *mut f32) {
                // SAFETY: the caller's promise: the instructions, and the elements.
                unsafe { body::row::<S>(S::new(), n, x, gamma, beta, epsilon, y) }
            }

            pub const MEMBER: Norm = Norm { name: $name, isa: Isa::$isa, row };
        }
    };
}

member!(scalar, "f32_norm__scalar", Scalar, Scalar);
#[cfg(all(target_arch = "x86_64", feature = "avx2"))]
member!(avx2, "f32_norm__avx2", Avx2, Avx2, "avx2,fma");
#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
member!(avx512, "f32_norm__avx512", Avx512, Avx512, "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma");
#[cfg(all(target_arch = "aarch64", feature = "neon"))]
member!(neon, "f32_norm__neon", Neon, Neon, "neon");

/// All members of the family, the slowest first.
pub static TABLE: &[Norm] = &[
    scalar::MEMBER,
    #[cfg(all(target_arch = "x86_64", feature = "avx2"))]
    avx2::MEMBER,
    #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
    avx512::MEMBER,
    #[cfg(all(target_arch = "aarch64", feature = "neon"))]
    neon::MEMBER,
];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::kernels::random::values;

    proptest! {
        #[test]
        fn every_member_normalizes(n in 1usize..200, seed: u64, scaled: bool, shifted: bool, far in -9.0f32..9.0) {
            let x: Vec<f32> = values(seed, n).iter().map(|x| x + far).collect();
            let (gamma, beta) = (values(seed ^ 3, n), values(seed ^ 9, n));
            let mean = x.iter().map(|&x| f64::from(x)).sum::<f64>() / n as f64;
            let variance = x.iter().map(|&x| (f64::from(x) - mean).powi(2)).sum::<f64>() / n as f64;
            for member in TABLE.iter().filter(|member| member.isa.is_available()) {
                let mut y = x.clone();
                y.push(7.0);
                let null = std::ptr::null();
                let gamma_at = if scaled { gamma.as_ptr() } else { null };
                let beta_at = if shifted { beta.as_ptr() } else { null };
                // SAFETY: available; the lengths are the vectors'.
                unsafe { (member.row)(n, y.as_ptr(), gamma_at, beta_at, 1e-3, y.as_mut_ptr()) };
                for i in 0..n {
                    let one = (f64::from(x[i]) - mean) / (variance + 1e-3).sqrt();
                    let want = one * if scaled { f64::from(gamma[i]) } else { 1.0 }
                        + if shifted { f64::from(beta[i]) } else { 0.0 };
                    let off = (f64::from(y[i]) - want).abs();
                    prop_assert!(off < 1e-4, "{} {i} of {n}: {}, not {want}", member.name, y[i]);
                }
                prop_assert_eq!(y[n], 7.0);
            }
        }
    }
}
