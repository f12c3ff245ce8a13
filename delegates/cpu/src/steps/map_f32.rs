//! Functions of `f32` elements as steps.

use arenite_abi::prelude::*;
use arenite_base::{Binary, Clamp};
use arenite_layers::{Id, Loops};

use crate::kernels::f32_map::Map;
use crate::memory::{InPlace, Source, Target};
use crate::reach::epilogue::{self, Epilogue, EpilogueOp};
use crate::reach::together::RunGroups;
use crate::step::{Run, Step};

/// The number of elements that a thread processes at a time with several functions, so that they stay in the
/// first-level cache: 16 KiB.
const CHUNK: usize = 4096;

/// The number of elements of a call of a single function's kernel, for tensors of `len` elements: with each call, the
/// machine's prefetchers start again.
pub(super) fn stream(cx: &Run<'_>, len: usize) -> usize {
    if cx.threads() == 1 { 1 << 20 } else { (len / 16).clamp(2 * CHUNK, 16 * CHUNK) }
}

/// Functions of one tensor, applied in sequence.
pub(crate) struct ChainMap {
    /// The kernels.
    pub map: &'static Map,
    /// The functions to apply, at most [`MAX_OPS`](crate::reach::epilogue::MAX_OPS).
    pub epilogue: Vec<EpilogueOp>,
    /// Read.
    pub input: Id,
    /// Written.
    pub output: Id,
}

impl Step for ChainMap {
    fn name(&self) -> &'static str {
        "elementwise"
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let (x, y) = (cx.input::<f32>(self.input), cx.output::<f32>(self.output));
        let epilogue = epilogue::bind(&self.epilogue, cx);
        let range = stream(cx, y.len());
        let chunk = if self.epilogue.len() > 1 { CHUNK } else { range };
        cx.parallel_parts(y, range, 1, |ranges, mut part| {
            let start = ranges.start * range;
            for first in (0..part.len()).step_by(chunk) {
                let mut y = part.part(first, chunk.min(part.len() - first));
                let at = start + first;
                let mut ops = epilogue.iter();
                if let Some(op) = ops.next() {
                    op.apply(self.map, x.part(at, y.len()), &mut y, at);
                }
                ops.for_each(|op| op.apply_over(self.map, &mut y, at));
            }
        })
    }

    fn in_place(&self, id: Id) -> InPlace {
        // Other operands are read after the first function has written.
        let is_operand = self.epilogue.iter().any(|op| op.operand() == Some(id));
        // SAFETY: the first function reads each element of the input before it writes it, on the thread of the part.
        unsafe { InPlace::only_if(id == self.input && !is_operand) }
    }
}

/// A function of two tensors.
pub(crate) struct BinaryMap {
    /// The kernels.
    pub map: &'static Map,
    /// The function.
    pub op: Binary,
    /// Over all results.
    pub loops: Loops<2>,
    /// The range of results.
    pub clamp: Clamp,
    /// The epilogue.
    pub epilogue: Vec<EpilogueOp>,
    /// Read.
    pub inputs: [Id; 2],
    /// Written.
    pub output: Id,
}

/// Elements of a group of short runs: 4 KiB.
const ROOM: usize = 1024;

impl BinaryMap {
    /// Computes `y`, the results from index `at` on. Operands have as many elements, or one if they do not move.
    fn span(
        &self,
        at: usize,
        moves: [bool; 2],
        [a, b]: [Source<'_, f32>; 2],
        y: &mut Target<'_, f32>,
        epilogue: &Epilogue<'_>,
    ) {
        match moves {
            [true, true] => self.map.two(self.op, a, b, y),
            [true, false] => self.map.with_number(self.op, a, b.get(0), y),
            [false, _] => self.map.with_number(self.op.swapped(), b, a.get(0), y),
        }
        self.finish(at, y, epilogue);
    }

    /// Computes `y`, the results of whole runs from index `at` on. The operand that does not move has an element for
    /// each run.
    fn rows(
        &self,
        at: usize,
        [a, b]: [Source<'_, f32>; 2],
        y: &mut Target<'_, f32>,
        epilogue: &Epilogue<'_>,
    ) {
        match self.loops.moves[0] {
            true => self.map.with_numbers(self.op, a, b, y),
            false => self.map.with_numbers(self.op.swapped(), b, a, y),
        }
        self.finish(at, y, epilogue);
    }

    /// What follows the function.
    fn finish(&self, at: usize, y: &mut Target<'_, f32>, epilogue: &Epilogue<'_>) {
        // Kernels of sums, products and quotients make results finite themselves.
        if self.clamp.is_needed() {
            self.map.clamp_over(self.clamp, y);
        }
        epilogue.iter().for_each(|op| op.apply_over(self.map, y, at));
    }

    /// The operands of a part of a run.
    fn operands<'s>(
        &self,
        run: usize,
        part: &std::ops::Range<usize>,
        inputs: [Source<'s, f32>; 2],
    ) -> [Source<'s, f32>; 2] {
        let starts = self.loops.starts(run);
        std::array::from_fn(|i| match self.loops.moves[i] {
            true => inputs[i].part(starts[i] + part.start, part.len()),
            false => inputs[i].part(starts[i], 1),
        })
    }
}

impl Step for BinaryMap {
    fn name(&self) -> &'static str {
        "broadcast"
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let inputs = self.inputs.map(|id| cx.input::<f32>(id));
        let y = cx.output::<f32>(self.output);
        let (range, y) = (stream(cx, y.len()), y.share());
        let (run, epilogue) = (self.loops.run, epilogue::bind(&self.epilogue, cx));
        if let Some(together) = RunGroups::new(&self.loops, ROOM) {
            let grain = (2 * CHUNK / ROOM).max(1);
            if together.spreads() {
                return cx.parallel_for(together.pieces(&self.loops), grain, |range| {
                    together.for_each_row(&self.loops, range, inputs, |results, operands| {
                        // SAFETY: pieces are whole runs, of which each is in one, and each piece is one thread's.
                        let mut y = unsafe { y.part(results.start, results.len()) };
                        self.rows(results.start, operands, &mut y, &epilogue);
                    });
                });
            }
            return cx.parallel_for(together.pieces(&self.loops), grain, |range| {
                let mut room = [0.0; ROOM];
                together.for_each(&self.loops, range, inputs, &mut room, |results, operands| {
                    // SAFETY: pieces are whole runs, of which each is in one, and each piece is one thread's.
                    let mut y = unsafe { y.part(results.start, results.len()) };
                    self.span(results.start, [true; 2], operands, &mut y, &epilogue);
                });
            });
        }
        let runs = self.loops.runs();
        let chunk = if self.clamp.is_needed() || !self.epilogue.is_empty() { CHUNK } else { range };
        let parts = run.div_ceil(chunk);
        let grain = (range / run.min(chunk)).max(1);
        cx.parallel_for(runs * parts, grain, |range| {
            for item in range {
                let (number, part) = (item / parts, item % parts);
                let part = part * chunk..((part + 1) * chunk).min(run);
                let at = number * run + part.start;
                // SAFETY: parts cut a run, runs cut the results, and each part is one thread's.
                let mut y = unsafe { y.part(at, part.len()) };
                self.span(at, self.loops.moves, self.operands(number, &part, inputs), &mut y, &epilogue);
            }
        })
    }

    fn in_place(&self, id: Id) -> InPlace {
        // The epilogue reads its operands after the function has written the result.
        let is_operand = self.epilogue.iter().any(|op| op.operand() == Some(id));
        let covers = (0..2).all(|i| self.inputs[i] != id || self.loops.covers(i));
        // SAFETY: an operand that covers the results is read element by element by the thread that writes these, before
        // it does.
        unsafe { InPlace::only_if(covers && !is_operand) }
    }
}
