//! Element-wise loops by blocks: read a block, compute it, write it. The loop that computes sees no memory that tensors
//! share, and checks no bounds.
//!
//! An output may overwrite elements of an input that were already read. Reading a block ahead is therefore safe: no
//! element of the block is overwritten before it is read.

use core::cell::Cell;

use arenite_abi::prelude::*;

/// The number of elements of a block. Without `std` it is one: small machines have little stack.
pub const BLOCK: usize = if cfg!(feature = "std") { 64 } else { 1 };

/// Fewer elements than this are read one by one.
const FEW: usize = 8;

/// An input of a loop: where the next block begins, and the distance of its elements.
pub struct BlockReader<'a, X> {
    cells: ReadCells<'a, X>,
    at: usize,
    step: isize,
}

impl<'a, X: Element> BlockReader<'a, X> {
    /// Reads `cells` from element `at`, every `step` elements.
    pub fn new(cells: ReadCells<'a, X>, at: usize, step: isize) -> Self {
        BlockReader { cells, at, step }
    }

    /// Reads the next `block.len()` elements. Panics if one does not exist.
    pub fn read(&mut self, block: &mut [X]) {
        let end = self.at.wrapping_add_signed(self.step.wrapping_mul(block.len() as isize));
        match self.step {
            0 => block.fill(self.cells.get(self.at)),
            1 if block.len() >= FEW => self.cells.range(self.at..end).load(block),
            step => {
                for to in block {
                    *to = self.cells.get(self.at);
                    self.at = self.at.wrapping_add_signed(step);
                }
            }
        }
        self.at = end;
    }
}

/// Writes a block.
pub fn write<Y: Copy>(cells: &[Cell<Y>], block: &[Y]) {
    for (cell, &y) in cells.iter().zip(block) {
        cell.set(y);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks of any length have the elements that single reads have.
    #[test]
    fn steps() {
        let elements: [i32; 40] = core::array::from_fn(|i| i as i32);
        for (at, step) in [(3, 1), (7, 0), (39, -2), (0, 2)] {
            let mut reader = BlockReader::new(ReadCells::from(&elements[..]), at, step);
            let mut next = at as i32;
            for length in [3, 12, 1] {
                let mut block = [0; 12];
                reader.read(&mut block[..length]);
                for got in &block[..length] {
                    assert_eq!(*got, next, "from {at} by {step}");
                    next += step as i32;
                }
            }
        }
    }
}
