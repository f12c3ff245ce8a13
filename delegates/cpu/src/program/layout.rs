//! Where the values of a program lie.

use arenite_abi::prelude::*;

use super::lodging::{Room, lodge};
use crate::net::{Id, Net, Node};
use crate::ops::Layer;

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
    /// In scratch memory.
    Record(usize),
}

/// What lies in scratch memory.
#[derive(Default)]
pub struct Buffers {
    /// Size and life, in steps.
    pub records: Vec<UsageRecord>,
    /// Of the value that lies there first; for reports.
    pub names: Vec<String>,
}

/// Where values go, decided in execution order.
pub struct Layout {
    places: Vec<Place>,
    buffers: Buffers,
    /// Per record, the bytes of an element of what lies there; `None` of a step's scratch memory.
    elements: Vec<Option<usize>>,
    /// Values that are read outside of the partition.
    is_output: Vec<bool>,
    /// Per output, the first step that writes it.
    written: Vec<u32>,
}

/// Where all is in the end.
pub struct Places {
    /// Of each value.
    pub values: Vec<Place>,
    /// What lies in scratch memory.
    pub buffers: Buffers,
    /// What the numbers of scratch buffers, as [`Layout::scratch`] gave them, have become.
    pub numbers: Vec<usize>,
}

impl Layout {
    /// Inputs, outputs and constants have their places; the rest has none yet.
    pub fn new(net: &Net<'_>) -> Self {
        let mut places = vec![Place::Nowhere; net.values.len()];
        let mut is_output = vec![false; net.values.len()];
        let mut read = vec![false; net.values.len()];
        net.nodes.iter().flat_map(|node| &node.inputs).for_each(|&id| read[id] = true);
        let inputs = net.inputs.iter().enumerate();
        inputs.filter(|&(_, &id)| read[id]).for_each(|(i, &id)| places[id] = Place::Input(i));
        net.constants.iter().enumerate().for_each(|(i, (id, _))| places[*id] = Place::Constant(i));
        for (i, &id) in net.outputs.iter().enumerate() {
            places[id] = Place::Output(i);
            is_output[id] = true;
        }
        // What is only renamed on its way out is made where it goes.
        for node in net.nodes.iter().rev().filter(|node| matches!(node.layer, Layer::Rename)) {
            let (from, to) = (node.inputs[0], node.outputs[0]);
            if is_output[to] && places[from] == Place::Nowhere && net.values[from].constant.is_none() {
                (places[from], is_output[from]) = (places[to], true);
            }
        }
        let written = vec![u32::MAX; net.outputs.len()];
        Layout { places, buffers: Buffers::default(), elements: Vec::new(), is_output, written }
    }

    /// Per value, the one whose bytes it has: renamings move none, unless they have to.
    pub fn names(&self, net: &Net<'_>) -> Vec<Id> {
        let mut name: Vec<Id> = (0..net.values.len()).collect();
        for node in net.nodes.iter().filter(|node| matches!(node.layer, Layer::Rename)) {
            if !self.copies(node) {
                name[node.outputs[0]] = name[node.inputs[0]];
            }
        }
        name
    }

    /// Per value, the number of the last step that reads its bytes, under any of the [`names`](Self::names).
    pub fn last_uses(&self, net: &Net<'_>, name: &[Id]) -> Vec<usize> {
        let mut last = vec![0; net.values.len()];
        let mut step = 0;
        for node in &net.nodes {
            node.inputs.iter().for_each(|&id| last[name[id]] = step);
            match node.layer {
                Layer::Rename if !self.copies(node) => {}
                _ => step += 1,
            }
        }
        name.iter().map(|&name| last[name]).collect()
    }

    /// Whether a renaming has to move bytes: from outside to outside.
    fn copies(&self, node: &Node<'_>) -> bool {
        let (from, to) = (node.inputs[0], node.outputs[0]);
        self.is_output[to] && self.places[from] != self.places[to]
    }

    /// Gives `to` the place of `from`, if both may lie there.
    pub fn rename(&mut self, from: Id, to: Id) -> bool {
        if self.is_output[to] {
            return self.places[from] == self.places[to];
        }
        self.places[to] = self.places[from];
        true
    }

    /// Whether `output` may lie where `input` lies, which `dies` if nobody reads it later.
    pub fn can_overwrite(&self, net: &Net<'_>, input: Id, output: Id, dies: bool) -> bool {
        dies && !self.is_output[output]
            && matches!(self.places[input], Place::Record(_))
            && net.values[input].bytes() == net.values[output].bytes()
    }

    /// Gives an output its place.
    pub fn define(&mut self, net: &Net<'_>, output: Id, over: Option<Id>, at: u32) {
        if let Place::Output(o) = self.places[output] {
            self.written[o] = self.written[o].min(at);
            return;
        }
        self.places[output] = match over {
            Some(input) => self.places[input],
            None => {
                let value = &net.values[output];
                let record = self.scratch(value.bytes() as u64, at, value.name);
                self.elements[record] = Some((value.ty.bits() as usize / 8).max(1));
                let tensor = value.tensor.and_then(|tensor| i32::try_from(tensor).ok());
                self.buffers.records[record].tensor = tensor.unwrap_or(-1);
                Place::Record(record)
            }
        };
        self.read(output, at);
    }

    /// A buffer of scratch memory that step `at` uses.
    pub fn scratch(&mut self, bytes: u64, at: u32, name: &str) -> usize {
        self.buffers.records.push(UsageRecord::new(bytes.max(1), at, at));
        self.buffers.names.push(name.to_owned());
        self.elements.push(None);
        self.buffers.records.len() - 1
    }

    /// A step reads or writes the value.
    pub fn read(&mut self, id: Id, at: u32) {
        if let Place::Record(r) = self.places[id] {
            let record = &mut self.buffers.records[r];
            record.last_node = record.last_node.max(at);
        }
    }

    /// The place of each value, and the buffers of scratch memory. Outputs that `is_free` names hold intermediates until they are
    /// written.
    pub fn finish(self, net: &Net<'_>, is_free: &[bool]) -> Places {
        let Layout { mut places, buffers, elements, written, .. } = self;
        let room = |(o, (&id, &is_free)): (usize, (&Id, &bool))| {
            let value = &net.values[id];
            let bytes = if is_free && !net.inputs.contains(&id) { value.bytes() } else { 0 };
            Room { bytes: bytes as u64, element: value.ty.bits() as usize / 8, written: written[o] }
        };
        let rooms: Vec<Room> = net.outputs.iter().zip(is_free).enumerate().map(room).collect();
        let lodgings = lodge(&buffers.records, &elements, &rooms);
        let mut kept = Buffers::default();
        let mut numbers = Vec::with_capacity(lodgings.len());
        for ((record, name), lodging) in buffers.records.into_iter().zip(buffers.names).zip(&lodgings) {
            numbers.push(kept.records.len());
            if lodging.is_none() {
                kept.records.push(record);
                kept.names.push(name);
            }
        }
        for place in &mut places {
            if let Place::Record(r) = *place {
                *place = match lodgings[r] {
                    Some((output, at)) => Place::Within(output, at),
                    None => Place::Record(numbers[r]),
                };
            }
        }
        Places { values: places, buffers: kept, numbers }
    }
}
