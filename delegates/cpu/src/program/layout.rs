//! Where the values of a program lie: what steps allow becomes ties between records, which `arenite-layout` lays over one another.

use arenite_abi::prelude::*;
use arenite_layers::Id;
use arenite_layout::{Techniques, Tie, TieKind, lower_bound, order};

use super::Step;
use super::lodging::{Room, lodge};
use crate::net::{Layer, Net, Node, Own};

/// A step that was built for a node of the net.
pub struct Built {
    /// Position of the node.
    pub node: usize,
    /// What runs.
    pub step: Box<dyn Step>,
}

/// Where a value lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Place {
    /// Nobody asks for it.
    Nowhere,
    /// Input of the partition.
    Input(usize),
    /// Output of the partition.
    Output(usize),
    /// In the memory of an output, so many bytes from its beginning.
    Within(usize, u64),
    /// Computed by rewriting.
    Constant(usize),
    /// In a buffer of scratch memory, so many bytes from its beginning.
    Record(usize, u64),
}

/// What lies in scratch memory.
#[derive(Default)]
pub struct Buffers {
    /// Size and life, in steps.
    pub records: Vec<UsageRecord>,
    /// Of what lies there first; for reports.
    pub names: Vec<String>,
}

/// Where all is.
pub struct Places {
    /// Of each value.
    pub values: Vec<Place>,
    /// Of each step, the buffer of its own scratch memory.
    pub scratch: Vec<Option<usize>>,
    /// What lies in scratch memory.
    pub buffers: Buffers,
}

/// What is known of a net's values before any step has a number.
pub struct Frame<'n, 'a> {
    net: &'n Net<'a>,
    /// Of what lies outside of scratch memory.
    places: Vec<Place>,
    /// Per value, the one whose bytes it has: renamings move none, unless they have to.
    pub names: Vec<Id>,
}

impl<'n, 'a> Frame<'n, 'a> {
    /// Inputs, outputs and constants have their places; the rest has none yet.
    pub fn new(net: &'n Net<'a>) -> Self {
        let mut places = vec![Place::Nowhere; net.values.len()];
        let mut read = vec![false; net.values.len()];
        net.nodes.iter().flat_map(|node| &node.inputs).for_each(|&id| read[id] = true);
        let inputs = net.inputs.iter().enumerate();
        inputs.filter(|&(_, &id)| read[id]).for_each(|(i, &id)| places[id] = Place::Input(i));
        net.constants.iter().enumerate().for_each(|(i, (id, _))| places[*id] = Place::Constant(i));
        net.outputs.iter().enumerate().for_each(|(i, &id)| places[id] = Place::Output(i));
        // What is only renamed on its way out is made where it goes.
        let renamings = || net.nodes.iter().filter(|node| node.layer.is_rename());
        for node in renamings().rev() {
            let (from, to) = (node.inputs[0], node.outputs[0]);
            let is_output = matches!(places[to], Place::Output(_));
            if is_output && places[from] == Place::Nowhere && net.values[from].constant.is_none() {
                places[from] = places[to];
            }
        }
        let mut names: Vec<Id> = (0..net.values.len()).collect();
        for node in renamings() {
            let (from, to) = (node.inputs[0], node.outputs[0]);
            // From outside to outside bytes have to move.
            if !matches!(places[to], Place::Output(_)) || places[from] == places[to] {
                names[to] = names[from];
            }
        }
        Frame { net, places, names }
    }

    /// Whether the node only gives its input another name.
    pub fn is_name(&self, node: &Node<'_>) -> bool {
        node.layer.is_rename() && self.names[node.outputs[0]] != node.outputs[0]
    }

    /// What a node writes.
    pub fn written(node: &Node<'_>) -> Vec<Id> {
        let mut written = node.outputs.clone();
        if let Layer::Own(Own::Scan(scan)) = &node.layer {
            written.extend(scan.written());
        }
        written
    }

    /// Whether a value that a step writes lies in scratch memory.
    fn is_inside(&self, id: Id) -> bool {
        self.places[id] == Place::Nowhere
    }

    /// What the step allows for its first result, if that and the input lie in scratch memory.
    fn allowed(&self, Built { node, step }: &Built) -> Vec<(Id, TieKind)> {
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
            } else if let Some(distance) = step.behind(id).filter(|_| same().count() == 1) {
                found.push((name, TieKind::Behind(distance.bytes())));
            }
        }
        found
    }

    /// The steps in an order that needs less memory, if there is one.
    pub fn reorder(&self, steps: Vec<Built>) -> Vec<Built> {
        let Some(order) = order::better(&self.problem(&steps), &|| false) else { return steps };
        let before = lower_bound(&self.records(&steps).laid_out().buffers);
        let mut old: Vec<Option<Built>> = steps.into_iter().map(Some).collect();
        let steps: Vec<Built> = order.iter().filter_map(|&i| old[i].take()).collect();
        if lower_bound(&self.records(&steps).laid_out().buffers) < before {
            return steps;
        }
        let mut numbered: Vec<(usize, Built)> = order.into_iter().zip(steps).collect();
        numbered.sort_by_key(|(i, _)| *i);
        numbered.into_iter().map(|(_, built)| built).collect()
    }

    /// The steps as a problem of order.
    fn problem(&self, steps: &[Built]) -> order::Problem {
        let bytes = |id: Id| if self.is_inside(id) { self.net.values[id].bytes() as u64 } else { 0 };
        let node = |built: &Built| {
            let node = &self.net.nodes[built.node];
            let mut reads: Vec<Id> = node.inputs.iter().map(|&id| self.names[id]).collect();
            reads.sort_unstable();
            reads.dedup();
            let over = self.allowed(built).into_iter();
            let mut over =
                over.filter(|&(id, kind)| kind == TieKind::InPlace && bytes(id) == bytes(node.outputs[0]));
            order::Node {
                reads,
                writes: Self::written(node),
                scratch: built.step.scratch() as u64,
                takes_over: over.next().map(|(id, _)| id),
                after: Vec::new(),
            }
        };
        let count = self.net.values.len();
        let nodes = if steps.len() <= MOST_ORDERED { steps.iter().map(node).collect() } else { Vec::new() };
        order::Problem { nodes, sizes: (0..count).map(bytes).collect(), kept: vec![false; count] }
    }

    /// Records of what steps write and of their scratch memory.
    fn records(&self, steps: &[Built]) -> Records {
        let mut last = vec![0; self.net.values.len()];
        for (at, built) in steps.iter().enumerate() {
            self.net.nodes[built.node].inputs.iter().for_each(|&id| last[self.names[id]] = at as u32);
        }
        let mut found = Records::default();
        found.of.resize(self.net.values.len(), None);
        found.outputs.resize(self.net.outputs.len(), u32::MAX);
        for (at, built) in steps.iter().enumerate() {
            let (at, node) = (at as u32, &self.net.nodes[built.node]);
            for id in Self::written(node) {
                let value = &self.net.values[id];
                match self.places[id] {
                    Place::Output(o) => found.outputs[o] = found.outputs[o].min(at),
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

    /// The place of each value, and the buffers of scratch memory. Outputs that `is_free` names hold intermediates until they are
    /// written.
    pub fn lay_out(self, steps: &[Built], is_free: &[bool]) -> Places {
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
                Some((output, first)) => Place::Within(output, first + at),
                None => Place::Record(numbers[buffer], at),
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

/// What wants memory, and what may lie over one another.
#[derive(Default)]
struct Records {
    records: Vec<UsageRecord>,
    names: Vec<String>,
    /// Per record, the bytes of an element of what lies there; `None` of a step's scratch memory.
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
