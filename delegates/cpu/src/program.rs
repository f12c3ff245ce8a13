//! A compiled partition: its steps in order, and the layout of its values.
//!
//! ```text
//! values:  partition's inputs ─► intermediates (one scratch buffer, laid out by the host's planner) ─► its outputs
//! ```
//! A value that only renames another (a reshape) shares its memory. If a step allows it, its result overwrites an input
//! that no later step reads. Intermediates may use the memory of outputs that are not written yet. A variable is read
//! and written where it is.

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
use lent::{expect_bytes, input, readable, variable, writable};
pub(crate) use variables::VariablePorts;

struct Compiled {
    step: Box<dyn Step>,
    /// The values of its node.
    ports: Ports,
    /// The record of its scratch memory, and how many bytes it wants.
    scratch: Option<(usize, usize)>,
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
            scratch: scratch.map(|record| (record, step.scratch())),
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
    /// The places of the variables that it reads, in this call.
    read: Vec<Place>,
    /// The scratch records of the values that are assigned to variables.
    assigned: Vec<usize>,
}

impl ProgramVariables {
    /// The place of input `i` of the net in this call, if it is a variable.
    fn input(&self, i: usize) -> Option<Place> {
        self.read.get(i.checked_sub(self.inputs)?).copied()
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
    /// In this call, of each value.
    found: Vec<Place>,
    /// The places of the net's outputs in this call: the partition's, then those of values that are assigned to
    /// variables.
    outputs: Vec<Place>,
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
            found: vec![Place::NOWHERE; count],
            outputs: vec![Place::NOWHERE; net.outputs.len()],
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
        self.variables.inputs = net.inputs.len() - variables.reads();
        self.variables.ports = variables;
    }

    /// Has the host plan the intermediates, once, and allocate their memory.
    pub(crate) fn prepare(&mut self, cx: &mut PrepareContext<'_>) -> Result<()> {
        self.arena = None;
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

    /// Looks up the place of each value in this call.
    fn find_places(&mut self, cx: &EvalContext<'_>, arena: Place) -> Result<()> {
        let own = self.outputs.len() - self.variables.assigned.len();
        for (o, output) in self.outputs.iter_mut().enumerate() {
            *output = match o.checked_sub(own) {
                None => writable(cx.output_bytes(o)?),
                Some(k) => {
                    let r = self.variables.assigned[k];
                    arena.part(self.offsets[r] as usize, self.buffers.records[r].size as usize)
                }
            };
        }
        for &ArenaValue { id, first, bytes } in &self.used.inside {
            self.found[id] = arena.part(first, bytes);
        }
        for &id in &self.used.outside {
            let bytes = self.sizes[id];
            self.found[id] = match self.places[id] {
                Location::Input(i) => match self.variables.input(i) {
                    Some(variable) => variable.part(0, bytes),
                    None => input(cx, i, bytes)?,
                },
                Location::Variable(i) => {
                    let variable = variable(cx, i)?;
                    expect_bytes("variable", i, variable.bytes(), bytes)?;
                    variable.part(0, bytes)
                }
                Location::Output(o) => {
                    expect_bytes("output", o, self.outputs[o].bytes(), bytes)?;
                    self.outputs[o].part(0, bytes)
                }
                Location::Within(o, at) => self.outputs[o].part(at as usize, bytes),
                Location::Constant(i) => readable(&self.constants[i].1).part(0, bytes),
                Location::Nowhere | Location::Record(..) => continue,
            };
        }
        Ok(())
    }

    /// Runs all steps.
    pub(crate) fn run(&mut self, cx: &EvalContext<'_>) -> Result<()> {
        let arena = match &self.arena {
            Some(arena) => writable(cx.scratch(arena)?),
            None => Place::NOWHERE,
        };
        let mut model = if self.variables.ports.is_empty() { None } else { Some(cx.model()?) };
        if let Some(model) = &model {
            self.variables.ports.find(model, &mut self.variables.read)?;
        }
        self.find_places(cx, arena)?;
        let times = cx.profile();
        let mut unseen = 0u64;
        for (i, Compiled { step, ports, scratch, tensor, work }) in self.steps.iter().enumerate() {
            let scratch = scratch
                .map_or(Place::NOWHERE, |(record, bytes)| arena.part(self.offsets[record] as usize, bytes));
            let start = times.as_ref().map(|_| Instant::now());
            if unseen > UNSEEN {
                expect_running(cx)?;
                unseen = 0;
            }
            unseen = unseen.saturating_add(*work);
            // SAFETY: `find_places` looked up all places in this call: in its arena, outputs and inputs, and in the
            // program's constants. All of these outlive `run`. Variables are cells, which only this call accesses, and
            // only the step that updates one reads or writes it. `layout` gives two values that are needed at the same
            // time the same memory only where a step allows it, and never places a written value in an input or
            // constant; `verify` checks that in debug builds.
            let run = unsafe { Run::new(&self.found, scratch, cx, (&self.handed_out, ports)) };
            step.run(&run)?;
            if let (Some(times), Some(start)) = (&times, start) {
                times.note(i, step.name(), *tensor, start.elapsed().as_nanos() as u64);
            }
        }
        if let Some(model) = &mut model {
            let values = &self.outputs[self.outputs.len() - self.variables.assigned.len()..];
            // SAFETY: the places are in the arena, which is this call's, and the last step has run.
            unsafe { self.variables.ports.assign(model, values)? };
        }
        Ok(())
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
    if !matches!(node.layer, Layer::Common(_) | Layer::Engine(CpuLayer::Quantized(_))) {
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
