//! A partition as a graph of nodes and values. The type of layers is a parameter; `layer` defines them.

mod aligned;
mod grid;
mod reals;
mod value;

use std::sync::Arc;

use arenite_abi::prelude::*;
use arenite_base::Aligned;

pub use aligned::aligned_zeros;
pub use grid::Grid;
pub use reals::{Real, Reals};
pub use value::{Id, Value, is_aligned};

/// A layer with its inputs and outputs.
pub struct Node<L> {
    /// The layer.
    pub layer: L,
    /// The values that it reads. Constants that it packs are in the layer instead.
    pub inputs: Vec<Id>,
    /// The values that it writes. An input of the partition among them is a variable, which it updates in place.
    pub outputs: Vec<Id>,
    /// Constants that the engine packs for it.
    pub packed: Vec<Id>,
}

impl<L> Node<L> {
    /// A node without packed constants.
    pub fn new(layer: L, inputs: Vec<Id>, outputs: Vec<Id>) -> Self {
        Node { layer, inputs, outputs, packed: Vec::new() }
    }

    /// Converts the layer.
    pub fn with<M>(self, layer: impl FnOnce(L) -> M) -> Node<M> {
        Node { layer: layer(self.layer), inputs: self.inputs, outputs: self.outputs, packed: self.packed }
    }
}

/// A partition as a graph of nodes with layers `L`.
pub struct Net<'a, L> {
    /// The partition's tensors, and values that passes added.
    pub values: Vec<Value<'a>>,
    /// The nodes, in execution order.
    pub nodes: Vec<Node<L>>,
    /// Constants that passes computed.
    pub constants: Vec<(Id, Arc<Aligned<u8>>)>,
    /// The inputs of the partition.
    pub inputs: Vec<Id>,
    /// The outputs of the partition.
    pub outputs: Vec<Id>,
}

impl<'a, L> Net<'a, L> {
    /// Adds a value with the type and shape of `like`.
    pub fn add_value(&mut self, like: Id) -> Id {
        let mut value = self.values[like].clone();
        (value.constant, value.real, value.tensor, value.is_variable) = (None, None, None, false);
        self.values.push(value);
        self.values.len() - 1
    }

    /// The bytes of a constant.
    pub fn bytes_of(&self, id: Id) -> Option<&[u8]> {
        let made = self.constants.iter().find(|(constant, _)| *constant == id);
        let given = || self.values[id].data();
        made.map(|(_, bytes)| &bytes[..]).or_else(given)
    }

    /// Turns a value into a constant.
    ///
    /// # Errors
    /// There is too little memory.
    pub fn set_bytes(&mut self, id: Id, bytes: impl ExactSizeIterator<Item = u8>) -> Result<()> {
        let mut copy = aligned_zeros(bytes.len())?;
        copy.iter_mut().zip(bytes).for_each(|(to, byte)| *to = byte);
        self.constants.push((id, Arc::new(copy)));
        Ok(())
    }

    /// The bytes that a node reads and writes.
    pub fn bytes_around<M>(&self, node: &Node<M>) -> usize {
        node.inputs.iter().chain(&node.outputs).map(|&id| self.values[id].bytes()).sum()
    }

    /// The largest number of bytes that a node reads and writes: a lower bound of the net's memory, unless nodes work
    /// in place.
    pub fn most_bytes(&self) -> usize {
        self.nodes.iter().map(|node| self.bytes_around(node)).max().unwrap_or(0)
    }

    /// The number of readers of each value: nodes, and one more for an output of the partition.
    pub fn uses(&self) -> Vec<usize> {
        let mut uses = vec![0; self.values.len()];
        let inside = self.nodes.iter().flat_map(|node| &node.inputs);
        inside.chain(&self.outputs).for_each(|&id| uses[id] += 1);
        uses
    }

    /// The node that writes each value.
    pub fn producers(&self) -> Vec<Option<usize>> {
        let mut producers = vec![None; self.values.len()];
        for (i, node) in self.nodes.iter().enumerate() {
            node.outputs.iter().for_each(|&id| producers[id] = Some(i));
        }
        producers
    }

    /// Removes node `i` and leaves an empty node in its place, so that other nodes keep their numbers until
    /// [`compact`](Self::compact).
    pub fn take(&mut self, i: usize) -> Node<L>
    where
        L: Default,
    {
        let nothing = Node::new(L::default(), Vec::new(), Vec::new());
        std::mem::replace(&mut self.nodes[i], nothing)
    }

    /// Removes the empty nodes.
    pub fn compact(&mut self) {
        self.nodes.retain(|node| !node.outputs.is_empty());
    }

    /// The variables that nodes update in place: inputs of the partition that a node writes. The partition has no other
    /// node that reads one.
    pub fn updated(&self) -> impl Iterator<Item = Id> {
        let written = self.nodes.iter().flat_map(|node| &node.outputs).copied();
        written.filter(|id| self.inputs.contains(id))
    }

    /// Removes nodes whose results are never read and that update no variable.
    pub fn drop_unread(&mut self)
    where
        L: Default,
    {
        let mut read = vec![false; self.values.len()];
        self.outputs.iter().chain(&self.inputs).for_each(|&id| read[id] = true);
        for i in (0..self.nodes.len()).rev() {
            match self.nodes[i].outputs.iter().any(|&id| read[id]) {
                true => self.nodes[i].inputs.iter().for_each(|&id| read[id] = true),
                false => drop(self.take(i)),
            }
        }
        self.compact();
    }
}
