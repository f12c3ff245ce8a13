//! Calls in the wrong order or with wrong data, signatures, variables, sharing of models.

use std::thread;

use arenite::model_file::writer::{ModelBuilder, SubGraph};
use arenite::{Error, Interpreter, Model, Techniques};
use arenite_tests::reference_ops;

use crate::models::{allocated, f32s, message, model, negation, node, output};
use crate::plugin;

#[test]
fn nothing_works_before_allocate() {
    let mut interpreter = reference_ops(&negation(&[2])).build().unwrap();
    let hint = "call allocate()";
    assert!(message(interpreter.invoke()).contains(hint));
    assert!(message(interpreter.input_mut(0).unwrap().copy_from_slice(&[1.0f32, 2.0])).contains(hint));
    assert!(message(interpreter.output(0).unwrap().as_slice::<f32>()).contains(hint));
    interpreter.allocate().unwrap();
    interpreter.input_mut(0).unwrap().copy_from_slice(&[1.0f32, -2.0]).unwrap();
    interpreter.invoke().unwrap();
    assert_eq!(output(&interpreter, 0), (vec![2], vec![-1.0, 2.0]));
    interpreter.resize_input(0, &[3]).unwrap();
    assert!(message(interpreter.invoke()).contains(hint));
    assert!(message(interpreter.output(0).unwrap().bytes()).contains(hint));
}

#[test]
fn wrong_data_is_refused_by_name() {
    let mut interpreter = allocated(&negation(&[2]));
    let mut input = |data: &[f32]| message(interpreter.input_mut(0).unwrap().copy_from_slice(data));
    assert_eq!(input(&[1.0]), "tensor 'x': it has 2 elements, 1 are given");
    assert_eq!(input(&[1.0; 3]), "tensor 'x': it has 2 elements, 3 are given");
    let ints = message(interpreter.input_mut(0).unwrap().copy_from_slice(&[1i32, 2]));
    assert_eq!(ints, "tensor 'x': it is FLOAT32, not INT32");
    let bytes = message(interpreter.input_mut(0).unwrap().copy_from_bytes(&[0; 9]));
    assert_eq!(bytes, "tensor 'x': it has 8 bytes, 9 are given");
    assert_eq!(
        message(interpreter.output(0).unwrap().as_slice::<i8>()),
        "tensor 'y': it is FLOAT32, not INT8"
    );
    assert_eq!(message(interpreter.output(0).unwrap().strings()), "tensor 'y': it is FLOAT32, not STRING");
    let strings = message(interpreter.set_input_strings(0, &[b"a", b"b"]));
    assert_eq!(strings, "tensor 'x': it is FLOAT32, not STRING");
    assert_eq!(message(interpreter.input_mut(1)), "input 1 does not exist; the model has 1");
    assert_eq!(message(interpreter.output(7)), "output 7 does not exist; the model has 1");
}

#[test]
fn errors_for_unknown_names_list_the_known_ones() {
    let mut interpreter = allocated(&negation(&[2]));
    assert_eq!((interpreter.input_index("x").unwrap(), interpreter.output_index("y").unwrap()), (0, 0));
    assert!(message(interpreter.input_index("z")).contains("unknown input 'z'"));
    assert!(message(interpreter.input_index("z")).contains("known: x"));
    assert!(message(interpreter.signature("serve")).contains("unknown signature 'serve'"));
    let planner = message(reference_ops(&negation(&[2])).planner("arenna").build());
    assert!(planner.starts_with("unknown planner 'arenna'; did you mean 'arena'?"), "{planner}");
}

/// The error comes from `build`, not as a failure of the first delegate that plans.
#[test]
fn a_wrong_option_of_a_planner_is_an_error() {
    let config = "schema = 1\n[planner]\nuse = \"exact\"\noptions = { stepps = 3 }".parse().unwrap();
    let error = message(Interpreter::builder(&negation(&[2])).config(&config).build());
    assert_eq!(error, "planner 'exact': unknown option 'stepps'; known: steps");
}

#[test]
fn unserved_ops_are_listed() {
    let model = model(|m, g| {
        let (x, y) = (g.input(f32s("x", &[2])), g.output(f32s("y", &[2])));
        let a = g.tensor(f32s("a", &[2]));
        node(m, g, "Nothing", &[x], a);
        node(m, g, "Nothing", &[a], y);
    });
    let mut interpreter = reference_ops(&model).build().unwrap();
    assert_eq!(interpreter.unresolved_ops().len(), 1);
    let error = interpreter.allocate().unwrap_err();
    assert!(matches!(&error, Error::UnresolvedOps { ops, .. } if ops[0].custom && ops[0].nodes == [0, 1]));
    let text = error.to_string();
    assert!(text.contains("custom op Nothing version 1 (FLOAT32) at nodes 0, 1 of subgraph 0"), "{text}");
    assert!(text.contains("--plugin-dir"), "{text}");
}

/// Two subgraphs with two signatures, whose names differ from the tensors'.
fn negate_and_double() -> Model {
    let mut model = ModelBuilder::new();
    for (op, name) in [("NEG", "negate"), ("ADD", "double")] {
        let mut graph = SubGraph::new(name);
        let (x, y) = (graph.input(f32s("x", &[2])), graph.output(f32s("y", &[2])));
        let inputs = if op == "ADD" { vec![x, x] } else { vec![x] };
        node(&mut model, &mut graph, op, &inputs, y);
        let subgraph = model.subgraph(graph);
        model.signature(name, subgraph as u32, &[("in", x)], &[("out", y)]);
    }
    Model::from_bytes(model.finish()).unwrap()
}

#[test]
fn each_signature_runs_its_subgraph() {
    let model = negate_and_double();
    assert_eq!(model.signature_keys(), ["negate", "double"]);
    let mut interpreter = reference_ops(&model).build().unwrap();
    for (key, subgraph, want) in [("double", 1, [2.0, -4.0]), ("negate", 0, [-1.0, 2.0])] {
        let mut runner = interpreter.signature(key).unwrap();
        assert_eq!(runner.subgraph(), subgraph);
        assert!(message(runner.invoke()).contains("call allocate()"));
        runner.allocate().unwrap();
        runner.input_mut("in").unwrap().copy_from_slice(&[1.0f32, -2.0]).unwrap();
        runner.invoke().unwrap();
        assert_eq!(runner.output("out").unwrap().as_slice::<f32>().unwrap(), want);
        assert!(message(runner.output("y")).contains("known: out"));
    }
    // Each subgraph has its own memory: the first one's result is still readable.
    let runner = interpreter.signature("double").unwrap();
    assert_eq!(runner.output("out").unwrap().as_slice::<f32>().unwrap(), [2.0, -4.0]);
}

#[test]
fn a_signature_is_resized_alone() {
    let mut interpreter = reference_ops(&negate_and_double()).build().unwrap();
    let mut runner = interpreter.signature("double").unwrap();
    runner.resize_input("in", &[3]).unwrap();
    runner.allocate().unwrap();
    runner.input_mut("in").unwrap().copy_from_slice(&[1.0f32, 2.0, 3.0]).unwrap();
    runner.invoke().unwrap();
    assert_eq!(runner.output("out").unwrap().as_slice::<f32>().unwrap(), [2.0, 4.0, 6.0]);
    let other = interpreter.signature("negate").unwrap();
    assert_eq!(other.input("in").unwrap().shape, [2]);
}

#[test]
fn variables_keep_their_value_until_they_are_reset() {
    let model = model(|m, g| {
        let (x, v) = (g.input(f32s("x", &[2])), g.tensor(f32s("v", &[2]).variable()));
        let y = g.output(f32s("y", &[2]));
        node(m, g, "Accumulate", &[x, v], y);
    });
    let mut interpreter = reference_ops(&model).registry(plugin::registry()).build().unwrap();
    // Before `allocate` there is nothing to reset.
    interpreter.reset_variables();
    interpreter.allocate().unwrap();
    let run = |interpreter: &mut Interpreter| {
        interpreter.input_mut(0).unwrap().copy_from_slice(&[1.0f32, 10.0]).unwrap();
        interpreter.invoke().unwrap();
        output(interpreter, 0).1
    };
    assert_eq!(run(&mut interpreter), [1.0, 10.0]);
    assert_eq!(run(&mut interpreter), [2.0, 20.0]);
    interpreter.reset_variables();
    assert_eq!(run(&mut interpreter), [1.0, 10.0]);
    // A second `allocate` has nothing to do.
    interpreter.resize_input(0, &[2]).unwrap();
    interpreter.allocate().unwrap();
    assert_eq!(run(&mut interpreter), [2.0, 20.0]);
}

#[test]
fn states_of_ops_are_reset_with_the_variables() {
    let model = model(|m, g| {
        let (x, y) = (g.input(f32s("x", &[2])), g.output(f32s("y", &[2])));
        node(m, g, "Count", &[x], y);
    });
    let mut interpreter = reference_ops(&model).registry(plugin::registry()).build().unwrap();
    interpreter.reset_variables();
    interpreter.allocate().unwrap();
    let run = |interpreter: &mut Interpreter| {
        interpreter.input_mut(0).unwrap().copy_from_slice(&[0.0f32, 10.0]).unwrap();
        interpreter.invoke().unwrap();
        output(interpreter, 0).1
    };
    assert_eq!(run(&mut interpreter), [101.0, 111.0]);
    assert_eq!(run(&mut interpreter), [102.0, 112.0]);
    interpreter.reset_variables();
    assert_eq!(run(&mut interpreter), [101.0, 111.0]);
    assert_eq!(run(&mut interpreter), [102.0, 112.0]);
    interpreter.allocate().unwrap();
    assert_eq!(run(&mut interpreter), [103.0, 113.0], "nothing changed");
    for shape in [[3], [2]] {
        interpreter.resize_input(0, &shape).unwrap();
        interpreter.allocate().unwrap();
    }
    assert_eq!(run(&mut interpreter), [101.0, 111.0], "the nodes were not prepared again");
}

#[test]
fn a_model_is_shared_by_threads() {
    let model = negation(&[1000]);
    thread::scope(|scope| {
        for start in [1.0f32, 1e6] {
            let model = &model;
            scope.spawn(move || {
                let mut interpreter = allocated(model);
                for round in 0..200 {
                    let x: Vec<f32> = (0..1000).map(|i| start + (i * round) as f32).collect();
                    interpreter.input_mut(0).unwrap().copy_from_slice(&x).unwrap();
                    interpreter.invoke().unwrap();
                    assert!(output(&interpreter, 0).1.iter().zip(&x).all(|(y, x)| *y == -x));
                }
            });
        }
    });
}

#[test]
fn an_interpreter_outlives_its_model_and_moves_to_another_thread() {
    let mut interpreter = allocated(&negation(&[2]));
    let y = thread::spawn(move || {
        interpreter.input_mut(0).unwrap().copy_from_slice(&[3.0f32, 4.0]).unwrap();
        interpreter.invoke().unwrap();
        output(&interpreter, 0).1
    });
    assert_eq!(y.join().unwrap(), [-3.0, -4.0]);
}

#[test]
fn overwrite_inputs_reuses_their_memory() {
    let model = model(|m, g| {
        let (x, a, y) = (g.input(f32s("x", &[64])), g.tensor(f32s("a", &[64])), g.output(f32s("y", &[64])));
        node(m, g, "NEG", &[x], a);
        node(m, g, "NEG", &[a], y);
    });
    let arena = |techniques: Techniques| {
        let builder = reference_ops(&model).techniques(techniques);
        let mut interpreter = builder.build().unwrap();
        interpreter.allocate().unwrap();
        for start in [1.0f32, 5.0] {
            let x: Vec<f32> = (0..64).map(|i| start + i as f32).collect();
            interpreter.input_mut(0).unwrap().copy_from_slice(&x).unwrap();
            interpreter.invoke().unwrap();
            assert_eq!(output(&interpreter, 0).1, x);
        }
        interpreter.memory_use().arena
    };
    assert_eq!(arena(Techniques::NONE), 3 * 256);
    assert_eq!(arena(Techniques::default()), 2 * 256);
    assert_eq!(arena(Techniques::ALL), 256);
}
