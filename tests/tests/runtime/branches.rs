//! IF whose branches get constants as inputs.

use arenite::model_file::tensor_type::BOOL;
use arenite::model_file::writer::{ModelBuilder, Operator, SubGraph, Tensor, bytes_of};
use arenite::{Interpreter, Model};
use arenite_abi::schema::{FullyConnectedOptions, IfOptions};
use arenite_tests::options::WithOptions;
use arenite_tests::reference_ops;

use crate::models::f32s;

const SIZE: i32 = 64;

/// `y = c ? W x : W x`, once per constant W, which is a multiple of the identity.
///
/// ```text
/// subgraph 0   c, x [1, 64], W [64, 64] ─► IF ─► y        subgraphs 1, 2   x, W ─► FULLY_CONNECTED ─► y
/// ```
fn model(factors: &[f32]) -> Model {
    let mut model = ModelBuilder::new();
    let [branch, product] = ["IF", "FULLY_CONNECTED"].map(|op| model.builtin(op, 1));
    let mut main = SubGraph::new("main");
    let (c, x) = (main.input(Tensor::new("c", BOOL, &[])), main.input(f32s("x", &[1, SIZE])));
    let mut known: Vec<(f32, u32)> = Vec::new();
    for (i, &factor) in factors.iter().enumerate() {
        let buffer = known.iter().find(|(other, _)| *other == factor).map(|&(_, buffer)| buffer);
        let buffer = buffer.unwrap_or_else(|| {
            let at = |i: i32| if i / SIZE == i % SIZE { factor } else { 0.0 };
            model.buffer(bytes_of(&(0..SIZE * SIZE).map(at).collect::<Vec<f32>>()))
        });
        known.push((factor, buffer));
        let weights = main.tensor(f32s(&format!("W {i}"), &[SIZE, SIZE]).buffer(buffer));
        let y = main.output(f32s(&format!("y {i}"), &[1, SIZE]));
        main.operator(Operator::new(branch, &[c, x, weights], &[y]).with_options(|o| {
            o.set(IfOptions::THEN_SUBGRAPH_INDEX, 1).set(IfOptions::ELSE_SUBGRAPH_INDEX, 2)
        }));
    }
    model.subgraph(main);
    for name in ["then", "else"] {
        let mut graph = SubGraph::new(name);
        let (x, weights) = (graph.input(f32s("x", &[1, SIZE])), graph.input(f32s("W", &[SIZE, SIZE])));
        let y = graph.output(f32s("y", &[1, SIZE]));
        let node = Operator::new(product, &[x, weights, -1], &[y]);
        graph.operator(node.with_options::<FullyConnectedOptions>(|o| o));
        model.subgraph(graph);
    }
    Model::from_bytes(model.finish()).expect("it is sound")
}

/// Checks the results on the reference ops and with delegates; returns the bytes that delegates hold.
fn held(factors: &[f32]) -> u64 {
    let model = model(factors);
    let x: Vec<f32> = (0..SIZE).map(|i| i as f32 - 20.0).collect();
    let held = [reference_ops(&model), Interpreter::builder(&model)].map(|builder| {
        let mut interpreter = builder.build().unwrap();
        interpreter.allocate().unwrap();
        for c in [0u8, 1, 0] {
            interpreter.input_mut(0).unwrap().copy_from_bytes(&[c]).unwrap();
            interpreter.input_mut(1).unwrap().copy_from_slice(&x).unwrap();
            interpreter.invoke().unwrap();
            for (i, factor) in factors.iter().enumerate() {
                let y = interpreter.output(i).unwrap();
                let wanted: Vec<f32> = x.iter().map(|x| x * factor).collect();
                assert_eq!(y.as_slice::<f32>().unwrap(), wanted, "output {i}, condition {c}");
            }
        }
        interpreter.memory_use().delegates
    });
    held[1]
}

/// The CPU delegate packs the weights once for both branches.
#[test]
fn a_constant_that_every_if_passes_is_a_constant_of_the_branch() {
    let weights = (SIZE * SIZE * 4) as u64;
    let bytes = held(&[2.0, 2.0]);
    assert!((weights..2 * weights).contains(&bytes), "{bytes} bytes");
}

#[test]
fn different_constants_remain_inputs() {
    let weights = (SIZE * SIZE * 4) as u64;
    let bytes = held(&[2.0, 3.0, 2.0]);
    assert!(bytes < weights, "{bytes} bytes");
}
