//! Verification of places: a step overwrites a value that is still needed only if the value is an input that dies there
//! and the step allows the overlap. Debug builds verify each program before it runs.

use arenite_abi::prelude::*;
use arenite_layers::Id;

use super::Program;
use super::layout::Location;
use crate::step::Step;

/// Memory that is written: the scratch buffer, or an output's, from one byte to another.
#[derive(Clone, Copy, Debug)]
struct Span {
    /// 0 is the scratch buffer, others are outputs.
    memory: usize,
    start: u64,
    end: u64,
}

impl Span {
    fn meets(&self, other: &Span) -> bool {
        self.memory == other.memory && self.start < other.end && other.start < self.end
    }
}

/// A value that a step writes, under all of its names.
struct Life {
    span: Span,
    id: Id,
    /// The step that writes it.
    born: usize,
    /// The last step that reads it.
    last: usize,
}

impl Program {
    /// # Errors
    /// If a step would overwrite a value that is still needed. The message names the step and both values.
    pub(crate) fn verify(&self) -> Result<()> {
        let lives = self.lives();
        for (at, (compiled, (inputs, outputs))) in self.steps.iter().zip(&self.audit.uses).enumerate() {
            let living = || lives.iter().filter(|life| (life.born..=life.last).contains(&at));
            for written in living().filter(|life| life.born == at) {
                let others = living().filter(|life| life.id != written.id && life.span.meets(&written.span));
                for other in others {
                    let dies = other.last == at && other.born < at && outputs[0] == written.id;
                    ensure!(
                        dies && self.allows(&*compiled.step, inputs, other, written),
                        "step {at}, {}: value {} at {:?} overlaps value {} at {:?}",
                        compiled.step.name(),
                        written.id,
                        written.span,
                        other.id,
                        other.span
                    );
                }
            }
            if let Some((r, _)) = compiled.scratch.record {
                let scratch = self.span(Location::Record(r, 0), self.buffers.records[r].size);
                let met = living().find(|life| scratch.is_some_and(|scratch| scratch.meets(&life.span)));
                ensure!(
                    met.is_none(),
                    "step {at}, {}: scratch memory overlaps value {:?}",
                    compiled.step.name(),
                    met.map(|life| life.id)
                );
            }
        }
        Ok(())
    }

    /// Whether the step may write its first result over an input, whatever names it reads that by.
    fn allows(&self, step: &dyn Step, inputs: &[Id], input: &Life, output: &Life) -> bool {
        let same = (input.span.start, input.span.end) == (output.span.start, output.span.end);
        let in_front = input.span.start.checked_sub(output.span.start);
        let may = |id| {
            let behind = in_front.zip(step.lead(id)).is_some_and(|(bytes, needed)| bytes >= needed.bytes());
            same && step.in_place(id).is_allowed() || behind
        };
        let names = || inputs.iter().filter(|&&id| self.audit.names[id] == input.id);
        names().next().is_some() && names().all(|&id| may(id))
    }

    /// When each value lives that steps write.
    fn lives(&self) -> Vec<Life> {
        let mut lives: Vec<Life> = Vec::new();
        let mut life_of: Vec<Option<usize>> = vec![None; self.places.len()];
        for (at, (inputs, outputs)) in self.audit.uses.iter().enumerate() {
            for life in inputs.iter().filter_map(|&id| life_of[self.audit.names[id]]) {
                lives[life].last = lives[life].last.max(at);
            }
            for &id in outputs {
                if let Some(span) = self.span(self.places[id], self.sizes[id] as u64) {
                    life_of[id] = Some(lives.len());
                    let last = if matches!(self.places[id], Location::Output(_)) { usize::MAX } else { at };
                    lives.push(Life { span, id, born: at, last });
                }
            }
        }
        lives
    }

    fn span(&self, place: Location, bytes: u64) -> Option<Span> {
        let (memory, start) = match place {
            Location::Record(r, at) => (0, self.offsets[r] + at),
            Location::Within(o, at) => (1 + o, at),
            Location::Output(o) => (1 + o, 0),
            _ => return None,
        };
        Some(Span { memory, start, end: start + bytes })
    }
}
