//! Quotas and cancellation.

use std::sync::Mutex;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use arenite::model_file::writer::{ModelBuilder, Operator, SubGraph};
use arenite::{Error, Interpreter, Model, Quota, Resource};

use crate::models::{f32s, message, model, negation, node, output};
use crate::plugin::{self, WAITING};

/// Tests with the op `Wait` share a count of waiting nodes, so they run one at a time.
static WAITS: Mutex<()> = Mutex::new(());

fn waiting() -> Model {
    model(|m, g| {
        let (x, a, y) = (g.input(f32s("x", &[2])), g.tensor(f32s("a", &[2])), g.output(f32s("y", &[2])));
        node(m, g, "Wait", &[x], a);
        node(m, g, "NEG", &[a], y);
    })
}

#[test]
fn another_thread_cancels() {
    let _alone = WAITS.lock().unwrap_or_else(|e| e.into_inner());
    let mut interpreter = Interpreter::builder(&waiting()).registry(plugin::registry()).build().unwrap();
    interpreter.allocate().unwrap();
    for _ in 0..3 {
        let (handle, before) = (interpreter.cancel_handle(), WAITING.load(Ordering::SeqCst));
        let canceller = thread::spawn(move || {
            let start = Instant::now();
            while WAITING.load(Ordering::SeqCst) == before {
                assert!(start.elapsed() < Duration::from_secs(30), "the node did not start");
                thread::yield_now();
            }
            handle.cancel();
        });
        assert!(matches!(interpreter.invoke(), Err(Error::Cancelled)));
        canceller.join().unwrap();
    }
}

#[test]
fn cancelling_without_an_invocation_does_nothing() {
    let mut interpreter = crate::models::allocated(&negation(&[1]));
    interpreter.cancel_handle().cancel();
    interpreter.input_mut(0).unwrap().copy_from_slice(&[1.0f32]).unwrap();
    interpreter.invoke().unwrap();
    assert_eq!(output(&interpreter, 0).1, [-1.0]);
}

#[test]
fn the_time_quota_stops_an_invocation() {
    let _alone = WAITS.lock().unwrap_or_else(|e| e.into_inner());
    let quota = Quota { time: Some(Duration::from_millis(20)), ..Quota::default() };
    let mut interpreter =
        Interpreter::builder(&waiting()).registry(plugin::registry()).quota(quota).build().unwrap();
    interpreter.allocate().unwrap();
    for _ in 0..2 {
        let error = interpreter.invoke().unwrap_err();
        assert!(matches!(error, Error::Quota { resource: Resource::Time, limit: 20, .. }), "{error}");
        assert_eq!(
            error.to_string(),
            "this call needs 21 milliseconds, the quota is 20; raise `time` in [quota] if that is right"
        );
    }
}

/// HOSTILE D25: a tensor of 1 TiB.
#[test]
fn a_tensor_beyond_the_quota_is_refused_with_both_numbers() {
    let model = negation(&[1 << 19, 1 << 19]);
    let mut interpreter =
        Interpreter::builder(&model).quota(Quota { bytes: 1 << 30, ..Quota::default() }).build().unwrap();
    let error = interpreter.allocate().unwrap_err();
    let text = error.to_string();
    assert!(text.contains("1073741824") && text.contains("1099511627776"), "{text}");
    let mut unlimited = Interpreter::builder(&model).build().unwrap();
    assert!(unlimited.allocate().is_err());
}

#[test]
fn repeated_allocate_needs_no_more_memory() {
    let quota = Quota { bytes: 300_000, ..Quota::default() };
    let mut interpreter = Interpreter::builder(&negation(&[100, 100])).quota(quota).build().unwrap();
    for round in 0..100 {
        interpreter.resize_input(0, &[100, 100 + round % 2]).unwrap();
        interpreter.allocate().unwrap();
        interpreter.invoke().unwrap();
    }
    assert!(interpreter.memory_use().arena <= 300_000);
    // Each tensor fits the quota, but not both together.
    interpreter.resize_input(0, &[600, 100]).unwrap();
    let text = message(interpreter.allocate());
    assert!(text.contains("the quota is 300000"), "{text}");
    interpreter.resize_input(0, &[2, 2]).unwrap();
    interpreter.allocate().unwrap();
    interpreter.invoke().unwrap();
}

#[test]
fn nodes_are_counted_over_all_subgraphs() {
    let mut builder = ModelBuilder::new();
    let neg = builder.builtin("NEG", 1);
    for name in ["main", "other"] {
        let mut graph = SubGraph::new(name);
        let mut x = graph.input(f32s("x", &[1]));
        for i in 0..5 {
            let y = graph.tensor(f32s(&format!("y{i}"), &[1]));
            graph.operator(Operator::new(neg, &[x], &[y]));
            x = y;
        }
        graph.outputs.push(x);
        builder.subgraph(graph);
    }
    let model = Model::from_bytes(builder.finish()).unwrap();
    let build = |nodes| Interpreter::builder(&model).quota(Quota { nodes, ..Quota::default() }).build();
    let text = message(build(9));
    assert!(text.contains("10 nodes") && text.contains("9"), "{text}");
    assert!(build(10).is_ok());
}
