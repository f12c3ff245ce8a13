//! Random numbers that are determined by a seed or by a fuzzer's bytes.

/// SplitMix64: any seed is good, including consecutive ones.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
    /// Bytes that are used before the generator, the last one first.
    tape: Vec<u8>,
}

impl Random {
    /// The numbers of this seed.
    pub fn new(seed: u64) -> Random {
        Random { state: seed, tape: Vec::new() }
    }

    /// Each choice uses as few of these bytes as possible, so a changed byte changes one choice. After the bytes are
    /// used up, the generator continues with seed 0.
    pub fn of_bytes(bytes: &[u8]) -> Random {
        Random { state: 0, tape: bytes.iter().rev().copied().collect() }
    }

    /// Whether any bytes remain.
    pub fn has_bytes(&self) -> bool {
        !self.tape.is_empty()
    }

    /// While bytes remain, a generator that is seeded with two of them. For constants, which would use up all bytes
    /// otherwise.
    pub fn fork(&mut self) -> Option<Random> {
        (!self.tape.is_empty()).then(|| Random::new(self.taken(2)))
    }

    /// A number of `count` bytes, at most 8.
    fn taken(&mut self, count: usize) -> u64 {
        match self.tape.len() {
            0 => self.generated(),
            _ => (0..count).fold(0, |number, i| number | u64::from(self.tape.pop().unwrap_or(0)) << (8 * i)),
        }
    }

    /// 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.taken(8)
    }

    fn generated(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`, which must not be zero.
    pub fn below(&mut self, n: usize) -> usize {
        let bytes = if n <= 1 << 8 {
            1
        } else if n <= 1 << 16 {
            2
        } else {
            8
        };
        (self.taken(bytes) % n as u64) as usize
    }

    /// A number from `low` to `high`, both inclusive.
    pub fn between(&mut self, low: i32, high: i32) -> i32 {
        low + self.below((high - low + 1) as usize) as i32
    }

    /// True with a probability of `percent` percent.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of the items.
    pub fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    /// A 16-bit number; uses two of the fuzzer's bytes.
    fn real_bits(&mut self) -> u64 {
        if self.tape.is_empty() { self.generated() } else { self.taken(2) << 48 }
    }

    /// A number between -1 and 1.
    pub fn real(&mut self) -> f32 {
        (self.real_bits() >> 40) as f32 / (1 << 23) as f32 - 1.0
    }
}
