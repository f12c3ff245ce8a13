//! A compiled partition: steps in order, and where each value lies.
//!
//! ```text
//! values:  partition's inputs ─► intermediates (one scratch buffer, laid out by the host's planner) ─► its outputs
//! ```
//! A value that only renames another one's bytes (a reshape) has the other's place. A step's result may take the place of an
//! input that nobody reads later, if the step says so. Intermediates may lie in the memory of outputs that are not written yet.

mod layout;
mod lodging;
mod run;
#[cfg(test)]
mod tests;
#[cfg(any(test, debug_assertions))]
mod verify;

use std::sync::Arc;
use std::time::Instant;

use arenite_abi::prelude::*;
use arenite_layers::{Aligned, Id, is_aligned};

use crate::memory;
use crate::net::Net;
pub use run::{Grain, Inputs, Ports, Run};

use layout::{Buffers, Built, Frame, Place, Places as Found};
use run::HandedOut;

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

    /// Shrinks the scratch memory towards `bytes`, as far as the step stays as fast on one thread. Results keep every bit.
    fn shrink_scratch(&mut self, _bytes: usize) {}

    /// Whether output 0 may lie where this input lies.
    fn in_place(&self, _input: Id) -> InPlace {
        InPlace::NEVER
    }

    /// If output 0 may lie over this input, so that it follows it as it is read: by how many bytes it has to begin in front of the input.
    fn behind(&self, _input: Id) -> Option<Behind> {
        None
    }
}

/// Whether a step's first output may lie where an input lies.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct InPlace(bool);

impl InPlace {
    /// It may not.
    pub const NEVER: InPlace = InPlace(false);

    /// It may if `condition` holds.
    ///
    /// # Safety
    /// If it holds, the step's `run` reads each element of the input before it writes the one at its place, on the same thread, and makes no
    /// reference to the memory of either.
    pub unsafe fn only_if(condition: bool) -> InPlace {
        InPlace(condition)
    }

    /// Whether it may.
    pub fn is_allowed(self) -> bool {
        self.0
    }
}

/// By how many bytes a step's first output has to begin in front of an input that it may lie over.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Behind(u64);

impl Behind {
    /// By so many.
    ///
    /// # Safety
    /// If it does, the step's `run` has read each byte of the input before it writes the one at its place, also where threads share the
    /// work, and makes no reference to the memory of either.
    pub unsafe fn by(bytes: u64) -> Behind {
        Behind(bytes)
    }

    /// The distance.
    pub fn bytes(self) -> u64 {
        self.0
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

struct Compiled {
    step: Box<dyn Step>,
    /// The values of its node.
    ports: Ports,
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
    handed_out: HandedOut,
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
        // What a step takes beside its inputs and outputs is free up to this sum. With several threads it is not limited: they wait
        // for one another once per block, and smaller blocks cost up to a fifth of the time.
        let most = if build.threads == 1 { net.most_bytes() } else { usize::MAX };
        for (i, node) in net.nodes.iter().enumerate().filter(|(_, node)| !frame.is_name(node)) {
            let packed = build.store.packed();
            let mut step = crate::ops::build(node, net, build)?;
            step.shrink_scratch(most - net.bytes_around(node));
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
            ports: Ports::of(&net.nodes[node]),
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
            handed_out: HandedOut::none_of(count),
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
        for (i, Compiled { step, ports, scratch, tensor }) in self.steps.iter().enumerate() {
            let scratch = scratch.map_or(memory::Place::NOWHERE, |(record, bytes)| {
                arena.part(self.offsets[record] as usize, bytes)
            });
            let start = times.as_ref().map(|_| Instant::now());
            if i > 0 && cx.is_cancelled() {
                return Err(Error::new(Status::Cancelled, format_args!("")));
            }
            // SAFETY: `find_places` looked all places up in this call, in memory that is the call's until `cx` ends: its arena, outputs and
            // inputs, and the program's constants. `layout` gave no two values that are needed at one time the same memory, but where a
            // step allows it, nor a value that is written that of an input or constant; `verify` checks that in debug builds.
            let run = unsafe { Run::new(&self.found, scratch, cx, (&self.handed_out, ports)) };
            step.run(&run)?;
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

/// Of memory that the host lends for a call, once.
fn writable(bytes: &mut [u8]) -> memory::Place {
    memory::Place::of(bytes.as_mut_ptr(), bytes.len())
}

/// Of inputs and constants, which no step writes.
fn readable(bytes: &[u8]) -> memory::Place {
    memory::Place::of(bytes.as_ptr().cast_mut(), bytes.len())
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
