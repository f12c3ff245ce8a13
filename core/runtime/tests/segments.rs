//! Nodes with data-dependent output shapes: how the nodes after them are prepared and planned, also after a failure.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arenite_abi::prelude::*;
use arenite_runtime::config::DelegateConfig;
use arenite_runtime::model_file::tensor_type::INT32;
use arenite_runtime::model_file::writer::{ModelBuilder, Operator, SubGraph, Tensor, bytes_of};
use arenite_runtime::{Error, Interpreter, InterpreterBuilder, Model, Registry, SegmentPlan, Status};
use arenite_test_clock::Clock;

macro_rules! op {
    ($type:ident, $name:literal, |$node:ident, $p:ident| $prepare:block, |$cx:ident| $eval:block) => {
        struct $type;

        impl Op for $type {
            const CODE: OpCode = OpCode::Custom($name);
            const VERSIONS: RangeInclusive<i32> = 1..=1;

            fn prepare($node: &NodeView<'_>, $p: &mut PrepareContext<'_>) -> Result<Self> {
                $prepare
                Ok($type)
            }

            fn eval(&self, $cx: &mut EvalContext<'_>) -> Result<()> {
                $eval
                Ok(())
            }
        }
    };
}

// `[n]` gives `n` times `n`; the shape depends on the data.
op!(
    Grow,
    "Grow",
    |_node, cx| {
        cx.set_output_dynamic(0)?;
    },
    |cx| {
        let n = cx.input(0)?.as_slice::<i32>()?[0];
        cx.resize_output(0, &[n])?.into_slice::<i32>()?.fill(n);
    }
);
op!(
    Twice,
    "Twice",
    |node, cx| {
        cx.set_output_shape(0, node.input(0)?.shape)?;
    },
    |cx| {
        let x = cx.input(0)?.as_slice::<i32>()?;
        let y = cx.output(0)?.into_slice::<i32>()?;
        y.iter_mut().zip(x).for_each(|(y, x)| *y = 2 * x);
    }
);
op!(
    Not13,
    "Not13",
    |node, cx| {
        let shape = node.input(0)?.shape;
        ensure!(shape != [13], "13 is not supported");
        cx.set_output_shape(0, shape)?;
    },
    |cx| {
        cx.copy_or_view(0, 0)?;
    }
);
// A view of input 0; a second input is only read.
op!(
    View,
    "View",
    |node, cx| {
        cx.set_output_shape(0, node.input(0)?.shape)?;
        cx.allow_view(0, 0)?;
    },
    |cx| {
        if cx.input_count() > 1 {
            cx.input(1)?;
        }
        cx.copy_or_view(0, 0)?;
    }
);
op!(
    Sum,
    "Sum",
    |node, cx| {
        cx.set_output_shape(0, node.input(0)?.shape)?;
    },
    |cx| {
        let y = cx.output(0)?.into_slice::<i32>()?;
        y.fill(0);
        for i in 0..cx.input_count() {
            y.iter_mut().zip(cx.input(i)?.as_slice::<i32>()?).for_each(|(y, x)| *y += x);
        }
    }
);
op!(
    TwoShapes,
    "TwoShapes",
    |_node, cx| {
        cx.set_output_shape(0, &[1])?;
        cx.set_output_shape(0, &[2])?;
    },
    |_cx| {}
);

static PANICS: AtomicBool = AtomicBool::new(true);
op!(
    Panic,
    "Panic",
    |node, cx| {
        cx.set_output_shape(0, node.input(0)?.shape)?;
    },
    |cx| {
        assert!(!PANICS.load(Ordering::Relaxed), "no");
        cx.copy_or_view(0, 0)?;
    }
);

/// Claims every `Twice`.
struct Doubling;

struct DoublingKernel;

impl Delegate for Doubling {
    const NAME: &'static str = "doubling";
    type Kernel = DoublingKernel;

    fn create(_: &OptionPairs<'_>) -> Result<Self> {
        Ok(Doubling)
    }

    fn claim(&self, graph: &GraphView<'_>, claims: &mut Claims<'_>) -> Result<()> {
        for (i, node) in graph.nodes().enumerate() {
            match node.custom_name() {
                "Twice" => claims.accept(i),
                _ => claims.refuse(i, "it is not a Twice"),
            }
        }
        Ok(())
    }

    fn compile(&self, _: &PartitionView<'_>) -> Result<DoublingKernel> {
        Ok(DoublingKernel)
    }
}

impl DelegateKernel for DoublingKernel {
    fn prepare(&mut self, partition: &PartitionView<'_>, cx: &mut PrepareContext<'_>) -> Result<()> {
        for (i, &tensor) in partition.outputs().iter().enumerate() {
            cx.set_output_shape(i, partition.graph().tensor(tensor as usize)?.shape)?;
        }
        Ok(())
    }

    fn invoke(&mut self, partition: &PartitionView<'_>, cx: &mut EvalContext<'_>) -> Result<()> {
        // Tensors that no node reads are not partition outputs.
        if partition.outputs().is_empty() {
            return Ok(());
        }
        let x = cx.input(0)?.as_slice::<i32>()?;
        let y = cx.output(0)?.into_slice::<i32>()?;
        y.iter_mut().zip(x).for_each(|(y, x)| *y = 2 * x);
        Ok(())
    }
}

/// Places records one after another.
struct Stack;

impl Planner for Stack {
    const NAME: &'static str = "stack";

    fn plan(request: &PlanRequest<'_>, assignment: &mut AssignmentMut<'_>) -> Result<()> {
        let fixed_end = |r: &UsageRecord| r.fixed().map_or(0, |offset| offset + r.size);
        let mut end: u64 = request.records.iter().map(fixed_end).max().unwrap_or(0);
        let offsets = assignment.offsets();
        for (i, record) in request.records.iter().enumerate() {
            offsets[i] = record.fixed().unwrap_or(end.next_multiple_of(64));
            end = end.max(offsets[i] + record.size);
        }
        Ok(())
    }
}

static PLUGIN: Plugin = plugin! {
    id: "org.example.segments",
    description: "Ops for this test",
    ops: [Grow, Twice, Not13, View, Sum, TwoShapes, Panic],
    planners: [Stack],
    delegates: [Doubling],
};

/// A model of i32[1] tensors: `nodes` are (op, inputs, output); tensor 0 is the input.
fn interpreter(nodes: &[(&str, &[i32], i32)], constant: Option<i32>, outputs: &[i32]) -> Interpreter {
    builder(nodes, constant, outputs).build().unwrap()
}

fn builder(nodes: &[(&str, &[i32], i32)], constant: Option<i32>, outputs: &[i32]) -> InterpreterBuilder {
    let mut model = ModelBuilder::new();
    let buffer = model.buffer(bytes_of(&[3i32]));
    let mut graph = SubGraph::new("main");
    for t in 0..=nodes.len() as i32 + constant.map_or(0, |_| 1) {
        let tensor = Tensor::new(&format!("t{t}"), INT32, &[1]);
        match (t, outputs.contains(&t)) {
            (0, _) => drop(graph.input(tensor)),
            _ if Some(t) == constant => drop(graph.tensor(tensor.buffer(buffer))),
            (_, true) => drop(graph.output(tensor)),
            (_, false) => drop(graph.tensor(tensor)),
        }
    }
    for (op, inputs, output) in nodes {
        let code = model.custom(op, 1);
        graph.operator(Operator::new(code, inputs, &[*output]));
    }
    model.subgraph(graph);
    let mut registry = Registry::new();
    registry.add_plugin(&PLUGIN).unwrap();
    let model = Model::from_bytes(model.finish()).unwrap();
    Interpreter::builder(&model).registry(Arc::new(registry)).planner("stack").threads(1)
}

fn invoke(interpreter: &mut Interpreter, x: i32) -> arenite_runtime::Result<Vec<i32>> {
    interpreter.input_mut(0)?.copy_from_slice(&[x])?;
    interpreter.invoke()?;
    Ok(interpreter.output(0)?.as_slice::<i32>()?.to_vec())
}

#[test]
fn a_segment_that_fails_to_prepare_leaves_no_state() {
    let nodes: [(&str, &[i32], i32); 3] = [("Grow", &[0], 1), ("Twice", &[1], 2), ("Not13", &[2], 3)];
    let mut interpreter = interpreter(&nodes, None, &[3]);
    interpreter.allocate().unwrap();
    assert_eq!(invoke(&mut interpreter, 4).unwrap(), [8; 4]);
    let error = invoke(&mut interpreter, 13).unwrap_err().to_string();
    assert!(error.contains("Not13") && error.contains("13 is not supported"), "{error}");
    let stale = interpreter.output(0).unwrap().bytes().unwrap_err().to_string();
    assert!(stale.contains("no memory"), "{stale}");
    assert_eq!(invoke(&mut interpreter, 5).unwrap(), [10; 5]);
    let held = |i: &Interpreter| (i.memory_use().persistent, i.memory_use().arena);
    let before = held(&interpreter);
    for _ in 0..100 {
        invoke(&mut interpreter, 13).unwrap_err();
        assert_eq!(invoke(&mut interpreter, 5).unwrap(), [10; 5]);
    }
    assert_eq!(held(&interpreter), before);
}

#[test]
fn views_of_one_tensor_stay_valid_in_a_later_segment() {
    let nodes: [(&str, &[i32], i32); 5] = [
        ("Twice", &[0], 1),
        ("View", &[1], 2),
        ("View", &[1, 1], 3),
        ("Grow", &[0], 4),
        ("Sum", &[1, 2, 3, 4], 5),
    ];
    let mut interpreter = interpreter(&nodes, None, &[5]);
    interpreter.allocate().unwrap();
    for x in [1, 2, 1] {
        assert_eq!(invoke(&mut interpreter, x).unwrap(), [7 * x]);
    }
    let SegmentPlan { records, plan, .. } = &interpreter.memory_plan()[0];
    let at = |tensor| plan.offsets[records.iter().position(|r| r.tensor == tensor).unwrap()];
    assert_eq!(at(1), at(2), "the view does not share its source's memory");
    assert_ne!(at(1), at(3), "the result overlaps the source, which the same node reads");
}

#[test]
fn a_panic_in_a_constant_node_is_an_error_and_allocate_can_be_retried() {
    let nodes: [(&str, &[i32], i32); 1] = [("Panic", &[2], 1)];
    let mut interpreter = interpreter(&nodes, Some(2), &[1]);
    for _ in 0..2 {
        match interpreter.allocate().unwrap_err() {
            Error::Node { op, status: Status::Panicked, message, .. } => {
                assert!(op == "Panic" && message.contains("no"), "{op}: {message}");
            }
            other => panic!("{other}"),
        }
        assert!(interpreter.output(0).unwrap().bytes().is_err());
    }
    PANICS.store(false, Ordering::Relaxed);
    interpreter.allocate().unwrap();
    assert_eq!(invoke(&mut interpreter, 1).unwrap(), [3]);
}

#[test]
fn an_output_gets_its_shape_once() {
    let nodes: [(&str, &[i32], i32); 1] = [("TwoShapes", &[0], 1)];
    let error = interpreter(&nodes, None, &[1]).allocate().unwrap_err().to_string();
    assert!(error.contains("set the shape only once"), "{error}");
}

#[test]
fn a_hundred_thousand_nodes_half_of_them_dynamic_run_in_linear_time() {
    let tensors: Vec<i32> = (1..=100_000).collect();
    let node = |&t: &i32| (if t % 2 == 0 { "Grow" } else { "Twice" }, &[0][..], t);
    let nodes: Vec<(&str, &[i32], i32)> = tensors.iter().map(node).collect();
    let mut interpreter = interpreter(&nodes, None, &[99_999, 1]);
    let clock = Clock::start();
    interpreter.allocate().unwrap();
    assert_eq!(invoke(&mut interpreter, 1).unwrap(), [2]);
    assert_eq!(invoke(&mut interpreter, 2).unwrap(), [4], "all segments run again");
    assert_eq!(interpreter.output(1).unwrap().as_slice::<i32>().unwrap(), [4]);
    clock.at_most(20);
}

#[test]
fn fifty_thousand_nodes_on_a_delegate_run_in_linear_time() {
    let tensors: Vec<i32> = (1..=50_000).collect();
    let input: Vec<[i32; 1]> = tensors.iter().map(|&t| [if t % 2 == 0 { 0 } else { t - 1 }]).collect();
    let node =
        |(&t, input): (&i32, &'static [i32; 1])| (if t % 2 == 0 { "Grow" } else { "Twice" }, &input[..], t);
    let input: &'static [[i32; 1]] = input.leak();
    let nodes: Vec<(&str, &[i32], i32)> = tensors.iter().zip(input).map(node).collect();
    let builder = builder(&nodes, None, &[49_999]).delegate(DelegateConfig::new("doubling"));
    let mut interpreter = builder.build().unwrap();
    let clock = Clock::start();
    interpreter.allocate().unwrap();
    assert_eq!(invoke(&mut interpreter, 1).unwrap(), [2]);
    assert_eq!(invoke(&mut interpreter, 3).unwrap(), [6; 3], "all segments run again");
    clock.at_most(20);
}
