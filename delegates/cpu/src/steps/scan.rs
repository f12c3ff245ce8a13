//! A counted loop: steps that run in each round, on places that move from round to round. Nothing that is carried is copied.
//!
//! ```text
//! state     round 0 reads the initial value, the last one writes the result; rounds between write to the result and to a
//!           second buffer by turns:     initial ─► buffer ─► result ─► buffer ─► result
//! feed      row first + step · round of a tensor outside
//! list      the row is copied to its place
//! ```

use arenite_abi::prelude::*;
use arenite_layers::Id;

use crate::memory::Shared;
use crate::program::{Run, Step};

/// Row `first + step · round` of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rows {
    /// In round 0.
    pub first: usize,
    /// From one round to the next.
    pub step: isize,
    /// Bytes of a row.
    pub bytes: usize,
}

impl Rows {
    /// Where the row of a round begins.
    fn offset(&self, round: usize) -> usize {
        self.first.wrapping_add_signed(self.step * round as isize) * self.bytes
    }

    /// Whether `rounds` rounds meet all of `bytes`.
    pub fn cover(&self, rounds: usize, bytes: usize) -> bool {
        let count = bytes / self.bytes.max(1);
        rounds > 0 && count == 1 || self.step.abs() == 1 && rounds == count
    }
}

/// A row of a tensor outside that a round reads.
#[derive(Clone, Copy, Debug)]
pub struct Feed {
    /// In the body.
    pub value: Id,
    /// Outside.
    pub from: Id,
    /// Which.
    pub rows: Rows,
}

/// What a round leaves for the next.
#[derive(Clone, Copy, Debug)]
pub struct State {
    /// When a round begins.
    pub value: Id,
    /// When it ends.
    pub source: Id,
    /// Outside, before the loop.
    pub initial: Id,
    /// Outside, behind it.
    pub last: Id,
    /// Its size.
    pub bytes: usize,
}

/// A tensor of which each round writes a row.
#[derive(Clone, Copy, Debug)]
pub struct List {
    /// The row, in the body.
    pub row: Id,
    /// Outside, before the loop.
    pub initial: Id,
    /// Outside, behind it.
    pub last: Id,
    /// Size of the list.
    pub bytes: usize,
    /// Which.
    pub rows: Rows,
}

/// A value that lies inside of another one.
#[derive(Clone, Copy, Debug)]
pub struct Alias {
    /// The value.
    pub to: Id,
    /// That one.
    pub from: Id,
    /// Where in there it begins.
    pub offset: usize,
}

/// A counted loop.
pub struct Scan {
    /// How often the steps run.
    pub rounds: usize,
    /// In each round.
    pub steps: Vec<Box<dyn Step>>,
    /// Set before the steps run, in this order.
    pub aliases: Vec<Alias>,
    /// Read.
    pub feeds: Vec<Feed>,
    /// States whose source a step writes to where it is wanted.
    pub states: Vec<State>,
    /// Those whose source lies elsewhere, and is copied.
    pub moved: Vec<State>,
    /// Written row by row.
    pub lists: Vec<List>,
    /// Outputs that are inputs: from, to, size.
    pub kept: Vec<(Id, Id, usize)>,
    /// Outputs that are numbers.
    pub counters: Vec<(Id, i32)>,
    /// Values of the net.
    pub count: usize,
}

/// Scratch memory begins at multiples of so many bytes.
const LINE: usize = 64;

impl Scan {
    /// Bytes of the copy of all places.
    fn table(&self) -> usize {
        (self.count * size_of::<Shared<u8>>()).next_multiple_of(LINE)
    }

    fn all_states(&self) -> impl Iterator<Item = &State> {
        self.states.iter().chain(&self.moved)
    }

    /// Bytes of the second buffers of states.
    fn buffers(&self) -> usize {
        self.all_states().map(|state| state.bytes.next_multiple_of(LINE)).sum()
    }

    /// Writes what no round does.
    ///
    /// # Safety
    /// The places are those of the net.
    unsafe fn begin(&self, cx: &Run<'_>) {
        // SAFETY: sizes are those of the values; outputs overlap no inputs.
        unsafe {
            for &(from, to, bytes) in &self.kept {
                std::ptr::copy_nonoverlapping(cx.place::<u8>(from), cx.place(to), bytes);
            }
            for &(to, number) in &self.counters {
                cx.place::<i32>(to).write_unaligned(number);
            }
            for list in self.lists.iter().filter(|list| !list.rows.cover(self.rounds, list.bytes)) {
                std::ptr::copy_nonoverlapping(cx.place::<u8>(list.initial), cx.place(list.last), list.bytes);
            }
        }
    }

    /// Sets the places of a round.
    ///
    /// # Safety
    /// `table` has a place for each value, which nobody else reads; `buffers` are the states'.
    unsafe fn place(&self, round: usize, cx: &Run<'_>, table: *mut Shared<u8>, buffers: *mut u8) {
        // SAFETY: ids are those of values; rows lie inside of their tensors, as was checked when the loop was lowered.
        unsafe {
            let set = |id: Id, to: *mut u8| table.add(id).write(Shared::new(to));
            for feed in &self.feeds {
                set(feed.value, cx.place::<u8>(feed.from).add(feed.rows.offset(round)));
            }
            let mut buffer = buffers;
            for (i, state) in self.all_states().enumerate() {
                let from = match round {
                    0 => cx.place(state.initial),
                    _ => self.target(round - 1, cx.place(state.last), buffer),
                };
                set(state.value, from);
                if i < self.states.len() {
                    set(state.source, self.target(round, cx.place(state.last), buffer));
                }
                buffer = buffer.add(state.bytes.next_multiple_of(LINE));
            }
            for alias in &self.aliases {
                set(alias.to, (*table.add(alias.from)).get().add(alias.offset));
            }
        }
    }

    /// Where a round writes a state.
    fn target(&self, round: usize, result: *mut u8, buffer: *mut u8) -> *mut u8 {
        if (self.rounds - 1 - round).is_multiple_of(2) { result } else { buffer }
    }

    /// Moves what the steps of a round left elsewhere.
    ///
    /// # Safety
    /// As of [`place`](Self::place).
    unsafe fn end(&self, round: usize, cx: &Run<'_>, table: *const Shared<u8>, buffers: *mut u8) {
        // SAFETY: as above; a state's two places are apart, and a list from all else.
        unsafe {
            let at = |id: Id| (*table.add(id)).get();
            let direct = self.states.iter().map(|state| state.bytes.next_multiple_of(LINE)).sum();
            let mut buffer = buffers.add(direct);
            for state in &self.moved {
                let to = self.target(round, cx.place(state.last), buffer);
                std::ptr::copy_nonoverlapping(at(state.source), to, state.bytes);
                buffer = buffer.add(state.bytes.next_multiple_of(LINE));
            }
            for list in &self.lists {
                let to = cx.place::<u8>(list.last).add(list.rows.offset(round));
                std::ptr::copy_nonoverlapping(at(list.row), to, list.rows.bytes);
            }
        }
    }
}

impl Step for Scan {
    fn name(&self) -> &'static str {
        "WHILE"
    }

    fn scratch(&self) -> usize {
        let inner = self.steps.iter().map(|step| step.scratch()).max().unwrap_or(0);
        self.table() + self.buffers() + inner
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let table = cx.scratch::<Shared<u8>>();
        let buffers = cx.scratch::<u8>().wrapping_add(self.table());
        let scratch = buffers.wrapping_add(self.buffers());
        // SAFETY: the step was built for this net; its scratch memory has room for the table, the buffers, and what the largest
        // step wants, one behind the other.
        unsafe {
            self.begin(cx);
            std::ptr::copy_nonoverlapping(cx.all().as_ptr(), table, self.count);
        }
        for round in 0..self.rounds {
            if cx.is_cancelled() {
                return Err(Error::new(Status::Cancelled, format_args!("")));
            }
            // SAFETY: as above; nobody writes the table while steps read it.
            let places = unsafe {
                self.place(round, cx, table, buffers);
                std::slice::from_raw_parts(table, self.count)
            };
            let inner = cx.within(places, scratch);
            self.steps.iter().try_for_each(|step| step.run(&inner))?;
            // SAFETY: as above.
            unsafe { self.end(round, cx, table, buffers) };
        }
        Ok(())
    }
}
