//! The layout of a program's values: overlaps that steps allow become ties between records for `arenite-layout`.

use arenite_abi::prelude::*;
use arenite_layers::Id;
use arenite_layout::{Techniques, Tie, TieKind, lower_bound, order};

use super::lodging::{Room, lodge};
use crate::net::{Net, Node, written};
use crate::step::Step;

/// A step that was built for a node of the net.
pub(super) struct BuiltStep {
    /// Position of the node.
    pub node: usize,
    /// The step that runs it.
    pub step: Box<dyn Step>,
}

/// The location of a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Location {
    /// No step uses it.
    Nowhere,
    /// Input of the partition.
    Input(usize),
    /// Input of the partition that is a variable, which steps may write.
    Variable(usize),
    /// Output of the partition.
    Output(usize),
    /// An output and an offset in bytes: a part of the output's memory.
    Within(usize, u64),
    /// Computed by rewriting.
    Constant(usize),
    /// A buffer of scratch memory and an offset in bytes.
    Record(usize, u64),
}

/// The buffers of scratch memory.
#[derive(Default)]
pub(super) struct Buffers {
    /// Size and life, in steps.
    pub records: Vec<UsageRecord>,
    /// The name of the first value in each buffer, for reports.
    pub names: Vec<String>,
}

/// Where all is.
pub(super) struct Places {
    /// Of each value.
    pub values: Vec<Location>,
    /// By step: the buffer of its own scratch memory.
    pub scratch: Vec<Option<usize>>,
    /// The scratch memory.
    pub buffers: Buffers,
}

/// The facts about a net's values that do not depend on the order of steps.
pub(super) struct Frame<'n, 'a> {
    net: &'n Net<'a>,
    /// By value: its place, if that is outside of scratch memory.
    places: Vec<Location>,
    /// Per value, the one whose bytes it has: renamings move none, unless they have to.
    pub names: Vec<Id>,
}

impl<'n, 'a> Frame<'n, 'a> {
    /// Assigns places to inputs, outputs and constants.
    pub(super) fn new(net: &'n Net<'a>) -> Self {
        let mut places = vec![Location::Nowhere; net.values.len()];
        let mut used = vec![false; net.values.len()];
        net.nodes.iter().flat_map(|node| &node.inputs).for_each(|&id| used[id] = true);
        net.updated().for_each(|id| used[id] = true);
        let place = |i, id: Id| match net.values[id].is_variable {
            true => Location::Variable(i),
            false => Location::Input(i),
        };
        let inputs = net.inputs.iter().enumerate();
        inputs.filter(|&(_, &id)| used[id]).for_each(|(i, &id)| places[id] = place(i, id));
        net.constants.iter().enumerate().for_each(|(i, (id, _))| places[*id] = Location::Constant(i));
        net.outputs.iter().enumerate().for_each(|(i, &id)| places[id] = Location::Output(i));
        // A value that is only renamed to become an output is computed in the output's memory.
        let renamings = || net.nodes.iter().filter(|node| node.layer.is_rename());
        for node in renamings().rev() {
            let (from, to) = (node.inputs[0], node.outputs[0]);
            let is_output = matches!(places[to], Location::Output(_));
            if is_output && places[from] == Location::Nowhere && net.values[from].constant.is_none() {
                places[from] = places[to];
            }
        }
        let mut names: Vec<Id> = (0..net.values.len()).collect();
        for node in renamings() {
            let (from, to) = (node.inputs[0], node.outputs[0]);
            // From outside to outside bytes have to move.
            if !matches!(places[to], Location::Output(_)) || places[from] == places[to] {
                names[to] = names[from];
            }
        }
        Frame { net, places, names }
    }

    /// Whether the node only gives its input another name.
    pub(super) fn is_name(&self, node: &Node<'_>) -> bool {
        node.layer.is_rename() && self.names[node.outputs[0]] != node.outputs[0]
    }

    /// Whether a value that a step writes is in scratch memory.
    fn is_inside(&self, id: Id) -> bool {
        self.places[id] == Location::Nowhere
    }

    /// The overlaps with inputs that the step allows its first result, if result and input are in scratch memory.
    fn allowed(&self, BuiltStep { node, step }: &BuiltStep) -> Vec<(Id, TieKind)> {
        let node = &self.net.nodes[*node];
        if !self.is_inside(node.outputs[0]) {
            return Vec::new();
        }
        let mut found: Vec<(Id, TieKind)> = Vec::new();
        for &id in node.inputs.iter().filter(|&&id| self.is_inside(self.names[id])) {
            let name = self.names[id];
            let same = || node.inputs.iter().filter(move |&&other| self.names[other] == name);
            if found.iter().any(|&(known, _)| known == name) {
                continue;
            }
            if same().all(|&id| step.in_place(id).is_allowed()) {
                found.push((name, TieKind::InPlace));
            } else if let Some(distance) = step.lead(id).filter(|_| same().count() == 1) {
                found.push((name, TieKind::Behind(distance.bytes())));
            }
        }
        found
    }

    /// The steps in an order that needs less memory, if there is one.
    pub(super) fn reorder(&self, steps: Vec<BuiltStep>) -> Vec<BuiltStep> {
        let Some(order) = order::find_better(&self.problem(&steps), &|| false) else { return steps };
        let before = lower_bound(&self.records(&steps).laid_out().buffers);
        let mut old: Vec<Option<BuiltStep>> = steps.into_iter().map(Some).collect();
        let steps: Vec<BuiltStep> = order.iter().filter_map(|&i| old[i].take()).collect();
        if lower_bound(&self.records(&steps).laid_out().buffers) < before {
            return steps;
        }
        let mut numbered: Vec<(usize, BuiltStep)> = order.into_iter().zip(steps).collect();
        numbered.sort_by_key(|(i, _)| *i);
        numbered.into_iter().map(|(_, built)| built).collect()
    }

    /// The steps as a problem of order.
    fn problem(&self, steps: &[BuiltStep]) -> order::Problem {
        let bytes = |id: Id| if self.is_inside(id) { self.net.values[id].bytes() as u64 } else { 0 };
        let node = |built: &BuiltStep| {
            let node = &self.net.nodes[built.node];
            let mut reads: Vec<Id> = node.inputs.iter().map(|&id| self.names[id]).collect();
            reads.sort_unstable();
            reads.dedup();
            let over = self.allowed(built).into_iter();
            let mut over =
                over.filter(|&(id, kind)| kind == TieKind::InPlace && bytes(id) == bytes(node.outputs[0]));
            order::Node {
                reads,
                writes: written(node),
                scratch: built.step.scratch() as u64,
                takes_over: over.next().map(|(id, _)| id),
                after: Vec::new(),
            }
        };
        let count = self.net.values.len();
        let nodes = if steps.len() <= MOST_ORDERED { steps.iter().map(node).collect() } else { Vec::new() };
        order::Problem { nodes, sizes: (0..count).map(bytes).collect(), kept: vec![false; count] }
    }

    /// The records of values that steps write and of the steps' scratch memory.
    fn records(&self, steps: &[BuiltStep]) -> Records {
        let mut last = vec![0; self.net.values.len()];
        for (at, built) in steps.iter().enumerate() {
            self.net.nodes[built.node].inputs.iter().for_each(|&id| last[self.names[id]] = at as u32);
        }
        let mut found = Records::default();
        found.of.resize(self.net.values.len(), None);
        found.outputs.resize(self.net.outputs.len(), u32::MAX);
        for (at, built) in steps.iter().enumerate() {
            let (at, node) = (at as u32, &self.net.nodes[built.node]);
            for id in written(node) {
                let value = &self.net.values[id];
                match self.places[id] {
                    Location::Output(o) => found.outputs[o] = found.outputs[o].min(at),
                    Location::Variable(_) => {}
                    _ => {
                        let mut record = UsageRecord::new(value.bytes().max(1) as u64, at, last[id].max(at));
                        let tensor = value.tensor.and_then(|tensor| i32::try_from(tensor).ok());
                        record.tensor = tensor.unwrap_or(-1);
                        found.of[id] = Some(found.records.len());
                        found.add(record, value.name, Some((value.ty.bits() as usize / 8).max(1)));
                    }
                }
            }
            let scratch = built.step.scratch() as u64;
            found.scratch.push((scratch > 0).then_some(found.records.len()));
            if scratch > 0 {
                found.add(UsageRecord::new(scratch, at, at), built.step.name(), None);
            }
            let output = found.of[node.outputs[0]];
            for (input, kind) in self.allowed(built) {
                if let (Some(output), Some(input)) = (output, found.of[input]) {
                    found.ties.push(Tie { node: at, output, input, kind });
                }
            }
        }
        found
    }

    /// The place of each value, and the buffers of scratch memory. Outputs that `is_free` names hold intermediates
    /// until they are written.
    pub(super) fn lay_out(self, steps: &[BuiltStep], is_free: &[bool]) -> Places {
        let found = self.records(steps);
        let layout = found.laid_out();
        let mut elements = vec![Some(1); layout.buffers.len()];
        let mut names: Vec<Option<&String>> = vec![None; layout.buffers.len()];
        for (record, &(buffer, _)) in layout.places.iter().enumerate() {
            elements[buffer] = elements[buffer].zip(found.elements[record]).map(|(a, b)| a.max(b));
            names[buffer].get_or_insert(&found.names[record]);
        }
        let lodgings = lodge(&layout.buffers, &elements, &self.rooms(&found.outputs, is_free));
        let mut buffers = Buffers::default();
        let mut numbers = Vec::with_capacity(lodgings.len());
        for ((record, name), lodging) in layout.buffers.iter().zip(names).zip(&lodgings) {
            numbers.push(buffers.records.len());
            if lodging.is_none() {
                buffers.records.push(*record);
                buffers.names.push(name.cloned().unwrap_or_default());
            }
        }
        let place = |record: usize| {
            let (buffer, at) = layout.places[record];
            match lodgings[buffer] {
                Some((output, first)) => Location::Within(output, first + at),
                None => Location::Record(numbers[buffer], at),
            }
        };
        let own = |id: Id| found.of[id].map_or(self.places[id], place);
        let number = |record: Option<usize>| record.map(|record| numbers[layout.places[record].0]);
        Places {
            values: self.names.iter().map(|&name| own(name)).collect(),
            scratch: found.scratch.into_iter().map(number).collect(),
            buffers,
        }
    }

    /// The memory of outputs until they are written.
    fn rooms(&self, written: &[u32], is_free: &[bool]) -> Vec<Room> {
        let outputs = self.net.outputs.iter().zip(is_free).zip(written);
        let room = |((&id, &is_free), &written): ((&Id, &bool), &u32)| {
            let value = &self.net.values[id];
            let bytes = if is_free && !self.net.inputs.contains(&id) { value.bytes() } else { 0 };
            Room { bytes: bytes as u64, element: value.ty.bits() as usize / 8, written }
        };
        outputs.map(room).collect()
    }
}

/// Steps whose order is looked at.
const MOST_ORDERED: usize = 1 << 12;

/// Requests for memory, and which of them may overlap.
#[derive(Default)]
struct Records {
    records: Vec<UsageRecord>,
    names: Vec<String>,
    /// By record: bytes of an element of its value; `None` for a step's scratch memory.
    elements: Vec<Option<usize>>,
    ties: Vec<Tie>,
    /// Per value that a step writes, its record.
    of: Vec<Option<usize>>,
    /// Per step, the record of its scratch memory.
    scratch: Vec<Option<usize>>,
    /// Per output, the first step that writes it.
    outputs: Vec<u32>,
}

impl Records {
    fn add(&mut self, record: UsageRecord, name: &str, element: Option<usize>) {
        self.records.push(record);
        self.names.push(name.to_owned());
        self.elements.push(element);
    }

    fn laid_out(&self) -> arenite_layout::Layout {
        arenite_layout::Layout::new(&self.records, &self.ties, &Techniques::default())
    }
}

#[cfg(any(test, debug_assertions))]
/// The facts that a program's places are verified against.
pub(super) struct Audit {
    /// By step: the values that it reads, and those it writes.
    pub uses: Vec<(Vec<Id>, Vec<Id>)>,
    /// Per value, the one whose bytes it has.
    pub names: Vec<Id>,
}

#[cfg(any(test, debug_assertions))]
impl Audit {
    /// Of steps of a net whose values have these names.
    pub(super) fn of(net: &Net<'_>, steps: &[BuiltStep], names: Vec<Id>) -> Audit {
        let uses = |built: &BuiltStep| {
            let node = &net.nodes[built.node];
            (node.inputs.clone(), written(node))
        };
        Audit { uses: steps.iter().map(uses).collect(), names }
    }
}
