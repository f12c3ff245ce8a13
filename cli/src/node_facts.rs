//! Facts about a node that follow from the model file alone: options by name, bytes of constants, multiply-accumulates.

mod macs;
mod options;

use std::collections::BTreeSet;

use arenite::Interpreter;
use arenite::model_file::{Model, Operator};
use arenite_common::inspection::Inspection;
use arenite_common::node_facts::NodeFacts;

pub(crate) use macs::Shapes;
pub(crate) use options::value_named;

/// Adds options, bytes of constants and multiply-accumulates to every node.
pub(crate) fn add(report: &mut Inspection, interpreter: &Interpreter) {
    let view = interpreter.model().view();
    for subgraph in &mut report.subgraphs {
        let shapes = shapes(interpreter, subgraph.index);
        for node in &mut subgraph.nodes {
            node.facts = of(&view, subgraph.index, node.index, &shapes);
        }
    }
}

/// Facts about node `node` of `subgraph`, numbered as in the file; `None` if there is no such node.
pub(crate) fn of(model: &Model<'_>, subgraph: usize, node: usize, shapes: Shapes<'_>) -> Option<NodeFacts> {
    let operator = model.subgraph(subgraph)?.operators().get(node)?;
    let op = macs::MacOp { model, operator: &operator, shapes };
    Some(NodeFacts {
        options: options::read(model, &operator),
        weight_bytes: constants(model, [(subgraph, operator)]),
        macs: op.count(),
    })
}

/// The current shapes of a subgraph's tensors: from the interpreter if it built the subgraph, else from the file.
pub(crate) fn shapes(interpreter: &Interpreter, subgraph: usize) -> impl Fn(usize) -> Option<Vec<i32>> {
    move |tensor| {
        let form = interpreter.tensor_form(subgraph, tensor);
        if let Some((_, shape)) = form {
            return shape.map(<[i32]>::to_vec);
        }
        let view = interpreter.model().view();
        let tensor = view.subgraph(subgraph)?.tensors().get(tensor)?;
        let open = tensor.shape_signature().iter().any(|dim| dim < 0);
        (!open).then(|| tensor.shape().iter().collect())
    }
}

/// Bytes of the constants that these operators of subgraphs read. Data that several tensors share counts once.
pub(crate) fn constants<'m>(
    model: &Model<'m>,
    operators: impl IntoIterator<Item = (usize, Operator<'m>)>,
) -> u64 {
    let mut known = BTreeSet::new();
    let mut bytes = 0;
    for (subgraph, operator) in operators {
        let Some(tensors) = model.subgraph(subgraph).map(|graph| graph.tensors()) else { continue };
        for tensor in operator.inputs().iter().filter_map(|t| tensors.get(usize::try_from(t).ok()?)) {
            if let Some(data) = model.constant(&tensor)
                && known.insert((data.as_ptr(), data.len()))
            {
                bytes += data.len() as u64;
            }
        }
    }
    bytes
}
