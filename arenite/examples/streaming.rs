//! Feeds a signal to a model piece by piece. The model keeps its state from one invocation to the next, until
//! `reset_variables`.
//!
//! ```sh
//! cargo run --release --example streaming
//! ```

use arenite::model_file::tensor_type::FLOAT32;
use arenite::model_file::writer::{ModelBuilder, Operator, SubGraph, Tensor, bytes_of};
use arenite::{Interpreter, Model};

/// Samples per invocation.
const PIECE: usize = 4;
/// `SequenceRNNOptions` in the schema's union of options; its defaults are no activation, and batches first.
const SEQUENCE_RNN_OPTIONS: u8 = 31;

/// A model that smooths its input: `y ← 0.25 x + 0.75 y` for each sample.
fn smoother() -> Vec<u8> {
    let mut model = ModelBuilder::new();
    let [gain, decay, bias] = [0.25f32, 0.75, 0.0].map(|value| model.buffer(bytes_of(&[value])));
    let rnn = model.builtin("UNIDIRECTIONAL_SEQUENCE_RNN", 1);

    let mut graph = SubGraph::new("main");
    let x = graph.input(Tensor::new("x", FLOAT32, &[1, PIECE as i32, 1]));
    let gain = graph.tensor(Tensor::new("gain", FLOAT32, &[1, 1]).buffer(gain));
    let decay = graph.tensor(Tensor::new("decay", FLOAT32, &[1, 1]).buffer(decay));
    let bias = graph.tensor(Tensor::new("bias", FLOAT32, &[1]).buffer(bias));
    let state = graph.tensor(Tensor::new("state", FLOAT32, &[1, 1]).variable());
    let y = graph.output(Tensor::new("y", FLOAT32, &[1, PIECE as i32, 1]));
    graph.operator(
        Operator::new(rnn, &[x, gain, decay, bias, state], &[y])
            .options(SEQUENCE_RNN_OPTIONS, |options| options),
    );
    model.subgraph(graph);
    model.finish()
}

fn main() -> arenite::Result<()> {
    let model = Model::from_bytes(smoother())?;
    let mut interpreter = Interpreter::builder(&model).build()?;
    interpreter.allocate()?;

    // A step from 0 to 1. The output approaches 1 across the pieces.
    let signal = [1.0f32; 4 * PIECE];
    for piece in signal.chunks_exact(PIECE) {
        interpreter.input_mut(0)?.copy_from_slice(piece)?;
        interpreter.invoke()?;
        println!("{:.3?}", interpreter.output(0)?.as_slice::<f32>()?);
    }

    // A new signal begins with a new state.
    interpreter.reset_variables();
    interpreter.input_mut(0)?.copy_from_slice(&signal[..PIECE])?;
    interpreter.invoke()?;
    println!("{:.3?} after reset_variables", interpreter.output(0)?.as_slice::<f32>()?);
    Ok(())
}
