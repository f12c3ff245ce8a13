//! The values of a graph while its nodes are lowered.

use std::collections::{HashMap, HashSet};

use arenite_abi::prelude::*;

use super::facts::OpFacts;
use crate::net::{Id, Reals, Value};

/// Looks up a subgraph that a node calls.
pub type Subgraphs<'a> = dyn Fn(i32) -> Result<GraphView<'a>> + 'a;

/// Looks up the facts about an op.
pub(super) type FactsOf = for<'n> fn(&NodeView<'n>) -> Option<&'static OpFacts>;

/// The values of a graph, created on request.
pub struct Values<'a> {
    graph: GraphView<'a>,
    list: Vec<Value<'a>>,
    ids: HashMap<i32, Id>,
    /// Tensors that are not only read by layers that pack them.
    plain: HashSet<i32>,
    /// The id of the first value.
    first: Id,
    /// The id of the next subgraph's first value.
    inner: Id,
    subgraphs: Option<&'a Subgraphs<'a>>,
    reals: Option<&'a Reals>,
    facts: FactsOf,
}

impl<'a> Values<'a> {
    /// An empty list. With `reals`, quantized tensors are seen as floats.
    pub(super) fn of(
        graph: GraphView<'a>,
        subgraphs: &'a Subgraphs<'a>,
        reals: Option<&'a Reals>,
        facts: FactsOf,
    ) -> Self {
        Values {
            graph,
            list: Vec::new(),
            ids: HashMap::new(),
            plain: read_plainly(&graph, facts),
            first: 0,
            inner: 0,
            subgraphs: Some(subgraphs),
            reals,
            facts,
        }
    }

    /// An empty list for a subgraph that a node calls and that calls no subgraphs. Its ids follow those in use.
    pub fn inner(&self, graph: GraphView<'a>) -> Self {
        let ids = HashMap::new();
        let (plain, first) = (read_plainly(&graph, self.facts), self.inner);
        let facts = self.facts;
        let (list, inner) = (Vec::new(), first);
        Values { graph, list, ids, plain, first, inner, subgraphs: None, reals: None, facts }
    }

    /// Looks up a subgraph that a node calls.
    ///
    /// # Errors
    /// The subgraph is not accessible, or the node is inside a loop already.
    pub fn subgraph(&self, subgraph: i32) -> Result<GraphView<'a>> {
        let look = self.subgraphs.ok_or_else(|| unsupported!("a loop inside a loop is not supported"))?;
        look(subgraph).map_err(|error| match error.message() {
            "" => unsupported!("subgraph {subgraph} is not accessible"),
            _ => error,
        })
    }

    /// The id of a tensor, which is added if it is new.
    ///
    /// # Errors
    /// The tensor does not exist, or its size overflows.
    pub fn add(&mut self, tensor: i32) -> Result<Id> {
        if let Some(&id) = self.ids.get(&tensor) {
            return Ok(id);
        }
        let index = usize::try_from(tensor).map_err(|_| invalid!("tensor {tensor} does not exist"))?;
        // Tensors of subgraphs have no index in the host's graph.
        let known = self.subgraphs.map(|_| index);
        let mut value = Value { tensor: known, ..Value::of(&self.graph.tensor(index)?) };
        if let Some(reals) = self.reals {
            value.show_reals(reals, index);
        }
        let count = value.shape.iter().try_fold(1usize, |n, &size| n.checked_mul(size));
        if count.and_then(|count| value.ty.bytes_of(count)).is_none() {
            return Err(invalid!("{value} has shape {:?}, whose size overflows", value.shape));
        }
        self.list.push(value);
        self.ids.insert(tensor, self.first + self.list.len() - 1);
        Ok(self.first + self.list.len() - 1)
    }

    /// Sets the constant data of an added tensor.
    pub fn set_constant(&mut self, tensor: i32, constant: Option<TensorView<'a>>) {
        if let Some(&id) = self.ids.get(&tensor) {
            self.list[id - self.first].constant = constant;
        }
    }

    /// Lets ids of the next subgraph follow the ids of this graph and `others` values of other subgraphs.
    pub(super) fn begin_inner(&mut self, others: usize) {
        self.inner = self.list.len() + others;
    }

    /// All values, by id.
    pub fn into_list(self) -> Vec<Value<'a>> {
        self.list
    }

    /// Adds the tensors of a node. Returns whether the node only dequantizes weights, which layers read in their stored
    /// form.
    ///
    /// # Errors
    /// If the node's version is not supported, or a tensor's size overflows.
    pub fn add_node(&mut self, node: &NodeView<'a>) -> Result<bool> {
        if let Some(facts) = (self.facts)(node) {
            facts.expect_version(node)?;
        }
        let tensors = node.input_indices().iter().chain(node.output_indices());
        tensors.filter(|&&tensor| tensor >= 0).try_for_each(|&tensor| self.add(tensor).map(drop))?;
        let Some((from, to)) = dequantized(node).filter(|(_, to)| !self.plain.contains(to)) else {
            return Ok(false);
        };
        let source = self.get(from).and_then(|(id, value)| Some((value.stored_data()?, id)));
        let Some(to) = self.ids.get(&to).map(|&id| &mut self.list[id - self.first]) else { return Ok(false) };
        to.stored =
            source.filter(|(stored, _)| to.ty == F32 && to.constant.is_none() && stored.len() == to.len());
        Ok(to.stored.is_some())
    }

    /// The constants of a node that are not among the `inputs` of its layer, so the layer packs them.
    pub fn packed(&self, node: &NodeView<'a>, inputs: &[Id]) -> impl Iterator<Item = Id> {
        let read = node.input_indices().iter().filter_map(|&tensor| self.get(tensor));
        read.filter(|(id, _)| !inputs.contains(id)).filter_map(|(id, value)| value.source(id))
    }

    /// The id and value of an added tensor.
    pub fn get(&self, tensor: i32) -> Option<(Id, &Value<'a>)> {
        let id = *self.ids.get(&tensor)?;
        Some((id, self.list.get(id - self.first)?))
    }
}

/// The input and the output of a DEQUANTIZE.
fn dequantized(node: &NodeView<'_>) -> Option<(i32, i32)> {
    let ends = (*node.input_indices().first()?, *node.output_indices().first()?);
    (node.builtin_code() == op::DEQUANTIZE).then_some(ends)
}

/// Tensors with a reader that does not pack them.
fn read_plainly(graph: &GraphView<'_>, facts: FactsOf) -> HashSet<i32> {
    let mut tensors: HashSet<i32> = graph.outputs().iter().copied().collect();
    for node in graph.nodes() {
        let packed = facts(&node).and_then(|facts| facts.layer.as_ref()?.packed);
        let inputs = node.input_indices().iter().enumerate();
        tensors.extend(inputs.filter(|(i, _)| Some(*i) != packed).map(|(_, &tensor)| tensor));
    }
    tensors
}
