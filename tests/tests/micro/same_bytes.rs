//! On models for microcontrollers, the micro interpreter and the large runtime give the same bytes.

use arenite_micro::{Interpreter, LoadedModel, OpRegistration, Planner, required_arena};
use arenite_model::writer::{ModelBuilder, Operator, SubGraph};
use arenite_tests::micro::{Aligned, ops};
use arenite_tests::op_models::f32;

use crate::support::{Pages, check, invoke, large, models, shared};

#[test]
fn the_same_bytes_as_the_large_runtime() {
    let ops = ops();
    for (name, model) in models() {
        let model = model.as_slice();
        let sizes =
            required_arena(model, &ops, Planner::Greedy).unwrap_or_else(|error| panic!("{name}: {error}"));
        println!("{name}: {sizes}");
        let mut arena = Pages::new(sizes.arena);
        let mut interpreter =
            Interpreter::new(model, &ops, arena.block()).expect("as many bytes as reported");
        assert_eq!(interpreter.sizes(), sizes, "{name}");
        let outputs: Vec<_> = (0..3).flat_map(|invocation| invoke(&mut interpreter, invocation)).collect();
        assert!(outputs == large(model, 3), "{name}: other bytes");
        interpreter.reset();
        assert!(
            invoke(&mut interpreter, 0)[..] == outputs[..outputs.len() / 3],
            "{name}: the bytes differ after a reset"
        );
    }
}

/// The linear plan keeps every tensor, and gives the same results.
#[test]
fn a_linear_plan() {
    let ops = ops();
    for (name, model) in models().into_iter().filter(|(name, _)| name.starts_with("hello")) {
        let sizes =
            required_arena(model.as_slice(), &ops, Planner::Linear).expect("the interpreter becomes ready");
        let mut arena = Aligned::new(0, sizes.arena);
        let loaded = LoadedModel::new(model.as_slice(), &ops, arena.bytes_mut()).expect("it loads");
        let mut interpreter =
            loaded.prepare().and_then(|model| model.plan(Planner::Linear)).expect("it is ready");
        assert!(invoke(&mut interpreter, 0) == large(model.as_slice(), 1), "{name}");
    }
}

/// `ADD_N` of inputs with these tensor indices.
fn sum(numbers: &[usize]) -> ModelBuilder {
    let mut model = ModelBuilder::new();
    let add = model.builtin("ADD_N", 1);
    let mut graph = SubGraph::new("main");
    let inputs: Vec<_> = (0..=numbers.iter().copied().max().unwrap_or(0))
        .map(|i| graph.input(f32(&format!("x{i}"), &[3])))
        .collect();
    let named: Vec<_> = numbers.iter().map(|&number| inputs[number]).collect();
    let y = graph.output(f32("y", &[3]));
    graph.operator(Operator::new(add, &named, &[y]));
    model.subgraph(graph);
    model
}

/// The interpreter caches the tensors of small nodes. For larger nodes it reads the file in each invocation.
#[test]
fn nodes_with_many_or_repeated_tensors() {
    for count in [2, 30, 31, 32, 300] {
        check("all different", sum(&(0..count).collect::<Vec<_>>()));
        check("some inputs are repeated", sum(&(0..count).map(|i| i * i % 7).collect::<Vec<_>>()));
    }
}

/// Models without stored results: the result of the large runtime, or an error if the large runtime fails.
#[test]
fn results_and_errors_of_the_large_runtime() {
    let Some(folder) = shared("models") else { return };
    let ops = ops();
    for name in ["person_detect.tflite", "keyword_scrambled_8bit.tflite"] {
        let model = Aligned::of(&std::fs::read(folder.join(name)).expect("the model can be read"));
        let ready = arenite::Model::from_bytes(model.as_slice().to_vec())
            .and_then(|model| arenite_tests::reference_ops(&model).build())
            .and_then(|mut interpreter| interpreter.allocate());
        let sizes = required_arena(model.as_slice(), &ops, Planner::Greedy);
        match (ready, sizes) {
            (Ok(()), Ok(sizes)) => {
                let mut arena = Aligned::new(0, sizes.arena);
                let mut interpreter =
                    Interpreter::new(model.as_slice(), &ops, arena.bytes_mut()).expect("it is ready");
                assert!(invoke(&mut interpreter, 0) == large(model.as_slice(), 1), "{name}: other bytes");
                println!("{name}: {sizes}");
            }
            (Err(large), Err(micro)) => println!("{name}: {large}; {micro}"),
            (large, micro) => panic!("{name}: {large:?}; {micro:?}"),
        }
    }
}

#[test]
fn initialization_errors_give_the_reason() {
    let ops = ops();
    let message = |model: &[u8], ops: &[OpRegistration], arena: &mut [u8]| {
        Interpreter::new(model, ops, arena).err().expect("an error").to_string()
    };
    let empty = Aligned::new(0, 16);
    assert_eq!(message(&empty.as_slice()[..0], &ops, &mut []), "not a .tflite model: only 0 bytes");
    assert!(message(&empty.as_slice()[1..], &ops, &mut []).ends_with("align it to 16 bytes"));
    assert_eq!(
        message(empty.as_slice(), &[ops[0], ops[0]], &mut []),
        "op 1 of the list: an earlier op also serves ABS"
    );
    for (name, model) in models().into_iter().filter(|(name, _)| name.ends_with("world_int8")) {
        let missing = message(model.as_slice(), &[], &mut [0; 8192]);
        assert!(
            missing.starts_with("node 0: none of the given ops serves FULLY_CONNECTED version"),
            "{name}: {missing}"
        );
        assert_eq!(
            message(model.as_slice(), &ops, &mut []).split_once(';').map(|text| text.0),
            Some("the arena has 0 bytes")
        );
    }
}
