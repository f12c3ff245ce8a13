//! The loops of functions of two tensors that broadcast.

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

    /// Whether operand `o` is as large as the result: then each of its elements is read once, for the result at its place.
    pub fn covers(&self, o: usize) -> bool {
        self.moves[o] && (0..5).all(|i| self.dims[i] == 1 || self.strides[o][i] != 0)
    }
}
