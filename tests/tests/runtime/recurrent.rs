//! Recurrent layers: the CPU delegate updates their states in place, like the reference ops.

use arenite::config::DelegateConfig;
use arenite::model_file::writer::{ModelBuilder, Operator, SubGraph, bytes_of};
use arenite::{AlignedBytes, Interpreter, LentMemory, Model, NodeProvider};
use arenite_abi::schema::SVDFOptions;
use arenite_tests::options::WithOptions;
use arenite_tests::reference_ops;

use crate::models::{f32s, model, node, output};

const STATE: usize = 1;

/// A layer of one filter with the numbers of three invocations: `y = Σ time · x` over x now and twice before.
fn svdf(m: &mut ModelBuilder, g: &mut SubGraph, [x, state, y]: [i32; 3]) {
    let mut constant = |name: &str, shape: &[i32], values: &[f32]| {
        let buffer = m.buffer(bytes_of(values));
        g.tensor(f32s(name, shape).buffer(buffer))
    };
    let (features, time) =
        (constant("features", &[1, 1], &[1.0]), constant("time", &[1, 3], &[100.0, 10.0, 1.0]));
    let code = m.builtin("SVDF", 1);
    let node = Operator::new(code, &[x, features, time, -1, state], &[y]);
    g.operator(node.with_options::<SVDFOptions>(|o| o.set(SVDFOptions::RANK, 1)));
}

/// `y = svdf(x, state)`, and `z = -state` where `reads` says: before the layer, after it, or not at all.
fn layer(reads: Option<bool>) -> Model {
    model(|m, g| {
        let x = g.input(f32s("x", &[1, 1]));
        let state = g.tensor(f32s("state", &[1, 3]).variable());
        let y = g.output(f32s("y", &[1, 1]));
        let z = reads.map(|_| g.output(f32s("z", &[1, 3])));
        if let (Some(true), Some(z)) = (reads, z) {
            node(m, g, "NEG", &[state], z);
        }
        svdf(m, g, [x, state, y]);
        if let (Some(false), Some(z)) = (reads, z) {
            node(m, g, "NEG", &[state], z);
        }
    })
}

fn backends(model: &Model) -> [(&'static str, Interpreter); 2] {
    let cpu = Interpreter::builder(model).delegate(DelegateConfig::new("cpu"));
    [("reference ops", reference_ops(model)), ("cpu", cpu)].map(|(name, builder)| {
        let mut interpreter = builder.build().unwrap();
        interpreter.allocate().unwrap();
        (name, interpreter)
    })
}

fn invoked(interpreter: &mut Interpreter, x: f32) -> f32 {
    interpreter.input_mut(0).unwrap().copy_from_slice(&[x]).unwrap();
    interpreter.invoke().unwrap();
    output(interpreter, 0).1[0]
}

#[test]
fn a_state_lives_from_one_invocation_to_the_next() {
    for (backend, mut interpreter) in backends(&layer(None)) {
        for _ in 0..2 {
            let values = [1.0, 2.0, 3.0, 4.0].map(|x| invoked(&mut interpreter, x));
            assert_eq!(values, [1.0, 12.0, 123.0, 234.0], "{backend}");
            interpreter.reset_variables();
        }
        // Allocating again changes no state.
        invoked(&mut interpreter, 5.0);
        interpreter.allocate().unwrap();
        assert_eq!(invoked(&mut interpreter, 6.0), 56.0, "{backend}");
    }
}

#[test]
fn the_delegate_runs_the_layer_and_readers_of_its_state() {
    for reads in [None, Some(true), Some(false)] {
        let [_, (_, interpreter)] = backends(&layer(reads));
        let is_delegated = |served: &NodeProvider| matches!(served, NodeProvider::Delegate { .. });
        assert!(interpreter.served_by().iter().all(is_delegated), "{reads:?}");
    }
}

/// A node before the layer reads the previous invocation's state, a node after the layer reads the new state.
#[test]
fn readers_see_the_state_before_or_after_the_layer() {
    for (before, want) in
        [(true, [[0.0, 0.0, 0.0], [0.0, 0.0, -1.0]]), (false, [[0.0, 0.0, -1.0], [0.0, -1.0, -2.0]])]
    {
        for (backend, mut interpreter) in backends(&layer(Some(before))) {
            for (x, want) in [1.0, 2.0].into_iter().zip(want) {
                invoked(&mut interpreter, x);
                assert_eq!(output(&interpreter, 1).1, want, "{backend}, before: {before}");
            }
        }
    }
}

#[test]
fn a_state_in_lent_memory_is_updated_there() {
    for (backend, mut interpreter) in backends(&layer(None)) {
        let mut memory: Box<dyn LentMemory> = Box::new(AlignedBytes::zeroed(12).unwrap());
        (*memory).as_mut().copy_from_slice(&bytes_of(&[3.0f32, 4.0, 5.0]));
        interpreter.lend(0, STATE, memory).unwrap();
        interpreter.allocate().unwrap();
        assert_eq!(invoked(&mut interpreter, 6.0), 456.0, "{backend}");
        let mut memory = interpreter.take_back(0, STATE).unwrap().expect("it was lent");
        assert_eq!((*memory).as_mut(), bytes_of(&[4.0f32, 5.0, 6.0]), "{backend}");
    }
}

/// Layers that share a state are separate partitions and run in order.
#[test]
fn layers_that_share_a_state_run_one_after_the_other() {
    let model = model(|m, g| {
        let x = g.input(f32s("x", &[1, 1]));
        let state = g.tensor(f32s("state", &[1, 3]).variable());
        let (y, z) = (g.output(f32s("y", &[1, 1])), g.output(f32s("z", &[1, 1])));
        svdf(m, g, [x, state, y]);
        svdf(m, g, [y, state, z]);
    });
    for (backend, mut interpreter) in backends(&model) {
        // The state becomes [0, 1, 1], then [1, 2, 112].
        assert_eq!((invoked(&mut interpreter, 1.0), output(&interpreter, 1).1[0]), (1.0, 11.0), "{backend}");
        assert_eq!(
            (invoked(&mut interpreter, 2.0), output(&interpreter, 1).1[0]),
            (112.0, 232.0),
            "{backend}"
        );
    }
}
