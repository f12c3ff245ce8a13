//! Layer normalization: scales rows of `f32` to mean 0 and variance 1.

mod body;

use crate::isa::Isa;
use crate::simd::*;

/// `(n, x, gamma, beta, ε, y)`: `y[i] = (x[i] − m) / √(v + ε) · gamma[i] + beta[i]` for a row of `n ≥ 1` elements with
/// mean `m` and variance `v`. A null `gamma` means ones, a null `beta` zeros. `y` may be `x`.
pub type RowFn = unsafe fn(usize, *const f32, *const f32, *const f32, f32, *mut f32);

/// The family for one instruction set.
#[non_exhaustive]
pub struct Norm {
    /// The name, such as `f32_norm__avx512`.
    pub name: &'static str,
    /// The CPU features that it needs.
    pub isa: Isa,
    /// Normalizes a row. Unsafe to call: the machine must have the instructions, sources must be readable and the
    /// target writable.
    pub row: RowFn,
}

macro_rules! member {
    ($name:expr, $isa:expr, $t:ty) => {
        Norm { name: $name, isa: $isa, row }
    };
}

family! {
    Norm: "f32_norm" {
        fn row(n: usize, x: *const f32, gamma: *const f32, beta: *const f32, epsilon: f32, y: *mut f32);
    }
    vectors
}
member_of_table!(Norm);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::family::available;
    use crate::random::values;

    proptest! {
        #[test]
        fn every_member_normalizes(n in 1usize..200, seed: u64, scaled: bool, shifted: bool, far in -9.0f32..9.0) {
            let x: Vec<f32> = values(seed, n).iter().map(|x| x + far).collect();
            let (gamma, beta) = (values(seed ^ 3, n), values(seed ^ 9, n));
            let mean = x.iter().map(|&x| f64::from(x)).sum::<f64>() / n as f64;
            let variance = x.iter().map(|&x| (f64::from(x) - mean).powi(2)).sum::<f64>() / n as f64;
            for member in available(TABLE) {
                let mut y = x.clone();
                y.push(7.0);
                let null = std::ptr::null();
                let gamma_at = if scaled { gamma.as_ptr() } else { null };
                let beta_at = if shifted { beta.as_ptr() } else { null };
                // SAFETY: the machine can run the member; the lengths match the vectors.
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
