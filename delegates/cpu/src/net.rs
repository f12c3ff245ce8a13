//! The delegate's own graph: what a partition's nodes compute, before it is decided how.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use arenite_abi::prelude::*;

use crate::memory::Aligned;
use crate::ops::Layer;
use crate::stored::{Stored, dequantized, read_plainly};

/// Position of a value in [`Net::values`].
pub type Id = usize;

/// Per-tensor quantization: `real = scale · (q − zero_point)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quant {
    /// Positive.
    pub scale: f32,
    /// In the range of the type.
    pub zero_point: i32,
}

/// A tensor.
#[derive(Clone, Debug)]
pub struct Value<'a> {
    /// Name in the model.
    pub name: &'a str,
    /// Element type.
    pub ty: ElementType,
    /// Dimensions, outermost first.
    pub shape: Vec<usize>,
    /// Scale and zero point, where there is one of each.
    pub quant: Option<Quant>,
    /// The data of a constant.
    pub constant: Option<TensorView<'a>>,
    /// Its index in the graph; `None` of a value that rewriting added.
    pub tensor: Option<usize>,
    /// What it is made of, of dequantized weights that layers pack, and the constant they come from.
    pub stored: Option<(Stored<'a>, Id)>,
}

impl<'a> Value<'a> {
    /// As the host describes it.
    pub fn of(tensor: &TensorView<'a>) -> Self {
        let quant = tensor.quantization().filter(|q| q.scales.len() == 1).and_then(|q| {
            Some(Quant { scale: q.scales[0], zero_point: i32::try_from(*q.zero_points.first()?).ok()? })
        });
        Value {
            name: tensor.name,
            ty: tensor.ty,
            shape: tensor.shape.iter().map(|&d| d.max(0) as usize).collect(),
            quant,
            constant: tensor.is_constant().then_some(*tensor),
            tensor: None,
            stored: None,
        }
    }

    /// Number of elements. It does not overflow, which is checked where values are [added](Values::add).
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Bytes that it takes.
    pub fn bytes(&self) -> usize {
        self.ty.bytes_of(self.len()).unwrap_or(0)
    }

    /// The elements of a constant, `None` of another tensor. An error if `T` is not its type.
    pub fn elements<T: Element>(&self) -> Result<Option<&'a [T]>> {
        self.constant.as_ref().map(TensorView::as_slice).transpose()
    }

    /// The elements of constant weights, `None` of another tensor. An error if they are not `f32`.
    pub fn weights(&self) -> Result<Option<Stored<'a>>> {
        match self.stored {
            Some((stored, _)) => Ok(Some(stored)),
            None => Ok(self.elements()?.map(Stored::F32)),
        }
    }
}

/// Whether a tensor's data lies at a multiple of its elements' size, up to 8 bytes.
pub fn is_aligned(tensor: &TensorView<'_>) -> bool {
    let size = (tensor.ty.bits() as usize / 8).clamp(1, 8).next_power_of_two();
    tensor.as_ptr().addr().is_multiple_of(size)
}

/// A node: what is computed, from what, to what.
pub struct Node<'a> {
    /// The computation.
    pub layer: Layer<'a>,
    /// What it reads: activations only, constants that it packs are inside the layer.
    pub inputs: Vec<Id>,
    /// What it writes.
    pub outputs: Vec<Id>,
    /// Constants that its step packs, and does not read where they are.
    pub packed: Vec<Id>,
}

impl<'a> Node<'a> {
    /// A node without packed constants.
    pub fn new(layer: Layer<'a>, inputs: Vec<Id>, outputs: Vec<Id>) -> Self {
        Node { layer, inputs, outputs, packed: Vec::new() }
    }
}

/// Shows a subgraph that a node calls.
pub type Subgraphs<'a> = dyn Fn(i32) -> Result<GraphView<'a>> + 'a;

/// Tensors of a graph as values, those only that were asked for.
pub struct Values<'a> {
    graph: GraphView<'a>,
    list: Vec<Value<'a>>,
    ids: HashMap<i32, Id>,
    /// Tensors that are read by more than layers that pack them.
    plain: HashSet<i32>,
    /// Id of the first one.
    first: Id,
    /// Of the next subgraph's first one.
    inner: Id,
    subgraphs: Option<&'a Subgraphs<'a>>,
}

impl<'a> Values<'a> {
    /// None yet.
    pub fn of(graph: GraphView<'a>, subgraphs: &'a Subgraphs<'a>) -> Self {
        let ids = HashMap::new();
        let plain = read_plainly(&graph);
        Values { graph, list: Vec::new(), ids, plain, first: 0, inner: 0, subgraphs: Some(subgraphs) }
    }

    /// Of a subgraph that a node calls, whose own nodes call none: none yet, with ids behind those that are taken.
    pub fn inner(&self, graph: GraphView<'a>) -> Self {
        let ids = HashMap::new();
        let (plain, first) = (read_plainly(&graph), self.inner);
        Values { graph, list: Vec::new(), ids, plain, first, inner: first, subgraphs: None }
    }

    /// A subgraph that a node calls.
    pub fn subgraph(&self, subgraph: i32) -> Result<GraphView<'a>> {
        let look = self.subgraphs.ok_or_else(|| unsupported!("a loop inside of a loop is not taken"))?;
        look(subgraph).map_err(|error| match error.message() {
            "" => unsupported!("subgraph {subgraph} is not shown"),
            _ => error,
        })
    }

    /// The id of a tensor, which becomes a value if it is none yet.
    pub fn add(&mut self, tensor: i32) -> Result<Id> {
        if let Some(&id) = self.ids.get(&tensor) {
            return Ok(id);
        }
        let index = usize::try_from(tensor).map_err(|_| invalid!("there is no tensor {tensor}"))?;
        // Values of subgraphs are no tensors of the graph that the host talks about.
        let known = self.subgraphs.map(|_| index);
        let value = Value { tensor: known, ..Value::of(&self.graph.tensor(index)?) };
        let count = value.shape.iter().try_fold(1usize, |n, &size| n.checked_mul(size));
        if count.and_then(|count| value.ty.bytes_of(count)).is_none() {
            return Err(invalid!("'{}' has shape {:?}, whose size overflows", value.name, value.shape));
        }
        self.list.push(value);
        self.ids.insert(tensor, self.first + self.list.len() - 1);
        Ok(self.first + self.list.len() - 1)
    }

    /// What is known of the data of a tensor that was added.
    pub fn set_constant(&mut self, tensor: i32, constant: Option<TensorView<'a>>) {
        if let Some(&id) = self.ids.get(&tensor) {
            self.list[id - self.first].constant = constant;
        }
    }

    /// All of them, by id.
    pub fn into_list(self) -> Vec<Value<'a>> {
        self.list
    }

    /// Makes values of a node's tensors. Says whether the node does no more than to dequantize weights, which layers read as they
    /// are stored. An error if nobody knows what a node of this version means.
    pub fn add_node(&mut self, node: &NodeView<'a>) -> Result<bool> {
        crate::ops::check_version(node)?;
        let tensors = node.input_indices().iter().chain(node.output_indices());
        tensors.filter(|&&tensor| tensor >= 0).try_for_each(|&tensor| self.add(tensor).map(drop))?;
        let Some((from, to)) = dequantized(node).filter(|(_, to)| !self.plain.contains(to)) else {
            return Ok(false);
        };
        let source = self.get(from).and_then(|(id, value)| Some((Stored::of(value)?, id)));
        let Some(to) = self.ids.get(&to).map(|&id| &mut self.list[id - self.first]) else { return Ok(false) };
        to.stored =
            source.filter(|(stored, _)| to.ty == F32 && to.constant.is_none() && stored.len() == to.len());
        Ok(to.stored.is_some())
    }

    /// A tensor that was added.
    pub fn get(&self, tensor: i32) -> Option<(Id, &Value<'a>)> {
        let id = *self.ids.get(&tensor)?;
        Some((id, self.list.get(id - self.first)?))
    }
}

/// A partition as a graph of layers.
pub struct Net<'a> {
    /// The partition's tensors, and those that rewriting added.
    pub values: Vec<Value<'a>>,
    /// In execution order.
    pub nodes: Vec<Node<'a>>,
    /// Values that rewriting computed.
    pub constants: Vec<(Id, Arc<Aligned<u8>>)>,
    /// What the partition reads from outside.
    pub inputs: Vec<Id>,
    /// What is read outside of the partition.
    pub outputs: Vec<Id>,
}

impl<'a> Net<'a> {
    /// The layers of a partition's nodes. The ids of the model's tensors depend on the nodes alone, so that they name constants
    /// whatever the shapes are.
    pub fn lower(partition: &PartitionView<'a>, subgraphs: &'a Subgraphs<'a>) -> Result<Net<'a>> {
        let mut values = Values::of(partition.graph(), subgraphs);
        let mut nodes = Vec::with_capacity(partition.node_indices().len());
        let ids = |values: &mut Values<'a>, list: &[i32]| {
            list.iter().map(|&tensor| values.add(tensor)).collect::<Result<Vec<Id>>>()
        };
        let weights = partition.nodes().map(|node| values.add_node(&node)).collect::<Result<Vec<bool>>>()?;
        let (inputs, outputs) =
            (ids(&mut values, partition.inputs())?, ids(&mut values, partition.outputs())?);
        values.inner = values.list.len();
        let mut of_subgraphs = Vec::new();
        for (node, is_weights) in partition.nodes().zip(weights) {
            if is_weights {
                continue;
            }
            let mut lowered = crate::ops::lower(&node, &values)?;
            let read = node.input_indices().iter().filter_map(|&tensor| values.get(tensor));
            let packed = read.filter(|(id, _)| !lowered.inputs.contains(id)).filter_map(|(id, value)| {
                value.stored.map(|(_, source)| source).or(value.constant.is_some().then_some(id))
            });
            lowered.packed = packed.collect();
            if let Layer::Scan(scan) = &mut lowered.layer {
                of_subgraphs.append(&mut scan.values);
                values.inner = values.list.len() + of_subgraphs.len();
            }
            nodes.push(lowered);
        }
        let mut list = values.list;
        list.append(&mut of_subgraphs);
        Ok(Net { values: list, nodes, constants: Vec::new(), inputs, outputs })
    }

    /// A value of the same type and shape as `like`.
    pub fn add_value(&mut self, like: Id) -> Id {
        let mut value = self.values[like].clone();
        (value.constant, value.tensor) = (None, None);
        self.values.push(value);
        self.values.len() - 1
    }

    /// The bytes of a constant.
    pub fn bytes_of(&self, id: Id) -> Option<&[u8]> {
        let made = self.constants.iter().find(|(constant, _)| *constant == id);
        let given = || self.values[id].constant.as_ref().map(|constant| constant.bytes());
        made.map(|(_, bytes)| &bytes[..]).or_else(given)
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

    /// Takes out nodes whose results nobody reads.
    pub fn drop_unread(&mut self) {
        let mut read = vec![false; self.values.len()];
        self.outputs.iter().for_each(|&id| read[id] = true);
        for node in self.nodes.iter_mut().rev() {
            match node.outputs.iter().any(|&id| read[id]) {
                true => node.inputs.iter().for_each(|&id| read[id] = true),
                false => node.layer = Layer::Nothing,
            }
        }
        self.nodes.retain(|node| !matches!(node.layer, Layer::Nothing));
    }
}
