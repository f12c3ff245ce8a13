//! The loops of functions of two tensors that broadcast.

use std::mem::MaybeUninit;
use std::ops::Range;

/// At most five dimensions, the innermost a run where each operand has either consecutive elements or one.
#[derive(Clone, Debug, PartialEq)]
pub struct Loops {
    /// Outer dimensions.
    dims: [usize; 5],
    /// Elements from one index to the next, of a and b.
    strides: [[usize; 5]; 2],
    /// Length of a run.
    pub run: usize,
    /// Whether a and b move along a run.
    pub moves: [bool; 2],
}

impl Loops {
    /// The loops over `y` with `a` and `b` broadcast to it; `None` if they do not fit.
    pub fn new(a: &[usize], b: &[usize], y: &[usize]) -> Option<Loops> {
        // Dimensions from the innermost one, merged while both operands go the same way: (size, a moves, b moves).
        let mut merged: Vec<(usize, [bool; 2])> = Vec::new();
        if a.len() > y.len() || b.len() > y.len() {
            return None;
        }
        for i in 0..y.len() {
            let size = y[y.len() - 1 - i];
            let of = |shape: &[usize]| shape.len().checked_sub(i + 1).map_or(1, |i| shape[i]);
            let sizes = [of(a), of(b)];
            if sizes.iter().any(|&s| s != size && s != 1) {
                return None;
            }
            let moves = sizes.map(|s| s == size);
            match merged.last_mut() {
                _ if size == 1 => {}
                Some((n, m)) if *m == moves => *n *= size,
                _ => merged.push((size, moves)),
            }
        }
        let mut rest = merged.iter();
        let (run, moves) = rest.next().copied().unwrap_or((1, [true, true]));
        let mut loops = Loops { dims: [1; 5], strides: [[0; 5]; 2], run, moves };
        let mut steps = moves.map(|m| if m { run } else { 1 });
        for (k, &(size, moves)) in rest.enumerate() {
            let i = 4usize.checked_sub(k)?;
            loops.dims[i] = size;
            for o in 0..2 {
                if moves[o] {
                    loops.strides[o][i] = steps[o];
                    steps[o] *= size;
                }
            }
        }
        Some(loops)
    }

    /// Number of runs.
    pub fn runs(&self) -> usize {
        self.dims.iter().product()
    }

    /// Where run `run` begins in a and in b.
    pub fn starts(&self, run: usize) -> [usize; 2] {
        let (mut rest, mut at) = (run, [0; 2]);
        for i in (0..5).rev() {
            let index = rest % self.dims[i];
            rest /= self.dims[i];
            at[0] += index * self.strides[0][i];
            at[1] += index * self.strides[1][i];
        }
        at
    }

    /// How runs are taken together, as many as have at most `room` elements; `None` if that is none.
    pub fn together(&self, room: usize) -> Option<Together> {
        let (same, count) = (self.dims[4], room / self.run.max(1));
        let is_same = |o: usize| self.strides[o][4] == 0 && self.strides[1 - o][4] == self.run;
        let operand = (0..2).find(|&o| is_same(o))?;
        let gains = self.moves == [true, true] && same > 1 && count > 1;
        gains.then_some(Together { operand, same, count: count.min(same) })
    }

    /// Whether each run meets the same elements of operand `o`, one for each of its own.
    pub fn is_row(&self, o: usize) -> bool {
        self.moves[o] && self.strides[o] == [0; 5]
    }

    /// Whether operand `o` is as large as the result: then each of its elements is read once, for the result at its place.
    pub fn covers(&self, o: usize) -> bool {
        self.moves[o] && (0..5).all(|i| self.dims[i] == 1 || self.strides[o][i] != 0)
    }
}

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
    /// Number of pieces that all runs are cut into.
    pub fn pieces(&self, loops: &Loops) -> usize {
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
        loops: &Loops,
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
                    // SAFETY: the caller's promise: the operand has a run there.
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

    #[test]
    fn runs_that_meet_the_same_elements_are_taken_together() {
        let loops = Loops::new(&[2, 7, 4], &[2, 1, 4], &[2, 7, 4]).unwrap();
        let together = loops.together(13).unwrap();
        assert_eq!(together, Together { operand: 1, same: 7, count: 3 });
        let pieces: Vec<_> = (0..together.pieces(&loops)).map(|piece| together.runs(piece)).collect();
        assert_eq!(pieces, [0..3, 3..6, 6..7, 7..10, 10..13, 13..14]);
        assert_eq!(loops.together(7), None);
        assert_eq!(Loops::new(&[7, 4], &[7, 1], &[7, 4]).unwrap().together(99), None);
        assert_eq!(Loops::new(&[7, 4], &[7, 4], &[7, 4]).unwrap().together(99), None);
    }
}
