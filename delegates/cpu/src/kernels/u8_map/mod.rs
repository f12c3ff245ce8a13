//! Functions of bytes. Sources and targets may be the same memory.

#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
mod avx512vnni;
#[cfg(all(target_arch = "aarch64", feature = "neon"))]
mod tbl;

use crate::isa::Isa;

/// The family on one instruction set. All its functions are unsafe to call: the machine has the instructions, sources are readable and
/// targets writable for `n` bytes.
pub struct ByteMap {
    /// As in `u8_map__avx512`.
    pub name: &'static str,
    /// The instructions it needs.
    pub isa: Isa,
    /// `y[i] = x[i] ^ 0x80`: `(n, x, y)`.
    pub flip: unsafe fn(usize, *const u8, *mut u8),
    /// `y[i] = table[x[i]]`: `(n, x, table, y)`.
    pub lookup: unsafe fn(usize, *const u8, &[u8; 256], *mut u8),
}

impl ByteMap {
    /// The best member on this machine, up to `isa`.
    pub fn select(isa: Isa) -> &'static ByteMap {
        TABLE.iter().rfind(|map| map.isa <= isa && map.isa.is_available()).unwrap_or(&TABLE[0])
    }
}

macro_rules! member {
    ($module:ident, $name:literal, $isa:ident $(, $features:literal)?) => {
        mod $module {
            use super::*;

            $(#[target_feature(enable = $features)])?
            pub(super) unsafe fn flip(n: usize, x: *const u8, y: *mut u8) {
                for i in 0..n {
                    // SAFETY: the caller's promise.
                    unsafe { *y.add(i) = *x.add(i) ^ 0x80 };
                }
            }
            $(#[target_feature(enable = $features)])?
            unsafe fn lookup(n: usize, x: *const u8, table: &[u8; 256], y: *mut u8) {
                for i in 0..n {
                    // SAFETY: the caller's promise.
                    unsafe { *y.add(i) = table[usize::from(*x.add(i))] };
                }
            }

            pub(super) const MEMBER: ByteMap = ByteMap { name: $name, isa: Isa::$isa, flip, lookup };
        }
    };
}

member!(scalar, "u8_map__scalar", Scalar);
#[cfg(all(target_arch = "x86_64", feature = "avx2"))]
member!(avx2, "u8_map__avx2", Avx2, "avx2,fma");
#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
member!(avx512, "u8_map__avx512", Avx512, "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma");
#[cfg(all(target_arch = "aarch64", feature = "neon"))]
member!(neon, "u8_map__neon", Neon, "neon");

/// All members of the family, the slowest first.
pub static TABLE: &[ByteMap] = &[
    scalar::MEMBER,
    #[cfg(all(target_arch = "x86_64", feature = "avx2"))]
    avx2::MEMBER,
    #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
    avx512::MEMBER,
    #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
    ByteMap {
        name: "u8_map__avx512vnni",
        isa: Isa::Avx512Vnni,
        lookup: avx512vnni::lookup,
        ..avx512::MEMBER
    },
    #[cfg(all(target_arch = "aarch64", feature = "neon"))]
    ByteMap { lookup: tbl::lookup, ..neon::MEMBER },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::random::Random;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_member_flips_and_looks_up(x: Vec<u8>, seed: u64) {
            let mut random = Random::new(seed);
            let table: [u8; 256] = std::array::from_fn(|_| random.next() as u8);
            for map in TABLE.iter().filter(|map| map.isa.is_available()) {
                let (mut y, mut z) = (vec![7; x.len() + 1], vec![7; x.len() + 1]);
                // SAFETY: available; the lengths are the vectors'.
                unsafe {
                    (map.flip)(x.len(), x.as_ptr(), y.as_mut_ptr());
                    (map.lookup)(x.len(), x.as_ptr(), &table, z.as_mut_ptr());
                }
                prop_assert!(x.iter().zip(&y).all(|(x, y)| *y == x.wrapping_add(128)), "{}", map.name);
                prop_assert!(x.iter().zip(&z).all(|(x, z)| *z == table[usize::from(*x)]), "{}", map.name);
                prop_assert_eq!((y[x.len()], z[x.len()]), (7, 7));
            }
        }
    }
}
