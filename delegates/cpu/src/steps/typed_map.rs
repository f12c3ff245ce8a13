//! Elementwise functions of up to three tensors of any type, with broadcasting, in plain loops. Models compute masks
//! and positions with them.

use arenite_abi::prelude::*;
use arenite_layers::{Id, Loops};

use crate::memory::Source;
use crate::step::{Run, Step};

/// Most inputs.
pub(crate) const INPUTS: usize = 3;
/// Elements that are worth a thread's while.
const MANY: usize = 1 << 14;

/// Computes `n` results at `y` from elements at `x`. An operand has `n` elements if it `moves`, else one for all
/// results.
///
/// # Safety
/// The elements must be readable, of the types that the function is for, and room for the results writable. Nothing
/// need be aligned.
pub(crate) type RunFn = unsafe fn(n: usize, x: [*const u8; INPUTS], moves: [bool; INPUTS], y: *mut u8);

/// A function of elements, and the sizes of the elements.
#[derive(Clone, Copy)]
pub(crate) struct ElementFn {
    run: RunFn,
    operands: [usize; INPUTS],
    result: usize,
}

impl ElementFn {
    /// A function whose operands have elements of `operands` bytes, 0 for missing ones, and whose results have `result`
    /// bytes.
    ///
    /// # Safety
    /// `run` must not read more bytes of an operand's element, or write more bytes of a result. It must accept all bit
    /// patterns.
    pub(crate) const unsafe fn new(run: RunFn, operands: [usize; INPUTS], result: usize) -> ElementFn {
        ElementFn { run, operands, result }
    }
}

/// A function of up to three tensors.
pub(crate) struct TypedMap {
    name: &'static str,
    f: ElementFn,
    loops: Loops<INPUTS>,
    inputs: Vec<Id>,
    output: Id,
}

impl TypedMap {
    /// The step `name` that computes `output` from `inputs`, whose elements `loops` visits.
    ///
    /// # Errors
    /// If there are fewer or more inputs than the function has operands.
    pub(crate) fn new(
        name: &'static str,
        f: ElementFn,
        loops: Loops<INPUTS>,
        inputs: Vec<Id>,
        output: Id,
    ) -> Result<TypedMap> {
        let operands = f.operands.iter().filter(|&&bytes| bytes > 0).count();
        ensure!(inputs.len() == operands, "{name} has {} inputs; it must have {operands}", inputs.len());
        Ok(TypedMap { name, f, loops, inputs, output })
    }
}

impl Step for TypedMap {
    fn name(&self) -> &'static str {
        self.name
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let mut x = [Source::<u8>::NONE; INPUTS];
        x.iter_mut().zip(&self.inputs).for_each(|(x, &id)| *x = cx.input(id));
        let (n, moves) = (self.loops.run, self.loops.moves);
        let (line, grain) = (n * self.f.result, (MANY / n).max(1));
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
                    x[i].at(at[i] * self.f.operands[i], count * self.f.operands[i])
                };
                let (from, to) = (std::array::from_fn(operand), y.at(i * line, line));
                // SAFETY: `at` checked that `n` results and `n` elements of each operand, or one if it does not move,
                // are in the memory, with the sizes that `ElementFn::new` got.
                unsafe { (self.f.run)(n, from, moves, to) };
            }
        })
    }
}
