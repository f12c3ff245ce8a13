//! Functions of elements of any type, of up to three tensors that broadcast: for what stands between the layers of a model, such as
//! masks and positions. Plain loops.

use arenite_abi::prelude::*;
use arenite_layers::{Id, Loops};

use crate::memory::Source;
use crate::program::{Run, Step};

/// Most inputs.
pub const INPUTS: usize = 3;
/// Elements that are worth a thread's while.
const MANY: usize = 1 << 14;

/// `n` results at `y` of elements at `x`; whether each input moves on along the run.
///
/// # Safety
/// Called with elements of the types that it is for, readable and writable.
pub type RunFn = unsafe fn(n: usize, x: [*const u8; INPUTS], moves: [bool; INPUTS], y: *mut u8);

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
    pub loops: Loops<INPUTS>,
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
        let mut x = [Source::<u8>::NONE; INPUTS];
        x.iter_mut().zip(&self.inputs).for_each(|(x, &id)| *x = cx.input(id));
        let (n, moves) = (self.loops.run, self.loops.moves);
        let (line, grain) = (n * self.width, (MANY / n).max(1));
        cx.parallel_parts(cx.output::<u8>(self.output), line, grain, |runs, mut y| {
            for (i, run) in runs.enumerate() {
                let at = self.loops.starts(run);
                let operand = |i: usize| {
                    let count = if i >= self.inputs.len() {
                        0
                    } else if moves[i] {
                        n
                    } else {
                        1
                    };
                    x[i].at(at[i] * self.widths[i], count * self.widths[i])
                };
                let (from, to) = (std::array::from_fn(operand), y.at(i * line, line));
                // SAFETY: `n` results, and as many elements of each operand, or one if it does not move; who made the step gave it a
                // function of their types, whose places are aligned for them.
                unsafe { (self.f)(n, from, moves, to) };
            }
        })
    }
}
