//! What a step sees while it runs: the values that it reads and writes, its scratch memory, and threads.

use std::cell::Cell;

use arenite_abi::prelude::*;
use arenite_layers::Id;
use bytemuck::Pod;

use super::layout::Frame;
use crate::memory::{Place, Source, Target};
use crate::net::Node;

/// What a step sees while it runs: the values of its node, so that safe code reaches no memory that the layout gave to other values.
pub struct Run<'a> {
    places: &'a [Place],
    scratch: Cell<Place>,
    eval: &'a EvalContext<'a>,
    ports: &'a Ports,
    handed_out: &'a HandedOut,
    /// The number of this run among those of all steps.
    number: u64,
}

/// The values that a step reads and those that it writes, each ascending.
pub struct Ports {
    inputs: Box<[Id]>,
    outputs: Box<[Id]>,
}

impl Ports {
    /// Of a node.
    pub fn of(node: &Node<'_>) -> Ports {
        Ports::new(node.inputs.clone(), Frame::written(node))
    }

    fn new(mut inputs: Vec<Id>, mut outputs: Vec<Id>) -> Ports {
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
pub struct HandedOut {
    /// How many runs have begun.
    runs: Cell<u64>,
    /// By value: the number of a run, 0 if there was none.
    last: Vec<Cell<u64>>,
}

impl HandedOut {
    /// Of this many values, none of which was handed out.
    pub fn none_of(values: usize) -> Self {
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
        assert!(has(&ports.outputs, id), "a step asks for value {id}, which is no output of its node");
        assert!(self.last[id].replace(number) != number, "a step asks for output {id} twice");
    }
}

/// The values that a step reads; threads have copies of it.
#[derive(Clone, Copy)]
pub struct Inputs<'r> {
    places: &'r [Place],
    ids: &'r [Id],
}

impl<'r> Inputs<'r> {
    /// No values.
    pub const NONE: Inputs<'r> = Inputs { places: &[], ids: &[] };

    /// A value.
    ///
    /// # Panics
    /// If the step's node does not read it.
    #[inline]
    pub fn get<T: Pod>(self, id: Id) -> Source<'r, T> {
        if !has(self.ids, id) {
            not_read(id);
        }
        // SAFETY: an input of the step, as just checked, whose place is readable during the run, as `Run::new` requires. What overlaps it is
        // an output for which the step gave an `InPlace` or `Behind`: so an element is read before it is written, by the same thread and
        // through pointers.
        unsafe { self.places[id].source() }
    }
}

#[cold]
#[inline(never)]
fn not_read(id: Id) -> ! {
    std::panic::panic_any(format!("a step reads value {id}, which is no input of its node"))
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
        (handed_out, ports): (&'a HandedOut, &'a Ports),
    ) -> Run<'a> {
        Run { places, scratch: Cell::new(scratch), eval, ports, handed_out, number: handed_out.begin() }
    }

    /// A run of a step inside of this one.
    ///
    /// # Safety
    /// That of [`new`](Self::new).
    pub unsafe fn within<'b>(&'b self, places: &'b [Place], scratch: Place, ports: &'b Ports) -> Run<'b> {
        // SAFETY: this function requires the same.
        unsafe { Run::new(places, scratch, self.eval, (self.handed_out, ports)) }
    }

    /// A value that the step reads.
    ///
    /// # Panics
    /// If its node does not read it.
    #[inline]
    pub fn input<T: Pod>(&self, id: Id) -> Source<'_, T> {
        self.inputs().get(id)
    }

    /// All values that the step reads.
    #[inline]
    pub fn inputs(&self) -> Inputs<'_> {
        Inputs { places: self.places, ids: &self.ports.inputs }
    }

    /// A value that the step writes.
    ///
    /// # Panics
    /// If the step has asked for it before, or its node does not write it.
    pub fn output<T: Pod>(&self, id: Id) -> Target<'_, T> {
        self.handed_out.take(self.ports, id, self.number);
        // SAFETY: an output of the step, of which `take` lets no second target exist. Its place is writable during the run and overlaps no
        // other output, as `new` requires. Where it overlaps an input, that is as in `Inputs::get`.
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

    /// Other values may lie where a step's outputs do. Short lists of ids and long ones are searched differently.
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
                        let message = format!("a step reads value {id}, which is no input of its node");
                        assert_eq!(panics(|| _ = inputs.get::<f32>(id)), message);
                    }
                }
                match id % 4 {
                    1 => handed_out.take(&ports, id, number),
                    _ => {
                        let message = format!("a step asks for value {id}, which is no output of its node");
                        assert_eq!(panics(|| handed_out.take(&ports, id, number)), message);
                    }
                }
            }
        }
    }
}
