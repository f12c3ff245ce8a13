//! Tensors of any subgraph by index, changes of their addresses, and observers of nodes.

use std::sync::{Arc, Mutex};

use arenite::model_file::tensor_type::{BOOL, INT32, STRING};
use arenite::model_file::writer::{Tensor, bytes_of_strings};
use arenite::{AlignedBytes, Interpreter, Model, Moment};
use arenite_tests::op_models::control::counting_loop;
use arenite_tests::reference_ops;

use crate::models::{allocated, dynamic_chain, f32s, message, model, negation, node, output};
use crate::plugin;

/// `while (i != 3) { i += 1; x += x }` by reference ops, run once from `x = [1, 2]`.
fn looped() -> Interpreter {
    let model = Model::from_bytes(counting_loop(1).finish()).unwrap();
    let mut interpreter = reference_ops(&model).build().unwrap();
    interpreter.allocate().unwrap();
    run(&mut interpreter);
    interpreter
}

fn run(interpreter: &mut Interpreter) {
    interpreter.input_mut(1).unwrap().copy_from_slice(&[1.0f32, 2.0]).unwrap();
    interpreter.invoke().unwrap();
}

#[test]
fn tensors_of_called_subgraphs_are_read_and_written() {
    let mut interpreter = looped();
    assert_eq!(interpreter.subgraph_count(), 3);
    assert_eq!(interpreter.inputs_of(2).unwrap(), [0, 1]);
    assert_eq!(interpreter.outputs_of(2).unwrap(), [3, 4]);
    assert!(interpreter.variables_of(2).unwrap().is_empty());
    assert!(message(interpreter.inputs_of(3).map(drop)).contains("subgraph 3 does not exist"));
    let doubled = interpreter.tensor_of(2, 4).unwrap();
    assert_eq!((doubled.name, doubled.as_slice::<f32>().unwrap()), ("doubled", &[8.0, 16.0][..]));
    assert_eq!(interpreter.tensor_of(1, 3).unwrap().as_slice::<i32>().unwrap(), [0], "the rest");
    assert_eq!(message(interpreter.tensor_of(2, 9).map(drop)), "tensor 9 does not exist; subgraph 2 has 5");
    assert_eq!(
        message(interpreter.tensor_mut_of(2, 9).map(drop)),
        "tensor 9 does not exist; subgraph 2 has 5"
    );
    let constant = message(interpreter.tensor_mut_of(2, 2).map(drop));
    assert_eq!(constant, "tensor 'one': it is constant, its value cannot be set");

    // On its own the subgraph can be run with other inputs.
    interpreter.tensor_mut_of(2, 1).unwrap().copy_from_slice(&[5.0f32, 7.0]).unwrap();
    interpreter.invoke_subgraph(2).unwrap();
    assert_eq!(interpreter.tensor_of(2, 4).unwrap().as_slice::<f32>().unwrap(), [10.0, 14.0]);
    assert!(message(interpreter.resize_of(2, 4, &[3])).contains("it is not an input of subgraph 2"));
    interpreter.resize_of(2, 1, &[3]).unwrap();
    assert!(message(interpreter.invoke_subgraph(2)).contains("call allocate()"));
    interpreter.allocate_subgraph(2).unwrap();
    assert_eq!(interpreter.tensor_of(2, 4).unwrap().shape, [3]);
    run(&mut interpreter);
    assert_eq!(output(&interpreter, 1).1, [8.0, 16.0], "the caller did not resize the subgraph back");
}

#[test]
fn a_subgraph_that_was_never_used_is_an_error() {
    let model = Model::from_bytes(counting_loop(1).finish()).unwrap();
    let mut interpreter = reference_ops(&model).build().unwrap();
    let unused = message(interpreter.tensor_of(2, 0).map(drop));
    assert_eq!(unused, "subgraph 2 is not built: run the model, or call plan_subgraph(2)");
    assert_eq!(interpreter.generation(2), 0);
    interpreter.plan_subgraph(2).unwrap();
    assert_eq!(interpreter.tensor_of(2, 0).unwrap().as_slice::<i32>().unwrap(), [0]);
}

#[test]
fn variables_and_strings_are_set_by_index() {
    let accumulate = model(|m, g| {
        let (x, v) = (g.input(f32s("x", &[2])), g.tensor(f32s("v", &[2]).variable()));
        let y = g.output(f32s("y", &[2]));
        node(m, g, "Accumulate", &[x, v], y);
    });
    let mut interpreter = reference_ops(&accumulate).registry(plugin::registry()).build().unwrap();
    assert_eq!(interpreter.variables_of(0).unwrap(), [1]);
    interpreter.allocate().unwrap();
    interpreter.tensor_mut_of(0, 1).unwrap().copy_from_slice(&[10.0f32, 20.0]).unwrap();
    interpreter.tensor_mut_of(0, 0).unwrap().copy_from_slice(&[1.0f32, 2.0]).unwrap();
    interpreter.invoke().unwrap();
    assert_eq!(output(&interpreter, 0).1, [11.0, 22.0]);
    assert_eq!(interpreter.tensor_of(0, 1).unwrap().as_slice::<f32>().unwrap(), [11.0, 22.0]);

    let strings = model(|m, g| {
        let (s, n) = (g.input(Tensor::new("s", STRING, &[2])), g.output(Tensor::new("n", INT32, &[1])));
        node(m, g, "SHAPE", &[s], n);
    });
    let mut interpreter = allocated(&strings);
    interpreter.set_strings_of(0, 0, &[b"a", b"bc"]).unwrap();
    assert_eq!(interpreter.tensor_of(0, 0).unwrap().strings().unwrap(), [&b"a"[..], b"bc"]);
    assert!(message(interpreter.set_strings_of(0, 1, &[b"a"])).contains("it is not an input"));
}

/// A constant input keeps its value, for strings as for numbers.
#[test]
fn a_constant_input_of_strings_cannot_be_set() {
    let model = model(|m, g| {
        let words = m.buffer(bytes_of_strings(&["b", "a"]));
        let s = g.input(Tensor::new("s", STRING, &[2]).buffer(words));
        let words = m.buffer(bytes_of_strings(&["a"]));
        let t = g.tensor(Tensor::new("t", STRING, &[1]).buffer(words));
        let y = g.output(Tensor::new("y", BOOL, &[2]));
        node(m, g, "EQUAL", &[s, t], y);
    });
    let mut interpreter = allocated(&model);
    let refused = message(interpreter.set_input_strings(0, &[b"a", b"a"]));
    assert_eq!(refused, "tensor 's': it is constant, its value cannot be set");
    interpreter.invoke().unwrap();
    assert_eq!(interpreter.output(0).unwrap().bytes().unwrap(), [0, 1]);
}

#[test]
fn a_tensor_inside_a_partition_names_its_delegate() {
    let model = model(|m, g| {
        let (x, a, y) = (g.input(f32s("x", &[2])), g.tensor(f32s("a", &[2])), g.output(f32s("y", &[2])));
        node(m, g, "NEG", &[x], a);
        node(m, g, "NEG", &[a], y);
    });
    let interpreter = allocated(&model);
    assert_eq!(
        message(interpreter.tensor_of(0, 1).unwrap().bytes()),
        "tensor 'a': it has no memory: delegate cpu computes it within a partition"
    );
}

#[test]
fn the_generation_changes_with_addresses() {
    let mut interpreter = allocated(&negation(&[2]));
    let mut last = 0;
    let mut changed = |interpreter: &Interpreter| {
        std::mem::replace(&mut last, interpreter.generation(0)) != interpreter.generation(0)
    };
    assert!(changed(&interpreter));
    interpreter.invoke().unwrap();
    interpreter.allocate().unwrap();
    interpreter.resize_input(0, &[2]).unwrap();
    interpreter.reset_variables();
    assert!(!changed(&interpreter));
    interpreter.resize_input(0, &[3]).unwrap();
    assert!(changed(&interpreter));
    interpreter.allocate().unwrap();
    assert!(changed(&interpreter));
    for _ in 0..2 {
        interpreter.lend(0, 0, Box::new(AlignedBytes::zeroed(12).unwrap())).unwrap();
        assert!(changed(&interpreter));
    }
    interpreter.take_back(0, 0).unwrap();
    assert!(changed(&interpreter));
    interpreter.release_memory();
    assert!(changed(&interpreter));
    interpreter.allocate().unwrap();
    assert!(changed(&interpreter));

    let mut interpreter = allocated(&dynamic_chain(2, &[1]));
    let mut run = |shape: [i32; 2]| {
        interpreter.input_mut(1).unwrap().copy_from_slice(&shape).unwrap();
        interpreter.invoke().unwrap();
        (interpreter.generation(0), interpreter.output(0).unwrap().bytes().unwrap().as_ptr())
    };
    let first = run([2, 3]);
    assert_eq!(run([2, 3]), first);
    assert_ne!(run([6, 1]).0, first.0, "the tensors after the dynamic shape were not planned again");
}

#[test]
fn an_observer_sees_the_nodes_of_all_subgraphs() {
    let mut interpreter = looped();
    interpreter.start_profile();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&seen);
    interpreter.set_observer(move |node| {
        let first = usize::try_from(node.outputs()[0]).unwrap();
        let value = node.tensor(first).unwrap().as_slice::<i32>().ok().map(|v| v[0]);
        assert!(node.tensor(99).is_err() && node.delegate().is_none() && !node.inputs().is_empty());
        let line = (node.moment, node.subgraph, node.op().to_owned(), node.nodes().to_vec(), value);
        log.lock().unwrap().push(line);
    });
    run(&mut interpreter);
    let lines = std::mem::take(&mut *seen.lock().unwrap());
    let (first, last) = (&lines[0], &lines[lines.len() - 1]);
    assert_eq!((first.0, first.1, &first.2[..], &first.3[..]), (Moment::Before, 0, "WHILE", &[0][..]));
    assert_eq!((last.0, last.1, &last.2[..], last.4), (Moment::After, 0, "WHILE", Some(3)));
    let count = |moment, subgraph, op: &str| {
        lines.iter().filter(|line| (line.0, line.1, &line.2[..]) == (moment, subgraph, op)).count()
    };
    assert_eq!(count(Moment::Before, 2, "ADD"), 6);
    assert_eq!(count(Moment::After, 2, "ADD"), 6);
    assert_eq!(count(Moment::After, 1, "SUB"), 4);
    let counted = lines.iter().filter(|line| line.0 == Moment::After && line.1 == 2 && line.3 == [0]);
    assert_eq!(counted.map(|line| line.4.unwrap()).collect::<Vec<_>>(), [1, 2, 3]);
    // Includes the time of the body's nodes.
    let rows = interpreter.profile_of(2).expect("it ran").rows();
    assert_eq!(rows.iter().map(|row| (&row.op[..], row.runs)).collect::<Vec<_>>(), [("ADD", 3), ("ADD", 3)]);
    interpreter.remove_observer();
    run(&mut interpreter);
    assert!(seen.lock().unwrap().is_empty());
}

#[test]
fn an_observer_sees_partitions_and_may_panic() {
    let mut interpreter = allocated(&negation(&[2]));
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&seen);
    interpreter.set_observer(move |node| {
        log.lock().unwrap().push((node.delegate().map(str::to_owned), node.nodes().to_vec()));
    });
    interpreter.invoke().unwrap();
    assert_eq!(*seen.lock().unwrap(), [(Some("cpu".to_owned()), vec![0]), (Some("cpu".to_owned()), vec![0])]);

    let mut interpreter = looped();
    interpreter.set_observer(|node| assert!(node.subgraph != 2, "not here"));
    let error = message(interpreter.invoke());
    assert!(error.contains("the observer panicked at ADD (node 0 of subgraph 2)"), "{error}");
    interpreter.set_observer(|_| {});
    run(&mut interpreter);
    assert_eq!(output(&interpreter, 1).1, [8.0, 16.0]);
}
