//! Graphs on the GPU delegates: planners, threads, missing devices, chains, and a part of the conformance cases.

use std::thread;

use arenite::Model;
use arenite::config::OnMissing;
use arenite_abi::schema::{AddOptions, BatchMatMulOptions, MulOptions, activation, padding};
use arenite_model::tensor_type::FLOAT32;
use arenite_model::writer::{ModelBuilder, Operator, SubGraph, Tensor, bytes_of};
use arenite_tests::op_models::{OneOp, f32};
use arenite_tests::options::WithOptions;
use arenite_tests::run::Setup;
use arenite_tests::selection::Selection;
use arenite_tests::{source, suite};

use super::ops::{agrees, conv, model, numbers, on_device, run, weights};
use super::{BACKENDS, backends, config};

/// Planners change how device memory is shared and nothing else; a resize needs no new program.
#[test]
fn results_do_not_depend_on_the_planner() {
    let model = model(conv([1, 6, 7, 3], [5, 3, 3, 3], 1, padding::SAME, activation::RELU));
    for backend in backends() {
        let want = run(&mut on_device(backend, &model, &[]));
        for planner in ["naive", "equality", "equality-vector", "greedy-by-size", "min-cost-flow"] {
            assert_eq!(run(&mut on_device(backend, &model, &[("memory", planner)])), want, "{planner}");
        }
        let mut refused = on_device(backend, &model, &[("memory", "portfolio")]);
        refused.allocate().expect("reference ops run it");
        let reason = &refused.left_out()[0].reason;
        assert!(reason.contains("it hands out no shared objects"), "{reason}");
    }
}

#[test]
fn interpreters_on_two_threads_share_a_device() {
    let model = model(conv([1, 6, 7, 3], [5, 3, 3, 3], 1, padding::SAME, activation::RELU));
    for backend in backends() {
        let want = run(&mut on_device(backend, &model, &[]));
        thread::scope(|scope| {
            for _ in 0..2 {
                let again = || assert_eq!(run(&mut on_device(backend, &model, &[])), want);
                scope.spawn(move || (0..5).for_each(|_| again()));
            }
        });
    }
}

#[test]
fn a_missing_device_can_be_skipped() {
    let model = model(OneOp::new("NEG").feed(f32("x", &[3])).output(f32("y", &[3])).defaults());
    for backend in BACKENDS {
        let build = |on_missing| {
            let mut delegate = config(backend.delegate, &[("device", "no device has this name")]);
            delegate.on_missing = on_missing;
            arenite_tests::reference_ops(&model).delegate(delegate).build().expect("it builds")
        };
        let error = build(OnMissing::Error).allocate().expect_err("it is wanted").to_string();
        assert!(error.contains(&format!("unknown {} device", backend.title)), "{error}");
        let values = run(&mut build(OnMissing::Skip));
        assert_eq!(values[0], numbers(3, 1).iter().map(|x| -x).collect::<Vec<_>>());
        let unknown =
            arenite_tests::reference_ops(&model).delegate(config(backend.delegate, &[("colour", "red")]));
        let unknown = unknown.build().and_then(|mut interpreter| interpreter.allocate());
        let error = unknown.expect_err("no such option").to_string();
        let want =
            format!("delegate '{}': unknown option 'colour'; known: device, memory, ", backend.delegate);
        assert!(error.starts_with(&want), "{error}");
    }
}

/// Ops that do not fit a kernel's epilogue slots run after it: functions of numbers, of rows, and of whole tensors.
#[test]
fn long_chains_agree_with_reference_ops() {
    let (shape, mut file, mut graph) = ([2, 3, 5], ModelBuilder::new(), SubGraph::new("main"));
    let codes = ["ADD", "MUL", "MAXIMUM"].map(|op| file.builtin(op, 1));
    let whole = graph.input(Tensor::new("whole", FLOAT32, &shape));
    let mut last = whole;
    for i in 0..14 {
        let constant: &[i32] = if i % 4 == 1 { &[1] } else { &[5] };
        let floats = numbers(constant[0] as usize, i);
        let buffer = file.buffer(bytes_of(&floats));
        let operand = match i % 4 {
            3 => whole,
            _ => graph.tensor(Tensor::new("constant", FLOAT32, constant).buffer(buffer)),
        };
        let next = Tensor::new("next", FLOAT32, &shape);
        let next = if i == 13 { graph.output(next) } else { graph.tensor(next) };
        let operator = Operator::new(codes[i % 3], &[last, operand], &[next]);
        graph.operator(match i % 3 {
            0 => operator.with_options::<AddOptions>(|o| o),
            1 => operator.with_options::<MulOptions>(|o| o),
            _ => operator,
        });
        last = next;
    }
    file.subgraph(graph);
    agrees("14 functions", &Model::from_bytes(file.finish()).expect("the file is sound"));
}

/// A product with few columns, and after it an operand of as many elements.
#[test]
fn epilogue_operands_have_the_layout_of_the_product() {
    for (rows, columns) in [(1, 1), (5, 1), (1, 6), (5, 6)] {
        let (mut file, mut graph) = (ModelBuilder::new(), SubGraph::new("main"));
        let codes = ["BATCH_MATMUL", "MINIMUM"].map(|op| file.builtin(op, 1));
        let a = graph.input(Tensor::new("a", FLOAT32, &[65, rows, 2]));
        let b = graph.input(Tensor::new("b", FLOAT32, &[65, 2, columns]));
        let shape = [65, rows, columns];
        let product = graph.tensor(Tensor::new("product", FLOAT32, &shape));
        let product_of = Operator::new(codes[0], &[a, b], &[product]);
        graph.operator(product_of.with_options::<BatchMatMulOptions>(|o| o));
        let buffer = file.buffer(weights(&shape));
        let least = graph.tensor(Tensor::new("least", FLOAT32, &shape).buffer(buffer));
        let output = graph.output(Tensor::new("y", FLOAT32, &shape));
        graph.operator(Operator::new(codes[1], &[product, least], &[output]));
        file.subgraph(graph);
        let model = Model::from_bytes(file.finish()).expect("the file is sound");
        agrees(&format!("minimum with a product, {shape:?}"), &model);
    }
}

/// A part of the corpus, if it is installed.
#[test]
fn conformance() {
    let shared =
        std::env::var_os("ARENITE_SHARED").map_or_else(|| "../../shared".into(), std::path::PathBuf::from);
    let corpus = shared.join("conformance");
    if !corpus.exists() {
        println!("skipped: {} does not exist", corpus.display());
        return;
    }
    for backend in backends() {
        for family in ["conv_relu6", "avg_pool", "softmax", "concat", "resize_bilinear"] {
            let cases = source::find(&corpus.join(format!("{family}.zip"))).expect("the family exists");
            let delegates = vec![backend.delegate.into()];
            let setup = Setup { delegates, ..Setup::linked_in().expect("the plugins") };
            let selection = Selection::all().expect("it is sound");
            let summary = suite::run(cases, &selection, &setup, std::num::NonZeroUsize::MIN, |_| {});
            assert!(summary.totals.passed > 0 && summary.delegated > 0, "{family}: {summary}");
            assert_eq!(summary.totals.failed, 0, "{family}: {summary}");
        }
    }
}
