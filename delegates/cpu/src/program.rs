//! A compiled partition: its steps in order, and the layout of its values.
//!
//! ```text
//! values:  partition's inputs ─► intermediates (one scratch buffer, laid out by the host's planner) ─► its outputs
//! ```
//! A value that only renames another (a reshape) shares its memory. If a step allows it, its result overwrites an input
//! that no later step reads. Intermediates may use the memory of outputs that are not written yet. A variable is read
//! and written where it is.

mod layout;
mod lodging;
#[cfg(test)]
mod tests;
#[cfg(any(test, debug_assertions))]
mod verify;

use std::sync::Arc;
use std::time::Instant;

use arenite_abi::prelude::*;
use arenite_base::Aligned;
use arenite_layers::{Id, is_aligned};

use crate::memory::Place;
use crate::net::{Net, ports};
use crate::ops::build::Build;
use crate::ops::build_step;
use crate::ops::values::NetValues;
use crate::step::{HandedOut, Ports, PrefetchAddress, Run, Step};
use layout::{Buffers, BuiltStep, Frame, Location, Places};

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
    /// In this call, of each value.
    found: Vec<Place>,
    /// The places of the partition's outputs in this call.
    outputs: Vec<Place>,
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
        let compiled = |(BuiltStep { node, step }, scratch): (_, Option<usize>)| Compiled {
            scratch: scratch.map(|record| (record, step.scratch())),
            ports: ports(&net.nodes[node]),
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
            found: vec![Place::NOWHERE; count],
            outputs: vec![Place::NOWHERE; net.outputs.len()],
            constants: net.constants.clone(),
            handed_out: HandedOut::none_of(count),
            #[cfg(any(test, debug_assertions))]
            audit,
        })
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
        for (o, output) in self.outputs.iter_mut().enumerate() {
            *output = writable(cx.output_bytes(o)?);
        }
        for ((found, &place), &bytes) in self.found.iter_mut().zip(&self.places).zip(&self.sizes) {
            *found = match place {
                Location::Nowhere => continue,
                Location::Input(i) => {
                    let mut input = cx.input_bytes(i)?;
                    if input.as_ptr().align_offset(WIDEST) != 0 {
                        input = aligned(&cx.input(i)?)?;
                    }
                    expect_bytes("input", i, input.len(), bytes)?;
                    readable(input).part(0, bytes)
                }
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
                Location::Record(r, at) => arena.part((self.offsets[r] + at) as usize, bytes),
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
        self.find_places(cx, arena)?;
        let times = cx.profile();
        for (i, Compiled { step, ports, scratch, tensor }) in self.steps.iter().enumerate() {
            let scratch = scratch
                .map_or(Place::NOWHERE, |(record, bytes)| arena.part(self.offsets[record] as usize, bytes));
            let start = times.as_ref().map(|_| Instant::now());
            if i > 0 && cx.is_cancelled() {
                return Err(Error::new(Status::Cancelled, format_args!("")));
            }
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
        Ok(())
    }
}

/// Passes each step the address of the next one's weights.
fn follow(steps: &mut [Compiled]) {
    let mut next = PrefetchAddress::NOTHING;
    for Compiled { step, .. } in steps.iter_mut().rev() {
        step.follow(next);
        next = if step.weights() == PrefetchAddress::NOTHING { next } else { step.weights() };
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
fn writable(bytes: &mut [u8]) -> Place {
    Place::of(bytes.as_mut_ptr(), bytes.len())
}

/// Of input `i`, which is a variable. All inputs that are variables are looked up as cells, so none is a slice.
fn variable(cx: &EvalContext<'_>, i: usize) -> Result<Place> {
    let cells = cx.variable_bytes(i)?;
    if cells.as_ptr().align_offset(WIDEST) != 0 {
        let tensor = cx.node().input(i)?;
        let element = (tensor.ty.bits() as usize / 8).max(1);
        ensure!(
            cells.as_ptr().addr().is_multiple_of(element),
            "variable '{}' is {} and lies at {:p}, between elements; run it without the delegate cpu",
            tensor.name,
            tensor.ty,
            cells.as_ptr()
        );
    }
    Ok(Place::of(cells.as_ptr().cast::<u8>().cast_mut(), cells.len()))
}

/// Of inputs and constants, which no step writes.
fn readable(bytes: &[u8]) -> Place {
    Place::of(bytes.as_ptr().cast_mut(), bytes.len())
}

/// Bytes of the widest element.
const WIDEST: usize = 16;

/// The bytes of a tensor, which must be aligned to its elements.
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
