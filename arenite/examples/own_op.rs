//! Runs a model with a custom op that this program implements, made from two closures.
//!
//! ```sh
//! cargo run --release --example own_op
//! ```

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arenite::abi::object::closures;
use arenite::model_file::tensor_type::FLOAT32;
use arenite::model_file::writer::{ModelBuilder, Operator, SubGraph, Tensor};
use arenite::{Interpreter, Model, Registry};

/// A model of one node: the custom op `Softsign`.
fn softsign() -> Vec<u8> {
    let mut model = ModelBuilder::new();
    let op = model.custom("Softsign", 1);
    let mut graph = SubGraph::new("main");
    let x = graph.input(Tensor::new("x", FLOAT32, &[1, 4]));
    let y = graph.output(Tensor::new("y", FLOAT32, &[1, 4]));
    graph.operator(Operator::new(op, &[x], &[y]));
    model.subgraph(graph);
    model.finish()
}

fn main() -> arenite::Result<()> {
    let calls = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&calls);
    let op = closures(
        // Once per node: check it, and set the shapes of its outputs.
        |node, cx| {
            let (x, _) = node.unary()?;
            cx.set_output_shape(0, x.shape)
        },
        // Once per invocation.
        move |_, cx| {
            counter.fetch_add(1, Ordering::Relaxed);
            let (x, y) = (cx.input(0)?, cx.output(0)?);
            let y = y.into_slice::<f32>()?;
            y.iter_mut().zip(x.as_slice::<f32>()?).for_each(|(y, x)| *y = x / (1.0 + x.abs()));
            Ok(())
        },
    );
    // The default plugins, and the op.
    let mut registry = Registry::with_static_plugins()?;
    registry.add_op("Softsign", 1..=1, op)?;

    let model = Model::from_bytes(softsign())?;
    let mut interpreter = Interpreter::builder(&model).registry(Arc::new(registry)).build()?;
    interpreter.allocate()?;
    interpreter.input_mut(0)?.copy_from_slice(&[-3.0f32, -1.0, 0.0, 1.0])?;
    interpreter.invoke()?;
    println!("{:?}", interpreter.output(0)?.as_slice::<f32>()?);
    println!("the op ran {} time", calls.load(Ordering::Relaxed));
    Ok(())
}
