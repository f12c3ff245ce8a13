//! What a step sees while it runs: the values that it reads and writes, its scratch memory, and threads.

use std::cell::Cell;

use arenite_abi::prelude::*;
use arenite_layers::Id;
use bytemuck::Pod;

use crate::memory::{Place, Source, Target};

/// What a step sees while it runs.
pub struct Run<'a> {
    places: &'a [Place],
    scratch: Cell<Place>,
    eval: &'a EvalContext<'a>,
    handed_out: &'a HandedOut,
    /// The number of this run among those of all steps.
    number: u64,
}

/// In which run of a step each value was handed out last, so that no step gets an output twice.
pub struct HandedOut {
    /// How many runs have begun.
    runs: Cell<u64>,
    /// By value: the number of a run, 0 if there was none.
    last: Vec<Cell<u64>>,
}

impl HandedOut {
    /// None of so many values was.
    pub fn none_of(values: usize) -> Self {
        HandedOut { runs: Cell::new(0), last: vec![Cell::new(0); values] }
    }

    /// Begins a run; gives its number.
    fn begin(&self) -> u64 {
        self.runs.set(self.runs.get() + 1);
        self.runs.get()
    }

    /// Notes that run `number` gets output `id`.
    ///
    /// # Panics
    /// If it has got it before.
    fn take(&self, id: Id, number: u64) {
        assert!(self.last[id].replace(number) != number, "a step asks for output {id} twice");
    }
}

/// The values that a step reads; threads have copies of it.
#[derive(Clone, Copy)]
pub struct Inputs<'r>(&'r [Place]);

impl<'r> Inputs<'r> {
    /// No values.
    pub const NONE: Inputs<'r> = Inputs(&[]);

    /// A value.
    #[inline]
    pub fn get<T: Pod>(self, id: Id) -> Source<'r, T> {
        // SAFETY: the place is readable during the run, as `Run::new` requires. What overlaps it is an output for which the step gave an
        // `InPlace` or `Behind`: so an element is read before it is written, by the same thread and through pointers.
        unsafe { self.0[id].source() }
    }
}

impl<'a> Run<'a> {
    /// A run of a step on these places, by value, and on scratch memory.
    ///
    /// # Safety
    /// During `'a` all places are initialised and readable, those of the step's outputs and the scratch memory are writable, and nobody but
    /// the step touches outputs and scratch memory. These overlap one another nowhere, and an input only as the step's
    /// [`in_place`](super::Step::in_place) or [`behind`](super::Step::behind) allows.
    pub unsafe fn new(
        places: &'a [Place],
        scratch: Place,
        eval: &'a EvalContext<'a>,
        handed_out: &'a HandedOut,
    ) -> Run<'a> {
        Run { places, scratch: Cell::new(scratch), eval, handed_out, number: handed_out.begin() }
    }

    /// What a step inside of this one sees.
    ///
    /// # Safety
    /// That of [`new`](Self::new).
    pub unsafe fn within<'b>(&'b self, places: &'b [Place], scratch: Place) -> Run<'b> {
        // SAFETY: this function requires the same.
        unsafe { Run::new(places, scratch, self.eval, self.handed_out) }
    }

    /// A value that the step reads.
    #[inline]
    pub fn input<T: Pod>(&self, id: Id) -> Source<'_, T> {
        self.inputs().get(id)
    }

    /// All values that the step reads.
    #[inline]
    pub fn inputs(&self) -> Inputs<'_> {
        Inputs(self.places)
    }

    /// A value that the step writes.
    ///
    /// # Panics
    /// If the step has asked for it before.
    pub fn output<T: Pod>(&self, id: Id) -> Target<'_, T> {
        self.handed_out.take(id, self.number);
        // SAFETY: the place is writable during the run and overlaps no other output, as `new` requires; this is the only target of it.
        // Where it overlaps an input, that is as in `Inputs::get`.
        unsafe { self.places[id].target() }
    }

    /// The place of each value, by id.
    pub fn places(&self) -> &[Place] {
        self.places
    }

    /// Whether the caller wants no more.
    pub fn is_cancelled(&self) -> bool {
        self.eval.is_cancelled()
    }

    /// The step's scratch memory, as much as it wants. Whoever asks again gets none.
    pub fn scratch(&self) -> Target<'_, u8> {
        let scratch = self.scratch.replace(Place::NOWHERE);
        // SAFETY: the memory is this step's alone, as `new` requires, and this is the only target of it.
        unsafe { scratch.target() }
    }

    /// How many threads `parallel_for` may use.
    pub fn threads(&self) -> usize {
        self.eval.threads()
    }

    /// Calls `body` for ranges of at least `grain` that cover `0..count`, on the host's threads.
    pub fn parallel_for(
        &self,
        count: usize,
        grain: impl Into<Grain>,
        body: impl Fn(std::ops::Range<usize>) + Sync,
    ) -> Result<()> {
        let Grain { range, look } = grain.into();
        if count <= range {
            if count > 0 {
                body(0..count);
            }
            return Ok(());
        }
        let mut first = 0;
        while first < count {
            if first > 0 && self.eval.is_cancelled() {
                return Err(Error::new(Status::Cancelled, format_args!("")));
            }
            let some = (count - first).min(look.max(4 * self.threads()));
            self.eval.parallel_for(some, range, |range| body(first + range.start..first + range.end))?;
            first += some;
        }
        Ok(())
    }

    /// As [`parallel_for`](Self::parallel_for), of as many items as parts of `unit` elements make up `target`: `body` gets those of its
    /// items. The last part may be shorter.
    pub fn parallel_parts<T: Pod + Send>(
        &self,
        target: Target<'_, T>,
        unit: usize,
        grain: impl Into<Grain>,
        body: impl Fn(std::ops::Range<usize>, Target<'_, T>) + Sync,
    ) -> Result<()> {
        let (len, target) = (target.len(), target.share());
        self.parallel_for(len.div_ceil(unit), grain, |range| {
            let (first, end) = (range.start * unit, len.min(range.end * unit));
            // SAFETY: the ranges that threads get are disjoint, and so are these elements. Nobody else writes them, as the target is used
            // up, or reads them, but for a source of the step's own, which the step allowed by `InPlace` or `Behind`.
            let part = unsafe { target.part(first, end - first) };
            body(range, part);
        })
    }
}

/// How many items a thread is given at a time, and how many lie between two looks at whether the caller has cancelled: some ten
/// milliseconds.
#[derive(Clone, Copy)]
pub struct Grain {
    range: usize,
    look: usize,
}

/// Multiply-adds that are worth a thread's while: 0.4 microseconds, three times what it takes to hand work to a thread that is
/// awake.
const WORK: usize = 3 << 14;
/// Ranges of so much work between two looks.
const RANGES: usize = 1 << 10;

impl Grain {
    /// Of items that cost that many multiply-adds each. Does not depend on the number of threads, so that ranges do not either.
    pub fn of_cost(cost: usize) -> Grain {
        let look = WORK * RANGES / cost.max(1);
        Grain { range: (look / RANGES).max(1), look: look.max(1) }
    }
}

/// Of light items, by as many as are worth a thread's while.
impl From<usize> for Grain {
    fn from(range: usize) -> Grain {
        Grain { range, look: range * RANGES }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_of_a_step_gets_an_output_once() {
        let handed_out = HandedOut::none_of(3);
        let (outer, inner) = (handed_out.begin(), handed_out.begin());
        handed_out.take(0, outer);
        handed_out.take(1, outer);
        handed_out.take(2, inner);
        // The next run gets all of them again.
        let next = handed_out.begin();
        (0..3).for_each(|id| handed_out.take(id, next));
        let again = std::panic::AssertUnwindSafe(|| handed_out.take(1, next));
        let payload = std::panic::catch_unwind(again).expect_err("it gets an output twice");
        let said = payload.downcast_ref::<String>().map(String::as_str);
        assert_eq!(said, Some("a step asks for output 1 twice"));
    }
}
