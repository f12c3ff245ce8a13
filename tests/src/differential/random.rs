//! Numbers that a seed or a fuzzer's bytes decide.

/// SplitMix64: any seed is a good one, neighbours too.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
    /// Bytes that are used up before the generator is asked, last one first.
    tape: Vec<u8>,
}

impl Random {
    /// The numbers of this seed.
    pub fn new(seed: u64) -> Random {
        Random { state: seed, tape: Vec::new() }
    }

    /// Each choice takes as few of these bytes as it needs, so that a changed byte changes one choice. When they run out, the numbers
    /// are those of seed 0.
    pub fn of_bytes(bytes: &[u8]) -> Random {
        Random { state: 0, tape: bytes.iter().rev().copied().collect() }
    }

    /// Whether bytes are left.
    pub fn has_bytes(&self) -> bool {
        !self.tape.is_empty()
    }

    /// While there are bytes, a generator that two of them decide: for constants, which would use up all others.
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

    /// Below `n`, which is above zero.
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

    /// From `low` to `high`, both included.
    pub fn between(&mut self, low: i32, high: i32) -> i32 {
        low + self.below((high - low + 1) as usize) as i32
    }

    /// Whether one of a hundred numbers is below `percent`.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of them.
    pub fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    /// Of a tape, two bytes decide.
    fn real_bits(&mut self) -> u64 {
        if self.tape.is_empty() { self.generated() } else { self.taken(2) << 48 }
    }

    /// Between -1 and 1.
    pub fn real(&mut self) -> f32 {
        (self.real_bits() >> 40) as f32 / (1 << 23) as f32 - 1.0
    }
}
