//! The place of each value in a call. It is looked up again only if the host lends other memory than in the last call.

use arenite_abi::prelude::*;

use super::Program;
use super::layout::Location;
use super::lent::{expect_bytes, readable, writable};
use super::variables::HostVariables;
use crate::memory::Place;

impl Program {
    /// Looks up the place of each value in this call, unless all are where they were in the last one.
    pub(super) fn find_places(&mut self, cx: &EvalContext<'_>, host: &mut HostVariables<'_>) -> Result<()> {
        let was_found = std::mem::take(&mut self.is_found);
        let arena = match &self.arena {
            Some(arena) => writable(cx.scratch_byte_cells(arena)?),
            None => Place::NOWHERE,
        };
        let mut is_same = self.lent.take(cx, arena)?;
        if !self.variables.ports.is_empty() {
            is_same &= !self.variables.places.update(&self.variables.ports, host)?;
        }
        if !(was_found && is_same) {
            self.lent.expect_apart()?;
            self.place_all()?;
        }
        self.is_found = true;
        Ok(())
    }

    /// Computes the place of each value in the memory that the host lent.
    fn place_all(&mut self) -> Result<()> {
        let (arena, own) = (self.lent.arena, self.lent.own);
        let record = |r: usize, bytes: usize| arena.part(self.offsets[r] as usize, bytes);
        for (&r, place) in self.variables.assigned.iter().zip(&mut self.lent.outputs[own..]) {
            *place = record(r, self.buffers.records[r].size as usize);
        }
        for scratch in self.steps.iter_mut().map(|compiled| &mut compiled.scratch) {
            scratch.place = scratch.record.map_or(Place::NOWHERE, |(r, bytes)| record(r, bytes));
        }
        for value in &self.used.inside {
            self.found[value.id] = arena.part(value.first, value.bytes);
        }
        for &id in &self.used.outside {
            self.found[id] = self.place_outside(id)?;
        }
        Ok(())
    }

    /// The place of a value that is not in the arena.
    fn place_outside(&self, id: usize) -> Result<Place> {
        let (bytes, outputs) = (self.sizes[id], &self.lent.outputs);
        let whole = |what: &str, i: usize, place: Place| {
            expect_bytes(what, i, place.bytes(), bytes)?;
            Ok(place.part(0, bytes))
        };
        match self.places[id] {
            Location::Input(i) => match self.variables.input(i) {
                Some(variable) => Ok(variable.part(0, bytes)),
                None => whole("input", i, self.lent.input(i)),
            },
            Location::Variable(i) => whole("variable", i, self.lent.input(i)),
            Location::Output(o) => whole("output", o, outputs[o]),
            Location::Within(o, at) => Ok(outputs[o].part(at as usize, bytes)),
            Location::Constant(i) => Ok(readable(&self.constants[i].1).part(0, bytes)),
            Location::Nowhere | Location::Record(..) => Ok(self.found[id]),
        }
    }
}
