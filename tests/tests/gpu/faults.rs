//! GPU devices that fail on purpose: the error names the stage, the invocation continues without the device if fallback
//! is on, the next interpreter works, and no resource leaks. Runs on a device that computes nothing and needs no
//! driver, and on the devices of OpenCL and Vulkan if there are any.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use arenite::config::{DelegateConfig, OnFailure, OnMissing};
use arenite::{Config, Fact, FactValue, Interpreter, Model, NodeProvider, Quota, Registry};
use arenite_abi::Delegate;
use arenite_abi::schema::{Conv2DOptions, TransposeConvOptions, activation, padding};
use arenite_gpu::testing::faults::{Faulty, living};
use arenite_gpu::testing::null::Null;
use arenite_gpu::{FaultyOpenCl, FaultyVulkan, Gpu};
use arenite_model::tensor_type::FLOAT32;
use arenite_model::writer::{ModelBuilder, Operator, SubGraph, Tensor, bytes_of};
use arenite_tests::op_models::{OneOp, i32};
use arenite_tests::options::WithOptions;

/// A backend and the name that the tests give it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Backend {
    Null,
    OpenCl,
    Vulkan,
}

fn registry(backend: Backend) -> Arc<Registry> {
    let mut registry = Registry::discover(&Config::default()).expect("the built-in plugins");
    let added = match backend {
        Backend::Null => registry.add_delegate("faulty", Gpu::<Faulty<Null>>::create),
        Backend::OpenCl => registry.add_delegate("faulty", FaultyOpenCl::create),
        Backend::Vulkan => registry.add_delegate("faulty", FaultyVulkan::create),
    };
    added.expect("the name is free");
    Arc::new(registry)
}

/// The backends with a device.
fn backends() -> Vec<Backend> {
    let drivers = super::backends().map(|backend| match backend.delegate {
        "opencl" => Backend::OpenCl,
        _ => Backend::Vulkan,
    });
    [Backend::Null].into_iter().chain(drivers).collect()
}

fn f32s(name: &str, shape: &[i32]) -> Tensor {
    Tensor::new(name, FLOAT32, shape)
}

/// CONV_2D ─► NEG ─► CEIL ─► ABS of 4 × 4 × 4.
fn chain() -> Model {
    let (mut model, mut graph) = (ModelBuilder::new(), SubGraph::new("main"));
    let shape = [1, 4, 4, 4];
    let x = graph.input(f32s("x", &shape));
    let weights: Vec<f32> = (0..144).map(|i| (i % 7) as f32 / 4.0 - 0.5).collect();
    let buffer = model.buffer(bytes_of(&weights));
    let w = graph.tensor(f32s("w", &[4, 3, 3, 4]).buffer(buffer));
    let [a, b, c] = ["a", "b", "c"].map(|name| graph.tensor(f32s(name, &shape)));
    let y = graph.output(f32s("y", &shape));
    let conv = model.builtin("CONV_2D", 1);
    graph.operator(Operator::new(conv, &[x, w], &[a]).with_options::<Conv2DOptions>(|o| {
        o.set(Conv2DOptions::PADDING, padding::SAME)
            .set(Conv2DOptions::STRIDE_H, 1)
            .set(Conv2DOptions::STRIDE_W, 1)
            .set(Conv2DOptions::FUSED_ACTIVATION_FUNCTION, activation::NONE)
    }));
    for (op, x, y) in [("NEG", a, b), ("CEIL", b, c), ("ABS", c, y)] {
        let op = model.builtin(op, 1);
        graph.operator(Operator::new(op, &[x], &[y]));
    }
    model.subgraph(graph);
    Model::from_bytes(model.finish()).expect("the model is sound")
}

fn delegate(device: &str) -> DelegateConfig {
    let mut delegate = DelegateConfig::new("faulty");
    delegate.options = vec![("device".to_owned(), device.to_owned())];
    delegate
}

fn build(backend: Backend, model: &Model, delegate: DelegateConfig) -> Interpreter {
    let builder = Interpreter::builder(model).without_default_delegate().registry(registry(backend));
    builder.delegate(delegate).build().expect("it builds")
}

fn fill(interpreter: &mut Interpreter) {
    let x: Vec<f32> = (0..64).map(|i| (i % 11) as f32 - 5.0).collect();
    interpreter.input_mut(0).and_then(|input| input.copy_from_slice(&x)).expect("64 floats");
}

fn run(interpreter: &mut Interpreter) -> Vec<f32> {
    interpreter.allocate().expect("it allocates");
    fill(interpreter);
    interpreter.invoke().expect("it runs");
    interpreter.output(0).and_then(|y| y.as_slice().map(<[f32]>::to_vec)).expect("floats")
}

fn alone(model: &Model) -> Vec<f32> {
    run(&mut Interpreter::builder(model).without_default_delegate().build().expect("it builds"))
}

fn is_delegated(interpreter: &Interpreter) -> bool {
    interpreter.served_by().iter().all(|served| matches!(served, NodeProvider::Delegate { .. }))
}

/// Whatever happened to an interpreter's delegate, the next interpreter runs on the device without a fault.
fn the_next_one_works(backend: Backend, model: &Model, device: &str) {
    let mut next = build(backend, model, delegate(device));
    let got = run(&mut next);
    assert!(is_delegated(&next), "{:?}", next.left_out());
    if backend != Backend::Null {
        assert!(got.iter().zip(alone(model)).all(|(a, b)| (a - b).abs() <= 1e-4 * b.abs().max(1.0)));
    }
}

/// A fault before anything is compiled: an error, or an invocation without the delegate.
#[test]
fn without_driver_or_device() {
    let model = chain();
    for backend in backends() {
        for (fault, stage) in
            [("driver;", "no driver was found (on purpose)"), ("device;", "device was found")]
        {
            let mut wanted = build(backend, &model, delegate(fault));
            let error = wanted.allocate().expect_err("it is wanted").to_string();
            assert!(error.starts_with("delegate 'faulty': ") && error.contains(stage), "{error}");
            let mut spared = delegate(fault);
            spared.on_missing = OnMissing::Skip;
            let mut spared = build(backend, &model, spared);
            assert_eq!(run(&mut spared), alone(&model));
            assert!(spared.left_out()[0].reason.contains(stage), "{:?}", spared.left_out());
        }
        the_next_one_works(backend, &model, "");
    }
}

/// After a fault while it is compiled or prepared, the delegate is skipped with a note and the ops run its nodes.
#[test]
fn without_memory_or_a_compiler() {
    let model = chain();
    for (i, backend) in backends().into_iter().enumerate() {
        for (fault, stage) in [
            ("memory=0;", "no memory of the device (on purpose)"),
            ("memory=1;", "no memory of the device (on purpose)"),
            ("memory=2;", "no memory of the device (on purpose)"),
            ("compile;", "the device's compiler: it refuses (on purpose)"),
        ] {
            let name = format!("prepare {i} {fault}");
            let mut interpreter = build(backend, &model, delegate(&format!("count={name}{fault}")));
            assert_eq!(run(&mut interpreter), alone(&model), "{fault}");
            assert!(interpreter.left_out()[0].reason.contains(stage), "{:?}", interpreter.left_out());
            drop(interpreter);
            assert_eq!(living(name.trim_end_matches(';')), [0; 3], "{fault}");
        }
        the_next_one_works(backend, &model, "");
    }
}

/// A fault in any step of an invocation is an error without fallback; with fallback the results have the reference ops'
/// bits.
#[test]
fn a_device_lost_in_any_step() {
    let model = chain();
    for (i, backend) in backends().into_iter().enumerate() {
        for step in 0..2 {
            let name = format!("lost {i} {step}");
            let fault = format!("count={name};lost={step};");
            let mut fails = build(backend, &model, delegate(&fault));
            fails.allocate().expect("it is prepared");
            fill(&mut fails);
            for _ in 0..2 {
                let error = fails.invoke().expect_err("it is lost").to_string();
                let stage = format!("the device was lost in step {step} (on purpose)");
                assert!(error.contains("faulty") && error.contains(&stage), "{error}");
            }
            let mut falls_back = delegate(&fault);
            falls_back.on_failure = OnFailure::Fallback;
            let mut falls_back = build(backend, &model, falls_back);
            assert_eq!(run(&mut falls_back), alone(&model), "step {step}");
            assert!(falls_back.left_out()[0].reason.contains("was lost in step"));
            the_next_one_works(backend, &model, &format!("count={name};"));
            drop((fails, falls_back));
            assert_eq!(living(&name), [0; 3]);
        }
    }
}

/// The wait for a hung kernel stops when the time quota expires or the caller cancels.
#[test]
fn a_hung_kernel_is_abandoned_when_the_time_quota_expires() {
    let model = chain();
    for backend in backends() {
        let quota = Quota { time: Some(Duration::from_millis(1500)), ..Quota::default() };
        let builder = Interpreter::builder(&model).without_default_delegate().registry(registry(backend));
        let mut interpreter = builder.delegate(delegate("hang;")).quota(quota).build().expect("it builds");
        interpreter.allocate().expect("it is prepared");
        fill(&mut interpreter);
        let error = interpreter.invoke().expect_err("it hangs").to_string();
        assert!(error.contains("this call needs 1501 milliseconds, the quota is 1500"), "{error}");

        let mut hangs = build(backend, &model, delegate("hang;"));
        hangs.allocate().expect("it is prepared");
        fill(&mut hangs);
        let handle = hangs.cancel_handle();
        let waiter = thread::spawn(move || {
            thread::sleep(Duration::from_millis(50));
            handle.cancel();
        });
        assert_eq!(hangs.invoke().expect_err("it is cancelled").to_string(), "the invocation was cancelled");
        waiter.join().expect("it ends");
        the_next_one_works(backend, &model, "");
    }
}

/// Two threads create, run once and drop `count` interpreters each. Afterwards none of their device resources is left.
fn cycles(backend: Backend, count: usize) {
    let (model, name) = (chain(), format!("{count} on {backend:?}"));
    let cycle = |_| {
        let mut interpreter = build(backend, &model, delegate(&format!("count={name};")));
        run(&mut interpreter);
        assert!(living(&name).iter().all(|&n| n > 0), "{:?}", living(&name));
    };
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| (0..count).for_each(cycle));
        }
    });
    assert_eq!(living(&name), [0; 3]);
}

#[test]
fn a_thousand_interpreters_leak_nothing() {
    backends().into_iter().for_each(|backend| cycles(backend, 500));
}

/// The delegate reports its memory as the quota counts it, its kernels, and that a chain transfers twice.
#[test]
fn facts_are_reported() {
    for backend in backends() {
        let mut interpreter = build(backend, &chain(), delegate(""));
        run(&mut interpreter);
        let facts = &interpreter.facts()[0].facts;
        let number = |key: &str| match facts.iter().find(|fact| fact.key == key) {
            Some(Fact { value: FactValue::Number(number, _), .. }) => *number,
            found => panic!("{key}: {found:?}"),
        };
        assert_eq!(number("device memory"), interpreter.memory_use().device);
        assert_eq!(number("to the device in the last invocation"), 64 * 4);
        assert_eq!(number("from the device in the last invocation"), 64 * 4);
        assert!(number("kernels of an invocation") >= 1);
        assert!(number("of these constants") >= 144 * 4);
        let quota = Quota { device_bytes: number("device memory") - 1, ..Quota::default() };
        let builder = Interpreter::builder(&chain()).without_default_delegate().registry(registry(backend));
        let mut refused = builder.delegate(delegate("")).quota(quota).build().expect("it builds");
        refused.allocate().expect("it runs without the delegate");
        assert!(refused.left_out()[0].reason.contains("raise `device_bytes`"), "{:?}", refused.left_out());
    }
}

#[test]
fn options_are_checked() {
    for (key, value, message) in [
        ("precision", "f64", "option precision = 'f64' is unknown; known: f32, f16"),
        ("precision", "f16", "option precision = 'f16': kernels of 'null' on Null have f32 alone"),
        ("storage", "texture", "option storage = 'texture' is unknown; known: buffer, image"),
        ("storage", "image", "option storage = 'image': kernels of 'null' on Null have buffers alone"),
        ("tuning", "slow", "option tuning = 'slow' is unknown; known: fast, exhaustive, fixed"),
        ("min_work", "-1", "option min_work = '-1' is not a number of operations"),
        ("tuning", "exhaustive", "option tuning: 'null' supports only 'fast'"),
        ("cache_dir", "folder", "option cache_dir = 'folder': 'null' does not support a cache"),
    ] {
        let mut wrong = DelegateConfig::new("faulty");
        wrong.options = vec![(key.to_owned(), value.to_owned())];
        let error =
            build(Backend::Null, &chain(), wrong).allocate().expect_err("the call must fail").to_string();
        assert_eq!(error, format!("delegate 'faulty': {message}"));
    }
    let mut lazy = delegate("");
    lazy.options.push(("min_work".to_owned(), "1000000".to_owned()));
    let mut interpreter = build(Backend::Null, &chain(), lazy);
    assert_eq!(run(&mut interpreter), alone(&chain()));
    let reason = &interpreter.refusals()[0][0].1;
    assert!(
        reason.contains("operations of its group are not worth 512 bytes to the device and back"),
        "{reason}"
    );
}

/// A transposed convolution has two operations per input element and filter tap of a channel: 2 · 64 · 36 operations
/// for 256 + 1024 bytes.
#[test]
fn the_work_of_a_transposed_convolution_is_counted_per_tap() {
    let node = OneOp::new("TRANSPOSE_CONV")
        .constant(i32("shape", &[4]), bytes_of(&[1, 8, 8, 4]))
        .constant(f32s("w", &[4, 3, 3, 4]), bytes_of(&[0.5f32; 144]))
        .feed(f32s("x", &[1, 4, 4, 4]))
        .output(f32s("y", &[1, 8, 8, 4]))
        .options(|o| o.set(TransposeConvOptions::STRIDE_H, 2).set(TransposeConvOptions::STRIDE_W, 2));
    let model = Model::from_bytes(node.model().finish()).expect("it is sound");
    for (min_work, is_worth_it) in [("3.6", true), ("3.61", false)] {
        let mut worthy = delegate("");
        worthy.options.push(("min_work".to_owned(), min_work.to_owned()));
        let mut interpreter = build(Backend::Null, &model, worthy);
        interpreter.allocate().expect("it allocates");
        assert_eq!(is_delegated(&interpreter), is_worth_it, "{min_work}: {:?}", interpreter.refusals());
        if !is_worth_it {
            let reason = &interpreter.refusals()[0][0].1;
            assert!(reason.starts_with("4608 operations of its group are not worth 1280 bytes"), "{reason}");
        }
    }
}
