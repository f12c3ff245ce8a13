//! Ops that only move data check for cancellation, so moves of gigabytes can be stopped.

use std::time::Duration;

use arenite::{Error, Interpreter, Model, Quota, Resource};
use arenite_model::tensor_type::INT32;
use arenite_model::writer::{ModelBuilder, Operator, SubGraph, Tensor, bytes_of};
use arenite_test_clock::Clock;
use arenite_tests::op_models::f32;
use arenite_tests::reference_ops;

const ROWS: i32 = 1 << 10;
const COLUMNS: i32 = 1 << 20;

/// `y [rows, columns] = op(…)`, from an input of this shape, 4 GB.
fn model(op: &str, shape: &[i32], list: &[i32]) -> Model {
    let mut model = ModelBuilder::new();
    let code = model.builtin(op, if op == "BROADCAST_TO" { 2 } else { 1 });
    let numbers = model.buffer(bytes_of(list));
    let mut graph = SubGraph::new("main");
    let x = graph.input(f32("x", shape));
    let list = graph.tensor(Tensor::new("list", INT32, &[list.len() as i32]).buffer(numbers));
    let y = graph.output(f32("y", &[ROWS, COLUMNS]));
    let inputs = if op == "FILL" { [list, x] } else { [x, list] };
    graph.operator(Operator::new(code, &inputs, &[y]));
    model.subgraph(graph);
    Model::from_bytes(model.finish()).expect("it is sound")
}

#[test]
fn moves_of_gigabytes_stop_when_the_time_quota_expires() {
    let quota = Quota { bytes: 6 << 30, time: Some(Duration::from_millis(100)), ..Quota::default() };
    for (op, shape, list) in [
        ("FILL", &[][..], &[ROWS, COLUMNS][..]),
        ("BROADCAST_TO", &[], &[ROWS, COLUMNS]),
        ("BROADCAST_TO", &[COLUMNS], &[ROWS, COLUMNS]),
        ("BROADCAST_TO", &[ROWS, 1], &[ROWS, COLUMNS]),
        ("TILE", &[1, COLUMNS], &[ROWS, 1]),
        ("TILE", &[1, 1], &[ROWS, COLUMNS]),
    ] {
        let model = model(op, shape, list);
        for builder in [reference_ops(&model), Interpreter::builder(&model).threads(1)] {
            let mut interpreter = builder.quota(quota).build().expect("it builds");
            interpreter.allocate().expect("the memory suffices");
            let clock = Clock::start();
            let error = interpreter.invoke().expect_err("the time is over");
            clock.at_most(2);
            let is_time = matches!(error, Error::Quota { resource: Resource::Time, .. });
            assert!(is_time, "{op} of {shape:?}: {error}");
        }
    }
}
