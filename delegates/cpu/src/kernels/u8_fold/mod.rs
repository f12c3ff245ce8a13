//! Sums and maxima of bytes.

mod body;

use crate::isa::Isa;

/// Rows of bytes.
#[derive(Clone, Copy, Debug)]
pub struct Rows {
    /// The first.
    pub from: *const u8,
    /// Number of rows.
    pub count: usize,
    /// Bytes from one to the next.
    pub step: usize,
    /// Bytes of each.
    pub n: usize,
}

/// The family on one instruction set. All its functions are unsafe to call: the machine has the instructions, rows are readable and
/// targets writable for as many elements.
pub struct Fold {
    /// As in `u8_fold__avx512`.
    pub name: &'static str,
    /// The instructions it needs.
    pub isa: Isa,
    /// Adds rows to sums, element by element.
    pub add_rows: unsafe fn(&Rows, *mut i32),
    /// Raises elements to those of rows.
    pub raise_rows: unsafe fn(&Rows, *mut u8),
    /// The sum of bytes: `(n, x)`.
    pub sum: unsafe fn(usize, *const u8) -> i32,
    /// The largest byte, 0 of none: `(n, x)`.
    pub largest: unsafe fn(usize, *const u8) -> u8,
}

impl Fold {
    /// The best member on this machine, up to `isa`.
    pub fn select(isa: Isa) -> &'static Fold {
        TABLE.iter().rfind(|fold| fold.isa <= isa && fold.isa.is_available()).unwrap_or(&TABLE[0])
    }
}

macro_rules! member {
    ($module:ident, $name:literal, $isa:ident $(, $features:literal)?) => {
        mod $module {
            use super::*;

            $(#[target_feature(enable = $features)])?
            unsafe fn add_rows(rows: &Rows, sums: *mut i32) {
                // SAFETY: the caller's promise.
                unsafe { body::add_rows(rows, sums) }
            }
            $(#[target_feature(enable = $features)])?
            unsafe fn raise_rows(rows: &Rows, y: *mut u8) {
                // SAFETY: the caller's promise.
                unsafe { body::raise_rows(rows, y) }
            }
            $(#[target_feature(enable = $features)])?
            unsafe fn sum(n: usize, x: *const u8) -> i32 {
                // SAFETY: the caller's promise.
                unsafe { std::slice::from_raw_parts(x, n) }.iter().map(|&x| i32::from(x)).sum()
            }
            $(#[target_feature(enable = $features)])?
            unsafe fn largest(n: usize, x: *const u8) -> u8 {
                // SAFETY: the caller's promise.
                unsafe { std::slice::from_raw_parts(x, n) }.iter().fold(0, |most, &x| most.max(x))
            }

            pub(super) const MEMBER: Fold =
                Fold { name: $name, isa: Isa::$isa, add_rows, raise_rows, sum, largest };
        }
    };
}

member!(scalar, "u8_fold__scalar", Scalar);
#[cfg(all(target_arch = "x86_64", feature = "avx2"))]
member!(avx2, "u8_fold__avx2", Avx2, "avx2,fma");
#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
member!(avx512, "u8_fold__avx512", Avx512, "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma");
#[cfg(all(target_arch = "aarch64", feature = "neon"))]
member!(neon, "u8_fold__neon", Neon, "neon");

/// All members of the family, the slowest first.
pub static TABLE: &[Fold] = &[
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
    use super::*;
    use crate::kernels::random::Random;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_member_agrees_with_plain_code(n in 0usize..200, count in 0usize..700, more in 0usize..9, seed: u64) {
            let mut random = Random::new(seed);
            let step = n + more;
            let x: Vec<u8> = (0..(count * step).max(1)).map(|_| random.next() as u8 | 0xF0).collect();
            let rows = Rows { from: x.as_ptr(), count, step, n };
            for fold in TABLE.iter().filter(|fold| fold.isa.is_available()) {
                let (mut sums, mut most) = (vec![7; n + 1], vec![7; n + 1]);
                // SAFETY: available; the lengths are the vectors'.
                let (sum, largest) = unsafe {
                    (fold.add_rows)(&rows, sums.as_mut_ptr());
                    (fold.raise_rows)(&rows, most.as_mut_ptr());
                    ((fold.sum)(count * step, x.as_ptr()), (fold.largest)(count * step, x.as_ptr()))
                };
                for i in 0..n {
                    let column = || (0..count).map(|r| x[r * step + i]);
                    prop_assert_eq!(sums[i], 7 + column().map(i32::from).sum::<i32>(), "{}", fold.name);
                    prop_assert_eq!(most[i], column().max().unwrap_or(0).max(7), "{}", fold.name);
                }
                let all = &x[..count * step];
                prop_assert_eq!(sum, all.iter().map(|&x| i32::from(x)).sum::<i32>());
                prop_assert_eq!(largest, all.iter().copied().max().unwrap_or(0));
                prop_assert_eq!((sums[n], most[n]), (7, 7));
            }
        }
    }
}
