//! Inputs of a model, the same for every contender: seeded random numbers, as files.

use std::path::{Path, PathBuf};

use arenite_model::{Model, Tensor, tensor_type};

use crate::failure::{Failure, Result};

/// Writes one file per input into `folder`.
pub(crate) fn write(model: &Model<'_>, folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for (i, bytes) in draw(model)?.into_iter().enumerate() {
        let file = folder.join(format!("input_{i}.bin"));
        std::fs::write(&file, bytes).map_err(|error| Failure::with(file.display(), error))?;
        files.push(file);
    }
    Ok(files)
}

/// The bytes of each input.
pub(crate) fn draw(model: &Model<'_>) -> Result<Vec<Vec<u8>>> {
    let graph = model.subgraph(0).ok_or_else(|| Failure::new("the model has no subgraph"))?;
    let mut random = Random(1);
    let tensor =
        |index: i32| graph.tensors().get(index as usize).ok_or_else(|| Failure::new("an input is missing"));
    graph.inputs().iter().map(|index| random.bytes(&tensor(index)?)).collect()
}

/// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number in [-1, 1), uniformly distributed.
    fn real(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    }

    /// Floats in [-1, 1); bytes over their whole range; wider integers in 0..100, because they may be indices.
    fn bytes(&mut self, tensor: &Tensor<'_>) -> Result<Vec<u8>> {
        use tensor_type::*;
        let label = tensor.name().unwrap_or("");
        let count = tensor
            .element_count()
            .ok_or_else(|| Failure::new(format!("input '{label}' has a shape that is not fixed")))?;
        Ok(match tensor.element_type() {
            FLOAT32 => (0..count).flat_map(|_| self.real().to_le_bytes()).collect(),
            COMPLEX64 => (0..2 * count).flat_map(|_| self.real().to_le_bytes()).collect(),
            FLOAT16 => (0..count).flat_map(|_| half::f16::from_f32(self.real()).to_le_bytes()).collect(),
            INT8 | UINT8 => (0..count).map(|_| self.next() as u8).collect(),
            BOOL => (0..count).map(|_| (self.next() & 1) as u8).collect(),
            INT16 => (0..count).flat_map(|_| ((self.next() % 100) as i16).to_le_bytes()).collect(),
            INT32 | UINT32 => (0..count).flat_map(|_| ((self.next() % 100) as i32).to_le_bytes()).collect(),
            INT64 | UINT64 => (0..count).flat_map(|_| ((self.next() % 100) as i64).to_le_bytes()).collect(),
            other => {
                let ty = name(other).unwrap_or("of an unknown type");
                return Err(Failure::new(format!("input '{label}' is {ty}; it cannot be filled")));
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_numbers_depend_only_on_the_seed() {
        // The first outputs of the reference implementation for seed 1234567.
        let mut random = Random(1_234_567);
        assert_eq!(random.next(), 6_457_827_717_110_365_317);
        assert_eq!(random.next(), 3_203_168_211_198_807_973);
        assert!((0..1000).map(|_| random.real()).all(|x| (-1.0..1.0).contains(&x)));
    }
}
