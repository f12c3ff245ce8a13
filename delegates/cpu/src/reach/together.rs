//! Joins short runs of elementwise functions of two tensors, so that one call of a kernel computes several.

use std::ops::Range;

use arenite_layers::Loops;
use bytemuck::Pod;

use crate::memory::{Source, Target};

/// Consecutive short runs that use the same elements of one operand, or one element each. With these repeated, they
/// become one long run.
///
/// ```text
/// a   │ row 0 │ row 1 │ row 2 │ …
/// b   │  row  │  row  │  row  │          copied once for all rows of a
/// or  │ 0 0 0 │ 1 1 1 │ 2 2 2 │ …        one element for each row of a
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RunGroups {
    /// The operand that is repeated.
    operand: usize,
    /// Whether each run has an element of it.
    spreads: bool,
    /// The number of consecutive runs that read the operand in this way.
    same: usize,
    /// Runs at a time.
    count: usize,
}

impl RunGroups {
    /// Groups as many runs as fit `room` elements. `None` if runs cannot be grouped.
    pub(crate) fn new(loops: &Loops<2>, room: usize) -> Option<RunGroups> {
        let &(same, strides) = loops.outer.last()?;
        let spreads = loops.moves != [true, true];
        let count = room.checked_sub(if spreads { WIDE } else { 0 })? / loops.run.max(1);
        let is_read = |o: usize| strides[1 - o] == loops.run && loops.moves[1 - o];
        let is_repeated = |o: usize| match spreads {
            true => !loops.moves[o] && strides[o] == 1,
            false => strides[o] == 0,
        };
        let operand = (0..2).find(|&o| is_read(o) && is_repeated(o))?;
        // Kernels take as many bytes at a time as eight runs of most lengths are a multiple of.
        let count = if count > 16 { count & !7 } else { count };
        let gains = same > 1 && count > if spreads { LEAST } else { 1 };
        gains.then_some(RunGroups { operand, spreads, same, count: count.min(same) })
    }

    /// Whether each run has one element of an operand.
    pub(crate) fn spreads(&self) -> bool {
        self.spreads
    }

    /// Number of pieces that all runs are cut into.
    pub(crate) fn pieces(&self, loops: &Loops<2>) -> usize {
        loops.runs() / self.same * self.same.div_ceil(self.count)
    }

    /// Calls `f` with the runs of each piece, and where the operands of the first of them start.
    #[inline]
    fn each(&self, loops: &Loops<2>, pieces: Range<usize>, mut f: impl FnMut(Range<usize>, [usize; 2])) {
        let per_group = self.same.div_ceil(self.count);
        let mut strides = [loops.run; 2];
        strides[self.operand] = usize::from(self.spreads);
        let mut piece = pieces.start;
        while piece < pieces.end {
            let (group, first) = (piece / per_group, piece % per_group);
            let end = ((group + 1) * per_group).min(pieces.end);
            let (start, at) = (group * self.same, loops.starts(group * self.same));
            for before in (first..first + end - piece).map(|piece| piece * self.count) {
                let runs = start + before..start + (before + self.count).min(self.same);
                f(runs, std::array::from_fn(|o| at[o] + before * strides[o]));
            }
            piece = end;
        }
    }

    /// Calls `f` with the results and the operands of each piece, one of which has one element for each run: it
    /// [`spreads`](Self::spreads).
    pub(crate) fn for_each_row<T: Pod>(
        &self,
        loops: &Loops<2>,
        pieces: Range<usize>,
        inputs: [Source<'_, T>; 2],
        mut f: impl FnMut(Range<usize>, [Source<'_, T>; 2]),
    ) {
        self.each(loops, pieces, |runs, at| {
            let mut lengths = [runs.len() * loops.run; 2];
            lengths[self.operand] = runs.len();
            let operands = std::array::from_fn(|o| inputs[o].part(at[o], lengths[o]));
            f(runs.start * loops.run..runs.end * loops.run, operands);
        });
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
        self.each(loops, pieces, |runs, at| {
            if self.spreads {
                let from = inputs[self.operand].part(at[self.operand], runs.len());
                for (r, x) in from.iter().enumerate() {
                    for begin in (r * run..(r + 1) * run).step_by(WIDE) {
                        room[begin..begin + WIDE].copy_from_slice(&[x; WIDE]);
                    }
                }
            } else if repeated != Some(at[self.operand]) {
                Target::of(&mut room[..run]).copy_from(inputs[self.operand].part(at[self.operand], run));
                let (mut filled, all) = (run, self.count * run);
                while filled < all {
                    let more = filled.min(all - filled);
                    room.copy_within(..more, filled);
                    filled += more;
                }
                repeated = Some(at[self.operand]);
            }
            let len = runs.len() * run;
            let mut operands = [Source::of(&room[..len]); 2];
            operands[other] = inputs[other].part(at[other], len);
            f(runs.start * run..runs.end * run, operands);
        });
    }
}

/// One store writes this many copies of a repeated element; the next run overwrites the copies past its own run.
const WIDE: usize = 32;

/// Writes each byte of `x` as often as `times` says.
pub(crate) fn repeat_each(x: Source<'_, u8>, times: usize, y: &mut Target<'_, u8>) {
    /// One store writes this many copies of a byte; the next byte's copies overwrite the surplus.
    const ONCE: usize = 16;
    for (i, byte) in x.iter().enumerate() {
        match times <= ONCE && i * times + ONCE <= y.len() {
            true => y.part(i * times, ONCE).fill(byte),
            false => y.part(i * times, times).fill(byte),
        }
    }
}

/// Where elements are repeated, only more runs than this are joined: one call per long run costs less.
const LEAST: usize = 7;

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
        assert_eq!(together, RunGroups { operand: 1, spreads: false, same: 7, count: 3 });
        let mut pieces = Vec::new();
        together.each(&seven, 0..together.pieces(&seven), |runs, at| pieces.push((runs, at)));
        let first = [(0..3, [0, 0]), (3..6, [12, 0]), (6..7, [24, 0])];
        let second = [(7..10, [28, 4]), (10..13, [40, 4]), (13..14, [52, 4])];
        assert_eq!(pieces, [first, second].concat());
        let mut last = Vec::new();
        together.each(&seven, 2..4, |runs, at| last.push((runs, at)));
        assert_eq!(last, pieces[2..4]);
        assert_eq!(RunGroups::new(&seven, 7), None);
        assert_eq!(RunGroups::new(&loops(&[7, 4], &[7, 1], &[7, 4]), 32 + 31), None);
        assert_eq!(RunGroups::new(&loops(&[7, 4], &[7, 4], &[7, 4]), 99), None);
    }

    #[test]
    fn bytes_are_repeated_side_by_side() {
        for times in [1, 2, 8, 15, 16, 17, 40] {
            let (x, mut y) = ([3u8, 1, 4, 1, 5], vec![0; 5 * times]);
            repeat_each(Source::of(&x), times, &mut Target::of(&mut y));
            assert_eq!(y, x.iter().flat_map(|&byte| vec![byte; times]).collect::<Vec<u8>>());
        }
    }

    #[test]
    fn elements_are_repeated_for_their_runs() {
        for (a, b, moving) in [(&[9, 5][..], &[9, 1][..], 0), (&[9, 1], &[9, 5], 1)] {
            let loops = loops(a, b, &[9, 5]);
            let together = RunGroups::new(&loops, 32 + 40).unwrap();
            assert_eq!(together, RunGroups { operand: 1 - moving, spreads: true, same: 9, count: 8 });
            let all: Vec<u8> = (0..45).collect();
            let (inputs, mut room) =
                ([Source::of(&all[..a[0] * a[1]]), Source::of(&all[..b[0] * b[1]])], [0; 72]);
            let mut places = Vec::new();
            let pieces = 0..together.pieces(&loops);
            together.for_each(&loops, pieces, inputs, &mut room, |results, operands| {
                for (k, i) in results.enumerate() {
                    assert_eq!(operands[moving].get(k), i as u8);
                    assert_eq!(operands[1 - moving].get(k), (i / 5) as u8);
                    places.push(i);
                }
            });
            assert_eq!(places, Vec::from_iter(0..45));
        }
    }
}
