//! Subgraphs and resources: IF, WHILE, CALL_ONCE, variables.

use std::process::Command;

use arenite_abi::schema::{CallOnceOptions, IfOptions, WhileOptions};
use arenite_micro::{Error, Interpreter};
use arenite_model::tensor_type::BOOL;
use arenite_model::writer::{ModelBuilder, Operator, SubGraph, Tensor, bytes_of};
use arenite_tests::micro::{Aligned, ops, run_once};
use arenite_tests::op_models::{self, control, f32, i32};
use arenite_tests::options::WithOptions;

use crate::support::{Pages, check, invoke};

#[track_caller]
fn refused(model: ModelBuilder) -> String {
    let (ops, model) = (ops(), Aligned::of(&model.finish()));
    let mut arena = Aligned::new(0, 1 << 20);
    run_once(model.as_slice(), &ops, arena.bytes_mut(), &[]).expect_err("the call must fail").to_string()
}

#[test]
fn small_models_of_control_flow() {
    check("a loop", control::counting_loop(1));
    check("a composite", control::composite());
    check("a variable", control::variable(true));
    for sound in op_models::all().into_iter().filter(|sound| ["IF", "STABLEHLO_CASE"].contains(&sound.op)) {
        check(sound.op, sound.model);
    }
}

/// `while (n < limit) { n += 1; (a, b) = (b, a) }`: each of the two outputs of the body is the other's next input.
fn swapping(limit: i32) -> ModelBuilder {
    let mut model = ModelBuilder::new();
    let [less, add, repeat] = ["LESS", "ADD", "WHILE"].map(|op| model.builtin(op, 1));
    let (limit, one) = (model.buffer(bytes_of(&[limit])), model.buffer(bytes_of(&[1])));
    let inputs = |graph: &mut SubGraph| {
        [graph.input(i32("n", &[])), graph.input(f32("a", &[3])), graph.input(f32("b", &[3]))]
    };
    let mut main = SubGraph::new("main");
    let from = inputs(&mut main);
    let to = [main.output(i32("m", &[])), main.output(f32("c", &[3])), main.output(f32("d", &[3]))];
    main.operator(Operator::new(repeat, &from, &to).with_options(|o| {
        o.set(WhileOptions::COND_SUBGRAPH_INDEX, 1).set(WhileOptions::BODY_SUBGRAPH_INDEX, 2)
    }));
    let mut condition = SubGraph::new("condition");
    let [n, ..] = inputs(&mut condition);
    let limit = condition.tensor(i32("limit", &[]).buffer(limit));
    let goes_on = condition.output(Tensor::new("goes on", BOOL, &[]));
    condition.operator(Operator::new(less, &[n, limit], &[goes_on]));
    let mut body = SubGraph::new("body");
    let [n, a, b] = inputs(&mut body);
    let one = body.tensor(i32("one", &[]).buffer(one));
    let next = body.output(i32("next", &[]));
    body.outputs.extend([b, a]);
    body.operator(Operator::new(add, &[n, one], &[next]));
    for graph in [main, condition, body] {
        model.subgraph(graph);
    }
    model
}

#[test]
fn values_of_a_loop_are_swapped() {
    for limit in [0, 1, 2, 9] {
        check("swapped", swapping(limit));
    }
    let (ops, model) = (ops(), Aligned::of(&swapping(3).finish()));
    let (a, b) = (bytes_of(&[1.0f32, 2.0, 3.0]), bytes_of(&[7.0f32, 8.0, 9.0]));
    let mut arena = Aligned::new(0, 1 << 16);
    let outputs = run_once(model.as_slice(), &ops, arena.bytes_mut(), &[(1, &a), (2, &b)]).expect("it runs");
    assert_eq!(outputs, [bytes_of(&[3]), b, a]);
}

/// tests/micro/test.sh embeds these models and runs them on a board. ARENITE_WRITE writes them.
#[test]
fn the_models_for_the_board() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/micro/control");
    for (name, model) in [("loop", swapping(5)), ("variable", control::variable(true))] {
        let (path, bytes) = (format!("{folder}/{name}.tflite"), model.finish());
        if std::env::var_os("ARENITE_WRITE").is_some() {
            std::fs::write(&path, &bytes).expect("the folder is writable");
        }
        let stored = std::fs::read(&path).expect("the model is stored");
        assert!(stored == bytes, "{path} is out of date; run the test with ARENITE_WRITE=1");
    }
}

/// SHAPE computes its result in `prepare`; a variable receives it when the node runs.
#[test]
fn a_value_known_in_prepare_reaches_a_variable_when_the_node_runs() {
    let mut model = ModelBuilder::new();
    let [shape, neg] = ["SHAPE", "NEG"].map(|op| model.builtin(op, 1));
    let mut main = SubGraph::new("main");
    let x = main.input(f32("x", &[2, 3]));
    let [a, b] = ["a", "b"].map(|name| main.output(i32(name, &[2])));
    let v = main.tensor(i32("v", &[2]).variable());
    main.operator(Operator::new(neg, &[v], &[a]));
    main.operator(Operator::new(shape, &[x], &[v]));
    main.operator(Operator::new(neg, &[v], &[b]));
    model.subgraph(main);
    check("the shape in a variable", model.clone());

    let (ops, model) = (ops(), Aligned::of(&model.finish()));
    let mut arena = Aligned::new(0, 1 << 16);
    let mut interpreter = Interpreter::new(model.as_slice(), &ops, arena.bytes_mut()).expect("it fits");
    let (zeros, sizes) = (bytes_of(&[0, 0]), bytes_of(&[-2, -3]));
    assert_eq!(invoke(&mut interpreter, 0), [zeros.clone(), sizes.clone()]);
    assert_eq!(invoke(&mut interpreter, 1), [sizes.clone(), sizes.clone()]);
    interpreter.reset();
    assert_eq!(invoke(&mut interpreter, 2), [zeros, sizes]);
}

/// `levels` subgraphs, each of which calls the next one with CALL_ONCE. If `loops`, the last one calls the first.
fn nested(levels: i32, loops: bool) -> ModelBuilder {
    let mut model = ModelBuilder::new();
    let (once, relu) = (model.builtin("CALL_ONCE", 1), model.builtin("RELU", 1));
    for level in 0..=levels {
        let mut graph = SubGraph::new("level");
        let next = if level < levels { level + 1 } else { 1 };
        if level < levels || loops {
            graph.operator(
                Operator::new(once, &[], &[])
                    .with_options(|o| o.set(CallOnceOptions::INIT_SUBGRAPH_INDEX, next)),
            );
        }
        if level == 0 {
            let (x, y) = (graph.input(f32("x", &[2])), graph.output(f32("y", &[2])));
            graph.operator(Operator::new(relu, &[x], &[y]));
        }
        model.subgraph(graph);
    }
    model
}

#[test]
fn nesting_is_bounded() {
    check("eight levels", nested(8, false));
    assert!(
        refused(nested(9, false)).contains("9 levels deep; the limit is 8"),
        "{}",
        refused(nested(9, false))
    );
    assert!(refused(nested(1000, false)).contains("the limit is 8"));
    assert!(refused(nested(1, true)).contains("recursion is not supported"));
    assert!(refused(nested(3, true)).contains("recursion is not supported"));
}

#[test]
fn a_loop_without_end_is_refused() {
    let message = refused(control::counting_loop(2));
    assert!(message.starts_with("node 0, WHILE: subgraph"), "{message}");
    assert!(message.ends_with("cannot run again: 1000 calls were made, which is the limit"), "{message}");
}

/// Ops write messages to the first host of a process, which may be the large runtime of another test. So this test runs
/// in its own process.
#[test]
fn a_variable_is_read_before_it_is_assigned() {
    const CHILD: &str = "ARENITE_TEST_VARIABLE_BEFORE_ASSIGNMENT";
    if std::env::var_os(CHILD).is_none() {
        let mut test = Command::new(std::env::current_exe().expect("this test"));
        test.args(["--exact", "control::a_variable_is_read_before_it_is_assigned"]).env(CHILD, "1");
        let output = test.output().expect("it starts");
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && said.contains("1 passed"), "{said}");
        return;
    }
    let message = refused(control::variable(false));
    assert!(
        message.contains("the variable is read before it was assigned (ASSIGN_VARIABLE), into 'output 0'"),
        "{message}"
    );
}

/// `if c then x + x else relu(x)`, twice, on vectors of `shapes`. Both nodes call the same branches.
fn shared_branches(shapes: [i32; 2]) -> ModelBuilder {
    let mut model = ModelBuilder::new();
    let [choose, add, relu] = ["IF", "ADD", "RELU"].map(|op| model.builtin(op, 1));
    let mut main = SubGraph::new("main");
    let c = main.input(Tensor::new("c", BOOL, &[]));
    let mut last = None;
    for n in shapes {
        let x = match last {
            Some(last) if shapes[0] == shapes[1] => last,
            _ => main.input(f32("x", &[n])),
        };
        let y = main.tensor(f32("y", &[n]));
        main.operator(Operator::new(choose, &[c, x], &[y]).with_options(|o| {
            o.set(IfOptions::THEN_SUBGRAPH_INDEX, 1).set(IfOptions::ELSE_SUBGRAPH_INDEX, 2)
        }));
        main.outputs.push(y);
        last = Some(y);
    }
    model.subgraph(main);
    for op in [add, relu] {
        let mut graph = SubGraph::new("branch");
        let (x, y) = (graph.input(f32("x", &[shapes[0]])), graph.output(f32("y", &[shapes[0]])));
        let inputs = if op == add { vec![x, x] } else { vec![x] };
        graph.operator(Operator::new(op, &inputs, &[y]));
        model.subgraph(graph);
    }
    model
}

/// Subgraphs that both nodes call keep their memory until the second one has run. If the shapes differed, they would
/// have to be planned twice.
#[test]
fn subgraphs_with_more_than_one_caller() {
    check("the same branches", shared_branches([300, 300]));
    assert_eq!(
        refused(shared_branches([3, 4])),
        "node 1, IF: input 0 of subgraph 1 has shape [4] here and [3] in an earlier call; each subgraph is planned for one shape"
    );
}

/// The values of a loop grow, so their shapes depend on data.
#[test]
fn a_data_dependent_shape_is_an_error_that_names_the_node() {
    let mut model = ModelBuilder::new();
    let (relu, find) = (model.builtin("RELU", 1), model.builtin("WHERE", 1));
    let mut graph = SubGraph::new("main");
    let (x, c) = (graph.input(f32("x", &[3])), graph.input(Tensor::new("c", BOOL, &[3])));
    let (y, found) = (graph.output(f32("y", &[3])), graph.output(Tensor::new("found", 4, &[])));
    graph.operator(Operator::new(relu, &[x], &[y]));
    graph.operator(Operator::new(find, &[c], &[found]));
    model.subgraph(graph);
    let message = refused(model);
    assert!(
        message.starts_with("node 1, WHERE: the shape of its output, tensor 3 'found', depends on data"),
        "{message}"
    );
}

/// An error in a called subgraph names the node there, not the node that calls. If the arena is one byte too small, the
/// message has both numbers there, too.
#[test]
fn errors_of_called_subgraphs() {
    let mut model = control::counting_loop(1);
    model.operator_codes.iter_mut().filter(|code| code.code == 53).for_each(|code| code.version = 99);
    let message = refused(model);
    assert!(
        message.starts_with("node 1 of subgraph 1: none of the given ops serves CAST version 99"),
        "{message}"
    );
    let (ops, model) = (ops(), Aligned::of(&control::counting_loop(1).finish()));
    for bytes in (0..4096).step_by(16) {
        let mut arena = Pages::new(bytes);
        match Interpreter::new(model.as_slice(), &ops, arena.block()).err() {
            None => return,
            Some(Error::Arena { given, needed }) => assert!(given == bytes && needed > given),
            Some(other) => panic!("{other}"),
        }
    }
    panic!("an arena of 4 KiB is too small");
}
