//! Joins short runs of elementwise functions of two tensors, so that one call of a kernel computes several.

use std::ops::Range;

use arenite_layers::Loops;
use bytemuck::Pod;

use crate::memory::{Source, Target};

/// Consecutive short runs that use the same elements of one operand. With these repeated, they become one long run.
///
/// ```text
/// a   │ row 0 │ row 1 │ row 2 │ …
/// b   │  row  │  row  │  row  │          copied once for all rows of a
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RunGroups {
    /// The operand that is repeated.
    operand: usize,
    /// The number of runs that read the same elements of this operand.
    same: usize,
    /// Runs at a time.
    count: usize,
}

impl RunGroups {
    /// Groups as many runs as fit `room` elements. `None` if runs cannot be grouped.
    pub(crate) fn new(loops: &Loops<2>, room: usize) -> Option<RunGroups> {
        let &(same, strides) = loops.outer.last()?;
        let count = room / loops.run.max(1);
        let is_same = |o: usize| strides[o] == 0 && strides[1 - o] == loops.run;
        let operand = (0..2).find(|&o| is_same(o))?;
        let gains = loops.moves == [true, true] && same > 1 && count > 1;
        gains.then_some(RunGroups { operand, same, count: count.min(same) })
    }

    /// Number of pieces that all runs are cut into.
    pub(crate) fn pieces(&self, loops: &Loops<2>) -> usize {
        loops.runs() / self.same * self.same.div_ceil(self.count)
    }

    /// The runs of a piece.
    fn runs(&self, piece: usize) -> Range<usize> {
        let pieces = self.same.div_ceil(self.count);
        let (outer, first) = (piece / pieces * self.same, piece % pieces * self.count);
        outer + first..outer + (first + self.count).min(self.same)
    }

    /// Calls `f` with the results and the operands of each piece. One operand is repeated in `room`, which must have
    /// the size that [`new`](Self::new) got.
    pub(crate) fn for_each<T: Pod>(
        &self,
        loops: &Loops<2>,
        pieces: Range<usize>,
        inputs: [Source<'_, T>; 2],
        room: &mut [T],
        mut f: impl FnMut(Range<usize>, [Source<'_, T>; 2]),
    ) {
        let (run, other, mut repeated) = (loops.run, 1 - self.operand, None);
        for piece in pieces {
            let runs = self.runs(piece);
            let at = loops.starts(runs.start);
            if repeated != Some(at[self.operand]) {
                let from = inputs[self.operand].part(at[self.operand], run);
                for room in room.chunks_exact_mut(run).take(self.count) {
                    Target::of(room).copy_from(from);
                }
                repeated = Some(at[self.operand]);
            }
            let len = runs.len() * run;
            let mut operands = [Source::of(&room[..len]); 2];
            operands[other] = inputs[other].part(at[other], len);
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
        let together = RunGroups::new(&seven, 13).unwrap();
        assert_eq!(together, RunGroups { operand: 1, same: 7, count: 3 });
        let pieces: Vec<_> = (0..together.pieces(&seven)).map(|piece| together.runs(piece)).collect();
        assert_eq!(pieces, [0..3, 3..6, 6..7, 7..10, 10..13, 13..14]);
        assert_eq!(RunGroups::new(&seven, 7), None);
        assert_eq!(RunGroups::new(&loops(&[7, 4], &[7, 1], &[7, 4]), 99), None);
        assert_eq!(RunGroups::new(&loops(&[7, 4], &[7, 4], &[7, 4]), 99), None);
    }
}
