//! The context of a running step: the values that it reads and writes, its scratch memory, and threads.

use std::cell::Cell;

use arenite_abi::prelude::*;
use arenite_layers::Id;
use bytemuck::Pod;

use crate::memory::{Place, Source, Target};

/// The context of a running step. It only gives access to the values of the step's node, so safe code cannot reach
/// memory that the layout assigned to other values.
pub(crate) struct Run<'a> {
    places: &'a [Place],
    scratch: Cell<Place>,
    eval: &'a EvalContext<'a>,
    ports: &'a Ports,
    handed_out: &'a HandedOut,
    /// The number of this run, counted over all steps.
    number: u64,
}

/// The values that a step reads and writes, in ascending order.
pub(crate) struct Ports {
    inputs: Box<[Id]>,
    outputs: Box<[Id]>,
}

impl Ports {
    /// Of a step that reads `inputs` and writes `outputs`.
    pub(crate) fn new(mut inputs: Vec<Id>, mut outputs: Vec<Id>) -> Ports {
        inputs.sort_unstable();
        outputs.sort_unstable();
        Ports { inputs: inputs.into(), outputs: outputs.into() }
    }
}

/// Whether an ascending list names a value.
#[inline]
fn has(list: &[Id], id: Id) -> bool {
    match list.len() {
        0..=8 => list.contains(&id),
        _ => list.binary_search(&id).is_ok(),
    }
}

/// In which run of a step each value was handed out last, so that no step gets an output twice.
pub(crate) struct HandedOut {
    /// How many runs have begun.
    runs: Cell<u64>,
    /// By value: the number of a run, 0 if there was none.
    last: Vec<Cell<u64>>,
}

impl HandedOut {
    /// A record for this many values, of which none was handed out.
    pub(crate) fn none_of(values: usize) -> Self {
        HandedOut { runs: Cell::new(0), last: vec![Cell::new(0); values] }
    }

    /// Begins a run; returns its number.
    fn begin(&self) -> u64 {
        self.runs.set(self.runs.get() + 1);
        self.runs.get()
    }

    /// Notes that run `number` of a step with these ports gets output `id`.
    ///
    /// # Panics
    /// If it has got it before, or the step's node does not write it.
    fn take(&self, ports: &Ports, id: Id, number: u64) {
        assert!(has(&ports.outputs, id), "a step asks for value {id}, which its node does not write");
        assert!(self.last[id].replace(number) != number, "a step asks for output {id} twice");
    }
}

/// The values that a step reads. Each thread has a copy of this list.
#[derive(Clone, Copy)]
pub(crate) struct Inputs<'r> {
    places: &'r [Place],
    ids: &'r [Id],
}

impl<'r> Inputs<'r> {
    /// No values.
    pub(crate) const NONE: Inputs<'r> = Inputs { places: &[], ids: &[] };

    /// A value.
    ///
    /// # Panics
    /// If the step's node does not read it.
    #[inline]
    pub(crate) fn get<T: Pod>(self, id: Id) -> Source<'r, T> {
        if !has(self.ids, id) {
            not_read(id);
        }
        // SAFETY: an input of the step, as just checked, whose place is readable during the run, as `Run::new`
        // requires. It may overlap only an output for which the step gave an `InPlace` or `Lead`: so an element is read
        // before it is written, by the same thread and through pointers.
        unsafe { self.places[id].source() }
    }
}

#[cold]
#[inline(never)]
fn not_read(id: Id) -> ! {
    std::panic::panic_any(format!("a step reads value {id}, which its node does not list as an input"))
}

impl<'a> Run<'a> {
    /// A run of a step. `places` has the place of each value, by id.
    ///
    /// # Safety
    /// During `'a` all places must be initialized and readable; the step's outputs and `scratch` must also be writable,
    /// and only the step may access them. Outputs and scratch memory must not overlap one another. They may overlap an
    /// input only as the step's [`in_place`](super::Step::in_place) or [`behind`](super::Step::behind) allows.
    pub(crate) unsafe fn new(
        places: &'a [Place],
        scratch: Place,
        eval: &'a EvalContext<'a>,
        (handed_out, ports): (&'a HandedOut, &'a Ports),
    ) -> Run<'a> {
        Run { places, scratch: Cell::new(scratch), eval, ports, handed_out, number: handed_out.begin() }
    }

    /// A run of an inner step, as in the body of a loop.
    ///
    /// # Safety
    /// See [`new`](Self::new).
    pub(crate) unsafe fn within<'b>(
        &'b self,
        places: &'b [Place],
        scratch: Place,
        ports: &'b Ports,
    ) -> Run<'b> {
        // SAFETY: this function requires the same.
        unsafe { Run::new(places, scratch, self.eval, (self.handed_out, ports)) }
    }

    /// A value that the step reads.
    ///
    /// # Panics
    /// If its node does not read it.
    #[inline]
    pub(crate) fn input<T: Pod>(&self, id: Id) -> Source<'_, T> {
        self.inputs().get(id)
    }

    /// All values that the step reads.
    #[inline]
    pub(crate) fn inputs(&self) -> Inputs<'_> {
        Inputs { places: self.places, ids: &self.ports.inputs }
    }

    /// A value that the step writes.
    ///
    /// # Panics
    /// If the step has asked for it before, or its node does not write it.
    pub(crate) fn output<T: Pod>(&self, id: Id) -> Target<'_, T> {
        self.handed_out.take(self.ports, id, self.number);
        // SAFETY: an output of the step, of which `take` lets no second target exist. Its place is writable during the
        // run and overlaps no other output, as `new` requires. Where it overlaps an input, that is as in `Inputs::get`.
        unsafe { self.places[id].target() }
    }

    /// The place of each value, by id.
    pub(crate) fn places(&self) -> &[Place] {
        self.places
    }

    /// Whether the caller cancelled the invocation.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.eval.is_cancelled()
    }

    /// The step's scratch memory, with the size that it declared. Later calls return an empty target.
    pub(crate) fn scratch(&self) -> Target<'_, u8> {
        let scratch = self.scratch.replace(Place::NOWHERE);
        // SAFETY: the memory is this step's alone, as `new` requires, and this is the only target of it.
        unsafe { scratch.target() }
    }

    /// How many threads `parallel_for` may use.
    pub(crate) fn threads(&self) -> usize {
        self.eval.threads()
    }

    /// Calls `body` for ranges of at least `grain` that cover `0..count`, on the host's threads.
    pub(crate) fn parallel_for(
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

    /// Cuts `target` into items of `unit` elements and calls `body` for ranges of items, like
    /// [`parallel_for`](Self::parallel_for), each with its elements. The last item may be shorter.
    pub(crate) fn parallel_parts<T: Pod + Send>(
        &self,
        target: Target<'_, T>,
        unit: usize,
        grain: impl Into<Grain>,
        body: impl Fn(std::ops::Range<usize>, Target<'_, T>) + Sync,
    ) -> Result<()> {
        let (len, target) = (target.len(), target.share());
        self.parallel_for(len.div_ceil(unit), grain, |range| {
            let (first, end) = (range.start * unit, len.min(range.end * unit));
            // SAFETY: threads get disjoint ranges, so the elements are disjoint. No other code writes them, as the
            // target is consumed; only the step itself may read them, through an input for which it returned an
            // `InPlace` or `Lead`.
            let part = unsafe { target.part(first, end - first) };
            body(range, part);
        })
    }
}

/// How many items a thread gets at a time, and after how many items cancellation is polled: about every ten
/// milliseconds.
#[derive(Clone, Copy)]
pub(crate) struct Grain {
    range: usize,
    look: usize,
}

/// The least work of a range in multiply-adds: 0.4 microseconds, three times the cost of handing work to a thread that
/// is awake.
const WORK: usize = 3 << 14;
/// Ranges of so much work between two looks.
const RANGES: usize = 1 << 10;

impl Grain {
    /// Of items that cost that many multiply-adds each. Does not depend on the number of threads, so that ranges do not
    /// either.
    pub(crate) fn of_cost(cost: usize) -> Grain {
        let look = WORK * RANGES / cost.max(1);
        Grain { range: (look / RANGES).max(1), look: look.max(1) }
    }

    /// For items whose results do not depend on the ranges: one thread gets long ranges.
    pub(crate) fn on(self, threads: usize) -> Grain {
        if threads == 1 { Grain { range: self.look, ..self } } else { self }
    }

    /// Whether this many multiply-adds are worth one range only.
    pub(crate) fn is_one_range(cost: usize) -> bool {
        cost <= WORK
    }

    /// How many ranges this many multiply-adds are worth.
    pub(crate) fn ranges(cost: usize) -> usize {
        cost.div_ceil(WORK)
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

    fn panics(f: impl FnOnce()) -> String {
        let payload = std::panic::catch_unwind(std::panic::AssertUnwindSafe(f)).expect_err("it panics");
        payload.downcast_ref::<String>().cloned().expect("a message")
    }

    #[test]
    fn a_run_of_a_step_gets_an_output_once() {
        let (handed_out, all) = (HandedOut::none_of(3), Ports::new(vec![], vec![2, 0, 1]));
        let (outer, inner) = (handed_out.begin(), handed_out.begin());
        handed_out.take(&all, 0, outer);
        handed_out.take(&all, 1, outer);
        handed_out.take(&all, 2, inner);
        // The next run gets all of them again.
        let next = handed_out.begin();
        (0..3).for_each(|id| handed_out.take(&all, id, next));
        assert_eq!(panics(|| handed_out.take(&all, 1, next)), "a step asks for output 1 twice");
    }

    /// Only values of the step's node are accessible. Short and long lists of ids are searched differently.
    #[test]
    fn a_step_reaches_no_value_that_its_node_does_not_have() {
        for others in [0, 9] {
            let ids = |first: Id| (0..=others).map(|i| first + 4 * i).rev().collect();
            let (ports, places) = (Ports::new(ids(0), ids(1)), [Place::NOWHERE; 40]);
            let (inputs, handed_out) =
                (Inputs { places: &places, ids: &ports.inputs }, HandedOut::none_of(40));
            let number = handed_out.begin();
            for id in 0..4 * (others + 1) {
                match id % 4 {
                    0 => assert!(inputs.get::<f32>(id).is_empty()),
                    _ => {
                        let message =
                            format!("a step reads value {id}, which its node does not list as an input");
                        assert_eq!(panics(|| _ = inputs.get::<f32>(id)), message);
                    }
                }
                match id % 4 {
                    1 => handed_out.take(&ports, id, number),
                    _ => {
                        let message = format!("a step asks for value {id}, which its node does not write");
                        assert_eq!(panics(|| handed_out.take(&ports, id, number)), message);
                    }
                }
            }
        }
    }
}
