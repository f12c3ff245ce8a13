//! Nodes that no op has prepared have result shapes that come from the file alone. They are offered only to delegates
//! that vouch for such nodes. If the CPU delegate did vouch for them, its own checks would refuse every shape that does
//! not follow from the inputs.

use std::sync::Arc;

use arenite::config::DelegateConfig;
use arenite::{Interpreter, Model, Registry};
use arenite_abi::Plugin;
use arenite_abi::prelude::*;
use arenite_cpu::Cpu;
use arenite_model::writer::{ModelBuilder, bytes_of};
use arenite_tests::op_models::{self, OneOp, Sound, control, f32, i32};

/// The CPU delegate, if it vouched for all nodes.
struct Trusting(Cpu);

impl Delegate for Trusting {
    const NAME: &'static str = "trusting";
    type Kernel = <Cpu as Delegate>::Kernel;

    fn create(options: &OptionPairs<'_>) -> Result<Self> {
        Cpu::create(options).map(Trusting)
    }

    fn claim(&self, graph: &GraphView<'_>, claims: &mut Claims<'_>) -> Result<()> {
        self.0.claim(graph, claims)
    }

    fn vouch(&self, _: &NodeView<'_>) -> bool {
        true
    }

    fn compile(&self, partition: &PartitionView<'_>) -> Result<Self::Kernel> {
        self.0.compile(partition)
    }

    fn compile_with(&self, partition: &PartitionView<'_>, cx: &CompileContext<'_>) -> Result<Self::Kernel> {
        self.0.compile_with(partition, cx)
    }
}

static TRUSTING: Plugin = arenite_abi::plugin! {
    id: "org.arenite.test.trusting",
    description: "The CPU delegate, if it vouched for all nodes",
    delegates: [Trusting],
};

/// A registry with the delegate but without ops.
fn without_ops() -> Arc<Registry> {
    let mut registry = Registry::new();
    let planners = arenite_tests::plugins().find(|plugin| plugin.id() == "org.arenite.planners");
    for plugin in planners.into_iter().chain([&TRUSTING]) {
        registry.add_plugin(plugin).expect("the plugins are well formed");
    }
    Arc::new(registry)
}

fn trusting(model: &Model) -> arenite::Result<Interpreter> {
    let builder = Interpreter::builder(model).registry(without_ops());
    builder.without_default_delegate().delegate(DelegateConfig::new(Trusting::NAME)).build()
}

/// The outputs for inputs of small numbers, except where values are given.
fn run(
    interpreter: arenite::Result<Interpreter>,
    inputs: &[(usize, Vec<u8>)],
) -> arenite::Result<Vec<Vec<u8>>> {
    let mut interpreter = interpreter?;
    interpreter.allocate()?;
    for i in 0..interpreter.input_count() {
        let input = interpreter.input_mut(i)?;
        match input.tensor().ty {
            F32 => input.into_slice::<f32>()?.iter_mut().enumerate().for_each(|(k, x)| *x = k as f32 - 3.0),
            I8 | U8 => input.into_bytes()?.iter_mut().enumerate().for_each(|(k, x)| *x = 3 * k as u8),
            _ => {}
        }
    }
    for (i, bytes) in inputs {
        interpreter.input_mut(*i)?.copy_from_bytes(bytes)?;
    }
    interpreter.invoke()?;
    (0..interpreter.output_count()).map(|i| Ok(interpreter.output(i)?.bytes()?.to_vec())).collect()
}

fn model(builder: &ModelBuilder) -> Model {
    Model::from_bytes(builder.finish()).expect("the file is sound")
}

/// The single-node models of builtin ops.
fn sound() -> impl Iterator<Item = Sound> {
    let is_builtin = |sound: &Sound| sound.model.operator_codes[0].custom.is_none();
    op_models::all().into_iter().filter(move |sound| sound.model.subgraphs.len() == 1 && is_builtin(sound))
}

#[test]
fn an_unserved_op_version_is_offered_to_no_delegate() {
    for Sound { op, model: mut builder, .. } in sound() {
        builder.operator_codes[0].version = 99;
        let model = model(&builder);
        let mut interpreter = Interpreter::builder(&model).build().expect("it builds");
        let previews = interpreter.preview_delegates(0).expect("its shapes are in the file");
        assert_eq!(previews[0].partitions, Vec::<Vec<usize>>::new(), "{op}");
        let (_, reason) = &previews[0].refusals[0];
        assert!(reason.contains("version 99 as it is here: the shape of its result is unknown"), "{reason}");
        let error = interpreter.allocate().expect_err("it is never run").to_string();
        assert!(error.contains(&format!("{op} version 99")), "{error}");
    }
}

/// A transpose of 8 MB would write at strides of 8 MB; only the first element is inside the output.
#[test]
fn a_transpose_with_a_wrong_declared_shape_is_refused() {
    let node =
        OneOp::new("TRANSPOSE").feed(f32("x", &[2, 1 << 20])).constant(i32("axes", &[2]), bytes_of(&[0, 1]));
    let mut builder = node.output(f32("y", &[1, 1 << 21])).model();
    builder.operator_codes[0].version = 99;
    let model = model(&builder);
    run(Interpreter::builder(&model).build(), &[]).expect_err("no op serves the version");
    run(trusting(&model), &[]).expect_err("the delegate must refuse an unknown version");
}

/// Other shapes than `shape`, most with as many elements.
fn others(shape: &[i32]) -> Vec<Vec<i32>> {
    let count = shape.iter().product();
    let mut others =
        vec![vec![count], vec![1, count], vec![count, 1], [&[1], shape].concat(), [shape, &[1]].concat()];
    others.push(shape.iter().rev().copied().collect());
    for i in 1..shape.len() {
        let mut swapped = shape.to_vec();
        swapped.swap(i - 1, i);
        let mut merged = shape.to_vec();
        (merged[i - 1], merged[i]) = (1, shape[i - 1] * shape[i]);
        let mut split = shape.to_vec();
        (split[i - 1], split[i]) = (shape[i - 1] * shape[i], 1);
        others.extend([swapped, merged, split]);
    }
    for i in 0..shape.len() {
        for change in [1, -1, 1 << 10] {
            let mut other = shape.to_vec();
            other[i] += change;
            others.push(other);
        }
    }
    others.retain(|other| other != shape && other.len() <= 8);
    others
}

/// With the right shapes the delegate claims the same nodes as with ops. With wrong shapes it refuses the node, or
/// gives the same bytes.
#[test]
fn the_cpu_delegate_computes_shapes_itself() {
    let mut ran = 0;
    for Sound { op, model: mut builder, inputs } in sound() {
        let beside_ops = run(Interpreter::builder(&model(&builder)).build(), &inputs).expect("it is sound");
        let outputs = builder.subgraphs[0].outputs.clone();
        let Ok(alone) = run(trusting(&model(&builder)), &inputs) else { continue };
        assert_eq!(alone, beside_ops, "{op}");
        ran += 1;
        for &output in &outputs {
            let right = builder.subgraphs[0].tensors[output as usize].shape.clone();
            for other in others(&right) {
                builder.subgraphs[0].tensors[output as usize].shape = other.clone();
                if let Ok(answers) = run(trusting(&model(&builder)), &inputs) {
                    assert_eq!(answers, beside_ops, "{op} of shape {right:?}, declared {other:?}");
                }
            }
            builder.subgraphs[0].tensors[output as usize].shape = right;
        }
    }
    assert!(ran > 80, "{ran} models ran");
}

/// The delegate supports the same newest versions as the ops. The refusal names them.
#[test]
fn the_cpu_delegate_knows_the_versions_of_the_ops() {
    let registry = Registry::with_static_plugins().expect("they are linked in");
    for Sound { op, model: mut builder, inputs } in sound() {
        if run(trusting(&model(&builder)), &inputs).is_err() {
            continue;
        }
        let ops = registry.plugins().iter().flat_map(|plugin| &plugin.ops);
        let newest = ops.filter(|found| found.key.name() == op).map(|found| found.versions.1).max();
        let newest = newest.expect("an op runs the node");
        builder.operator_codes[0].version = newest;
        run(trusting(&model(&builder)), &inputs)
            .unwrap_or_else(|error| panic!("{op} version {newest}: {error}"));
        builder.operator_codes[0].version = newest + 1;
        let model = model(&builder);
        let mut interpreter = trusting(&model).expect("it builds");
        let previews = interpreter.preview_delegates(0).expect("its shapes are in the file");
        let (_, reason) = &previews[0].refusals[0];
        assert!(
            reason
                .contains(&format!("{op} has version {}; versions up to {newest} are supported", newest + 1)),
            "{reason}"
        );
    }
}

/// A loop whose body has a node that no op serves.
#[test]
fn subgraphs_with_unprepared_nodes_are_hidden_from_delegates() {
    let mut builder = control::counting_loop(1);
    let newer = builder.builtin("ADD", 99);
    builder.subgraphs[2].operators[1].opcode_index = newer;
    let model = model(&builder);
    let mut interpreter = Interpreter::builder(&model).build().expect("it builds");
    let previews = interpreter.preview_delegates(0).expect("the loop is sound");
    let (_, reason) = &previews[0].refusals[0];
    assert_eq!(reason, "subgraph 2 is not accessible");
}
