//! A delegate whose device is lost during an invocation.

use std::num::NonZeroUsize;
use std::sync::Arc;

use arenite::config::{DelegateConfig, OnFailure};
use arenite::{Error, Interpreter, Model, NodeProvider, Registry, Techniques};
use arenite_abi::prelude::*;
use arenite_tests::reference_ops;

use crate::models::{dynamic_chain, f32s, message, model, negation, node, output};
use crate::plugin;

/// Negates. Its device is lost in the invocation whose number is the option `lost`.
struct Fragile {
    lost: u32,
}

struct FragileKernel {
    lost: u32,
    ran: u32,
}

impl Delegate for Fragile {
    const NAME: &'static str = "fragile";
    type Kernel = FragileKernel;

    fn create(options: &OptionPairs<'_>) -> Result<Self> {
        let lost = options.get("lost").and_then(|text| text.parse().ok());
        Ok(Fragile { lost: lost.unwrap_or(u32::MAX) })
    }

    fn claim(&self, graph: &GraphView<'_>, claims: &mut Claims<'_>) -> Result<()> {
        for (i, node) in graph.nodes().enumerate() {
            match node.builtin_code() {
                op::NEG => claims.accept(i),
                _ => claims.refuse(i, "it is not a NEG"),
            }
        }
        Ok(())
    }

    fn compile(&self, _: &PartitionView<'_>) -> Result<FragileKernel> {
        Ok(FragileKernel { lost: self.lost, ran: 0 })
    }
}

impl DelegateKernel for FragileKernel {
    fn prepare(&mut self, partition: &PartitionView<'_>, cx: &mut PrepareContext<'_>) -> Result<()> {
        for (i, &tensor) in partition.outputs().iter().enumerate() {
            cx.set_output_shape(i, partition.graph().tensor(tensor as usize)?.shape)?;
        }
        Ok(())
    }

    fn invoke(&mut self, partition: &PartitionView<'_>, cx: &mut EvalContext<'_>) -> Result<()> {
        self.ran += 1;
        ensure!(partition.nodes().len() == 1, "this delegate runs partitions of one node");
        let x = cx.input(0)?.as_slice::<f32>()?;
        let y = cx.output(0)?.into_slice::<f32>()?;
        if self.ran == self.lost {
            // Half of the output is already written.
            y.fill(f32::NAN);
            return Err(unavailable!("the device was lost in run {}", self.ran));
        }
        y.iter_mut().zip(x).for_each(|(y, x)| *y = -x);
        Ok(())
    }
}

static PLUGIN: Plugin = plugin! {
    id: "org.arenite.test.fallback",
    description: "A delegate whose device is lost",
    delegates: [Fragile],
};

fn registry() -> Arc<Registry> {
    let mut registry = plugin::registry();
    Arc::get_mut(&mut registry)
        .expect("this is the only reference")
        .add_plugin(&PLUGIN)
        .expect("it is sound");
    registry
}

fn fragile(lost: u32, on_failure: OnFailure) -> DelegateConfig {
    let mut config = DelegateConfig::new("fragile");
    config.options = vec![("lost".into(), lost.to_string())];
    config.on_failure = on_failure;
    config
}

/// An interpreter with planned memory.
fn interpreter(model: &Model, lost: u32, on_failure: OnFailure, techniques: Techniques) -> Interpreter {
    let builder = reference_ops(model).registry(registry()).delegate(fragile(lost, on_failure));
    let mut interpreter = builder.techniques(techniques).build().unwrap();
    interpreter.allocate().unwrap();
    interpreter
}

fn run(interpreter: &mut Interpreter, x: &[f32]) -> arenite::Result<Vec<f32>> {
    interpreter.input_mut(0)?.copy_from_slice(x)?;
    interpreter.invoke()?;
    Ok(output(interpreter, 0).1)
}

fn is_delegated(interpreter: &Interpreter) -> bool {
    interpreter.served_by().iter().any(|served| matches!(served, NodeProvider::Delegate { .. }))
}

/// `y = second(first(x))`; an op with a variable has its own.
fn chain(first: &str, second: &str) -> Model {
    model(|m, g| {
        let (x, t) = (g.input(f32s("x", &[2])), g.tensor(f32s("t", &[2])));
        let y = g.output(f32s("y", &[2]));
        for (op, from, to) in [(first, x, t), (second, t, y)] {
            match op {
                "Accumulate" => {
                    let v = g.tensor(f32s("v", &[2]).variable());
                    node(m, g, op, &[from, v], to);
                }
                _ => node(m, g, op, &[from], to),
            }
        }
    })
}

#[test]
fn without_fallback_it_is_an_error_of_that_invocation() {
    let mut interpreter = interpreter(&negation(&[2]), 3, OnFailure::Error, Techniques::default());
    for i in 1..=5 {
        match run(&mut interpreter, &[i as f32, 2.0]) {
            Ok(y) => assert_eq!(y, [-i as f32, -2.0]),
            Err(Error::Node { status, message, .. }) => {
                assert_eq!((i, status), (3, Status::Unavailable));
                assert!(message.contains("the device was lost in run 3"), "{message}");
            }
            Err(error) => panic!("{error}"),
        }
    }
    assert!(interpreter.left_out().is_empty());
}

#[test]
fn with_fallback_the_same_invocation_runs_without_the_delegate() {
    let mut interpreter = interpreter(&negation(&[2]), 3, OnFailure::Fallback, Techniques::default());
    for i in 1..=5 {
        assert_eq!(is_delegated(&interpreter), i <= 3);
        assert_eq!(run(&mut interpreter, &[i as f32, 2.0]).unwrap(), [-i as f32, -2.0]);
    }
    let left_out = interpreter.left_out();
    assert!(left_out.len() == 1 && left_out[0].delegate == "fragile", "{left_out:?}");
    assert!(left_out[0].reason.contains("the device was lost in run 3"), "{left_out:?}");
    // A resize plans memory again, and the delegate is tried again.
    interpreter.resize_input(0, &[1]).unwrap();
    interpreter.allocate().unwrap();
    assert!(is_delegated(&interpreter) && interpreter.left_out().is_empty());
    assert_eq!(run(&mut interpreter, &[7.0]).unwrap(), [-7.0]);
}

#[test]
fn no_fallback_after_a_stateful_node_has_run() {
    for op in ["Accumulate", "Count"] {
        let mut interpreter = interpreter(&chain(op, "NEG"), 2, OnFailure::Fallback, Techniques::default());
        run(&mut interpreter, &[1.0, 2.0]).unwrap();
        let text = message(run(&mut interpreter, &[1.0, 2.0]));
        assert!(text.contains("the device was lost in run 2"), "{text}");
        let why = format!(
            "the invocation cannot be run again without delegate 'fragile': {op} (output 't'), which keeps a state, has run already"
        );
        assert!(text.contains(&why), "{text}");
        assert!(is_delegated(&interpreter), "the delegate is gone");
        run(&mut interpreter, &[1.0, 2.0]).unwrap();
    }
}

#[test]
fn states_after_the_delegate_keep_their_values() {
    let accumulated = [[-1.0, -2.0], [-2.0, -4.0], [-3.0, -6.0], [-4.0, -8.0]];
    let counted = [[100.0, 99.0], [101.0, 100.0], [102.0, 101.0], [103.0, 102.0]];
    for (op, wanted) in [("Accumulate", accumulated), ("Count", counted)] {
        let mut interpreter = interpreter(&chain("NEG", op), 3, OnFailure::Fallback, Techniques::default());
        for (i, wanted) in wanted.into_iter().enumerate() {
            assert_eq!(run(&mut interpreter, &[1.0, 2.0]).unwrap(), wanted, "{op}, run {i}");
        }
        assert!(!is_delegated(&interpreter));
    }
}

#[test]
fn no_fallback_if_inputs_may_be_overwritten() {
    let mut interpreter = interpreter(&negation(&[2]), 1, OnFailure::Fallback, Techniques::ALL);
    let text = message(run(&mut interpreter, &[1.0, 2.0]));
    assert!(text.contains("overwrite_inputs is on, so its inputs may be gone"), "{text}");
}

#[test]
fn a_device_lost_after_a_node_with_a_dynamic_shape() {
    let mut interpreter =
        interpreter(&dynamic_chain(2, &[1, 1]), 2, OnFailure::Fallback, Techniques::default());
    for (shape, delegated) in [([2, 3], true), ([3, 2], false), ([6, 1], false)] {
        interpreter.input_mut(0).unwrap().copy_from_slice(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
        interpreter.input_mut(1).unwrap().copy_from_slice(&shape).unwrap();
        interpreter.invoke().unwrap();
        let (found, y) = output(&interpreter, 0);
        assert_eq!((&found[..], y.len()), (&shape[..], 6));
        assert!(y.iter().zip(y.iter().skip(1)).all(|(a, b)| a > b), "{y:?}");
        assert_eq!(is_delegated(&interpreter), delegated, "{shape:?}");
    }
}

#[test]
fn max_partitions_keeps_the_largest_partitions() {
    let model = model(|m, g| {
        let x = g.input(f32s("x", &[2]));
        let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| g.tensor(f32s(name, &[2])));
        let y = g.output(f32s("y", &[2]));
        for (op, from, to) in [("NEG", x, a), ("ABS", a, b), ("NEG", b, c), ("NEG", c, d), ("ABS", d, y)] {
            node(m, g, op, &[from], to);
        }
    });
    let mut config = fragile(u32::MAX, OnFailure::Error);
    config.max_partitions = NonZeroUsize::new(1);
    let builder = reference_ops(&model).registry(registry()).delegate(config);
    let mut interpreter = builder.build().unwrap();
    interpreter.allocate().unwrap();
    let delegated: Vec<bool> = interpreter
        .served_by()
        .iter()
        .map(|served| matches!(served, NodeProvider::Delegate { .. }))
        .collect();
    assert_eq!(delegated, [false, false, true, true, false]);
    let reason = &interpreter.refusals()[0][0].1;
    assert_eq!(reason, "its partition has 1 nodes, others have as many or more, and max_partitions is 1");
}
