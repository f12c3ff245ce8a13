//! Runs a model that has two signatures, each with names for its inputs and outputs.
//!
//! ```sh
//! cargo run --release --example signatures
//! ```

use arenite::model_file::tensor_type::FLOAT32;
use arenite::model_file::writer::{ModelBuilder, Operator, SubGraph, Tensor, bytes_of};
use arenite::{Interpreter, Model};

/// A model that converts temperatures: `to_fahrenheit` and `to_celsius`.
fn converter() -> Vec<u8> {
    let mut model = ModelBuilder::new();
    let conversions = [
        ("to_fahrenheit", "celsius", "fahrenheit", 1.8f32, 32.0),
        ("to_celsius", "fahrenheit", "celsius", 1.0 / 1.8, -32.0 / 1.8),
    ];
    let (multiply, add) = (model.builtin("MUL", 1), model.builtin("ADD", 1));
    for (key, from, to, factor, offset) in conversions {
        let [factor, offset] = [factor, offset].map(|value| model.buffer(bytes_of(&[value])));
        let mut graph = SubGraph::new(key);
        let x = graph.input(Tensor::new(from, FLOAT32, &[3]));
        let factor = graph.tensor(Tensor::new("factor", FLOAT32, &[1]).buffer(factor));
        let offset = graph.tensor(Tensor::new("offset", FLOAT32, &[1]).buffer(offset));
        let scaled = graph.tensor(Tensor::new("scaled", FLOAT32, &[3]));
        let y = graph.output(Tensor::new(to, FLOAT32, &[3]));
        // Tables of the schema's union of options: MulOptions is 21, AddOptions is 11.
        graph.operator(Operator::new(multiply, &[x, factor], &[scaled]).options(21, |options| options));
        graph.operator(Operator::new(add, &[scaled, offset], &[y]).options(11, |options| options));
        let subgraph = model.subgraph(graph) as u32;
        model.signature(key, subgraph, &[(from, x)], &[(to, y)]);
    }
    model.finish()
}

fn main() -> arenite::Result<()> {
    let model = Model::from_bytes(converter())?;
    let mut interpreter = Interpreter::builder(&model).build()?;
    for key in model.signature_keys() {
        let mut runner = interpreter.signature(&key)?;
        runner.allocate()?;
        let input = runner.input_names().next().unwrap_or_default().to_owned();
        let output = runner.output_names().next().unwrap_or_default().to_owned();
        runner.input_mut(&input)?.copy_from_slice(&[-40.0f32, 0.0, 100.0])?;
        runner.invoke()?;
        println!(
            "{key}: {input} [-40, 0, 100] is {output} {:.1?}",
            runner.output(&output)?.as_slice::<f32>()?
        );
    }
    Ok(())
}
