//! A set of small numbers that finds the next member in a few steps: 64 numbers to a word, 64 words to a word of the
//! level above.

use alloc::vec;
use alloc::vec::Vec;

/// A set of numbers below a bound.
pub(crate) struct Bits {
    /// Bit `i` of a level is set if word `i` of the level below is not 0.
    levels: Vec<Vec<u64>>,
}

impl Bits {
    /// An empty set for numbers below `count`.
    pub(crate) fn new(count: usize) -> Self {
        let mut levels = Vec::new();
        let mut words = count.div_ceil(64).max(1);
        loop {
            levels.push(vec![0; words]);
            if words == 1 {
                return Bits { levels };
            }
            words = words.div_ceil(64);
        }
    }

    /// Adds a number.
    pub(crate) fn set(&mut self, mut number: usize) {
        for level in &mut self.levels {
            level[number / 64] |= 1 << (number % 64);
            number /= 64;
        }
    }

    /// The smallest member that is at least `from`.
    pub(crate) fn next(&self, mut from: usize) -> Option<usize> {
        for (height, level) in self.levels.iter().enumerate() {
            let rest = level.get(from / 64)? >> (from % 64);
            if rest != 0 {
                let found = from + rest.trailing_zeros() as usize;
                return Some(self.descend(height, found));
            }
            from = from / 64 + 1;
        }
        None
    }

    /// The smallest member below bit `number` of a level.
    fn descend(&self, height: usize, number: usize) -> usize {
        self.levels[..height]
            .iter()
            .rev()
            .fold(number, |word, level| word * 64 + level[word].trailing_zeros() as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn next_members() {
        let members = [0, 1, 63, 64, 4095, 4096, 300_000, 300_063];
        let mut bits = Bits::new(300_064);
        assert_eq!(bits.next(0), None);
        members.iter().for_each(|&number| bits.set(number));
        for from in (0..8200).chain(299_900..300_064) {
            assert_eq!(bits.next(from), members.iter().copied().find(|&member| member >= from), "{from}");
        }
        assert_eq!(bits.next(300_064), None);
        assert_eq!(Bits::new(0).next(0), None);
    }
}
