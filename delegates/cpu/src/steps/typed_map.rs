//! Functions of elements of any type, of up to three tensors that broadcast: for what stands between the layers of a model, such as
//! masks and positions. Plain loops.

use arenite_abi::prelude::*;

use crate::memory::Shared;
use crate::net::Id;
use crate::program::{Run, Step};

/// Most inputs.
pub const INPUTS: usize = 3;
/// Most dimensions that do not merge with their neighbours.
const DIMS: usize = 6;
/// Elements that are worth a thread's while.
const MANY: usize = 1 << 14;

/// `n` results at `y` of elements at `x`; whether each input moves on along the run.
///
/// # Safety
/// Called with elements of the types that it is for, readable and writable.
pub type RunFn = unsafe fn(n: usize, x: [*const u8; INPUTS], moves: [bool; INPUTS], y: *mut u8);

/// The loops over a result and what is broadcast to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Loops {
    /// Outer dimensions: size, and elements from one index to the next of each input.
    outer: Vec<(usize, [usize; INPUTS])>,
    /// Length of a run.
    run: usize,
    /// Whether an input moves on along a run.
    moves: [bool; INPUTS],
}

impl Loops {
    /// The loops over `y` with `inputs` broadcast to it; `None` if they do not fit.
    pub fn new(inputs: &[&[usize]], y: &[usize]) -> Option<Loops> {
        // From the innermost dimension on, merged while all inputs go the same way.
        let mut merged: Vec<(usize, [bool; INPUTS])> = Vec::new();
        for i in 0..y.len() {
            let size = y[y.len() - 1 - i];
            let mut moves = [false; INPUTS];
            for (moves, shape) in moves.iter_mut().zip(inputs) {
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
        let fits = inputs.iter().all(|shape| shape.len() <= y.len());
        let (run, moves) = merged.first().copied().unwrap_or((1, [true; INPUTS]));
        let mut steps = moves.map(|moves| if moves { run } else { 1 });
        let mut outer: Vec<(usize, [usize; INPUTS])> = Vec::new();
        for &(size, moves) in merged.iter().skip(1) {
            let mut strides = [0; INPUTS];
            for i in (0..INPUTS).filter(|&i| moves[i]) {
                strides[i] = steps[i];
                steps[i] *= size;
            }
            outer.insert(0, (size, strides));
        }
        (fits && outer.len() <= DIMS).then_some(Loops { outer, run, moves })
    }

    /// The elements of the inputs that run `run` begins with.
    fn starts(&self, run: usize) -> [usize; INPUTS] {
        let (mut rest, mut at) = (run, [0; INPUTS]);
        for (size, strides) in self.outer.iter().rev() {
            at.iter_mut().zip(strides).for_each(|(at, stride)| *at += rest % size * stride);
            rest /= size;
        }
        at
    }
}

/// A function of up to three tensors.
pub struct TypedMap {
    /// What it is.
    pub name: &'static str,
    /// The function.
    pub f: RunFn,
    /// Bytes of an element of each input.
    pub widths: [usize; INPUTS],
    /// Bytes of an element of the output.
    pub width: usize,
    /// The loops.
    pub loops: Loops,
    /// Read.
    pub inputs: Vec<Id>,
    /// Written.
    pub output: Id,
}

impl Step for TypedMap {
    fn name(&self) -> &'static str {
        self.name
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let mut x = [Shared::new(std::ptr::null_mut::<u8>()); INPUTS];
        x.iter_mut().zip(&self.inputs).for_each(|(x, &id)| *x = Shared::new(cx.place(id)));
        let y = Shared::new(cx.place::<u8>(self.output));
        let runs: usize = self.loops.outer.iter().map(|(size, _)| size).product();
        cx.parallel_for(runs, (MANY / self.loops.run).max(1), |range| {
            for run in range {
                let at = self.loops.starts(run);
                let from =
                    std::array::from_fn(|i| x[i].get().wrapping_add(at[i] * self.widths[i]).cast_const());
                let to = y.get().wrapping_add(run * self.loops.run * self.width);
                // SAFETY: inside the tensors, by the loops' construction; the function is for their types.
                unsafe { (self.f)(self.loops.run, from, self.loops.moves, to) };
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dimensions_merge_where_all_inputs_go_the_same_way() {
        let loops = Loops::new(&[&[2, 3, 4], &[4], &[2, 1, 1]], &[2, 3, 4]).unwrap();
        assert_eq!((loops.run, loops.moves), (4, [true, true, false]));
        assert_eq!(loops.outer, [(2, [12, 0, 1]), (3, [4, 0, 0])]);
        assert_eq!(loops.starts(4), [16, 0, 1]);
        let same = Loops::new(&[&[2, 3], &[2, 3]], &[2, 3]).unwrap();
        assert_eq!((same.run, same.outer.len()), (6, 0));
        assert_eq!(Loops::new(&[&[2]], &[3]), None);
        assert_eq!(Loops::new(&[&[1, 3]], &[3]), None);
    }
}
