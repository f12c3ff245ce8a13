//! Loops over signed 8-bit values: the CPU delegate computes with unsigned ones inside and outside the loop.

use arenite::model_file::tensor_type::{BOOL, INT8, INT32};
use arenite::model_file::writer::{ModelBuilder, Operator, SubGraph, Tensor, bytes_of};
use arenite::{Interpreter, Model};
use arenite_abi::schema::{ReshapeOptions, WhileOptions};
use arenite_tests::options::WithOptions;
use arenite_tests::reference_ops;

fn number(name: &str) -> Tensor {
    Tensor::new(name, INT32, &[])
}

fn bytes(name: &str) -> Tensor {
    Tensor::new(name, INT8, &[4]).quantized(0.5, 3)
}

/// `for (i = 0; i < 3; i += 1) state = op(…);  y = state`, where `inputs` are positions among i, state, fed.
fn model(op: &str, inputs: &[usize]) -> Model {
    let mut model = ModelBuilder::new();
    let [less, add, of, repeat] = ["LESS", "ADD", op, "WHILE"].map(|op| model.builtin(op, 1));
    let [limit, one, zero] = [3, 1, 0].map(|n| model.buffer(bytes_of(&[n])));
    let ports = |graph: &mut SubGraph| {
        [graph.input(number("i")), graph.input(bytes("state")), graph.input(bytes("fed"))]
    };
    let mut main = SubGraph::new("main");
    let first = main.tensor(number("zero").buffer(zero));
    let (state, fed) = (main.input(bytes("state")), main.input(bytes("fed")));
    let results =
        [main.tensor(number("rounds")), main.output(bytes("y")), main.tensor(bytes("fed, unchanged"))];
    main.operator(Operator::new(repeat, &[first, state, fed], &results).with_options(|o| {
        o.set(WhileOptions::COND_SUBGRAPH_INDEX, 1).set(WhileOptions::BODY_SUBGRAPH_INDEX, 2)
    }));
    let mut condition = SubGraph::new("condition");
    let [i, ..] = ports(&mut condition);
    let limit = condition.tensor(number("limit").buffer(limit));
    let goes_on = condition.output(Tensor::new("goes on", BOOL, &[]));
    condition.operator(Operator::new(less, &[i, limit], &[goes_on]));
    let mut body = SubGraph::new("body");
    let all = ports(&mut body);
    let one = body.tensor(number("one").buffer(one));
    let (next, after) = (body.output(number("next")), body.output(bytes("after")));
    body.outputs.push(all[2]);
    body.operator(Operator::new(add, &[all[0], one], &[next]));
    let inputs: Vec<i32> = inputs.iter().map(|&i| all[i]).collect();
    let node = Operator::new(of, &inputs, &[after]);
    body.operator(match op {
        "RESHAPE" => node.with_options(|o| o.set(ReshapeOptions::NEW_SHAPE, &[4])),
        _ => node,
    });
    for graph in [main, condition, body] {
        model.subgraph(graph);
    }
    Model::from_bytes(model.finish()).expect("it is sound")
}

#[test]
fn loops_over_signed_bytes() {
    for (op, inputs) in
        [("RESHAPE", &[1][..]), ("RELU", &[1]), ("MAXIMUM", &[1, 2]), ("MINIMUM", &[2, 1]), ("RELU", &[2])]
    {
        let model = model(op, inputs);
        let answers = [reference_ops(&model), Interpreter::builder(&model).threads(1)].map(|builder| {
            let mut interpreter = builder.build().unwrap();
            interpreter.allocate().unwrap();
            interpreter.input_mut(0).unwrap().copy_from_slice(&[-128i8, 127, 0, -3]).unwrap();
            interpreter.input_mut(1).unwrap().copy_from_slice(&[5i8, -5, 100, -100]).unwrap();
            interpreter.invoke().unwrap_or_else(|error| panic!("{op}: {error}"));
            interpreter.output(0).unwrap().as_slice::<i8>().unwrap().to_vec()
        });
        assert_eq!(answers[0], answers[1], "{op} of {inputs:?}");
    }
}
