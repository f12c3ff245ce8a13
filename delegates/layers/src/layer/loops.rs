//! Loops over tensors with broadcasting.

/// Loops over a result to which `N` operands are broadcast. The innermost loop is a run, along which each operand has
/// either consecutive elements or a single one.
#[derive(Clone, Debug, PartialEq)]
pub struct Loops<const N: usize> {
    /// Outer dimensions, outermost first: the size, and the stride of each operand.
    pub outer: Vec<(usize, [usize; N])>,
    /// The length of a run.
    pub run: usize,
    /// Whether each operand advances along a run.
    pub moves: [bool; N],
}

impl<const N: usize> Loops<N> {
    /// The loops over `y` with up to `N` operands that broadcast to it; `None` if they do not.
    pub fn new(operands: &[&[usize]], y: &[usize]) -> Option<Self> {
        if operands.iter().any(|shape| shape.len() > y.len()) {
            return None;
        }
        // Dimensions are merged from the innermost one while all operands either advance or repeat in both.
        let mut merged: Vec<(usize, [bool; N])> = Vec::new();
        for i in 0..y.len() {
            let size = y[y.len() - 1 - i];
            let mut moves = [false; N];
            for (moves, shape) in moves.iter_mut().zip(operands) {
                let own = shape.len().checked_sub(i + 1).map_or(1, |i| shape[i]);
                if own != size && own != 1 {
                    return None;
                }
                *moves = own == size;
            }
            match merged.last_mut() {
                _ if size == 1 => {}
                Some((n, m)) if *m == moves => *n *= size,
                _ => merged.push((size, moves)),
            }
        }
        let mut rest = merged.into_iter();
        let (run, moves) = rest.next().unwrap_or((1, [true; N]));
        let mut steps = moves.map(|moves| if moves { run } else { 1 });
        let mut outer = Vec::with_capacity(rest.len());
        for (size, moves) in rest {
            let strides = std::array::from_fn(|o| if moves[o] { steps[o] } else { 0 });
            (0..N).filter(|&o| moves[o]).for_each(|o| steps[o] *= size);
            outer.push((size, strides));
        }
        outer.reverse();
        Some(Loops { outer, run, moves })
    }

    /// The number of runs.
    #[inline]
    pub fn runs(&self) -> usize {
        self.outer.iter().map(|(size, _)| size).product()
    }

    /// The first element of each operand in run `run`.
    #[inline]
    pub fn starts(&self, run: usize) -> [usize; N] {
        let (mut rest, mut at) = (run, [0; N]);
        for (size, strides) in self.outer.iter().rev() {
            at.iter_mut().zip(strides).for_each(|(at, stride)| *at += rest % size * stride);
            rest /= size;
        }
        at
    }

    /// Calls `f` with each of these runs and the first element of each operand in it.
    #[inline]
    pub fn each(&self, runs: std::ops::Range<usize>, mut f: impl FnMut(usize, [usize; N])) {
        let (size, strides) = self.outer.last().copied().unwrap_or((1, [0; N]));
        let mut run = runs.start;
        while run < runs.end {
            let mut at = self.starts(run);
            for run in run..runs.end.min(run + size - run % size) {
                f(run, at);
                (0..N).for_each(|o| at[o] += strides[o]);
            }
            run += size - run % size;
        }
    }

    /// Whether operand `o` is a row that each run reads in full.
    #[inline]
    pub fn is_row(&self, o: usize) -> bool {
        self.moves[o] && self.outer.iter().all(|(_, strides)| strides[o] == 0)
    }

    /// Whether operand `o` has the size of the result, so that each element is read once, for the result at the same
    /// position.
    #[inline]
    pub fn covers(&self, o: usize) -> bool {
        self.moves[o] && self.outer.iter().all(|(_, strides)| strides[o] != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dimensions_merge_where_all_operands_agree() {
        let loops = Loops::<3>::new(&[&[2, 3, 4], &[4], &[2, 1, 1]], &[2, 3, 4]).unwrap();
        assert_eq!((loops.run, loops.moves), (4, [true, true, false]));
        assert_eq!(loops.outer, [(2, [12, 0, 1]), (3, [4, 0, 0])]);
        assert_eq!((loops.starts(4), loops.runs()), ([16, 0, 1], 6));
        assert!(
            !loops.is_row(0) && loops.covers(0) && loops.is_row(1) && !loops.covers(1) && !loops.is_row(2)
        );
        let mut visited = Vec::new();
        loops.each(1..5, |run, at| visited.push((run, at)));
        assert_eq!(visited, Vec::from_iter((1..5).map(|run| (run, loops.starts(run)))));
        let same = Loops::<2>::new(&[&[2, 3], &[2, 3]], &[2, 3]).unwrap();
        assert_eq!((same.run, same.outer.len()), (6, 0));
        assert_eq!(Loops::<1>::new(&[&[2]], &[3]), None);
        assert_eq!(Loops::<1>::new(&[&[1, 3]], &[3]), None);
    }
}
