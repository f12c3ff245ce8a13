//! A partition as a graph of layers: what its nodes compute, before it is decided how.

use std::sync::Arc;

use arenite_abi::prelude::*;

use crate::{Aligned, Common, Id, Layer, Limits, Own, Reals, Subgraphs, Value, Values, lower};

/// A node: what is computed, from what, to what.
pub struct Node<L> {
    /// The computation.
    pub layer: L,
    /// What it reads: activations only, constants that it packs are inside the layer.
    pub inputs: Vec<Id>,
    /// What it writes.
    pub outputs: Vec<Id>,
    /// Constants that its step packs, and does not read where they are.
    pub packed: Vec<Id>,
}

impl<L> Node<L> {
    /// A node without packed constants.
    pub fn new(layer: L, inputs: Vec<Id>, outputs: Vec<Id>) -> Self {
        Node { layer, inputs, outputs, packed: Vec::new() }
    }

    /// The same with another layer.
    pub fn with<M>(self, layer: impl FnOnce(L) -> M) -> Node<M> {
        Node { layer: layer(self.layer), inputs: self.inputs, outputs: self.outputs, packed: self.packed }
    }
}

/// A partition as a graph of layers, `X` of which are an engine's own.
pub struct Net<'a, X> {
    /// The partition's tensors, and those that rewriting added.
    pub values: Vec<Value<'a>>,
    /// In execution order.
    pub nodes: Vec<Node<Layer<'a, X>>>,
    /// Values that rewriting computed.
    pub constants: Vec<(Id, Arc<Aligned<u8>>)>,
    /// What the partition reads from outside.
    pub inputs: Vec<Id>,
    /// What is read outside of the partition.
    pub outputs: Vec<Id>,
}

impl<'a, X: Own<'a>> Net<'a, X> {
    /// The layers of a partition's nodes. The ids of the model's tensors depend on the nodes alone, so that they name constants
    /// whatever the shapes are.
    pub fn lower(
        partition: &PartitionView<'a>,
        subgraphs: &'a Subgraphs<'a>,
        reals: Option<&'a Reals>,
        limits: &Limits,
    ) -> Result<Self> {
        let mut values = Values::of(partition.graph(), subgraphs, reals);
        let mut nodes = Vec::with_capacity(partition.node_indices().len());
        let ids = |values: &mut Values<'a>, list: &[i32]| {
            list.iter().map(|&tensor| values.add(tensor)).collect::<Result<Vec<Id>>>()
        };
        let weights = partition.nodes().map(|node| values.add_node(&node)).collect::<Result<Vec<bool>>>()?;
        let (inputs, outputs) =
            (ids(&mut values, partition.inputs())?, ids(&mut values, partition.outputs())?);
        let mut of_subgraphs = Vec::new();
        values.begin_inner(0);
        for (node, is_weights) in partition.nodes().zip(weights) {
            if is_weights {
                continue;
            }
            let mut lowered: Node<Layer<'a, X>> = lower(&node, &values, limits)?;
            lowered.packed = values.packed(&node, &lowered.inputs).collect();
            if let Some(own) = lowered.layer.parts_mut().values {
                of_subgraphs.append(own);
                values.begin_inner(of_subgraphs.len());
            }
            nodes.push(lowered);
        }
        let mut list = values.into_list();
        list.append(&mut of_subgraphs);
        Ok(Net { values: list, nodes, constants: Vec::new(), inputs, outputs })
    }
}

impl<'a, X> Net<'a, X> {
    /// A value of the same type and shape as `like`.
    pub fn add_value(&mut self, like: Id) -> Id {
        let mut value = self.values[like].clone();
        (value.constant, value.real, value.tensor) = (None, None, None);
        self.values.push(value);
        self.values.len() - 1
    }

    /// The bytes of a constant.
    pub fn bytes_of(&self, id: Id) -> Option<&[u8]> {
        let made = self.constants.iter().find(|(constant, _)| *constant == id);
        let given = || self.values[id].data();
        made.map(|(_, bytes)| &bytes[..]).or_else(given)
    }

    /// Makes a value constant.
    pub fn set_bytes(&mut self, id: Id, bytes: impl ExactSizeIterator<Item = u8>) -> Result<()> {
        let mut copy = Aligned::try_zeros(bytes.len())?;
        copy.iter_mut().zip(bytes).for_each(|(to, byte)| *to = byte);
        self.constants.push((id, Arc::new(copy)));
        Ok(())
    }

    /// Bytes that a node reads and writes.
    pub fn bytes_around<L>(&self, node: &Node<L>) -> usize {
        node.inputs.iter().chain(&node.outputs).map(|&id| self.values[id].bytes()).sum()
    }

    /// The most bytes that a node reads and writes: the least memory for the net's values, unless the node works in place.
    pub fn most_bytes(&self) -> usize {
        self.nodes.iter().map(|node| self.bytes_around(node)).max().unwrap_or(0)
    }

    /// How often each value is read: by nodes, and once for being read outside.
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

    /// Takes node `i` out, and leaves one there that writes nothing: the others keep their numbers until
    /// [`compact`](Self::compact).
    pub fn take(&mut self, i: usize) -> Node<Layer<'a, X>> {
        let nothing = Node::new(Layer::Common(Common::Rename), Vec::new(), Vec::new());
        std::mem::replace(&mut self.nodes[i], nothing)
    }

    /// Forgets the places of nodes that were taken out.
    pub fn compact(&mut self) {
        self.nodes.retain(|node| !node.outputs.is_empty());
    }

    /// Takes out nodes whose results nobody reads.
    pub fn drop_unread(&mut self) {
        let mut read = vec![false; self.values.len()];
        self.outputs.iter().for_each(|&id| read[id] = true);
        for i in (0..self.nodes.len()).rev() {
            match self.nodes[i].outputs.iter().any(|&id| read[id]) {
                true => self.nodes[i].inputs.iter().for_each(|&id| read[id] = true),
                false => drop(self.take(i)),
            }
        }
        self.compact();
    }
}
