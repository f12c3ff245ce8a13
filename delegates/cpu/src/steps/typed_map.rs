//! Elementwise functions of up to three tensors of any type, with broadcasting, in plain loops. Models compute masks
//! and positions with them.

use arenite_abi::prelude::*;
use arenite_layers::{Id, Loops};

use crate::isa::Isa;
use crate::memory::Source;
use crate::reach::together::RunGroups;
use crate::step::{Run, Step};

/// Most inputs.
pub(crate) const INPUTS: usize = 3;
/// Elements that are worth a thread's while.
const MANY: usize = 1 << 14;
/// Bytes of a group of short runs.
const ROOM: usize = 1 << 10;

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
    wide: Option<RunFn>,
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
        ElementFn { run, wide: None, operands, result }
    }

    /// The same with another loop for machines with AVX2.
    ///
    /// # Safety
    /// `wide` must do the same as the other loop, and may need AVX2.
    pub(crate) const unsafe fn or_wide(self, wide: Option<RunFn>) -> ElementFn {
        ElementFn { wide, ..self }
    }

    /// The function with the fastest loop for `isa`.
    pub(crate) fn with(self, isa: Isa) -> ElementFn {
        let can = (isa & Isa::machine()).has(Isa::AVX2);
        ElementFn { run: self.wide.filter(|_| can).unwrap_or(self.run), wide: None, ..self }
    }
}

/// A function of up to three tensors.
pub(crate) struct TypedMap {
    name: &'static str,
    f: ElementFn,
    loops: Loops<INPUTS>,
    /// The same over bytes of two operands with elements of one size, if short runs are done together.
    together: Option<(Loops<2>, RunGroups)>,
    inputs: Vec<Id>,
    output: Id,
}

/// Loops over the bytes of two operands.
fn bytes_of(loops: &Loops<INPUTS>, operands: [usize; INPUTS]) -> Option<Loops<2>> {
    let [width, other, none] = operands;
    let outer = || loops.outer.iter().map(|(size, [a, b, _])| (*size, [a * width, b * width]));
    let [a, b, _] = loops.moves;
    (width == other && none == 0).then(|| Loops {
        outer: outer().collect(),
        run: loops.run * width,
        moves: [a, b],
    })
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
        let groups = |bytes: Loops<2>| RunGroups::new(&bytes, ROOM).map(|groups| (bytes, groups));
        let together = bytes_of(&loops, f.operands).and_then(groups);
        Ok(TypedMap { name, f, loops, together, inputs, output })
    }
}

impl TypedMap {
    /// Computes groups of short runs.
    fn run_together(
        &self,
        cx: &Run<'_>,
        loops: &Loops<2>,
        groups: &RunGroups,
        x: [Source<'_, u8>; 2],
    ) -> Result<()> {
        let ([width, ..], result) = (self.f.operands, self.f.result);
        let y = cx.output::<u8>(self.output).share();
        cx.parallel_for(groups.pieces(loops), MANY / ROOM, |range| {
            groups.for_each(loops, range, x, &mut [0; ROOM], |results, [a, b]| {
                let (first, n) = (results.start / width, results.len() / width);
                // SAFETY: pieces are whole runs, of which each is in one, and each piece is one thread's.
                let mut y = unsafe { y.part(first * result, n * result) };
                let x = [a.at(0, n * width), b.at(0, n * width), std::ptr::null()];
                // SAFETY: `at` checked that `n` results and `n` elements of both operands are in the memory, with the
                // sizes that `ElementFn::new` got.
                unsafe { (self.f.run)(n, x, [true, true, false], y.at(0, n * result)) };
            });
        })
    }
}

impl Step for TypedMap {
    fn name(&self) -> &'static str {
        self.name
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let mut x = [Source::<u8>::NONE; INPUTS];
        x.iter_mut().zip(&self.inputs).for_each(|(x, &id)| *x = cx.input(id));
        if let Some((loops, groups)) = &self.together {
            return self.run_together(cx, loops, groups, [x[0], x[1]]);
        }
        let (n, moves) = (self.loops.run, self.loops.moves);
        let (line, grain) = (n * self.f.result, (MANY / n).max(1));
        cx.parallel_parts(cx.output::<u8>(self.output), line, grain, |runs, mut y| {
            let first = runs.start;
            self.loops.each(runs, |run, at| {
                let i = run - first;
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
            });
        })
    }
}
