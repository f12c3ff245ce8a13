//! Tensors as values: what layers read and write.

use std::collections::{HashMap, HashSet};

use arenite_abi::prelude::*;

use crate::ops::check_version;
use crate::reals::{Grid, Real, Reals};
use crate::stored::{Stored, dequantized, read_plainly};

/// Position of a value in [`Net::values`](crate::Net::values).
pub type Id = usize;

/// Per-tensor quantization: `real = scale · (q − zero_point)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quant {
    /// Positive.
    pub scale: f32,
    /// In the clamp of the type.
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
    /// Where the numbers lie that it may hold, of floats that bytes stand for.
    pub grid: Option<Grid>,
    /// The floats that a constant of bytes stands for.
    pub real: Option<Real<'a>>,
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
            grid: None,
            real: None,
            stored: None,
        }
    }

    /// The bytes of a constant, of floats if it stands for them.
    pub fn data(&self) -> Option<&'a [u8]> {
        let floats = self.real.map(|real| bytemuck::cast_slice(real.floats()));
        floats.or_else(|| self.constant.map(|constant| constant.bytes()))
    }

    /// Number of elements. It does not overflow, which is checked where values are [added](Values::add).
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes that it takes.
    pub fn bytes(&self) -> usize {
        self.ty.bytes_of(self.len()).unwrap_or(0)
    }

    /// The elements of a constant, `None` of another tensor. An error if `T` is not its type.
    pub fn elements<T: Element>(&self) -> Result<Option<&'a [T]>> {
        if let (Some(real), true) = (self.real, T::TYPE == F32) {
            return Ok(Some(bytemuck::cast_slice(real.floats())));
        }
        self.constant.as_ref().map(TensorView::as_slice).transpose()
    }

    /// The constant that it is, or is made of; `id` is its own.
    pub fn source(&self, id: Id) -> Option<Id> {
        self.stored.map(|(_, source)| source).or(self.constant.is_some().then_some(id))
    }

    /// The elements of constant weights, `None` of another tensor. An error if they are not `f32`.
    pub fn weights(&self) -> Result<Option<Stored<'a>>> {
        let stored = self.stored.map(|(stored, _)| stored);
        match stored.or_else(|| self.real.and_then(|_| Stored::of(self))) {
            Some(stored) => Ok(Some(stored)),
            None => Ok(self.elements()?.map(Stored::F32)),
        }
    }
}

/// Whether a tensor's data lies at a multiple of its elements' size, up to 8 bytes.
pub fn is_aligned(tensor: &TensorView<'_>) -> bool {
    let size = (tensor.ty.bits() as usize / 8).clamp(1, 8).next_power_of_two();
    tensor.as_ptr().addr().is_multiple_of(size)
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
    reals: Option<&'a Reals>,
}

impl<'a> Values<'a> {
    /// None yet. With `reals` bytes are the floats that they stand for.
    pub fn of(graph: GraphView<'a>, subgraphs: &'a Subgraphs<'a>, reals: Option<&'a Reals>) -> Self {
        Values {
            graph,
            list: Vec::new(),
            ids: HashMap::new(),
            plain: read_plainly(&graph),
            first: 0,
            inner: 0,
            subgraphs: Some(subgraphs),
            reals,
        }
    }

    /// Of a subgraph that a node calls, whose own nodes call none: none yet, with ids behind those that are taken.
    pub fn inner(&self, graph: GraphView<'a>) -> Self {
        let ids = HashMap::new();
        let (plain, first) = (read_plainly(&graph), self.inner);
        Values { graph, list: Vec::new(), ids, plain, first, inner: first, subgraphs: None, reals: None }
    }

    /// A subgraph that a node calls.
    pub fn subgraph(&self, subgraph: i32) -> Result<GraphView<'a>> {
        let look = self.subgraphs.ok_or_else(|| unsupported!("a loop inside a loop is not supported"))?;
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
        let mut value = Value { tensor: known, ..Value::of(&self.graph.tensor(index)?) };
        if let Some(reals) = self.reals {
            reals.show(index, &mut value);
        }
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

    /// Gives values of subgraphs ids behind all that are there, and behind so many of other subgraphs.
    pub(crate) fn begin_inner(&mut self, others: usize) {
        self.inner = self.list.len() + others;
    }

    /// All of them, by id.
    pub fn into_list(self) -> Vec<Value<'a>> {
        self.list
    }

    /// Makes values of a node's tensors. Says whether the node does no more than to dequantize weights, which layers read as they
    /// are stored. An error if nobody knows what a node of this version means.
    pub fn add_node(&mut self, node: &NodeView<'a>) -> Result<bool> {
        check_version(node)?;
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

    /// The constants that a node's layer packs, if it reads `inputs` where they are.
    pub fn packed(&self, node: &NodeView<'a>, inputs: &[Id]) -> impl Iterator<Item = Id> {
        let read = node.input_indices().iter().filter_map(|&tensor| self.get(tensor));
        read.filter(|(id, _)| !inputs.contains(id)).filter_map(|(id, value)| value.source(id))
    }

    /// A tensor that was added.
    pub fn get(&self, tensor: i32) -> Option<(Id, &Value<'a>)> {
        let id = *self.ids.get(&tensor)?;
        Some((id, self.list.get(id - self.first)?))
    }
}
