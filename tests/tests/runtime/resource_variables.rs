//! READ_VARIABLE and ASSIGN_VARIABLE on the reference ops and in partitions of the CPU delegate.

use arenite::config::DelegateConfig;
use arenite::model_file::tensor_type::{self, RESOURCE};
use arenite::model_file::writer::{ModelBuilder, Operator, SubGraph, Tensor, bytes_of};
use arenite::{Interpreter, Model, NodeProvider};
use arenite_abi::schema::{
    AddOptions, AssignVariableOptions, CallOnceOptions, ConcatenationOptions, FullyConnectedOptions,
    MaximumMinimumOptions, ReadVariableOptions, SliceOptions, VarHandleOptions,
};
use arenite_tests::options::WithOptions;
use arenite_tests::reference_ops;

use crate::models::{f32s, message, output};

/// An op, its inputs and its output. READ and ASSIGN access the variable that is their first operand.
type Node = (&'static str, &'static [&'static str], &'static str);

/// The nodes, and y in three invocations with x = 1. Variable v is 3 at first, w is 5.
const CASES: &[(&[Node], [f32; 3])] = &[
    (&[("READ", &["v"], "y"), ("ADD", &["y", "x"], "a"), ("ASSIGN", &["v", "a"], "")], [3.0, 4.0, 5.0]),
    // The output is assigned, too.
    (&[("READ", &["v"], "a"), ("ADD", &["a", "x"], "y"), ("ASSIGN", &["v", "y"], "")], [4.0, 5.0, 6.0]),
    // The input is assigned, and a constant.
    (&[("READ", &["v"], "a"), ("ASSIGN", &["v", "x"], ""), ("ADD", &["a", "a"], "y")], [6.0, 2.0, 2.0]),
    (&[("READ", &["v"], "a"), ("ASSIGN", &["v", "c"], ""), ("ADD", &["a", "a"], "y")], [6.0, 14.0, 14.0]),
    // Two variables swap their values.
    (
        &[
            ("READ", &["v"], "a"),
            ("READ", &["w"], "b"),
            ("ASSIGN", &["v", "b"], ""),
            ("ASSIGN", &["w", "a"], ""),
            ("ADD", &["a", "x"], "y"),
        ],
        [4.0, 6.0, 4.0],
    ),
    // A read sees the last assignment before it.
    (
        &[
            ("READ", &["v"], "a"),
            ("ADD", &["a", "x"], "b"),
            ("ASSIGN", &["v", "b"], ""),
            ("READ", &["v"], "c2"),
            ("ADD", &["c2", "a"], "y"),
            ("ASSIGN", &["v", "y"], ""),
        ],
        [7.0, 15.0, 31.0],
    ),
    // An assignment after the last reader, and one that nothing reads.
    (&[("ADD", &["x", "x"], "a"), ("ASSIGN", &["w", "a"], ""), ("ADD", &["a", "x"], "y")], [3.0; 3]),
    // The delegate is configured to leave MINIMUM to the reference ops.
    (
        &[
            ("READ", &["v"], "a"),
            ("ADD", &["a", "x"], "b"),
            ("ASSIGN", &["v", "b"], ""),
            ("MINIMUM", &["b", "b"], "d"),
            ("READ", &["v"], "e"),
            ("ADD", &["d", "e"], "f"),
            ("ASSIGN", &["v", "f"], ""),
            ("ADD", &["f", "x"], "y"),
        ],
        [9.0, 19.0, 39.0],
    ),
];

/// The handle of a variable.
fn handle(model: &mut ModelBuilder, graph: &mut SubGraph, name: &str) -> i32 {
    let tensor = graph.tensor(Tensor::new(name, RESOURCE, &[]));
    let node = Operator::new(model.builtin("VAR_HANDLE", 1), &[], &[tensor]);
    graph.operator(node.with_options(|o| o.set(VarHandleOptions::SHARED_NAME, name)));
    tensor
}

/// Assigns numbers to a variable.
fn assign(model: &mut ModelBuilder, graph: &mut SubGraph, name: &str, values: &[f32]) {
    let variable = handle(model, graph, name);
    let buffer = model.buffer(bytes_of(values));
    let value = graph.tensor(f32s(&format!("{name}0"), &[values.len() as i32]).buffer(buffer));
    let node = Operator::new(model.builtin("ASSIGN_VARIABLE", 1), &[variable, value], &[]);
    graph.operator(node.with_options::<AssignVariableOptions>(|o| o));
}

/// `assigned` are the variables that have a value before the first invocation.
fn model_of(nodes: &[Node], assigned: &[(&'static str, f32)]) -> Model {
    model_with(nodes, assigned, &[])
}

/// As [`model_of`], with further subgraphs, from 2 on, each of which assigns numbers to v.
fn model_with(nodes: &[Node], assigned: &[(&'static str, f32)], others: &[&[f32]]) -> Model {
    let mut model = ModelBuilder::new();
    let (mut main, mut start) = (SubGraph::new("main"), SubGraph::new("start"));
    let once = Operator::new(model.builtin("CALL_ONCE", 1), &[], &[]);
    main.operator(once.with_options(|o| o.set(CallOnceOptions::INIT_SUBGRAPH_INDEX, 1)));
    for &(name, value) in assigned {
        assign(&mut model, &mut start, name, &[value; 2]);
    }
    let constant = model.buffer(bytes_of(&[7.0f32; 2]));
    let mut tensors = vec![
        ("x", main.input(f32s("x", &[2]))),
        ("y", main.output(f32s("y", &[2]))),
        ("c", main.tensor(f32s("c", &[2]).buffer(constant))),
        ("v", handle(&mut model, &mut main, "v")),
        ("w", handle(&mut model, &mut main, "w")),
    ];
    for &(op, inputs, output) in nodes {
        let mut find = |name| match tensors.iter().find(|(known, _)| *known == name) {
            Some(&(_, tensor)) => tensor,
            None => {
                tensors.push((name, main.tensor(f32s(name, &[2]))));
                tensors[tensors.len() - 1].1
            }
        };
        let inputs: Vec<i32> = inputs.iter().map(|&name| find(name)).collect();
        let node = |model: &mut ModelBuilder, op: &str, output: &[i32]| {
            Operator::new(model.builtin(op, 1), &inputs, output)
        };
        let node = match op {
            "READ" => {
                node(&mut model, "READ_VARIABLE", &[find(output)]).with_options::<ReadVariableOptions>(|o| o)
            }
            "ASSIGN" => node(&mut model, "ASSIGN_VARIABLE", &[]).with_options::<AssignVariableOptions>(|o| o),
            "ADD" => node(&mut model, op, &[find(output)]).with_options::<AddOptions>(|o| o),
            _ => node(&mut model, op, &[find(output)]).with_options::<MaximumMinimumOptions>(|o| o),
        };
        main.operator(node);
    }
    model.subgraph(main);
    model.subgraph(start);
    for values in others {
        let mut other = SubGraph::new("other");
        assign(&mut model, &mut other, "v", values);
        model.subgraph(other);
    }
    Model::from_bytes(model.finish()).expect("the model is sound")
}

fn next(interpreter: &mut Interpreter) -> f32 {
    interpreter.input_mut(0).unwrap().copy_from_slice(&[1.0f32, 1.0]).unwrap();
    interpreter.invoke().unwrap();
    output(interpreter, 0).1[1]
}

#[test]
fn each_read_sees_the_last_assignment_before_it_on_every_backend() {
    for (nodes, wanted) in CASES {
        let model = model_of(nodes, &[("v", 3.0), ("w", 5.0)]);
        let mut without = DelegateConfig::new("cpu");
        without.exclude_ops = vec!["MINIMUM".to_owned()];
        for (backend, builder) in [
            ("reference ops", reference_ops(&model)),
            ("cpu", Interpreter::builder(&model).delegate(DelegateConfig::new("cpu"))),
            ("cpu without MINIMUM", Interpreter::builder(&model).delegate(without)),
        ] {
            let mut interpreter = builder.build().unwrap();
            interpreter.allocate().unwrap();
            let got = [(); 3].map(|()| next(&mut interpreter));
            assert_eq!(got, *wanted, "{nodes:?} on {backend}");
        }
    }
}

/// The whole model except the handles and CALL_ONCE is one partition.
#[test]
fn the_cpu_delegate_accesses_variables() {
    let (nodes, _) = CASES[5];
    let model = model_of(nodes, &[("v", 3.0)]);
    let mut interpreter = Interpreter::builder(&model).build().unwrap();
    interpreter.allocate().unwrap();
    let served = interpreter.served_by();
    let delegated = served.iter().filter(|by| matches!(by, NodeProvider::Delegate { .. }));
    assert_eq!(delegated.count(), nodes.len(), "{served:?}");
}

/// Between two runs of the partition, other subgraphs give the variable a larger value, and one of the first shape
/// again, which is elsewhere.
#[test]
fn a_variable_that_another_subgraph_moved_has_its_new_value() {
    let (nodes, _) = CASES[0];
    let model = model_with(nodes, &[("v", 3.0)], &[&[20.0; 4096], &[30.0; 2]]);
    for backend in ["none", "cpu"] {
        let builder = Interpreter::builder(&model).delegate(DelegateConfig::new(backend));
        let mut interpreter = builder.build().unwrap();
        interpreter.allocate().unwrap();
        assert_eq!([(); 2].map(|()| next(&mut interpreter)), [3.0, 4.0], "{backend}");
        for subgraph in [2, 3] {
            interpreter.allocate_subgraph(subgraph).unwrap();
        }
        interpreter.invoke_subgraph(2).unwrap();
        let error = message(interpreter.invoke());
        assert!(error.contains("FLOAT32[4096]"), "{backend}: {error}");
        interpreter.invoke_subgraph(3).unwrap();
        assert_eq!([(); 2].map(|()| next(&mut interpreter)), [30.0, 31.0], "{backend}");
    }
}

/// An access without another node in its partition would cost more than it saves.
#[test]
fn accesses_alone_stay_with_the_reference_ops() {
    let nodes: &[Node] = &[("READ", &["v"], "y"), ("ASSIGN", &["w", "x"], "")];
    let model = model_of(nodes, &[("v", 3.0)]);
    let mut interpreter = Interpreter::builder(&model).build().unwrap();
    interpreter.allocate().unwrap();
    let is_op = |by: &NodeProvider| !matches!(by, NodeProvider::Delegate { .. });
    assert!(interpreter.served_by().iter().all(is_op), "{:?}", interpreter.served_by());
    assert_eq!([(); 2].map(|()| next(&mut interpreter)), [3.0, 3.0]);
}

#[test]
fn a_variable_without_a_value_or_with_another_shape_is_an_error_that_assigns_nothing() {
    let nodes: &[Node] = &[
        ("READ", &["w"], "a"),
        ("ADD", &["a", "x"], "y"),
        ("ASSIGN", &["w", "y"], ""),
        ("READ", &["v"], "b"),
    ];
    let reads: &[Node] = &[("ADD", &["b", "x"], "d"), ("ASSIGN", &["w", "d"], "")];
    let nodes: Vec<Node> = nodes.iter().chain(reads).copied().collect();
    let model = model_of(&nodes, &[("w", 5.0)]);
    let mut interpreter = Interpreter::builder(&model).build().unwrap();
    interpreter.allocate().unwrap();
    for _ in 0..2 {
        let error = message(interpreter.invoke());
        let text = "the variable is read before it was assigned (ASSIGN_VARIABLE), into 'b'";
        assert!(error.contains(text), "{error}");
    }

    let mut model = ModelBuilder::new();
    let mut main = SubGraph::new("main");
    let v = main.tensor(Tensor::new("v", RESOURCE, &[]));
    let handle = Operator::new(model.builtin("VAR_HANDLE", 1), &[], &[v]);
    main.operator(handle.with_options(|o| o.set(VarHandleOptions::SHARED_NAME, "v")));
    let (x, y) = (main.input(f32s("x", &[2])), main.output(f32s("y", &[3])));
    let (twice, read) = (main.tensor(f32s("twice", &[2])), main.tensor(f32s("read", &[3])));
    let [add, assign, get, min] =
        ["ADD", "ASSIGN_VARIABLE", "READ_VARIABLE", "MINIMUM"].map(|op| model.builtin(op, 1));
    main.operator(Operator::new(add, &[x, x], &[twice]).with_options::<AddOptions>(|o| o));
    main.operator(Operator::new(assign, &[v, twice], &[]).with_options::<AssignVariableOptions>(|o| o));
    let unused = main.tensor(f32s("unused", &[2]));
    main.operator(
        Operator::new(min, &[twice, twice], &[unused]).with_options::<MaximumMinimumOptions>(|o| o),
    );
    main.operator(Operator::new(get, &[v], &[read]).with_options::<ReadVariableOptions>(|o| o));
    main.operator(Operator::new(add, &[read, read], &[y]).with_options::<AddOptions>(|o| o));
    model.subgraph(main);
    let model = Model::from_bytes(model.finish()).unwrap();
    for builder in [reference_ops(&model), Interpreter::builder(&model)] {
        let mut interpreter = builder.build().unwrap();
        let error = message(interpreter.allocate().and_then(|()| interpreter.invoke()));
        assert!(
            error.contains("the variable holds FLOAT32[2], 'read' is FLOAT32[3]; they must agree"),
            "{error}"
        );
    }
}

/// A streaming network of bytes: the state slides over the input. Its result is a sum, which signed bytes have too, or
/// a product, which needs unsigned ones.
fn sliding(is_product: bool) -> Model {
    let mut model = ModelBuilder::new();
    let mut main = SubGraph::new("main");
    let bytes = |name: &str, shape: &[i32]| Tensor::new(name, tensor_type::INT8, shape).quantized(0.1, -3);
    let v = main.tensor(Tensor::new("v", RESOURCE, &[]));
    let handle = Operator::new(model.builtin("VAR_HANDLE", 1), &[], &[v]);
    main.operator(handle.with_options(|o| o.set(VarHandleOptions::SHARED_NAME, "v")));
    let once = Operator::new(model.builtin("CALL_ONCE", 1), &[], &[]);
    main.operator(once.with_options(|o| o.set(CallOnceOptions::INIT_SUBGRAPH_INDEX, 1)));
    let shape: &[i32] = if is_product { &[1, 3] } else { &[1, 5, 5] };
    let (x, y) = (main.input(bytes("x", &[1, 2, 5])), main.output(bytes("y", shape)));
    let [state, joined, kept] = [("state", 3), ("joined", 5), ("kept", 3)]
        .map(|(name, rows)| main.tensor(bytes(name, &[1, rows, 5])));
    let mut list = |model: &mut ModelBuilder, name: &str, values: &[i32]| {
        let buffer = model.buffer(bytes_of(values));
        main.tensor(Tensor::new(name, tensor_type::INT32, &[values.len() as i32]).buffer(buffer))
    };
    let (begin, size) = (list(&mut model, "begin", &[0, 2, 0]), list(&mut model, "size", &[1, 3, 5]));
    let [read, assign] = ["READ_VARIABLE", "ASSIGN_VARIABLE"].map(|op| model.builtin(op, 1));
    let [concat, slice] = ["CONCATENATION", "SLICE"].map(|op| model.builtin(op, 2));
    main.operator(Operator::new(read, &[v], &[state]).with_options::<ReadVariableOptions>(|o| o));
    main.operator(
        Operator::new(concat, &[state, x], &[joined]).with_options(|o| o.set(ConcatenationOptions::AXIS, 1)),
    );
    main.operator(Operator::new(slice, &[joined, begin, size], &[kept]).with_options::<SliceOptions>(|o| o));
    main.operator(Operator::new(assign, &[v, kept], &[]).with_options::<AssignVariableOptions>(|o| o));
    if is_product {
        let buffer = model.buffer((0..75u8).map(|i| i.wrapping_mul(37)).collect::<Vec<u8>>());
        let weights = Tensor::new("weights", tensor_type::INT8, &[3, 25]).quantized(0.01, 0);
        let weights = main.tensor(weights.buffer(buffer));
        let node = Operator::new(model.builtin("FULLY_CONNECTED", 4), &[joined, weights, -1], &[y]);
        main.operator(node.with_options::<FullyConnectedOptions>(|o| o));
    } else {
        let node = Operator::new(model.builtin("ADD", 2), &[joined, joined], &[y]);
        main.operator(node.with_options::<AddOptions>(|o| o));
    }
    model.subgraph(main);
    let mut start = SubGraph::new("start");
    let again = start.tensor(Tensor::new("v", RESOURCE, &[]));
    let handle = Operator::new(model.builtin("VAR_HANDLE", 1), &[], &[again]);
    start.operator(handle.with_options(|o| o.set(VarHandleOptions::SHARED_NAME, "v")));
    let buffer = model.buffer((0..15).collect::<Vec<u8>>());
    let first = start.tensor(bytes("first", &[1, 3, 5]).buffer(buffer));
    start.operator(Operator::new(assign, &[again, first], &[]).with_options::<AssignVariableOptions>(|o| o));
    model.subgraph(start);
    Model::from_bytes(model.finish()).unwrap()
}

#[test]
fn a_sliding_state_of_bytes_has_the_same_bits_as_the_reference_ops() {
    for model in [false, true].map(sliding) {
        let [mut reference, mut delegate] =
            [reference_ops(&model), Interpreter::builder(&model)].map(|builder| {
                let mut interpreter = builder.build().unwrap();
                interpreter.allocate().unwrap();
                interpreter
            });
        for round in 0..4i8 {
            let input: Vec<i8> = (0..10).map(|i| i * 13 - 60 + round).collect();
            let [wanted, got] = [&mut reference, &mut delegate].map(|interpreter| {
                interpreter.input_mut(0).unwrap().copy_from_slice(&input).unwrap();
                interpreter.invoke().unwrap();
                interpreter.output(0).unwrap().bytes().unwrap().to_vec()
            });
            assert_eq!(got, wanted, "invocation {round}");
        }
    }
}
