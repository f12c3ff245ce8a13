//! Short runs of functions of two tensors, taken together.

use std::mem::MaybeUninit;
use std::ops::Range;

use arenite_layers::Loops;

/// Short runs, one behind the other, that all meet the same elements of an operand. With these repeated they are one long run.
///
/// ```text
/// a   │ row 0 │ row 1 │ row 2 │ …
/// b   │  row  │  row  │  row  │          copied once for all rows of a
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Together {
    /// The operand that is repeated.
    operand: usize,
    /// Runs that meet the same elements of it.
    same: usize,
    /// Runs at a time.
    count: usize,
}

impl Together {
    /// How runs are taken together, as many as have at most `room` elements; `None` if that is none.
    pub fn new(loops: &Loops<2>, room: usize) -> Option<Together> {
        let &(same, strides) = loops.outer.last()?;
        let count = room / loops.run.max(1);
        let is_same = |o: usize| strides[o] == 0 && strides[1 - o] == loops.run;
        let operand = (0..2).find(|&o| is_same(o))?;
        let gains = loops.moves == [true, true] && same > 1 && count > 1;
        gains.then_some(Together { operand, same, count: count.min(same) })
    }

    /// Number of pieces that all runs are cut into.
    pub fn pieces(&self, loops: &Loops<2>) -> usize {
        loops.runs() / self.same * self.same.div_ceil(self.count)
    }

    /// The runs of a piece.
    fn runs(&self, piece: usize) -> Range<usize> {
        let pieces = self.same.div_ceil(self.count);
        let (outer, first) = (piece / pieces * self.same, piece % pieces * self.count);
        outer + first..outer + (first + self.count).min(self.same)
    }

    /// Calls `f` with the results of each piece, and where its operands begin: one of them in `room`, repeated.
    ///
    /// # Safety
    /// `operands` are the tensors of the loops, and `room` has as many elements as `together` was asked for.
    pub unsafe fn for_each<T: Copy>(
        &self,
        loops: &Loops<2>,
        pieces: Range<usize>,
        operands: [*const T; 2],
        room: &mut [MaybeUninit<T>],
        mut f: impl FnMut(Range<usize>, [*const T; 2]),
    ) {
        let (run, mut repeated) = (loops.run, std::ptr::null());
        for piece in pieces {
            let runs = self.runs(piece);
            let at = loops.starts(runs.start);
            let mut operands = [operands[0].wrapping_add(at[0]), operands[1].wrapping_add(at[1])];
            let from = operands[self.operand];
            if repeated != from {
                for room in room.chunks_exact_mut(run).take(self.count) {
                    // SAFETY: the operand has a run at the start that the loops tell, and the chunk has room for one.
                    unsafe { std::ptr::copy_nonoverlapping(from, room.as_mut_ptr().cast(), run) };
                }
                repeated = from;
            }
            operands[self.operand] = room.as_ptr().cast();
            f(runs.start * run..runs.end * run, operands);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loops(a: &[usize], b: &[usize], y: &[usize]) -> Loops<2> {
        Loops::new(&[a, b], y).unwrap()
    }

    #[test]
    fn runs_that_meet_the_same_elements_are_taken_together() {
        let seven = loops(&[2, 7, 4], &[2, 1, 4], &[2, 7, 4]);
        let together = Together::new(&seven, 13).unwrap();
        assert_eq!(together, Together { operand: 1, same: 7, count: 3 });
        let pieces: Vec<_> = (0..together.pieces(&seven)).map(|piece| together.runs(piece)).collect();
        assert_eq!(pieces, [0..3, 3..6, 6..7, 7..10, 10..13, 13..14]);
        assert_eq!(Together::new(&seven, 7), None);
        assert_eq!(Together::new(&loops(&[7, 4], &[7, 1], &[7, 4]), 99), None);
        assert_eq!(Together::new(&loops(&[7, 4], &[7, 4], &[7, 4]), 99), None);
    }
}
