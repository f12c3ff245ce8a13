//! The subgraphs of a model, and where their nodes are drawn.

use std::collections::{BTreeMap, BTreeSet};

use arenite::{ElementType, Interpreter};
use arenite_common::inspection::{Node, Subgraph, Tensor};
use arenite_common::values::{Number, element};
use serde::Serialize;

use super::layout::{Edge, Layout, layout};

/// The most nodes on a page, over all subgraphs.
pub(super) const MOST_NODES: usize = 20_000;
/// The most inputs and outputs of a subgraph that are drawn.
const MOST_PORTS: usize = 2_000;
/// How many scales and zero points of a tensor are kept.
const SCALES: usize = 8;
/// How many values of a constant are kept.
const VALUES: usize = 8;

/// A subgraph.
#[derive(Serialize)]
pub(super) struct Graph {
    pub index: usize,
    pub name: String,
    pub inputs: Vec<i32>,
    pub outputs: Vec<i32>,
    /// The number of nodes in the model, which may exceed the page's.
    pub node_count: usize,
    pub tensor_count: usize,
    pub nodes: Vec<Node>,
    /// The tensors that are inputs, outputs, or used by `nodes`.
    pub tensors: Vec<PageTensor>,
    /// Positions of the nodes, then of the inputs, then of the outputs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layout: Option<Layout>,
}

/// A tensor with its first scales only.
#[derive(Serialize)]
pub(super) struct PageTensor {
    #[serde(flatten)]
    pub tensor: Tensor,
    /// The number of scales in the model.
    pub scale_count: usize,
    /// The first values of a constant.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<Number>,
}

impl Graph {
    /// Takes at most `most` nodes of a subgraph.
    pub(super) fn of(subgraph: Subgraph, most: usize, interpreter: &Interpreter) -> Self {
        let Subgraph { index, name, mut inputs, mut outputs, mut nodes, tensors } = subgraph;
        let (node_count, tensor_count) = (nodes.len(), tensors.len());
        nodes.truncate(most);
        inputs.truncate(MOST_PORTS);
        outputs.truncate(MOST_PORTS);
        let of_nodes = nodes.iter().flat_map(|node| node.inputs.iter().chain(&node.outputs));
        let used: BTreeSet<i32> = of_nodes.chain(&inputs).chain(&outputs).copied().collect();
        let used = |tensor: &Tensor| i32::try_from(tensor.index).is_ok_and(|index| used.contains(&index));
        let tensors = tensors.into_iter().filter(used).map(|tensor| shorten(tensor, index, interpreter));
        let tensors = tensors.collect();
        Graph { index, name, inputs, outputs, node_count, tensor_count, nodes, tensors, layout: None }
    }

    /// Computes where the nodes are drawn.
    pub(super) fn lay_out(&mut self) {
        let names: BTreeMap<i32, &Tensor> =
            self.tensors.iter().map(|t| (t.tensor.index as i32, &t.tensor)).collect();
        let of_node = self.nodes.iter().map(|node| {
            let shape = node.outputs.first().and_then(|t| names.get(t));
            width(&node.op, 9).max(width(&shape.map_or(String::new(), |tensor| form(tensor)), 7))
        });
        let of_port = self.inputs.iter().chain(&self.outputs).map(|port| {
            names.get(port).map_or(0, |tensor| width(&tensor.name, 9).max(width(&form(tensor), 7)))
        });
        let widths: Vec<i32> = of_node.chain(of_port).map(|width| width.clamp(84, 230)).collect();
        self.layout = Some(layout(&widths, &self.edges()));
    }

    /// Lines from the writer of each tensor to its readers. Constants are not drawn.
    fn edges(&self) -> Vec<Edge> {
        let (nodes, inputs) = (self.nodes.len(), self.inputs.len());
        let of_inputs = self.inputs.iter().enumerate().map(|(i, &tensor)| (tensor, nodes + i));
        let written =
            |(i, node): (usize, &Node)| node.outputs.iter().map(move |&t| (t, i)).collect::<Vec<_>>();
        let of_nodes = self.nodes.iter().enumerate().flat_map(written);
        let writer: BTreeMap<i32, usize> = of_inputs.chain(of_nodes).filter(|&(t, _)| t >= 0).collect();
        let read = |(i, node): (usize, &Node)| node.inputs.iter().map(move |&t| (t, i)).collect::<Vec<_>>();
        let by_nodes = self.nodes.iter().enumerate().flat_map(read);
        let by_outputs = self.outputs.iter().enumerate().map(|(i, &tensor)| (tensor, nodes + inputs + i));
        let edge = |(tensor, to): (i32, usize)| Some(Edge { from: *writer.get(&tensor)?, tensor, to });
        let edges: BTreeSet<Edge> = by_nodes.chain(by_outputs).filter_map(edge).collect();
        edges.into_iter().collect()
    }
}

/// The second line of a vertex.
fn form(tensor: &Tensor) -> String {
    let dims: Vec<String> = tensor.shape.iter().map(i32::to_string).collect();
    format!("{} {}", tensor.ty, dims.join("×"))
}

/// The width of a vertex with this text, in pixels. The first line is bold and has wider characters.
fn width(text: &str, of_char: i32) -> i32 {
    let chars = i32::try_from(text.chars().count()).unwrap_or(i32::MAX / 16);
    chars.saturating_mul(of_char) + 22
}

fn shorten(mut tensor: Tensor, subgraph: usize, interpreter: &Interpreter) -> PageTensor {
    let scale_count = tensor.quantization.as_ref().map_or(0, |quantization| quantization.scales.len());
    if let Some(quantization) = &mut tensor.quantization {
        quantization.scales.truncate(SCALES);
        quantization.zero_points.truncate(SCALES);
    }
    let values = first_values(interpreter, subgraph, tensor.index);
    PageTensor { tensor, scale_count, values }
}

/// The first values of a constant; empty for other tensors.
fn first_values(interpreter: &Interpreter, subgraph: usize, tensor: usize) -> Vec<Number> {
    let view = interpreter.model().view();
    let found = view.subgraph(subgraph).and_then(|graph| graph.tensors().get(tensor));
    let Some((tensor, bytes)) = found.and_then(|tensor| Some((tensor, view.constant(&tensor)?))) else {
        return Vec::new();
    };
    let ty = u32::try_from(tensor.element_type()).ok().and_then(ElementType::from_raw);
    match ty.filter(|_| tensor.sparsity().is_none()) {
        Some(ty) => (0..VALUES).map_while(|i| element(ty, bytes, i)).collect(),
        None => Vec::new(),
    }
}
