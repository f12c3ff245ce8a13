//! The nodes that delegates claim, and the nodes that remain when a delegate fails.

use std::sync::Arc;

use arenite::config::{DelegateConfig, OnMissing};
use arenite::model_file::tensor_type::{FLOAT64, INT4};
use arenite::model_file::writer::{ModelBuilder, Operator, Tensor};
use arenite::{Interpreter, Model, NodeProvider, Registry, Techniques};
use arenite_tests::libraries::library;
use arenite_tests::op_models::control;
use arenite_tests::reference_ops;

use crate::models::{f32s, message, model, negation, node, output};
use crate::plugin;

fn registry() -> Arc<Registry> {
    let mut registry = Registry::with_static_plugins().unwrap();
    registry.load_file(library("arenite-plugin-template")).unwrap();
    Arc::new(registry)
}

/// `y = sin(x) + x + sin(2x)`:
///
/// ```text
/// x ─┬─► Sin ─► a ─► ADD ─► b ─► ADD ─► y
///    ├───────────────┘            │
///    └─► ADD ─► c ─► Sin ─► d ────┘
/// ```
fn sines() -> Model {
    sines_with(|m| m.custom("Sin", 1))
}

/// The same with another op in place of the sine.
fn sines_with(sine: fn(&mut ModelBuilder) -> u32) -> Model {
    model(|m, g| {
        let sine = sine(m);
        let x = g.input(f32s("x", &[4]));
        let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| g.tensor(f32s(name, &[4])));
        let y = g.output(f32s("y", &[4]));
        g.operator(Operator::new(sine, &[x], &[a]));
        node(m, g, "ADD", &[a, x], b);
        node(m, g, "ADD", &[x, x], c);
        g.operator(Operator::new(sine, &[c], &[d]));
        node(m, g, "ADD", &[b, d], y);
    })
}

const X: [f32; 4] = [0.0, 0.5, -1.0, 3.0];

#[track_caller]
fn assert_sines(interpreter: &mut Interpreter) {
    interpreter.input_mut(0).unwrap().copy_from_slice(&X).unwrap();
    interpreter.invoke().unwrap();
    let (shape, y) = output(interpreter, 0);
    assert_eq!(shape, [4]);
    for (y, x) in y.iter().zip(X) {
        assert!((y - (x.sin() + x + (2.0 * x).sin())).abs() < 1e-6, "f({x}) = {y}");
    }
}

fn delegated(interpreter: &Interpreter) -> Vec<Option<usize>> {
    let partition = |served: &NodeProvider| match served {
        NodeProvider::Delegate { partition, .. } => Some(*partition),
        _ => None,
    };
    interpreter.served_by().iter().map(partition).collect()
}

#[test]
fn a_graph_is_cut_into_four_partitions() {
    let mut interpreter = reference_ops(&sines())
        .registry(registry())
        .techniques(Techniques { reorder: false, ..Techniques::default() })
        .delegate(DelegateConfig::new("sin"))
        .build()
        .unwrap();
    interpreter.allocate().unwrap();
    assert_sines(&mut interpreter);
    assert_eq!(delegated(&interpreter), [Some(0), None, None, Some(1), None]);
    let reasons = &interpreter.refusals()[1];
    assert!(
        reasons.iter().any(|(name, why)| name == "sin" && why.contains("the op is not SIN")),
        "{reasons:?}"
    );
    interpreter.start_profile();
    assert_sines(&mut interpreter);
    let rows = interpreter.profile().unwrap().rows();
    let mut subsets: Vec<&str> = rows.iter().map(|row| row.op.as_str()).collect();
    assert_eq!(subsets, ["delegate sin", "ADD", "ADD", "delegate sin", "ADD"]);
    subsets.dedup();
    assert_eq!(subsets.len(), 4);
    assert!(rows.iter().all(|row| row.runs == 1));
}

#[test]
fn a_delegate_may_run_an_op_that_no_plugin_serves() {
    let model = sines_with(|m| m.builtin("SIN", 99));
    let build = || reference_ops(&model).registry(registry());
    let mut interpreter = build().delegate(DelegateConfig::new("sin")).build().unwrap();
    interpreter.allocate().unwrap();
    assert_sines(&mut interpreter);
    assert_eq!(delegated(&interpreter), [Some(0), None, None, Some(1), None]);

    let mut config = DelegateConfig::new("sin");
    config.exclude_ops = vec!["SIN".into()];
    for mut left in [build().build().unwrap(), build().delegate(config).build().unwrap()] {
        let error = left.allocate().unwrap_err().to_string();
        assert!(error.contains("op SIN version 99 (FLOAT32) at nodes 0, 3 of subgraph 0"), "{error}");
    }
}

#[test]
fn the_op_gives_the_same_results_without_the_delegate() {
    let mut interpreter = reference_ops(&sines()).registry(registry()).build().unwrap();
    interpreter.allocate().unwrap();
    assert_sines(&mut interpreter);
    assert!(delegated(&interpreter).iter().all(Option::is_none));
}

#[test]
fn options_and_exclusions_leave_nodes_to_the_ops() {
    let build = |delegate: DelegateConfig| {
        let mut interpreter =
            reference_ops(&sines()).registry(registry()).delegate(delegate).build().unwrap();
        interpreter.allocate().unwrap();
        assert_sines(&mut interpreter);
        delegated(&interpreter).iter().filter(|d| d.is_some()).count()
    };
    let sin = DelegateConfig::new("sin");
    let with = |change: &dyn Fn(&mut DelegateConfig)| {
        let mut config = sin.clone();
        change(&mut config);
        config
    };
    assert_eq!(build(with(&|_| {})), 2);
    assert_eq!(build(with(&|c| c.options = vec![("max_nodes".into(), "1".into())])), 1);
    assert_eq!(build(with(&|c| c.exclude_ops = vec!["Sin".into()])), 0);
    assert_eq!(build(with(&|c| c.min_nodes = 2)), 0);
}

#[test]
fn partitions_follow_a_resize() {
    let mut interpreter =
        reference_ops(&sines()).registry(registry()).delegate(DelegateConfig::new("sin")).build().unwrap();
    for n in [4, 1, 9] {
        interpreter.resize_input(0, &[n]).unwrap();
        interpreter.allocate().unwrap();
        let x: Vec<f32> = (0..n).map(|i| i as f32).collect();
        interpreter.input_mut(0).unwrap().copy_from_slice(&x).unwrap();
        interpreter.invoke().unwrap();
        let (shape, y) = output(&interpreter, 0);
        assert_eq!(shape, [n]);
        assert!(y.iter().zip(&x).all(|(y, x)| (y - (x.sin() + x + (2.0 * x).sin())).abs() < 1e-5));
    }
}

fn failing(call: &str) -> DelegateConfig {
    let mut config = DelegateConfig::new("failing");
    config.options = vec![("in".into(), call.into())];
    config
}

#[test]
fn a_delegate_that_fails_in_allocate_is_skipped() {
    for call in ["claim", "compile", "prepare"] {
        let mut interpreter = reference_ops(&negation(&[2]))
            .registry(plugin::registry())
            .delegate(failing(call))
            .build()
            .unwrap();
        for _ in 0..2 {
            interpreter.allocate().unwrap();
            interpreter.input_mut(0).unwrap().copy_from_slice(&[1.0f32, 2.0]).unwrap();
            interpreter.invoke().unwrap();
            assert_eq!(output(&interpreter, 0).1, [-1.0, -2.0], "{call}");
            assert!(
                matches!(&interpreter.served_by()[0], NodeProvider::Plugin(id) if id == "org.arenite.ops")
            );
            let left_out = interpreter.left_out();
            assert!(left_out.len() == 1 && left_out[0].delegate == "failing", "{call}: {left_out:?}");
            assert!(left_out[0].reason.contains("requested failure"), "{call}: {left_out:?}");
            assert!(!left_out[0].is_absent, "{call}");
        }
    }
}

#[test]
fn a_delegate_that_fails_in_invoke_is_an_error() {
    let mut interpreter = reference_ops(&negation(&[2]))
        .registry(plugin::registry())
        .delegate(failing("invoke"))
        .build()
        .unwrap();
    interpreter.allocate().unwrap();
    assert_eq!(delegated(&interpreter), [Some(0)]);
    let text = message(interpreter.invoke());
    assert!(text.contains("failing") && text.contains("requested failure"), "{text}");
}

#[test]
fn a_missing_delegate_is_an_error_unless_it_may_be_skipped() {
    let build = |config| reference_ops(&negation(&[1])).registry(plugin::registry()).delegate(config).build();
    let text = message(build(DelegateConfig::new("failling")));
    assert!(text.starts_with("unknown delegate 'failling'; did you mean 'failing'? known: "), "{text}");
    let mut config = DelegateConfig::new("absent");
    config.on_missing = OnMissing::Skip;
    let mut interpreter = build(config).unwrap();
    interpreter.allocate().unwrap();
    let left_out = &interpreter.left_out()[0];
    assert_eq!((left_out.delegate.as_str(), left_out.is_absent), ("absent", true));
    assert!(left_out.reason.starts_with("unknown delegate 'absent'"), "{left_out:?}");
}

#[test]
fn none_cannot_be_combined_with_a_delegate() {
    let build = |first: &str, second: &str| {
        let builder = Interpreter::builder(&negation(&[1])).registry(plugin::registry());
        builder.delegate(DelegateConfig::new(first)).delegate(DelegateConfig::new(second)).build()
    };
    for (first, second) in [("none", "looking"), ("looking", "none")] {
        assert_eq!(
            message(build(first, second)),
            "delegate 'none': 'none' means no delegate, but 'looking' is listed as well: remove one of them"
        );
    }
    let mut alone = build("none", "none").unwrap();
    alone.allocate().unwrap();
    assert_eq!(delegated(&alone), [None]);
    let mut without = Interpreter::builder(&negation(&[1])).without_default_delegate().build().unwrap();
    without.allocate().unwrap();
    assert_eq!(delegated(&without), [None]);
}

/// `skip` ignores a missing delegate or device. A wrong option is still an error.
#[test]
fn skip_ignores_only_absence() {
    let build = |on_missing, mut config: DelegateConfig| {
        config.on_missing = on_missing;
        reference_ops(&negation(&[1])).registry(plugin::registry()).delegate(config).build().unwrap()
    };
    let mut threads = DelegateConfig::new("cpu");
    threads.options = vec![("threads".into(), "2".into())];
    let unknown = "delegate 'cpu': unknown option 'threads'; known: isa, winograd, cache";
    for on_missing in [OnMissing::Error, OnMissing::Skip] {
        assert_eq!(message(build(on_missing, threads.clone()).allocate()), unknown);
        let text = message(build(on_missing, failing("create")).allocate());
        assert_eq!(text, "delegate 'failing': requested failure in create");
    }
    let mut without_device = build(OnMissing::Error, failing("device"));
    assert_eq!(message(without_device.allocate()), "delegate 'failing': no device was found");
    let mut without_device = build(OnMissing::Skip, failing("device"));
    without_device.allocate().unwrap();
    let left_out = &without_device.left_out()[0];
    assert_eq!(left_out.reason, "delegate 'failing': no device was found");
    assert!(!left_out.is_absent);
}

/// The error for an unserved op names the delegates that were skipped.
#[test]
fn errors_name_the_delegates_that_were_skipped() {
    let mut absent = DelegateConfig::new("absent");
    absent.on_missing = OnMissing::Skip;
    let allocate = |model: &Model, delegate: DelegateConfig| {
        let builder = reference_ops(model).registry(plugin::registry());
        message(builder.delegate(absent.clone()).delegate(delegate).build().unwrap().allocate())
    };
    let unserved = sines_with(|m| m.builtin("SIN", 99));
    // The op itself refuses FLOAT64 to INT4; a delegate might have supported it.
    let unsupported = model(|m, g| {
        let x = g.input(Tensor::new("x", FLOAT64, &[2]));
        let y = g.output(Tensor::new("y", INT4, &[2]));
        let cast = m.builtin("CAST", 1);
        g.operator(Operator::new(cast, &[x], &[y]));
    });
    for (model, start) in [
        (&unserved, "no plugin serves 1 of the model's ops:\n  op SIN version 99"),
        (&unsupported, "CAST (node 0, output 'y'): no kernel from FLOAT64 to INT4"),
    ] {
        for call in ["claim", "compile", "device"] {
            let mut delegate = failing(call);
            delegate.on_missing = OnMissing::Skip;
            let text = allocate(model, delegate);
            assert!(text.starts_with(start), "{text}");
            assert!(text.contains("\n  left out: unknown delegate 'absent'; known: "), "{text}");
            let reason = if call == "device" { "no device was found" } else { "requested failure" };
            assert!(text.contains(&format!("\n  left out: delegate 'failing': {reason}")), "{call}: {text}");
        }
    }
    let text = allocate(&unserved, failing("prepare"));
    assert!(
        text.contains("\n  left out: delegate failing (node 0, output 'y'): requested failure"),
        "{text}"
    );
}

/// A delegate sees the body of a loop with the shapes that it has in the loop; results are the same as without the
/// delegate.
#[test]
fn a_delegate_looks_into_the_body_of_a_loop() {
    let model = Model::from_bytes(control::counting_loop(1).finish()).unwrap();
    let mut interpreter = reference_ops(&model)
        .registry(plugin::registry())
        .delegate(DelegateConfig::new("looking"))
        .build()
        .unwrap();
    for length in [2, 5] {
        interpreter.resize_input(1, &[length]).unwrap();
        interpreter.allocate().unwrap();
        let said = &interpreter.refusals()[0];
        let seen = format!("2 nodes, outputs [[], [{length}]], 1 constants, true");
        assert!(said.iter().any(|(name, why)| name == "looking" && *why == seen), "{said:?}");
        interpreter.input_mut(0).unwrap().copy_from_slice(&[0]).unwrap();
        interpreter.input_mut(1).unwrap().copy_from_slice(&vec![1.5f32; length as usize]).unwrap();
        interpreter.invoke().unwrap();
        assert_eq!(output(&interpreter, 1), (vec![length], vec![12.0; length as usize]));
    }
}
