//! Offline plans that a model contains, and plans that are embedded into it.

use arenite::config::PlannerConfig;
use arenite::{Config, PlanLimits, Registry};
use arenite_micro::{Error, Interpreter, OfflinePlan, Planner, required_arena};
use arenite_model::tensor_type::FLOAT32;
use arenite_model::writer::{ModelBuilder, Operator, SubGraph, Tensor, bytes_of};
use arenite_tests::micro::{Aligned, ops};

use crate::support::{Pages, invoke, large, models};

/// `x ─► ABS ─► a ─► RELU ─► b ─► ABS ─► y`, 64 bytes each, with these numbers as its offline plan.
fn planned(plan: &[i32]) -> Aligned {
    let mut model = ModelBuilder::new();
    let (abs, relu) = (model.builtin("ABS", 1), model.builtin("RELU", 1));
    let mut graph = SubGraph::new("main");
    let x = graph.input(Tensor::new("x", FLOAT32, &[16]));
    let [a, b] = ["a", "b"].map(|name| graph.tensor(Tensor::new(name, FLOAT32, &[16])));
    let y = graph.output(Tensor::new("y", FLOAT32, &[16]));
    for (op, from, to) in [(abs, x, a), (relu, a, b), (abs, b, y)] {
        graph.operator(Operator::new(op, &[from], &[to]));
    }
    model.subgraph(graph);
    model.metadata("OfflineMemoryAllocation", bytes_of(plan));
    Aligned::of(&model.finish())
}

#[test]
fn plans_in_the_model() {
    let ops = ops();
    // The plan, and the size of the head: the end of the last tensor.
    let sound: [(&[i32], usize); 4] = [
        (&[0, 1, 4, -1, -1, -1, -1], 128),
        (&[0, 0, 4, 0, 64, 128, 192], 256),
        (&[0, 1, 4, 1024, -1, -1, 0], 1088),
        (&[0, 1, 4, 0, 64, 0, 64, 99], 128),
    ];
    for (plan, head) in sound {
        let model = planned(plan);
        let sizes =
            required_arena(model.as_slice(), &ops, Planner::Greedy).expect("the interpreter becomes ready");
        assert_eq!(sizes.head, head, "{plan:?}");
        let mut arena = Pages::new(sizes.arena);
        let mut interpreter = Interpreter::new(model.as_slice(), &ops, arena.block()).expect("it is ready");
        assert!(invoke(&mut interpreter, 0) == large(model.as_slice(), 1), "{plan:?}: other bytes");
    }
    let wrong: [(&[i32], &str); 9] = [
        (&[], "0 bytes; at least 12 are needed"),
        (&[0, 1], "8 bytes; at least 12 are needed"),
        (&[1, 1, 4, -1, -1, -1, -1], "1 is its version; only 0 is supported"),
        (&[0, 2, 4, -1, -1, -1, -1], "2 subgraphs; the model has fewer"),
        (&[0, 1, 5, -1, -1, -1, -1, -1], "5 offsets; one per tensor is needed"),
        (&[0, 1, 4, -1, -1, -1], "4 offsets; the metadata is too short"),
        (&[0, 1, 4, -2, -1, -1, -1], "-2 is an offset; it must be -1 or a multiple of 16"),
        (&[0, 1, 4, 8, -1, -1, -1], "8 is an offset; it must be -1 or a multiple of 16"),
        (&[0, 1, 4, 0, 48, -1, -1], "1 is a tensor that overlaps another live one"),
    ];
    for (plan, message) in wrong {
        let model = planned(plan);
        let error = required_arena(model.as_slice(), &ops, Planner::Greedy).expect_err("a wrong plan");
        assert_eq!(error.to_string(), format!("OfflineMemoryAllocation: {message}"));
    }
    let far = planned(&[0, 1, 4, i32::MAX - 15, -1, -1, -1]);
    let mut arena = Pages::new(4096);
    let error =
        Interpreter::new(far.as_slice(), &ops, arena.block()).err().expect("a plan that exceeds the arena");
    assert!(matches!(error, Error::Arena { given: 4096, needed } if needed > i32::MAX as usize), "{error}");
}

/// Both runtimes give the same results with a plan by `exact` embedded in the model as without one.
#[test]
fn embedded_plans_are_followed() {
    let ops = ops();
    let registry = Registry::discover(&Config::default()).expect("the planners that are linked");
    for (name, model) in models() {
        let view = arenite_model::Model::new(model.as_slice()).expect("a sound model");
        let offline = OfflinePlan::new(view);
        let exact = PlannerConfig::new("exact");
        let plan =
            registry.plan(&exact, offline.records(), &PlanLimits::default()).expect("the arena is planned");
        let embedded = Aligned::of(&offline.embed(&plan.offsets).expect("it fits the format"));
        let before =
            required_arena(model.as_slice(), &ops, Planner::Greedy).expect("the interpreter becomes ready");
        let sizes = required_arena(embedded.as_slice(), &ops, Planner::Greedy)
            .expect("the interpreter becomes ready");
        println!("{name}: head {}, planned ahead {} of {}", before.head, sizes.head, plan.total_bytes);
        let mut arena = Aligned::new(0, sizes.arena);
        let mut interpreter =
            Interpreter::new(embedded.as_slice(), &ops, arena.bytes_mut()).expect("it is ready");
        let answer = large(model.as_slice(), 1);
        assert!(invoke(&mut interpreter, 0) == answer, "{name}: other bytes");
        assert!(large(embedded.as_slice(), 1) == answer, "{name}: the bytes of the large runtime differ");
    }
}
