//! A compiled partition: its steps in order, and the layout of its values.
//!
//! ```text
//! values:  partition's inputs ─► intermediates (one scratch buffer, laid out by the host's planner) ─► its outputs
//! ```
//! A value that only renames another (a reshape) shares its memory. If a step allows it, its result overwrites an input
//! that no later step reads. Intermediates may use the memory of outputs that are not written yet. A variable is read
//! and written where it is.

mod call;
mod layout;
mod lent;
mod lodging;
#[cfg(test)]
mod tests;
mod variables;
#[cfg(any(test, debug_assertions))]
mod verify;

use std::sync::Arc;
use std::time::Instant;

use arenite_abi::prelude::*;
use arenite_base::Aligned;
use arenite_layers::Id;

use crate::memory::Place;
use crate::net::{CpuLayer, Layer, Net, Node, ports};
use crate::ops::build::Build;
use crate::ops::build_step;
use crate::ops::values::NetValues;
use crate::step::{HandedOut, Ports, PrefetchAddress, Run, Step};
use layout::{Buffers, BuiltStep, Frame, Location, Places};
use lent::{LentMemory, StepMemory};
pub(crate) use variables::VariablePorts;
use variables::{HostVariables, VariablePlaces};

struct Compiled {
    step: Box<dyn Step>,
    /// The values of its node.
    ports: Ports,
    scratch: StepMemory,
    /// Its first result, if that is a tensor of the graph.
    tensor: Option<usize>,
    /// At least as many multiply-adds as it needs.
    work: u64,
}

impl Compiled {
    /// A step of the net, with the record of its scratch memory.
    fn new(net: &Net<'_>, BuiltStep { node, step }: BuiltStep, scratch: Option<usize>) -> Compiled {
        let node = &net.nodes[node];
        Compiled {
            scratch: StepMemory::new(scratch, step.scratch()),
            ports: ports(node),
            step,
            tensor: net.values[node.outputs[0]].tensor,
            work: most_work(net, node),
        }
    }
}

/// The values that steps use.
#[derive(Default)]
struct UsedValues {
    /// In the arena.
    inside: Vec<ArenaValue>,
    /// Elsewhere.
    outside: Vec<Id>,
}

/// A value in the arena.
struct ArenaValue {
    id: Id,
    /// Its first byte there.
    first: usize,
    bytes: usize,
}

/// The variables of a program.
#[derive(Default)]
struct ProgramVariables {
    ports: VariablePorts,
    /// The number of inputs of the net that come before the variables.
    inputs: usize,
    places: VariablePlaces,
    /// The scratch records of the values that are assigned to variables.
    assigned: Vec<usize>,
}

impl ProgramVariables {
    /// The number of inputs of the net that are the partition's.
    fn inputs_before(&self) -> usize {
        if self.ports.is_empty() { usize::MAX } else { self.inputs }
    }

    /// The place of input `i` of the net in this call, if it is a variable.
    fn input(&self, i: usize) -> Option<Place> {
        self.places.read.get(i.checked_sub(self.inputs)?).copied()
    }
}

/// The steps of a partition and their memory.
pub(crate) struct Program {
    steps: Vec<Compiled>,
    places: Vec<Location>,
    /// Bytes of each value.
    sizes: Vec<usize>,
    buffers: Buffers,
    offsets: Vec<u64>,
    /// Bytes of all intermediates, once they are laid out.
    total: Option<u64>,
    arena: Option<Scratch<u8>>,
    used: UsedValues,
    lent: LentMemory,
    /// The place of each value with the memory that the host lends; valid if `is_found`.
    found: Vec<Place>,
    is_found: bool,
    variables: ProgramVariables,
    constants: Vec<(Id, Arc<Aligned<u8>>)>,
    handed_out: HandedOut,
    #[cfg(any(test, debug_assertions))]
    audit: layout::Audit,
}

impl Program {
    /// Builds a step for each node of the net. The memory of outputs that `is_free` names may be used until they are
    /// written.
    ///
    /// Constants that a step has packed now are given to `release`.
    pub(crate) fn build(
        net: &Net<'_>,
        is_free: &[bool],
        build: &Build,
        mut release: impl FnMut(usize) -> Result<()>,
    ) -> Result<Program> {
        let frame = Frame::new(net);
        let mut steps = Vec::with_capacity(net.nodes.len());
        // On one thread, scratch memory up to the peak of the values costs nothing. With several threads it is not
        // limited: they synchronize once per block, and smaller blocks cost up to a fifth of the time.
        let most = if build.threads == 1 { net.most_bytes() } else { usize::MAX };
        for (i, node) in net.nodes.iter().enumerate().filter(|(_, node)| !frame.is_name(node)) {
            let packed = build.store.packed();
            let mut step = build_step(node, &NetValues::of(net), build)?;
            step.shrink_scratch(most - net.bytes_around(node));
            if build.store.packed() > packed {
                node.packed.iter().filter_map(|&id| net.values[id].tensor).try_for_each(&mut release)?;
            }
            steps.push(BuiltStep { node: i, step });
        }
        let steps = frame.reorder(steps);
        #[cfg(any(test, debug_assertions))]
        let audit = layout::Audit::of(net, &steps, frame.names.clone());
        let Places { values: places, scratch, buffers } = frame.lay_out(&steps, is_free);
        let mut steps: Vec<Compiled> = steps
            .into_iter()
            .zip(scratch)
            .map(|(built, scratch)| Compiled::new(net, built, scratch))
            .collect();
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
            used: UsedValues::default(),
            lent: LentMemory::new(net.outputs.len()),
            found: vec![Place::NOWHERE; count],
            is_found: false,
            variables: ProgramVariables::default(),
            constants: net.constants.clone(),
            handed_out: HandedOut::none_of(count),
            #[cfg(any(test, debug_assertions))]
            audit,
        })
    }

    /// Lets the last inputs and outputs of the net be these variables.
    pub(crate) fn connect(&mut self, net: &Net<'_>, variables: VariablePorts) {
        let last = self.steps.len().saturating_sub(1) as u32;
        for (name, bytes) in variables.assigned() {
            self.variables.assigned.push(self.buffers.records.len());
            self.buffers.records.push(UsageRecord::new(bytes, 0, last));
            self.buffers.names.push(name.to_owned());
            self.offsets.push(0);
        }
        self.lent.assigns(self.variables.assigned.len());
        self.variables.inputs = net.inputs.len() - variables.reads();
        self.variables.ports = variables;
    }

    /// Has the host plan the intermediates, once, and allocate their memory.
    pub(crate) fn prepare(&mut self, cx: &mut PrepareContext<'_>) -> Result<()> {
        self.arena = None;
        self.is_found = false;
        if !self.buffers.records.is_empty() {
            let total = match self.total {
                Some(total) => total,
                None => *self.total.insert(cx.plan(&self.buffers.records, &mut self.offsets)?),
            };
            self.arena = Some(cx.scratch_aligned::<u8>(usize_of(total)?, 64)?);
        }
        self.used = UsedValues::default();
        for (id, (&place, &bytes)) in self.places.iter().zip(&self.sizes).enumerate() {
            match place {
                Location::Nowhere => {}
                Location::Record(r, at) => {
                    self.used.inside.push(ArenaValue { id, first: usize_of(self.offsets[r] + at)?, bytes });
                }
                _ => self.used.outside.push(id),
            }
        }
        self.lent.expect(&self.places, self.variables.inputs_before());
        #[cfg(any(test, debug_assertions))]
        self.verify()?;
        Ok(())
    }

    /// Reports the contents of the scratch memory.
    pub(crate) fn note(&self, notes: &mut PlanNotes<'_>) {
        let Some(arena) = &self.arena else { return };
        let named = self.buffers.records.iter().zip(&self.buffers.names);
        for ((record, name), &offset) in named.zip(&self.offsets) {
            notes.note(arena, record, offset, name);
        }
    }

    /// Runs all steps.
    pub(crate) fn run(&mut self, cx: &EvalContext<'_>) -> Result<()> {
        let mut host = HostVariables::new(cx);
        self.find_places(cx, &mut host)?;
        let times = cx.profile();
        let mut unseen = 0u64;
        for (i, Compiled { step, ports, scratch, tensor, work }) in self.steps.iter().enumerate() {
            let start = times.as_ref().map(|_| Instant::now());
            if unseen > UNSEEN {
                expect_running(cx)?;
                unseen = 0;
            }
            unseen = unseen.saturating_add(*work);
            // SAFETY: `find_places` knows all places in this call: in its arena, outputs and inputs, and in the
            // program's constants. All of these outlive `run`. Variables are cells, which only this call accesses, and
            // only the step that updates one reads or writes it. `layout` gives two values that are needed at the same
            // time the same memory only where a step allows it, and never places a written value in an input or
            // constant; `verify` checks that in debug builds.
            let run = unsafe { Run::new(&self.found, scratch.place, cx, (&self.handed_out, ports)) };
            step.run(&run)?;
            if let (Some(times), Some(start)) = (&times, start) {
                times.note(i, step.name(), *tensor, start.elapsed().as_nanos() as u64);
            }
        }
        if self.variables.assigned.is_empty() {
            return Ok(());
        }
        let ProgramVariables { ports, places, .. } = &self.variables;
        // SAFETY: the values are in the arena, which is this call's, and the last step has run. The targets are
        // variables, which are the host's own memory and which only this call accesses.
        unsafe { ports.assign(self.lent.assigned(), places.targets(), &mut host) }
    }
}

/// Work of steps between two looks whether the call is cancelled: a look takes as long as a small step.
const UNSEEN: u64 = 1 << 22;

/// An error if the caller cancelled the call.
fn expect_running(cx: &EvalContext<'_>) -> Result<()> {
    if cx.is_cancelled() { Err(Error::new(Status::Cancelled, format_args!(""))) } else { Ok(()) }
}

/// At least as many multiply-adds as the node needs. Each result of a layer comes from products with an element of the
/// inputs each; steps that repeat others have no such limit.
fn most_work(net: &Net<'_>, node: &Node<'_>) -> u64 {
    if let Layer::Engine(CpuLayer::Cascade(_) | CpuLayer::Recurrent(_) | CpuLayer::Scan(_)) = node.layer {
        return u64::MAX;
    }
    let bytes =
        |ids: &[Id]| ids.iter().fold(1, |sum: u64, &id| sum.saturating_add(net.values[id].bytes() as u64));
    bytes(&node.inputs).saturating_mul(bytes(&node.outputs))
}

/// Passes each step the address of the next one's weights.
fn follow(steps: &mut [Compiled]) {
    let mut next = PrefetchAddress::NOTHING;
    for Compiled { step, .. } in steps.iter_mut().rev() {
        step.follow(next);
        next = if step.weights() == PrefetchAddress::NOTHING { next } else { step.weights() };
    }
}

fn usize_of(bytes: u64) -> Result<usize> {
    usize::try_from(bytes).map_err(|_| invalid!("{bytes} bytes do not fit this machine's address space"))
}
