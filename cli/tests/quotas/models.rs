//! Small files that demand large amounts of time or memory.

use arenite_model::tensor_type::{BOOL, FLOAT32, INT8, INT32};
use arenite_model::writer::{ModelBuilder, Operator, Options, SubGraph, Tensor, bytes_of};

/// Union tags of the options and slots of their fields, as in the schema.
const CONV_2D: u8 = 1;
const FULLY_CONNECTED: u8 = 8;
const CONCATENATION: u8 = 10;
const IF: u8 = 92;
const WHILE: u8 = 93;
const COMPOSITE: u8 = 21;

fn floats(name: &str, shape: &[i32]) -> Tensor {
    Tensor::new(name, FLOAT32, shape)
}

fn pair(name: &str) -> Tensor {
    floats(name, &[2])
}

/// Builds `graph` with an input and an output of two floats.
fn with_ports(name: &str) -> (SubGraph, i32, i32) {
    with_ports_of(name, 2)
}

fn with_ports_of(name: &str, count: i32) -> (SubGraph, i32, i32) {
    let mut graph = SubGraph::new(name);
    let (x, y) = (graph.input(floats("x", &[count])), graph.output(floats("y", &[count])));
    (graph, x, y)
}

fn composite(code: u32, subgraph: i32, x: i32, y: i32) -> Operator {
    Operator::new(code, &[x], &[y]).options_2(COMPOSITE, |o| o.text(0, "c").i32(1, subgraph))
}

/// `y = −x`
pub(crate) fn one_node() -> ModelBuilder {
    chain(1)
}

/// Subgraph k has two composites of subgraph k + 1. The last subgraph has two nodes with a tensor of this name between
/// them.
pub(crate) fn doubling_composites(levels: i32, name: &str) -> ModelBuilder {
    doubling(levels, 2, |model, graph, x, y| {
        let (neg, t) = (model.builtin("NEG", 1), graph.tensor(pair(name)));
        graph.operator(Operator::new(neg, &[x], &[t]));
        graph.operator(Operator::new(neg, &[t], &[y]));
    })
}

fn doubling(
    levels: i32,
    count: i32,
    fill: impl FnOnce(&mut ModelBuilder, &mut SubGraph, i32, i32),
) -> ModelBuilder {
    let mut model = ModelBuilder::new();
    let code = model.builtin("STABLEHLO_COMPOSITE", 1);
    for level in 1..=levels {
        let (mut graph, x, y) = with_ports_of("level", count);
        let t = graph.tensor(floats("t", &[count]));
        graph.operator(composite(code, level, x, t));
        graph.operator(composite(code, level, t, y));
        model.subgraph(graph);
    }
    let (mut graph, x, y) = with_ports_of("leaf", count);
    fill(&mut model, &mut graph, x, y);
    model.subgraph(graph);
    model
}

/// As [`doubling_composites`], but the tensor in the last subgraph has `scales` scales.
pub(crate) fn doubling_scales(levels: i32, scales: i32) -> ModelBuilder {
    doubling(levels, scales, |model, graph, x, y| {
        let (quantize, dequantize) = (model.builtin("QUANTIZE", 1), model.builtin("DEQUANTIZE", 1));
        let count = scales as usize;
        let many = Tensor::new("many", INT8, &[scales]).per_channel(&vec![0.5; count], &vec![0; count], 0);
        let t = graph.tensor(many);
        graph.operator(Operator::new(quantize, &[x], &[t]));
        graph.operator(Operator::new(dequantize, &[t], &[y]));
    })
}

/// As [`doubling_composites`], but the last subgraphs are empty.
pub(crate) fn empty_composites(levels: i32) -> ModelBuilder {
    let mut model = ModelBuilder::new();
    let code = model.builtin("STABLEHLO_COMPOSITE", 1);
    let nothing =
        |subgraph| Operator::new(code, &[], &[]).options_2(COMPOSITE, |o| o.text(0, "c").i32(1, subgraph));
    for level in 0..levels {
        let mut graph = SubGraph::new("level");
        if level == 0 {
            let (x, y) = (graph.input(pair("x")), graph.output(pair("y")));
            let neg = model.builtin("NEG", 1);
            graph.operator(Operator::new(neg, &[x], &[y]));
        }
        graph.operator(nothing(level + 1));
        graph.operator(nothing(level + 1));
        model.subgraph(graph);
    }
    model.subgraph(SubGraph::new("empty"));
    model
}

/// `y_i = x + x` for i < `count`.
pub(crate) fn fan(count: usize) -> ModelBuilder {
    let mut model = ModelBuilder::new();
    let add = model.builtin("ADD", 1);
    let mut graph = SubGraph::new("main");
    let x = graph.input(pair("x"));
    for _ in 0..count {
        let y = graph.output(pair("y"));
        graph.operator(Operator::new(add, &[x, x], &[y]));
    }
    model.subgraph(graph);
    model
}

/// A chain of negations.
pub(crate) fn chain(count: usize) -> ModelBuilder {
    let mut model = ModelBuilder::new();
    let neg = model.builtin("NEG", 1);
    let mut graph = SubGraph::new("main");
    let mut last = graph.input(pair("x"));
    for _ in 0..count {
        let next = graph.tensor(pair("t"));
        graph.operator(Operator::new(neg, &[last], &[next]));
        last = next;
    }
    graph.outputs.push(last);
    model.subgraph(graph);
    model
}

/// Both branches of each IF contain an IF, up to `levels`. Both branches refer to the same subgraph.
pub(crate) fn nested_ifs(levels: i32) -> ModelBuilder {
    let mut model = ModelBuilder::new();
    let choice = model.builtin("IF", 1);
    for level in 1..=levels {
        let mut graph = SubGraph::new("level");
        let (c, x) = (graph.input(Tensor::new("c", BOOL, &[])), graph.input(pair("x")));
        let y = graph.output(pair("y"));
        let inputs = if level == levels { vec![c, x] } else { vec![c, c, x] };
        graph.operator(Operator::new(choice, &inputs, &[y]).options(IF, |o| o.i32(0, level).i32(1, level)));
        model.subgraph(graph);
    }
    let (mut graph, x, y) = with_ports("leaf");
    let neg = model.builtin("NEG", 1);
    graph.operator(Operator::new(neg, &[x], &[y]));
    model.subgraph(graph);
    model
}

/// A composite inside a composite, and so on.
pub(crate) fn nested_composites(levels: i32) -> ModelBuilder {
    let mut model = ModelBuilder::new();
    let code = model.builtin("STABLEHLO_COMPOSITE", 1);
    for level in 1..=levels {
        let (mut graph, x, y) = with_ports("level");
        graph.operator(composite(code, level, x, y));
        model.subgraph(graph);
    }
    let (mut graph, x, y) = with_ports("leaf");
    let neg = model.builtin("NEG", 1);
    graph.operator(Operator::new(neg, &[x], &[y]));
    model.subgraph(graph);
    model
}

/// FILL of `rows` × `columns` floats with a constant shape.
pub(crate) fn fill(rows: i32, columns: i32) -> ModelBuilder {
    shaped("FILL", 1, rows, columns, |shape, value| [shape, value])
}

/// BROADCAST_TO of one float to `rows` × `columns`.
pub(crate) fn broadcast(rows: i32, columns: i32) -> ModelBuilder {
    shaped("BROADCAST_TO", 2, rows, columns, |shape, value| [value, shape])
}

fn shaped(
    op: &str,
    version: i32,
    rows: i32,
    columns: i32,
    order: impl Fn(i32, i32) -> [i32; 2],
) -> ModelBuilder {
    let mut model = ModelBuilder::new();
    let code = model.builtin(op, version);
    let shape = model.buffer(bytes_of(&[rows, columns]));
    let mut graph = SubGraph::new("main");
    let value = graph.input(floats("value", &[]));
    let shape = graph.tensor(Tensor::new("shape", INT32, &[2]).buffer(shape));
    let y = graph.output(floats("y", &[rows, columns]));
    graph.operator(Operator::new(code, &order(shape, value), &[y]));
    model.subgraph(graph);
    model
}

/// `while (true) { x = concatenation(x, x) }`
pub(crate) fn doubling_loop() -> ModelBuilder {
    repeat(|model, graph, x, y| {
        let code = model.builtin("CONCATENATION", 1);
        graph.operator(Operator::new(code, &[x, x], &[y]).options(CONCATENATION, |o: Options| o.i32(0, 0)));
    })
}

/// `while (true) { x = −x }`
pub(crate) fn endless_loop() -> ModelBuilder {
    repeat(|model, graph, x, y| {
        let neg = model.builtin("NEG", 1);
        graph.operator(Operator::new(neg, &[x], &[y]));
    })
}

fn repeat(fill: impl FnOnce(&mut ModelBuilder, &mut SubGraph, i32, i32)) -> ModelBuilder {
    let mut model = ModelBuilder::new();
    let code = model.builtin("WHILE", 1);
    let (mut main, x, y) = with_ports("main");
    main.operator(Operator::new(code, &[x], &[y]).options(WHILE, |o| o.i32(0, 1).i32(1, 2)));
    model.subgraph(main);
    let mut condition = SubGraph::new("condition");
    condition.input(pair("x"));
    let yes = model.buffer(vec![1]);
    let yes = condition.tensor(Tensor::new("yes", BOOL, &[]).buffer(yes));
    condition.outputs.push(yes);
    model.subgraph(condition);
    let (mut body, x, y) = with_ports("body");
    fill(&mut model, &mut body, x, y);
    model.subgraph(body);
    model
}

/// `count` sums of the same `operands` tensors.
pub(crate) fn wide_readers(count: usize, operands: usize) -> ModelBuilder {
    let mut model = ModelBuilder::new();
    let (neg, sum) = (model.builtin("NEG", 1), model.builtin("ADD_N", 1));
    let mut graph = SubGraph::new("main");
    let x = graph.input(pair("x"));
    let mut read = Vec::new();
    for _ in 0..operands {
        let t = graph.tensor(pair("t"));
        graph.operator(Operator::new(neg, &[x], &[t]));
        read.push(t);
    }
    for _ in 0..count {
        let y = graph.output(pair("y"));
        graph.operator(Operator::new(sum, &read, &[y]));
    }
    model.subgraph(graph);
    model
}

/// Concatenations of `width` tensors, each written by its own node.
pub(crate) fn concatenations(count: usize, width: usize) -> ModelBuilder {
    let mut model = ModelBuilder::new();
    let (neg, code) = (model.builtin("NEG", 1), model.builtin("CONCATENATION", 1));
    let mut graph = SubGraph::new("main");
    let shape = [16, 16];
    let mut last = graph.input(floats("x", &shape));
    for _ in 0..count {
        let parts: Vec<i32> = (0..width)
            .map(|_| {
                let t = graph.tensor(floats("t", &shape));
                graph.operator(Operator::new(neg, &[last], &[t]));
                t
            })
            .collect();
        let whole = graph.output(floats("y", &[16 * width as i32, 16]));
        graph
            .operator(Operator::new(code, &parts, &[whole]).options(CONCATENATION, |o: Options| o.i32(0, 0)));
        last = parts[0];
    }
    model.subgraph(graph);
    model
}

/// One IF for each of `count` subgraphs.
pub(crate) fn many_calls(count: i32) -> ModelBuilder {
    let mut model = ModelBuilder::new();
    let (choice, neg) = (model.builtin("IF", 1), model.builtin("NEG", 1));
    let mut main = SubGraph::new("main");
    let (c, mut x) = (main.input(Tensor::new("c", BOOL, &[])), main.input(pair("x")));
    for called in 1..=count {
        let y = main.tensor(pair("y"));
        main.operator(Operator::new(choice, &[c, x], &[y]).options(IF, |o| o.i32(0, called).i32(1, called)));
        x = y;
    }
    main.outputs.push(x);
    model.subgraph(main);
    for _ in 0..count {
        let (mut graph, x, y) = with_ports("called");
        graph.operator(Operator::new(neg, &[x], &[y]));
        model.subgraph(graph);
    }
    model
}

/// A convolution whose window is as large as its image, side × side.
pub(crate) fn convolution(side: i32) -> ModelBuilder {
    let mut model = ModelBuilder::new();
    let code = model.builtin("CONV_2D", 1);
    let mut graph = SubGraph::new("main");
    let image = [1, side, side, 1];
    let (x, w) = (graph.input(floats("x", &image)), graph.input(floats("w", &image)));
    let bias = model.buffer(bytes_of(&[0.0f32]));
    let bias = graph.tensor(floats("bias", &[1]).buffer(bias));
    let y = graph.output(floats("y", &image));
    graph.operator(Operator::new(code, &[x, w, bias], &[y]).options(CONV_2D, |o| o.i32(1, 1).i32(2, 1)));
    model.subgraph(graph);
    model
}

/// A product of two matrices that FILL makes from constants; it could be computed in `allocate`.
pub(crate) fn product(side: i32) -> ModelBuilder {
    let mut model = ModelBuilder::new();
    let (fill, code) = (model.builtin("FILL", 1), model.builtin("FULLY_CONNECTED", 1));
    let (shape, value) = (model.buffer(bytes_of(&[side, side])), model.buffer(bytes_of(&[1.0f32])));
    let mut graph = SubGraph::new("main");
    graph.input(pair("x"));
    let shape = graph.tensor(Tensor::new("shape", INT32, &[2]).buffer(shape));
    let value = graph.tensor(floats("value", &[]).buffer(value));
    let [a, b] = ["a", "b"].map(|name| graph.tensor(floats(name, &[side, side])));
    let y = graph.output(floats("y", &[side, side]));
    graph.operator(Operator::new(fill, &[shape, value], &[a]));
    graph.operator(Operator::new(fill, &[shape, value], &[b]));
    graph.operator(Operator::new(code, &[a, b, -1], &[y]).options(FULLY_CONNECTED, |o| o));
    model.subgraph(graph);
    model
}

/// A model with `count` signatures and metadata entries.
pub(crate) fn signatures(count: usize) -> ModelBuilder {
    let mut model = chain(1);
    for i in 0..count {
        let key = format!("signature {i}");
        model.signature(&key, 0, &[("x", 0)], &[("y", 1)]);
        model.metadata(&key, vec![7; 16]);
    }
    model
}

/// A chain whose tensors have names of `letters` letters.
pub(crate) fn long_names(count: usize, letters: usize) -> ModelBuilder {
    let mut model = chain(count);
    let name = "n".repeat(letters);
    model.subgraphs[0].tensors.iter_mut().for_each(|tensor| tensor.name.clone_from(&name));
    model
}

/// A chain of custom ops with a hundred different names.
pub(crate) fn unknown_ops(count: usize) -> ModelBuilder {
    let mut model = chain(count);
    let codes: Vec<u32> = (0..100).map(|i| model.custom(&format!("unknown_{i}"), 1)).collect();
    for (i, operator) in model.subgraphs[0].operators.iter_mut().enumerate() {
        operator.opcode_index = codes[i % codes.len()];
    }
    model
}
