//! Composites are replaced by the nodes of their decomposition where possible, and called where not.

use std::time::Duration;

use arenite_abi::schema::StableHLOCompositeOptions;

use arenite::model_file::tensor_type::INT32;
use arenite::model_file::writer::{ModelBuilder, Operator, SubGraph, Tensor, bytes_of};
use arenite::{Interpreter, Model, NodeProvider, Quota};
use arenite_test_clock::Clock;
use arenite_tests::reference_ops;

use crate::models::{f32s, message, output};
use arenite_tests::options::WithOptions;

/// A node `y = decomposition(x…)`.
fn composite(m: &mut ModelBuilder, subgraph: i32, inputs: &[i32], outputs: &[i32]) -> Operator {
    let code = m.builtin("STABLEHLO_COMPOSITE", 1);
    Operator::new(code, inputs, outputs).with_options(|o| {
        o.set(StableHLOCompositeOptions::NAME, "example")
            .set(StableHLOCompositeOptions::DECOMPOSITION_SUBGRAPH_INDEX, subgraph)
    })
}

/// `y = composite(x)`. `fill` adds the nodes of the decomposition, subgraph 1, from `a` to `b`.
fn model(fill: impl FnOnce(&mut ModelBuilder, &mut SubGraph, i32, i32)) -> Model {
    let mut m = ModelBuilder::new();
    let mut main = SubGraph::new("main");
    let (x, y) = (main.input(f32s("x", &[2])), main.output(f32s("y", &[2])));
    let node = composite(&mut m, 1, &[x], &[y]);
    main.operator(node);
    m.subgraph(main);
    let mut inner = SubGraph::new("example");
    let (a, b) = (inner.input(f32s("a", &[2])), inner.output(f32s("b", &[2])));
    fill(&mut m, &mut inner, a, b);
    m.subgraph(inner);
    Model::from_bytes(m.finish()).expect("a sound model")
}

/// `b = −|a|`
fn minus_abs(m: &mut ModelBuilder, g: &mut SubGraph, a: i32, b: i32) {
    let t = g.tensor(f32s("t", &[2]));
    let (abs, neg) = (m.builtin("ABS", 1), m.builtin("NEG", 1));
    g.operator(Operator::new(abs, &[a], &[t]));
    g.operator(Operator::new(neg, &[t], &[b]));
}

fn run(model: &Model) -> (Interpreter, Vec<f32>) {
    let mut interpreter = reference_ops(model).build().unwrap();
    interpreter.allocate().unwrap();
    interpreter.input_mut(0).unwrap().copy_from_slice(&[3.0f32, -4.0]).unwrap();
    interpreter.invoke().unwrap();
    let values = output(&interpreter, 0).1;
    (interpreter, values)
}

#[test]
fn a_composite_is_replaced_by_its_nodes() {
    let (interpreter, values) = run(&model(minus_abs));
    assert_eq!(values, [-3.0, -4.0]);
    assert_eq!((interpreter.nodes_of(0), interpreter.is_inlined(0)), (0..2, true));
    assert_eq!(interpreter.served_by(), vec![NodeProvider::Plugin("org.arenite.ops".into()); 2]);
    let planned: Vec<i32> = interpreter.memory_plan()[0].records.iter().map(|record| record.tensor).collect();
    assert_eq!(planned, [0, 1, 2], "x, y and t are not in one arena");
    assert_eq!(interpreter.tensor(2).unwrap().name, "t");
}

/// STABLEHLO_GATHER derives the rank of its output from the declared one. The declaration in the decomposition counts.
#[test]
fn results_have_the_shapes_that_the_decomposition_declares() {
    use arenite_abi::schema::StablehloGatherOptions as Fields;
    let mut m = ModelBuilder::new();
    let mut main = SubGraph::new("main");
    let (x, y) = (main.input(f32s("x", &[2, 2])), main.output(f32s("y", &[1, 2, 1])));
    let node = composite(&mut m, 1, &[x], &[y]);
    main.operator(node);
    m.subgraph(main);
    let mut inner = SubGraph::new("example");
    let (a, b) = (inner.input(f32s("a", &[2, 2])), inner.output(f32s("b", &[1, 2])));
    let buffer = m.buffer(bytes_of(&[1i32]));
    let indices = inner.tensor(Tensor::new("indices", INT32, &[1, 1]).buffer(buffer));
    let code = m.builtin("STABLEHLO_GATHER", 1);
    inner.operator(Operator::new(code, &[a, indices], &[b]).with_options(|o| {
        o.set(Fields::OFFSET_DIMS, &[1])
            .set(Fields::COLLAPSED_SLICE_DIMS, &[0])
            .set(Fields::START_INDEX_MAP, &[0])
            .set(Fields::INDEX_VECTOR_DIM, 1)
            .set(Fields::SLICE_SIZES, &[1, 2])
    }));
    m.subgraph(inner);
    let model = Model::from_bytes(m.finish()).unwrap();
    let mut interpreter = reference_ops(&model).build().unwrap();
    interpreter.allocate().unwrap();
    assert!(interpreter.is_inlined(0));
    interpreter.input_mut(0).unwrap().copy_from_slice(&[1.0f32, 2.0, 3.0, 4.0]).unwrap();
    interpreter.invoke().unwrap();
    assert_eq!(output(&interpreter, 0), (vec![1, 2], vec![3.0, 4.0]));
}

#[test]
fn each_composite_has_its_own_tensors() {
    let mut m = ModelBuilder::new();
    let mut main = SubGraph::new("main");
    let (x, t, y) = (main.input(f32s("x", &[2])), main.tensor(f32s("m", &[2])), main.output(f32s("y", &[2])));
    for (from, to) in [(x, t), (t, y)] {
        let node = composite(&mut m, 1, &[from], &[to]);
        main.operator(node);
    }
    m.subgraph(main);
    let mut inner = SubGraph::new("example");
    let (a, b) = (inner.input(f32s("a", &[2])), inner.output(f32s("b", &[2])));
    minus_abs(&mut m, &mut inner, a, b);
    m.subgraph(inner);
    let (interpreter, values) = run(&Model::from_bytes(m.finish()).unwrap());
    assert_eq!(values, [-3.0, -4.0]);
    assert_eq!((interpreter.nodes_of(0), interpreter.nodes_of(1)), (0..2, 2..4));
    assert_eq!(interpreter.tensor_count(), 5);
}

#[test]
fn an_error_names_the_operator_of_the_model() {
    let model = model(|m, g, a, b| {
        let (t, wrong) = (g.tensor(f32s("t", &[2])), g.input(f32s("wrong", &[3])));
        g.inputs.pop();
        let (abs, add) = (m.builtin("ABS", 1), m.builtin("ADD", 1));
        let buffer = m.buffer(bytes_of(&[1.0f32; 3]));
        g.tensors[wrong as usize].buffer = buffer;
        g.operator(Operator::new(abs, &[a], &[t]));
        g.operator(Operator::new(add, &[t, wrong], &[b]));
    });
    let error = message(reference_ops(&model).build().unwrap().allocate());
    assert!(
        error.starts_with("ADD (node 1 of subgraph 1, output 'y'): inputs 't' [2] and 'wrong' [3]"),
        "{error}"
    );
}

#[test]
fn composites_that_cannot_be_inlined_are_called() {
    let variable = |m: &mut ModelBuilder, g: &mut SubGraph, a: i32, b: i32| {
        g.tensor(f32s("v", &[2]).variable());
        minus_abs(m, g, a, b);
    };
    let through = |m: &mut ModelBuilder, g: &mut SubGraph, a: i32, _: i32| {
        let unread = g.tensor(f32s("unread", &[2]));
        let abs = m.builtin("ABS", 1);
        g.operator(Operator::new(abs, &[a], &[unread]));
        g.outputs = vec![a];
    };
    for (model, want) in [(model(variable), [-3.0, -4.0]), (model(through), [3.0, -4.0])] {
        let (interpreter, values) = run(&model);
        assert_eq!(values, want);
        assert_eq!((interpreter.nodes_of(0), interpreter.is_inlined(0)), (0..1, false));
    }
}

#[test]
fn nesting_and_size_are_bounded() {
    // Each level contains the next one twice: 2ⁿ nodes.
    let doubling = |levels: i32| {
        let mut m = ModelBuilder::new();
        for level in 0..levels {
            let mut g = SubGraph::new("level");
            let (a, t, b) = (g.input(f32s("a", &[2])), g.tensor(f32s("t", &[2])), g.output(f32s("b", &[2])));
            for (from, to) in [(a, t), (t, b)] {
                let node = composite(&mut m, level + 1, &[from], &[to]);
                g.operator(node);
            }
            m.subgraph(g);
        }
        let mut leaf = SubGraph::new("leaf");
        let (a, b) = (leaf.input(f32s("a", &[2])), leaf.output(f32s("b", &[2])));
        let neg = m.builtin("NEG", 1);
        leaf.operator(Operator::new(neg, &[a], &[b]));
        m.subgraph(leaf);
        Model::from_bytes(m.finish()).unwrap()
    };
    assert_eq!(run(&doubling(4)).1, [3.0, -4.0]);

    let clock = Clock::start();
    let quota = Quota { nodes: 1000, depth: 64, ..Quota::default() };
    let error = message(reference_ops(&doubling(40)).quota(quota).build());
    assert!(error.starts_with("the model, composites expanded, needs "), "{error}");
    assert!(
        error.ends_with(" nodes, the quota is 1000; raise `nodes` in [quota] if that is right"),
        "{error}"
    );
    let quota = Quota { bytes: 2 << 20, depth: 64, ..Quota::default() };
    let error = message(reference_ops(&doubling(40)).quota(quota).build());
    assert!(error.starts_with("the graph of nodes and tensors, composites expanded, needs "), "{error}");
    assert!(error.contains(" bytes, the quota is 2097152; raise `bytes`"), "{error}");
    let quota = Quota { time: Some(Duration::from_millis(20)), depth: 64, ..Quota::default() };
    let error = message(reference_ops(&doubling(40)).quota(quota).build());
    assert!(error.contains("needs 21 milliseconds, the quota is 20"), "{error}");
    clock.at_most(5);

    let error = message(reference_ops(&doubling(100)).build());
    assert!(
        error.contains("the composite of subgraph 17 within others needs 17 levels, the quota is 16"),
        "{error}"
    );
}
