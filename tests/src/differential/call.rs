//! Moves a graph into a subgraph that the main graph calls. Its variables keep their values between calls.

use arenite_abi::schema::{IfOptions, StableHLOCompositeOptions};
use arenite_model::tensor_type::BOOL;
use arenite_model::writer::{Operator, Tensor};
use serde::{Deserialize, Serialize};

use super::graph::Graph;
use crate::options::WithOptions;

/// How the graph is called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Call {
    /// It is not called: it is the main graph.
    #[default]
    Main,
    /// By a STABLEHLO_COMPOSITE.
    Composite,
    /// By an IF, whose branches are the same subgraph.
    If,
}

/// The graph, called that way, unless it is retyped. Inputs keep their tensor indices, and outputs their order.
pub fn called(graph: &Graph, call: Call) -> Graph {
    let mut caller = graph.clone();
    if call == Call::Main || graph.retyped {
        return caller;
    }
    let inner = graph.model.subgraphs[0].clone();
    let index = caller.model.subgraphs.len() as i32;
    let condition = caller.model.buffer(vec![1]);
    let [branch, composite] = ["IF", "STABLEHLO_COMPOSITE"].map(|op| caller.model.builtin(op, 1));
    let main = &mut caller.model.subgraphs[0];
    main.operators.clear();
    main.tensors.iter_mut().for_each(|tensor| tensor.is_variable = false);
    let result = |&t: &i32| Tensor { buffer: 0, is_variable: false, ..inner.tensors[t as usize].clone() };
    main.outputs = inner.outputs.iter().map(|t| main.tensor(result(t))).collect();
    let (mut inputs, outputs) = (main.inputs.clone(), main.outputs.clone());
    let node = match call {
        Call::If => {
            inputs.insert(0, main.tensor(Tensor::new("", BOOL, &[]).buffer(condition)));
            Operator::new(branch, &inputs, &outputs).with_options(|o| {
                o.set(IfOptions::THEN_SUBGRAPH_INDEX, index).set(IfOptions::ELSE_SUBGRAPH_INDEX, index)
            })
        }
        _ => Operator::new(composite, &inputs, &outputs).with_options(|o| {
            o.set(StableHLOCompositeOptions::NAME, "drawn")
                .set(StableHLOCompositeOptions::DECOMPOSITION_SUBGRAPH_INDEX, index)
        }),
    };
    main.operator(node);
    caller.model.subgraph(inner);
    caller
}
