//! Functions of bytes. Sources and targets may be the same memory.

mod body;
#[cfg(all(target_arch = "x86_64", feature = "avx2"))]
mod shuffle;
#[cfg(all(target_arch = "aarch64", feature = "neon"))]
mod tbl;
#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
mod vbmi;
#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
mod words;

use crate::isa::Isa;
use crate::simd::*;

/// The family for one instruction set. All its functions are unsafe to call: the machine must have the instructions,
/// sources must be readable and targets writable for `n` bytes.
#[non_exhaustive]
pub struct ByteMap {
    /// The name, such as `u8_map__avx512`.
    pub name: &'static str,
    /// The CPU features that it needs.
    pub isa: Isa,
    /// `y[i] = x[i] ^ 0x80`: `(n, x, y)`.
    pub flip: unsafe fn(usize, *const u8, *mut u8),
    /// `y[i] = table[x[i]]`: `(n, x, table, y)`.
    pub lookup: unsafe fn(usize, *const u8, &[u8; 256], *mut u8),
}

macro_rules! member {
    ($name:expr, $isa:expr, $t:ty) => {
        ByteMap { name: $name, isa: $isa, flip, lookup }
    };
}

family! {
    ByteMap: "u8_map" {
        fn flip(n: usize, x: *const u8, y: *mut u8);
        fn lookup(n: usize, x: *const u8, table: &[u8; 256], y: *mut u8);
    }
    scalar(Scalar);
    avx2(Avx2);
    avx512(Avx512);
    avx512vbmi(vbmi::Vbmi);
    neon(Neon);
}
member_of_table!(ByteMap);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::available;
    use crate::random::Random;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_member_flips_and_looks_up(x: Vec<u8>, seed: u64) {
            let mut random = Random::new(seed);
            let table: [u8; 256] = std::array::from_fn(|_| random.next() as u8);
            for map in available(TABLE) {
                let (mut y, mut z) = (vec![7; x.len() + 1], vec![7; x.len() + 1]);
                // SAFETY: the machine can run the member; the lengths match the vectors.
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
