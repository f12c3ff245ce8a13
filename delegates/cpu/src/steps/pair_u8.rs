//! Sums, differences and products of two tensors of bytes.

use std::ops::Range;

use arenite_abi::prelude::*;
use arenite_layers::{Id, Loops};

use crate::fixed_point::Factor;
use crate::kernels::u8_pair::{Approximation, Combine, Pair, Pairs, Way};
use crate::memory::{InPlace, Source, Target};
use crate::reach::bordered::Bordered;
use crate::reach::together::RunGroups;
use crate::requantize::{Bytes, Channel, Channels};
use crate::step::{Run, Step};

/// Bytes that one thread does at a time.
const CHUNK: usize = 1 << 13;
/// The least results for which reals are proven to be exact, which takes about ten microseconds.
const LEAST_PROVEN: usize = 1 << 12;
/// Bytes of a group of short runs, and the surplus of the last one.
const ROOM: usize = (1 << 12) + 32;

/// The factors of a, b and y, and the numbers added to bytes before they are scaled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ways {
    /// Minus the zero points of a and b.
    pub biases: [i32; 2],
    /// Of a, b and y.
    pub factors: [Factor; 3],
}

/// The results that are scaled as SIMD kernels of TensorFlow Lite do: the first `grouped` of every `run`. The others
/// are scaled as its scalar code does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Groups {
    /// Positive.
    pub run: usize,
    /// At most `run`.
    pub grouped: usize,
}

impl Groups {
    /// Whether the result in this place is.
    pub(crate) fn is_grouped(&self, place: usize) -> bool {
        place % self.run < self.grouped
    }

    /// The ways in which results are scaled: 0 for grouped ones, 1 for the others.
    fn ways(self) -> impl Iterator<Item = usize> {
        [self.grouped > 0, self.grouped < self.run]
            .into_iter()
            .enumerate()
            .filter(|way| way.1)
            .map(|way| way.0)
    }

    /// Whether all results are scaled alike.
    pub(crate) fn is_even(&self) -> bool {
        self.grouped == 0 || self.grouped == self.run
    }
}

/// A function of two tensors.
pub(crate) struct PairU8 {
    pairs: &'static Pairs,
    combine: Combine,
    loops: Loops<2>,
    groups: Groups,
    /// Whether the operands have changed places.
    swaps: bool,
    /// The tables for grouped results, and for the others.
    tables: [Tables; 2],
    bytes: Bytes,
    /// The bits that make operands unsigned, by exclusive or, in the order in which the kernel reads them.
    flips: [u8; 2],
    near: Option<Approximation>,
    inputs: [Id; 2],
    output: Id,
    /// Also written.
    copy: Option<Bordered>,
}

/// The factors of a, b and y, for vectors.
struct Tables {
    blocks: [Channels; 3],
    way: Way,
    shift: u32,
}

impl Tables {
    fn new(lanes: usize, ways: &Ways, bytes: Bytes) -> Self {
        let one = |bias, factor| Channels::new(lanes, &vec![Channel { bias, factor }; lanes], bytes);
        let [a, b, y] = ways.factors;
        let blocks = [one(ways.biases[0], a), one(ways.biases[1], b), one(0, y)];
        let way = match a.power_of_two() {
            _ if blocks[0].is_general || blocks[1].is_general => Way::General,
            Some(_) => Way::Shift,
            None => Way::Plain,
        };
        Tables { blocks, way, shift: a.power_of_two().unwrap_or(0) }
    }
}

impl Ways {
    fn swapped(self) -> Ways {
        let ([a, b], [fa, fb, fy]) = (self.biases, self.factors);
        Ways { biases: [b, a], factors: [fb, fa, fy] }
    }
}

impl PairU8 {
    /// `ways` has the scaling of grouped results and of the others. Operands are swapped if the first has one element
    /// per run, or if the second is scaled by a shift.
    pub(crate) fn new(
        pairs: &'static Pairs,
        combine: Combine,
        (loops, groups): (Loops<2>, Groups),
        ways: [Ways; 2],
        (bytes, mut flips): (Bytes, [u8; 2]),
        inputs: [Id; 2],
        output: Id,
    ) -> Self {
        let [a, b, _] = ways[0].factors.map(Factor::power_of_two);
        let swaps = match loops.moves {
            [false, true] => true,
            [true, true] => a.is_none() && b.is_some(),
            _ => false,
        };
        let (mut combine, mut ways, near, copy) = (combine, ways, None, None);
        if swaps {
            flips.swap(0, 1);
            (combine, ways) = (combine.swapped(), ways.map(Ways::swapped));
        }
        let tables = ways.map(|ways| Tables::new(pairs.lanes, &ways, bytes));
        let mut step =
            PairU8 { pairs, combine, loops, groups, swaps, tables, bytes, flips, near, inputs, output, copy };
        // Both ways round by less than what makes a result exact.
        let Ways { biases, factors } = ways[1];
        step.near = match step.loops.runs() * step.loops.run {
            LEAST_PROVEN.. => {
                let exact: Vec<Pair<'_>> = groups.ways().map(|way| step.pair(way)).collect();
                Approximation::proven(pairs, combine, biases, factors, bytes.zero_point, &exact)
            }
            _ => None,
        }
        .or_else(|| Approximation::new(combine, biases, factors, bytes.zero_point));
        step
    }

    /// The step that also writes a copy with a border.
    pub(crate) fn with_copy(self, copy: Option<Bordered>) -> PairU8 {
        PairU8 { copy, ..self }
    }

    /// The parameters of grouped results, or of the others.
    fn pair(&self, way: usize) -> Pair<'_> {
        let Tables { blocks: [a, b, y], way, shift } = &self.tables[way];
        Pair::new([a, b, y], *way, *shift, self.bytes).flipped(self.flips).near(self.near)
    }

    /// The results of all bytes with `byte` as operand `o`, in place `column` of a run; `None` if they depend on the
    /// run.
    pub(crate) fn with_constant(&self, o: usize, byte: u8, column: usize) -> Option<[u8; 256]> {
        let depends = !self.groups.is_even() && self.groups.run != self.loops.run;
        let pair = self.pair(usize::from(!self.groups.is_grouped(column)));
        let (all, same, mut results) = (std::array::from_fn(|x| x as u8), [byte; 256], [0; 256]);
        let [a, b]: [&[u8; 256]; 2] = if (o == 0) == self.swaps { [&all, &same] } else { [&same, &all] };
        let operands = [Source::of(&a[..]), Source::of(&b[..])];
        self.pairs.combined(self.combine, &pair, operands, &mut Target::of(&mut results));
        (!depends).then_some(results)
    }

    /// The operands of a part of a run.
    fn operands<'s>(
        &self,
        run: usize,
        part: &Range<usize>,
        inputs: [Source<'s, u8>; 2],
    ) -> [Source<'s, u8>; 2] {
        let starts = self.loops.starts(run);
        std::array::from_fn(|o| match self.loops.moves[o] {
            true => inputs[o].part(starts[o] + part.start, part.len()),
            false => inputs[o].part(starts[o], 1),
        })
    }

    /// Computes `y`, the results from index `at` on. Operands have as many bytes, or one if they do not move.
    fn span(&self, at: usize, moves: [bool; 2], operands: [Source<'_, u8>; 2], y: &mut Target<'_, u8>) {
        let mut done = 0;
        while done < y.len() {
            let place = (at + done) % self.groups.run;
            let (way, end) = match place < self.groups.grouped {
                true if self.groups.is_even() => (0, usize::MAX),
                true => (0, self.groups.grouped),
                false if self.groups.is_even() => (1, usize::MAX),
                false => (1, self.groups.run),
            };
            let n = (end - place).min(y.len() - done);
            let pair = self.pair(way);
            let mut operands =
                std::array::from_fn(|o| if moves[o] { operands[o].part(done, n) } else { operands[o] });
            if self.swaps {
                operands.swap(0, 1);
            }
            self.pairs.combined(self.combine, &pair, operands, &mut y.part(done, n));
            done += n;
        }
    }
}

impl Step for PairU8 {
    fn name(&self) -> &'static str {
        "byte pairs"
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let inputs = self.inputs.map(|id| cx.input::<u8>(id));
        let y = cx.output::<u8>(self.output).share();
        let copy = self.copy.map(|bordered| (bordered, cx.output::<u8>(bordered.id).share()));
        let finish = |range: Range<usize>| {
            if let Some((bordered, copy)) = copy {
                // SAFETY: the thread that has written these results copies them.
                unsafe { bordered.copy(y, range, copy) };
            }
        };
        if let Some(together) = RunGroups::new(&self.loops, ROOM).filter(|_| self.groups.is_even()) {
            return cx.parallel_for(together.pieces(&self.loops), CHUNK.div_ceil(ROOM), |range| {
                together.for_each(&self.loops, range, inputs, &mut [0; ROOM], |results, operands| {
                    // SAFETY: pieces are whole runs, of which each is in one, and each piece is one thread's.
                    let mut y = unsafe { y.part(results.start, results.len()) };
                    self.span(results.start, [true; 2], operands, &mut y);
                    finish(results);
                });
            });
        }
        let parts = self.loops.run.div_ceil(CHUNK);
        let grain = (CHUNK / self.loops.run.min(CHUNK)).max(1);
        cx.parallel_for(self.loops.runs() * parts, grain, |range| {
            for item in range {
                let (run, part) = (item / parts, item % parts);
                let part = part * CHUNK..((part + 1) * CHUNK).min(self.loops.run);
                let at = run * self.loops.run + part.start;
                // SAFETY: parts cut a run, runs cut the results, and each part is one thread's.
                let mut y = unsafe { y.part(at, part.len()) };
                self.span(at, self.loops.moves, self.operands(run, &part, inputs), &mut y);
                finish(at..at + part.len());
            }
        })
    }

    fn in_place(&self, id: Id) -> InPlace {
        // SAFETY: where an operand covers the results, element by element, the thread that writes a result reads its
        // elements before.
        unsafe { InPlace::only_if((0..2).all(|i| self.inputs[i] != id || self.loops.covers(i))) }
    }
}
