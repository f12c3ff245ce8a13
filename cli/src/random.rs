//! Seeded random numbers that fill inputs.

use arenite::{ElementType, Tensor};

/// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014): the same seed gives
/// the same numbers on every machine.
pub(crate) struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in [-1, 1).
    fn real(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    }

    /// Uniform in 0..100, so most values are small enough to be valid indices.
    fn small(&mut self) -> u8 {
        (self.next() % 100) as u8
    }

    /// Reals in [-1, 1), quantized integers over their full range, other integers in 0..100.
    pub(crate) fn bytes(&mut self, tensor: &Tensor<'_>, count: usize) -> Vec<u8> {
        use ElementType::*;
        let whole = !tensor.scales.is_empty() || tensor.ty.bits() <= 8;
        match tensor.ty {
            F32 | C64 => {
                let parts = tensor.byte_len() / 4;
                (0..parts).flat_map(|_| self.real().to_le_bytes()).collect()
            }
            F64 | C128 => {
                let parts = tensor.byte_len() / 8;
                (0..parts).flat_map(|_| f64::from(self.real()).to_le_bytes()).collect()
            }
            F16 => (0..count).flat_map(|_| half::f16::from_f32(self.real()).to_le_bytes()).collect(),
            BF16 => (0..count).flat_map(|_| half::bf16::from_f32(self.real()).to_le_bytes()).collect(),
            // Bit patterns from 0.0 up to, but excluding, 1.0.
            F8E4M3 | F8E5M2 => (0..count).map(|_| (self.next() % 0x38) as u8).collect(),
            Bool => (0..count).map(|_| (self.next() & 1) as u8).collect(),
            _ if whole => (0..tensor.byte_len()).map(|_| self.next() as u8).collect(),
            ty => {
                let width = ty.bits() as usize / 8;
                let wide = |value: u8| u64::from(value).to_le_bytes().into_iter().take(width);
                (0..count).flat_map(|_| wide(self.small())).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_numbers_depend_on_the_seed_alone() {
        // The first outputs of the reference implementation for seed 1234567.
        let mut random = Random(1_234_567);
        assert_eq!(random.next(), 6_457_827_717_110_365_317);
        assert_eq!(random.next(), 3_203_168_211_198_807_973);
        let mut random = Random(0);
        assert!((0..1000).map(|_| random.real()).all(|x| (-1.0..1.0).contains(&x)));
    }
}
