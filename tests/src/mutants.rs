//! Damages models: their bytes, or their contents.

use arenite_model::writer::{Buffer, ModelBuilder, Value};

/// A small generator with the same numbers in every run. Source: Vigna, SplitMix64.
pub struct Random(pub u64);

impl Random {
    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.number() % n.max(1) as u64) as usize
    }

    /// A number that is likely to be at a limit.
    pub fn word(&mut self) -> i32 {
        const WORDS: [i32; 14] =
            [0, 1, -1, 2, 3, 8, 127, 255, 65536, 1 << 28, -(1 << 28), 1 << 30, i32::MAX, i32::MIN];
        if self.below(3) == 0 { self.number() as i32 } else { WORDS[self.below(WORDS.len())] }
    }
}

/// The file, without data after the flatbuffer, moved by four bytes: numbers of eight bytes lie at 4 modulo 8, as some
/// writers place them.
pub fn moved_by_four(file: &[u8]) -> Vec<u8> {
    let mut moved = file.to_vec();
    moved[0] += 4;
    moved.splice(8..8, [0; 4]);
    moved
}

/// Changes up to four bytes or words.
pub fn spoil_bytes(bytes: &mut [u8], random: &mut Random) {
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len());
        match random.below(3) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => bytes[at] = random.number() as u8,
            _ => {
                let at = at & !3;
                let word = random.word().to_le_bytes();
                bytes.iter_mut().skip(at).zip(word).for_each(|(byte, new)| *byte = new);
            }
        }
    }
}

/// The file stays well formed, but its contents do not: shapes, types, options, constants, quantization, wiring.
pub fn spoil_model(model: &mut ModelBuilder, random: &mut Random) {
    for _ in 0..=random.below(3) {
        mutate(model, random);
    }
}

fn mutate(model: &mut ModelBuilder, random: &mut Random) {
    let g = random.below(model.subgraphs.len());
    let graph = &mut model.subgraphs[g];
    let n = random.below(graph.operators.len());
    let t = random.below(graph.tensors.len());
    let tensor = &mut graph.tensors[t];
    match random.below(8) {
        0 => match random.below(3) {
            0 => drop(tensor.shape.pop()),
            1 => tensor.shape.push(random.below(4) as i32),
            _ => {
                let i = random.below(tensor.shape.len());
                let small = random.below(2) == 0;
                let dim = if small { random.below(9) as i32 } else { random.word() };
                tensor.shape.iter_mut().skip(i).take(1).for_each(|d| *d = dim);
            }
        },
        1 => tensor.element_type = random.below(24) as i32,
        2 => {
            let scale = f32::from_bits(random.number() as u32).abs();
            let zero_point = random.below(256) as i64 - 128;
            let n = if random.below(2) == 0 { 1 } else { random.below(5) };
            let dimension = random.below(4) as i32;
            *tensor = tensor.clone().per_channel(&vec![scale; n], &vec![zero_point; n], dimension);
        }
        3 | 4 => {
            let node = &mut graph.operators[n];
            if let Some((_, options)) = node.options.as_mut().or(node.options_2.as_mut()) {
                let (slot, value) = (random.below(7) as u16, random.word());
                options.slots.retain(|(s, v)| *s != slot || matches!(v, Value::I32s(_)));
                if !options.slots.iter().any(|(s, _)| *s == slot) {
                    options.slots.push((slot, Value::I32(value)));
                }
            }
        }
        5 => {
            let b = random.below(model.buffers.len());
            if let Buffer::Inline(data) = &mut model.buffers[b]
                && !data.is_empty()
            {
                let at = random.below(data.len()) & !3;
                let word = random.word().to_le_bytes();
                data.iter_mut().skip(at).zip(word).for_each(|(byte, new)| *byte = new);
            }
        }
        6 => {
            let node = &mut graph.operators[n];
            let i = random.below(node.inputs.len());
            match random.below(3) {
                0 => node.inputs.iter_mut().skip(i).take(1).for_each(|input| *input = t as i32),
                1 => node.inputs.iter_mut().skip(i).take(1).for_each(|input| *input = -1),
                _ => drop(node.inputs.pop()),
            }
        }
        _ => {
            let code = random.below(model.operator_codes.len());
            let code = &mut model.operator_codes[code];
            code.version = random.below(12) as i32;
        }
    }
}
