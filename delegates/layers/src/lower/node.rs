//! Lowers a node of the model to a layer.

use arenite_abi::prelude::*;

use super::source::Source;
use super::table;
use super::values::{Subgraphs, Values};
use crate::layer::{EngineLayer, Layer, Limits};
use crate::net::{Node, Reals};

/// The lowering of nodes to layers that only one engine has.
pub trait EngineLowering<'a>: EngineLayer<'a> {
    /// Lowers a node to such a layer; `None` if the node should become a common layer.
    fn lower(x: &Source<'_, 'a>) -> Option<Result<Node<Self>>>;
}

/// Lowers a node to one of the engine's own layers, or else to a common one.
///
/// # Errors
/// The reason for the refusal.
pub fn lower_node<'a, X: EngineLowering<'a>>(
    node: &NodeView<'a>,
    values: &Values<'a>,
    limits: &Limits,
) -> Result<Node<Layer<'a, X>>> {
    let x = Source::new(*node, values, limits);
    x.expect_aligned()?;
    match X::lower(&x) {
        Some(own) => Ok(own?.with(Layer::Engine)),
        None => Ok(table::common(&x)?.with(Layer::Common)),
    }
}

/// An empty list of values of a graph. With `reals`, quantized tensors are seen as floats.
pub(super) fn values_of<'a>(
    graph: GraphView<'a>,
    subgraphs: &'a Subgraphs<'a>,
    reals: Option<&'a Reals>,
) -> Values<'a> {
    Values::of(graph, subgraphs, reals, table::facts)
}
