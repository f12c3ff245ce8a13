//! The arithmetic of a node, from shapes alone: two operations (multiply, add) per product of the direct algorithm. A
//! faster algorithm (Winograd) needs fewer, so its rate appears higher than it is. Nodes that are not sums of products
//! have no operations.

use arenite_model::{Model, Operator, SubGraph, tensor_type};

/// The peak with which a node's rate is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    Float,
    /// 8-bit products, summed in 32 bits.
    Int8,
}

/// The arithmetic of a node.
#[derive(Clone, Debug)]
pub(crate) struct NodeWork {
    pub op: String,
    /// Name of its first output.
    pub output: String,
    pub operations: u64,
    pub unit: Unit,
}

/// The nodes of the main subgraph, in order.
pub(crate) fn of_model(model: &Model<'_>) -> Vec<NodeWork> {
    let Some(graph) = model.subgraph(0) else { return Vec::new() };
    graph.operators().iter().map(|operator| of_node(model, &graph, &operator)).collect()
}

/// The sum of all operations; `None` if it depends on how often subgraphs run.
pub(crate) fn total(model: &Model<'_>) -> Option<u64> {
    let nodes = of_model(model);
    let calls = nodes.iter().any(|node| matches!(node.op.as_str(), "WHILE" | "IF" | "CALL"));
    (!calls).then(|| nodes.iter().map(|node| node.operations).sum())
}

/// The unit of work for a model of this kind: dynamic-range models multiply bytes, half-precision models multiply
/// floats.
pub(crate) fn unit_of_kind(kind: &str) -> Unit {
    match kind {
        "i8" | "dr8" => Unit::Int8,
        _ => Unit::Float,
    }
}

fn of_node(model: &Model<'_>, graph: &SubGraph<'_>, operator: &Operator<'_>) -> NodeWork {
    let code = model.operator_code(operator);
    let op = code.as_ref().map_or("unknown", |code| code.name()).to_owned();
    let tensor = |list: arenite_model::List<'_, i32>, i: usize| {
        let index = usize::try_from(list.get(i)?).ok()?;
        graph.tensors().get(index)
    };
    let shape = |list, i| -> Vec<u64> {
        let dims = tensor(list, i).map(|tensor| tensor.shape());
        dims.into_iter().flat_map(|dims| dims.iter()).map(|dim| dim.max(0) as u64).collect()
    };
    let input = |i| shape(operator.inputs(), i);
    let output = shape(operator.outputs(), 0);
    let products = match op.as_str() {
        "CONV_2D" | "CONV_3D" => convolution(&output, &input(1), op == "CONV_3D"),
        "DEPTHWISE_CONV_2D" => depthwise(&output, &input(1)),
        "FULLY_CONNECTED" => product(&output) * input(1).last().copied().unwrap_or(0),
        "BATCH_MATMUL" => batch_matmul(&output, &input(0)),
        "TRANSPOSE_CONV" => transposed(&input(2), &input(1)),
        "UNIDIRECTIONAL_SEQUENCE_LSTM" | "LSTM" => lstm(&input(0), &input(2), &input(6), &input(16)),
        _ => 0,
    };
    let second = tensor(operator.inputs(), 1).map(|tensor| tensor.element_type());
    let bytes = matches!(second, Some(tensor_type::INT8 | tensor_type::UINT8 | tensor_type::INT4));
    NodeWork {
        op,
        output: tensor(operator.outputs(), 0).and_then(|tensor| tensor.name()).unwrap_or("").to_owned(),
        operations: 2 * products,
        unit: if bytes { Unit::Int8 } else { Unit::Float },
    }
}

fn product(dims: &[u64]) -> u64 {
    dims.iter().product()
}

/// Each output sums over the window and the filter's own channels: filter OHWI, or DHWIO in three dimensions.
fn convolution(output: &[u64], filter: &[u64], three: bool) -> u64 {
    let window = match (filter, three) {
        ([_, window @ ..], false) => window,
        ([window @ .., _], true) => window,
        _ => return 0,
    };
    product(output) * product(window)
}

/// Each output sums over the window: filter 1HWO.
fn depthwise(output: &[u64], filter: &[u64]) -> u64 {
    match filter {
        [_, height, width, _] => product(output) * height * width,
        _ => 0,
    }
}

/// `[…, M, N]` from an input whose last dimensions are M and K, in either order.
fn batch_matmul(output: &[u64], x: &[u64]) -> u64 {
    let (Some(&rows), Some(matrix)) = (output.iter().nth_back(1), x.len().checked_sub(2).map(|i| &x[i..]))
    else {
        return 0;
    };
    product(output) * product(matrix).checked_div(rows).unwrap_or(0)
}

/// Each input is multiplied with the whole window for every output channel: filter OHWI.
fn transposed(input: &[u64], filter: &[u64]) -> u64 {
    match filter {
        [out, height, width, _] => product(input) * out * height * width,
        _ => 0,
    }
}

/// Per step: four gates from the input `[cells, inputs]` and from the last output `[cells, outputs]`, and the
/// projection `[outputs, cells]` if there is one.
fn lstm(input: &[u64], input_to_gate: &[u64], recurrent_to_gate: &[u64], projection: &[u64]) -> u64 {
    let Some((_, steps)) = input.split_last() else { return 0 };
    let projection = if projection.is_empty() { 0 } else { product(projection) };
    product(steps) * (4 * (product(input_to_gate) + product(recurrent_to_gate)) + projection)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_model::writer::{ModelBuilder, Operator, SubGraph, Tensor};

    /// Operations of one node with these shapes; an empty shape is an absent input.
    fn operations(op: &str, ty: i32, inputs: &[&[i32]], output: &[i32]) -> (u64, Unit) {
        let mut model = ModelBuilder::new();
        let code = model.builtin(op, 1);
        let mut graph = SubGraph::new("main");
        let indices: Vec<i32> = inputs
            .iter()
            .enumerate()
            .map(|(i, dims)| match dims.is_empty() {
                true => -1,
                false => graph.input(Tensor::new(&format!("in{i}"), ty, dims)),
            })
            .collect();
        let output = graph.output(Tensor::new("out", ty, output));
        graph.operator(Operator::new(code, &indices, &[output]));
        model.subgraph(graph);
        let bytes = model.finish();
        let nodes = of_model(&Model::new(&bytes).unwrap());
        assert_eq!((nodes.len(), nodes[0].op.as_str(), nodes[0].output.as_str()), (1, op, "out"));
        (nodes[0].operations, nodes[0].unit)
    }

    #[test]
    fn layers_of_known_networks() {
        let float = tensor_type::FLOAT32;
        let of = |op, inputs: &[&[i32]], output: &[i32]| operations(op, float, inputs, output).0;
        // The first convolution of resnet50: 118,013,952 products.
        let stem = of("CONV_2D", &[&[1, 224, 224, 3], &[64, 7, 7, 3], &[64]], &[1, 112, 112, 64]);
        assert_eq!(stem, 2 * 118_013_952);
        // The first depthwise convolution of mobilenet_v1: 3,612,672 products.
        let depthwise = of("DEPTHWISE_CONV_2D", &[&[1, 112, 112, 32], &[1, 3, 3, 32]], &[1, 112, 112, 32]);
        assert_eq!(depthwise, 2 * 3_612_672);
        assert_eq!(of("FULLY_CONNECTED", &[&[1, 1024], &[1000, 1024]], &[1, 1000]), 2 * 1_024_000);
        // Scores of three heads of vit_tiny.
        let scores = of("BATCH_MATMUL", &[&[1, 3, 196, 64], &[1, 3, 64, 196]], &[1, 3, 196, 196]);
        assert_eq!(scores, 2 * 3 * 196 * 196 * 64);
        assert_eq!(of("BATCH_MATMUL", &[&[5, 2], &[5, 4]], &[2, 4]), 2 * 2 * 4 * 5);
        let shapes: [&[i32]; 3] = [&[4], &[128, 2, 2, 256], &[1, 16, 16, 256]];
        assert_eq!(of("TRANSPOSE_CONV", &shapes, &[1, 32, 32, 128]), 2 * 256 * 256 * 128 * 4);
        assert_eq!(of("RELU", &[&[1, 4]], &[1, 4]), 0);
    }

    #[test]
    fn an_lstm_has_four_gates() {
        let (gate, recurrent): (&[i32], &[i32]) = (&[128, 40], &[128, 128]);
        let steps: &[i32] = &[1, 50, 40];
        let inputs = [steps, gate, gate, gate, gate, recurrent, recurrent, recurrent, recurrent];
        let found = operations("UNIDIRECTIONAL_SEQUENCE_LSTM", tensor_type::FLOAT32, &inputs, &[1, 50, 128]);
        assert_eq!(found.0, 2 * 50 * 4 * 128 * (40 + 128));
    }

    #[test]
    fn the_operations_of_a_loop_are_unknown() {
        let total_of = |op| {
            let mut model = ModelBuilder::new();
            let code = model.builtin(op, 1);
            let mut graph = SubGraph::new("main");
            let x = graph.input(Tensor::new("x", tensor_type::FLOAT32, &[1]));
            let y = graph.output(Tensor::new("y", tensor_type::FLOAT32, &[1]));
            graph.operator(Operator::new(code, &[x], &[y]));
            model.subgraph(graph);
            let bytes = model.finish();
            total(&Model::new(&bytes).unwrap())
        };
        assert_eq!((total_of("RELU"), total_of("WHILE")), (Some(0), None));
    }

    #[test]
    fn the_unit_depends_on_the_weights() {
        let shapes: [&[i32]; 2] = [&[1, 4], &[2, 4]];
        assert_eq!(operations("FULLY_CONNECTED", tensor_type::INT8, &shapes, &[1, 2]).1, Unit::Int8);
        assert_eq!(operations("FULLY_CONNECTED", tensor_type::FLOAT32, &shapes, &[1, 2]).1, Unit::Float);
    }
}
