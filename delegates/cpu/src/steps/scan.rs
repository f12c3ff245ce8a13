//! A counted loop: steps that run in each round, on places that move from round to round. Carried values are not
//! copied.
//!
//! ```text
//! state     round 0 reads the initial value, the last one writes the result; rounds between write to the result and to a
//!           second buffer by turns:     initial ─► buffer ─► result ─► buffer ─► result
//! feed      row first + step · round of a tensor outside
//! list      the row is copied to its place
//! ```

use std::sync::{Mutex, MutexGuard, PoisonError};

use arenite_abi::prelude::*;
use arenite_layers::Id;

use crate::memory::{LINE, Place, Source, Target};
use crate::step::{Ports, Run, Step};

/// Row `first + step · round` of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RowSchedule {
    /// In round 0.
    pub first: usize,
    /// From one round to the next.
    pub step: isize,
    /// Bytes of a row.
    pub bytes: usize,
}

impl RowSchedule {
    /// Where the row of a round begins.
    fn offset(&self, round: usize) -> usize {
        self.first.wrapping_add_signed(self.step * round as isize) * self.bytes
    }

    /// Whether `rounds` rounds meet all of `bytes`.
    pub(crate) fn cover(&self, rounds: usize, bytes: usize) -> bool {
        let count = bytes / self.bytes.max(1);
        rounds > 0 && count == 1 || self.step.abs() == 1 && rounds == count
    }
}

/// A row of a tensor outside that a round reads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Feed {
    /// In the body.
    pub value: Id,
    /// Outside.
    pub from: Id,
    /// Which.
    pub rows: RowSchedule,
}

/// A value that one round passes to the next.
#[derive(Clone, Copy, Debug)]
pub(crate) struct State {
    /// When a round begins.
    pub value: Id,
    /// When it ends.
    pub source: Id,
    /// Outside, before the loop.
    pub initial: Id,
    /// The value outside that receives the result of the last round.
    pub last: Id,
    /// Its size.
    pub bytes: usize,
}

/// A tensor of which each round writes a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct List {
    /// The row, in the body.
    pub row: Id,
    /// Outside, before the loop.
    pub initial: Id,
    /// The value outside that receives the result of the last round.
    pub last: Id,
    /// Size of the list.
    pub bytes: usize,
    /// Which.
    pub rows: RowSchedule,
}

/// A value that is a part of another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Alias {
    /// The value.
    pub to: Id,
    /// That one.
    pub from: Id,
    /// Where in there it begins.
    pub offset: usize,
}

/// A counted loop.
pub(crate) struct Scan {
    /// How often the steps run.
    pub rounds: usize,
    /// In each round, each with the values of its node.
    pub steps: Vec<(Box<dyn Step>, Ports)>,
    /// Set before the steps run, in this order; with their sizes.
    pub aliases: Vec<(Alias, usize)>,
    /// Read.
    pub feeds: Vec<Feed>,
    /// States that are not copied: a step writes the source directly to the state's memory.
    pub states: Vec<State>,
    /// States that are copied, as their source is computed in other memory.
    pub moved: Vec<State>,
    /// Written row by row.
    pub lists: Vec<List>,
    /// Outputs that are inputs: from, to, size.
    pub kept: Vec<(Id, Id, usize)>,
    /// Outputs that are numbers.
    pub counters: Vec<(Id, i32)>,
    /// The places of a round.
    pub table: Table,
}

/// The places of all values of a net, as a round has them. One call of the loop uses it at a time.
pub(crate) struct Table(Mutex<Vec<Place>>);

impl Table {
    /// A table of this many values.
    pub(crate) fn of(values: usize) -> Table {
        Table(Mutex::new(vec![Place::NOWHERE; values]))
    }

    /// A call that panicked leaves its places in the table; `run` overwrites them.
    fn lock(&self) -> MutexGuard<'_, Vec<Place>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Scan {
    fn all_states(&self) -> impl Iterator<Item = &State> {
        self.states.iter().chain(&self.moved)
    }

    /// Bytes of the second buffers of states.
    fn buffers(&self) -> usize {
        self.all_states().map(|state| state.bytes.next_multiple_of(LINE)).sum()
    }

    /// Writes the outputs that do not depend on a round.
    fn begin(&self, cx: &Run<'_>) {
        for &(from, to, bytes) in &self.kept {
            cx.output::<u8>(to).part(0, bytes).copy_from(cx.input(from).part(0, bytes));
        }
        for &(to, number) in &self.counters {
            cx.output::<u8>(to).part(0, size_of::<i32>()).copy_from(Source::of(&number.to_ne_bytes()));
        }
        for list in self.lists.iter().filter(|list| !list.rows.cover(self.rounds, list.bytes)) {
            let from = cx.input(list.initial).part(0, list.bytes);
            self.list(list, cx).part(0, list.bytes).copy_from(from);
        }
    }

    /// A list as a target, to write one row or all of them.
    fn list<'r>(&self, list: &List, cx: &'r Run<'_>) -> Target<'r, u8> {
        // SAFETY: an output of this step, of which `output` gives no target: the loop's body knows lists by their rows
        // only. `begin` and `end` have one at a time, and no step of the body is at work then.
        unsafe { cx.places()[list.last].target() }
    }

    /// Sets the places of a round in the table of all; `buffers` are the states'.
    fn place(&self, round: usize, cx: &Run<'_>, table: &mut [Place], buffers: Place) {
        let outside = cx.places();
        for feed in &self.feeds {
            table[feed.value] = outside[feed.from].part(feed.rows.offset(round), feed.rows.bytes);
        }
        for (i, (state, buffer)) in self.buffered(buffers).enumerate() {
            table[state.value] = match round {
                0 => outside[state.initial].part(0, state.bytes),
                _ => self.target(round - 1, outside[state.last], buffer),
            };
            if i < self.states.len() {
                table[state.source] = self.target(round, outside[state.last], buffer);
            }
        }
        for &(Alias { to, from, offset }, bytes) in &self.aliases {
            table[to] = table[from].part(offset, bytes);
        }
    }

    /// All states, each with its second buffer.
    fn buffered(&self, buffers: Place) -> impl Iterator<Item = (&State, Place)> {
        self.all_states().scan(0, move |at, state| {
            let buffer = buffers.part(*at, state.bytes);
            *at += state.bytes.next_multiple_of(LINE);
            Some((state, buffer))
        })
    }

    /// Where a round writes a state.
    fn target(&self, round: usize, result: Place, buffer: Place) -> Place {
        if (self.rounds - 1 - round).is_multiple_of(2) { result.part(0, buffer.bytes()) } else { buffer }
    }

    /// Copies the results of a round that were computed in other memory.
    fn end(&self, round: usize, cx: &Run<'_>, table: &[Place], buffers: Place) {
        for (state, buffer) in self.buffered(buffers).skip(self.states.len()) {
            let to = self.target(round, cx.places()[state.last], buffer);
            // SAFETY: no step of the body is at work. `to` is an output of this step, of which `output` gives no
            // target, or a part of its scratch memory; both are read and written here alone until the next round.
            let (from, mut to) = unsafe { (table[state.source].source::<u8>(), to.target()) };
            to.copy_from(from.part(0, state.bytes));
        }
        for list in &self.lists {
            // SAFETY: no step of the body is running, so the row is not being written.
            let from = unsafe { table[list.row].source() }.part(0, list.rows.bytes);
            self.list(list, cx).part(list.rows.offset(round), list.rows.bytes).copy_from(from);
        }
    }
}

impl Step for Scan {
    fn name(&self) -> &'static str {
        "WHILE"
    }

    fn scratch(&self) -> usize {
        let inner = self.steps.iter().map(|(step, _)| step.scratch()).max().unwrap_or(0);
        self.buffers() + inner
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let rest = cx.scratch().place();
        let buffers = rest.part(0, self.buffers());
        let scratch = rest.part(self.buffers(), rest.bytes() - self.buffers());
        self.begin(cx);
        let mut table = self.table.lock();
        let count = table.len();
        table.copy_from_slice(&cx.places()[..count]);
        for round in 0..self.rounds {
            if cx.is_cancelled() {
                return Err(Error::new(Status::Cancelled, format_args!("")));
            }
            self.place(round, cx, &mut table, buffers);
            for (step, ports) in &self.steps {
                // SAFETY: the places are places of this run, parts of them, or parts of its scratch memory, and
                // `scratch` is the rest of that. `place` gives a state that a round writes another buffer than the one
                // it reads, and the net's layout separates the other values.
                step.run(&unsafe { cx.within(&table, scratch, ports) })?;
            }
            self.end(round, cx, &table, buffers);
        }
        Ok(())
    }
}
