//! A compiled partition: steps in order, and where each value lies.
//!
//! ```text
//! values:  partition's inputs ─► intermediates (one scratch buffer, laid out by the host's planner) ─► its outputs
//! ```
//! A value that only renames another one's bytes (a reshape) has the other's place. A step's result may take the place of an
//! input that nobody reads later, if the step says so. Intermediates may lie in the memory of outputs that are not written yet.

mod layout;
mod lodging;
#[cfg(test)]
mod tests;
#[cfg(any(test, debug_assertions))]
mod verify;

use std::sync::Arc;
use std::time::Instant;

use arenite_abi::prelude::*;
use arenite_layers::{Aligned, Id, is_aligned};
use bytemuck::AnyBitPattern;

use crate::memory::{self, Source, Target};
use crate::net::Net;
use layout::{Buffers, Built, Frame, Place, Places as Found};

/// What runs.
pub trait Step: Send + Sync {
    /// Computes all outputs.
    fn run(&self, cx: &Run<'_>) -> Result<()>;

    /// What it does, for profiles.
    fn name(&self) -> &'static str;

    /// Where its packed weights begin.
    fn weights(&self) -> Ahead {
        Ahead::NOTHING
    }

    /// Tells it where the next step's weights begin, to ask for them ahead of time.
    fn follow(&mut self, _next: Ahead) {}

    /// Bytes of scratch memory, at a multiple of 64, that `run` gets.
    fn scratch(&self) -> usize {
        0
    }

    /// Whether output 0 may lie where this input lies: each element is read before the one at its place is written, and by the same thread.
    /// Who says so promises it: sources and targets then are the same memory, which nothing else keeps apart.
    fn in_place(&self, _input: Id) -> bool {
        false
    }

    /// If output 0 may lie over this input, so that it follows it as it is read: by how many bytes it has to begin in front of the input.
    /// That no element is written before it was read is a promise, too.
    fn behind(&self, _input: Id) -> Option<u64> {
        None
    }
}

/// An address that is asked for ahead of time, and never read through.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Ahead(usize);

impl Ahead {
    /// None.
    pub const NOTHING: Ahead = Ahead(0);

    /// Where these weights begin.
    pub fn of(weights: &[f32]) -> Ahead {
        Ahead(weights.as_ptr().addr())
    }

    /// The address.
    pub fn address(self) -> *const f32 {
        std::ptr::without_provenance(self.0)
    }
}

/// What a step sees while it runs.
pub struct Run<'a> {
    places: &'a [memory::Place],
    scratch: memory::Place,
    eval: &'a EvalContext<'a>,
}

impl Run<'_> {
    /// A value that the step reads.
    pub fn input<T: AnyBitPattern>(&self, id: Id) -> Source<'_, T> {
        self.places[id].source()
    }

    /// A value that the step writes, which it asks for once. Outputs overlap neither one another nor inputs, but for those that the step
    /// allowed.
    pub fn output<T: AnyBitPattern>(&self, id: Id) -> Target<'_, T> {
        self.places[id].target()
    }

    /// The place of each value, by id.
    pub fn places(&self) -> &[memory::Place] {
        self.places
    }

    /// What a step inside of this one sees.
    pub fn within<'b>(&'b self, places: &'b [memory::Place], scratch: memory::Place) -> Run<'b> {
        Run { places, scratch, eval: self.eval }
    }

    /// Whether the caller wants no more.
    pub fn is_cancelled(&self) -> bool {
        self.eval.is_cancelled()
    }

    /// The step's scratch memory, as much as it wants; asked for once.
    pub fn scratch(&self) -> Target<'_, u8> {
        self.scratch.target()
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
    pub fn parallel_parts<T: AnyBitPattern + Send>(
        &self,
        target: Target<'_, T>,
        unit: usize,
        grain: impl Into<Grain>,
        body: impl Fn(std::ops::Range<usize>, Target<'_, T>) + Sync,
    ) -> Result<()> {
        let (len, target) = (target.len(), target.share());
        self.parallel_for(len.div_ceil(unit), grain, |range| {
            let (first, end) = (range.start * unit, len.min(range.end * unit));
            // SAFETY: ranges that threads get are disjoint, and so are these elements, which nobody else can reach: the target is used up.
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

struct Compiled {
    step: Box<dyn Step>,
    /// The record of its scratch memory, and how many bytes it wants.
    scratch: Option<(usize, usize)>,
    /// Its first result, if that is a tensor of the graph.
    tensor: Option<usize>,
}

/// The steps of a partition and their memory.
pub struct Program {
    steps: Vec<Compiled>,
    places: Vec<Place>,
    /// Bytes of each value.
    sizes: Vec<usize>,
    buffers: Buffers,
    offsets: Vec<u64>,
    /// Bytes of all intermediates, once they are laid out.
    total: Option<u64>,
    arena: Option<Scratch<u8>>,
    /// In this call, of each value.
    found: Vec<memory::Place>,
    /// Where the partition's outputs lie.
    outputs: Vec<memory::Place>,
    constants: Vec<(Id, Arc<Aligned<u8>>)>,
    #[cfg(any(test, debug_assertions))]
    audit: verify::Audit,
}

impl Program {
    /// Builds a step for each node of the net. The memory of outputs that `is_free` names may be used until they are written.
    ///
    /// Constants that a step has packed now are given to `release`.
    pub fn build(
        net: &Net<'_>,
        is_free: &[bool],
        build: &crate::ops::Build,
        mut release: impl FnMut(usize) -> Result<()>,
    ) -> Result<Program> {
        let frame = Frame::new(net);
        let mut steps = Vec::with_capacity(net.nodes.len());
        for (i, node) in net.nodes.iter().enumerate().filter(|(_, node)| !frame.is_name(node)) {
            let packed = build.store.packed();
            let step = crate::ops::build(node, net, build)?;
            if build.store.packed() > packed {
                node.packed.iter().filter_map(|&id| net.values[id].tensor).try_for_each(&mut release)?;
            }
            steps.push(Built { node: i, step });
        }
        let steps = frame.reorder(steps);
        #[cfg(any(test, debug_assertions))]
        let audit = verify::Audit::of(net, &steps, frame.names.clone());
        let Found { values: places, scratch, buffers } = frame.lay_out(&steps, is_free);
        let compiled = |(Built { node, step }, scratch): (_, Option<usize>)| Compiled {
            scratch: scratch.map(|record| (record, step.scratch())),
            step,
            tensor: net.values[net.nodes[node].outputs[0]].tensor,
        };
        let mut steps: Vec<Compiled> = steps.into_iter().zip(scratch).map(compiled).collect();
        follow(&mut steps);
        let count = net.values.len();
        Ok(Program {
            steps,
            places,
            sizes: net.values.iter().map(|value| value.bytes()).collect(),
            offsets: vec![0; buffers.records.len()],
            buffers,
            total: None,
            arena: None,
            found: vec![memory::Place::NOWHERE; count],
            outputs: vec![memory::Place::NOWHERE; net.outputs.len()],
            constants: net.constants.clone(),
            #[cfg(any(test, debug_assertions))]
            audit,
        })
    }

    /// Has the host lay out the intermediates, once, and give them memory.
    pub fn prepare(&mut self, cx: &mut PrepareContext<'_>) -> Result<()> {
        self.arena = None;
        if !self.buffers.records.is_empty() {
            let total = match self.total {
                Some(total) => total,
                None => *self.total.insert(cx.plan(&self.buffers.records, &mut self.offsets)?),
            };
            self.arena = Some(cx.scratch_aligned::<u8>(usize_of(total)?, 64)?);
        }
        #[cfg(any(test, debug_assertions))]
        self.verify()?;
        Ok(())
    }

    /// Tells what lies in scratch memory.
    pub fn note(&self, notes: &mut PlanNotes<'_>) {
        let Some(arena) = &self.arena else { return };
        let named = self.buffers.records.iter().zip(&self.buffers.names);
        for ((record, name), &offset) in named.zip(&self.offsets) {
            notes.note(arena, record, offset, name);
        }
    }

    /// Looks up where each value lies in this call.
    fn find_places(&mut self, cx: &EvalContext<'_>, arena: memory::Place) -> Result<()> {
        for (o, output) in self.outputs.iter_mut().enumerate() {
            *output = writable(cx.output_bytes(o)?);
        }
        for ((found, &place), &bytes) in self.found.iter_mut().zip(&self.places).zip(&self.sizes) {
            *found = match place {
                Place::Nowhere => continue,
                Place::Input(i) => {
                    let mut input = cx.input_bytes(i)?;
                    if input.as_ptr().align_offset(WIDEST) != 0 {
                        input = aligned(&cx.input(i)?)?;
                    }
                    expect_bytes("input", i, input.len(), bytes)?;
                    readable(input).part(0, bytes)
                }
                Place::Output(o) => {
                    expect_bytes("output", o, self.outputs[o].bytes(), bytes)?;
                    self.outputs[o].part(0, bytes)
                }
                Place::Within(o, at) => self.outputs[o].part(at as usize, bytes),
                Place::Constant(i) => readable(&self.constants[i].1).part(0, bytes),
                Place::Record(r, at) => arena.part((self.offsets[r] + at) as usize, bytes),
            };
        }
        Ok(())
    }

    /// Runs all steps.
    pub fn run(&mut self, cx: &EvalContext<'_>) -> Result<()> {
        let arena = match &self.arena {
            Some(arena) => writable(cx.scratch(arena)?),
            None => memory::Place::NOWHERE,
        };
        self.find_places(cx, arena)?;
        let times = cx.profile();
        for (i, Compiled { step, scratch, tensor }) in self.steps.iter().enumerate() {
            let scratch = scratch.map_or(memory::Place::NOWHERE, |(record, bytes)| {
                arena.part(self.offsets[record] as usize, bytes)
            });
            let start = times.as_ref().map(|_| Instant::now());
            if i > 0 && cx.is_cancelled() {
                return Err(Error::new(Status::Cancelled, format_args!("")));
            }
            step.run(&Run { places: &self.found, scratch, eval: cx })?;
            if let (Some(times), Some(start)) = (&times, start) {
                times.note(i, step.name(), *tensor, start.elapsed().as_nanos() as u64);
            }
        }
        Ok(())
    }
}

/// Tells each step where the next one's weights begin.
fn follow(steps: &mut [Compiled]) {
    let mut next = Ahead::NOTHING;
    for Compiled { step, .. } in steps.iter_mut().rev() {
        step.follow(next);
        next = if step.weights() == Ahead::NOTHING { next } else { step.weights() };
    }
}

/// An error unless there is room for a value of the program: it was made for other shapes.
fn expect_bytes(what: &str, i: usize, bytes: usize, wanted: usize) -> Result<()> {
    ensure!(
        bytes >= wanted,
        "{what} {i} of the partition has {bytes} bytes, it was prepared for {wanted}; prepare it again"
    );
    Ok(())
}

fn usize_of(bytes: u64) -> Result<usize> {
    usize::try_from(bytes).map_err(|_| invalid!("{bytes} bytes do not fit this machine's address space"))
}

/// Of memory that the host lends for a call.
fn writable(bytes: &mut [u8]) -> memory::Place {
    // SAFETY: the slice's own, which the host hands out once per call: all that is done to it until the call ends goes through places.
    unsafe { memory::Place::new(bytes.as_mut_ptr(), bytes.len()) }
}

/// Of inputs and constants, which no step has for an output.
fn readable(bytes: &[u8]) -> memory::Place {
    // SAFETY: readable until the call ends, which it is borrowed for or owned by the program; `Frame::new` gives such a place to values
    // that are written nowhere.
    unsafe { memory::Place::new(bytes.as_ptr().cast_mut(), bytes.len()) }
}

/// Bytes of the widest element.
const WIDEST: usize = 16;

/// A tensor's bytes, which lie at a multiple of its elements' size.
fn aligned<'a>(tensor: &TensorView<'a>) -> Result<&'a [u8]> {
    ensure!(
        is_aligned(tensor),
        "'{}' is {} and lies at {:p}, between elements; run it without the delegate cpu",
        tensor.name,
        tensor.ty,
        tensor.as_ptr()
    );
    Ok(tensor.bytes())
}
