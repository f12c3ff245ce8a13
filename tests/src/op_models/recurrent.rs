//! Recurrent layers, with state that outlives a call.

use arenite_abi::schema::{
    BidirectionalSequenceLSTMOptions, BidirectionalSequenceRNNOptions, LSTMOptions, RNNOptions, SVDFOptions,
    SequenceRNNOptions, UnidirectionalSequenceLSTMOptions, activation, lstm_kernel,
};
use arenite_model::tensor_type::{FLOAT32, INT8, INT16, INT32, UINT8};
use arenite_model::writer::{ModelBuilder, Tensor, bytes_of};

use super::{Models, OneOp, f32, sound};
use crate::options::Fields;

/// Adds the models of these ops.
pub(super) fn add(models: &mut Models) {
    svdf(models);
    rnn(models);
    for weights in [Weights::Float, Weights::Hybrid] {
        lstm(weights, 0, models);
        models.push(sound("BIDIRECTIONAL_SEQUENCE_LSTM", bidirectional_lstm(weights)));
    }
    lstm(Weights::Integer, 5, models);
    models.push(sound("LSTM", full_lstm("LSTM", Weights::Integer, 12, &[1, 3])));
    basic_lstm(models);
    gru(models);
}

/// What the layers compute with.
#[derive(Clone, Copy, PartialEq)]
enum Weights {
    Float,
    /// Weights of 8 bits, else f32.
    Hybrid,
    /// Integers throughout.
    Integer,
}

fn quantized(name: &str, ty: i32, shape: &[i32], scale: f32) -> Tensor {
    Tensor::new(name, ty, shape).quantized(scale, 0)
}

impl Weights {
    /// Inputs, outputs and the state that is an output.
    fn value(self, name: &str, shape: &[i32]) -> Tensor {
        match self {
            Weights::Integer => quantized(name, INT8, shape, 1.0 / 64.0),
            _ => f32(name, shape),
        }
    }

    fn cell(self, shape: &[i32]) -> Tensor {
        match self {
            Weights::Integer => quantized("c", INT16, shape, 1.0 / 32768.0),
            _ => f32("c", shape),
        }
    }

    fn constant(self, one: OneOp, name: &str, shape: &[i32]) -> OneOp {
        let count = shape.iter().product::<i32>();
        match self {
            Weights::Float => one.constant(f32(name, shape), reals(count)),
            _ => {
                let bytes: Vec<u8> = (0..count).map(|i| (i * 29) as u8).collect();
                one.constant(quantized(name, INT8, shape, 1.0 / 64.0), bytes)
            }
        }
    }

    /// Biases and norms: of `integer` where all is.
    fn vector(self, one: OneOp, name: &str, length: i32, integer: i32) -> OneOp {
        match (self, integer) {
            (Weights::Integer, INT16) => {
                let data = bytes_of(&(0..length).map(|i| (i * 300 + 100) as i16).collect::<Vec<_>>());
                one.constant(quantized(name, INT16, &[length], 1.0 / 1024.0), data)
            }
            (Weights::Integer, _) => {
                let data = bytes_of(&(0..length).map(|i| i * 90 - 80).collect::<Vec<_>>());
                one.constant(quantized(name, INT32, &[length], 1.0 / 4096.0), data)
            }
            _ => one.constant(f32(name, &[length]), reals(length)),
        }
    }
}

fn reals(count: i32) -> Vec<u8> {
    bytes_of(&(0..count).map(|i| i as f32 * 0.125 - 0.5).collect::<Vec<_>>())
}

fn svdf(models: &mut Models) {
    for weights in [Weights::Float, Weights::Hybrid, Weights::Integer] {
        let one = OneOp::new("SVDF").feed(weights.value("x", &[2, 3]));
        let one = weights.constant(one, "features", &[4, 3]);
        let one = match weights {
            Weights::Integer => {
                one.constant(quantized("time", INT16, &[4, 2], 1.0 / 64.0), bytes_of(&[7i16; 8]))
            }
            _ => weights.constant(one, "time", &[4, 2]),
        };
        let state = match weights {
            Weights::Integer => quantized("state", INT16, &[2, 8], 1.0 / 64.0),
            _ => f32("state", &[2, 8]),
        };
        let one = weights.vector(one, "b", 2, INT32).variable(state).output(weights.value("y", &[2, 2]));
        models.push(sound(
            "SVDF",
            one.options(|o| {
                o.set(SVDFOptions::RANK, 2).set(SVDFOptions::FUSED_ACTIVATION_FUNCTION, activation::RELU)
            })
            .model(),
        ));
    }
}

fn rnn(models: &mut Models) {
    for weights in [Weights::Float, Weights::Hybrid] {
        let layer = |one: OneOp| {
            let one = weights.constant(one, "w", &[4, 3]);
            let one = weights.constant(one, "r", &[4, 4]);
            weights.vector(one, "b", 4, INT32).variable(f32("h", &[2, 4]))
        };
        let one = layer(OneOp::new("RNN").feed(f32("x", &[2, 3]))).output(f32("y", &[2, 4]));
        models.push(sound(
            "RNN",
            one.options(|o| o.set(RNNOptions::FUSED_ACTIVATION_FUNCTION, activation::TANH)).model(),
        ));
        let op = "UNIDIRECTIONAL_SEQUENCE_RNN";
        let one = layer(OneOp::new(op).feed(f32("x", &[2, 3, 3]))).output(f32("y", &[2, 3, 4]));
        models.push(sound(
            op,
            one.options(|o| {
                o.set(SequenceRNNOptions::FUSED_ACTIVATION_FUNCTION, activation::TANH)
                    .set(SequenceRNNOptions::ASYMMETRIC_QUANTIZE_INPUTS, true)
            })
            .model(),
        ));
        let op = "BIDIRECTIONAL_SEQUENCE_RNN";
        let one = layer(layer(OneOp::new(op).feed(f32("x", &[3, 2, 3])))).absent().absent().absent();
        let one = one.output(f32("y", &[3, 2, 4])).output(f32("z", &[3, 2, 4]));
        models.push(sound(
            op,
            one.options(|o| {
                o.set(BidirectionalSequenceRNNOptions::TIME_MAJOR, true)
                    .set(BidirectionalSequenceRNNOptions::FUSED_ACTIVATION_FUNCTION, activation::RELU)
            })
            .model(),
        ));
    }
}

/// Weights and biases of a layer of three inputs, four cells and two outputs, with all optional parts.
fn layer(weights: Weights, mut one: OneOp) -> OneOp {
    for name in ["xi", "xf", "xc", "xo"] {
        one = weights.constant(one, name, &[4, 3]);
    }
    for name in ["hi", "hf", "hc", "ho"] {
        one = weights.constant(one, name, &[4, 2]);
    }
    for name in ["ci", "cf", "co"] {
        one = match weights {
            Weights::Integer => weights.vector(one, name, 4, INT16),
            _ => weights.constant(one, name, &[4]),
        };
    }
    for name in ["bi", "bf", "bc", "bo"] {
        one = weights.vector(one, name, 4, INT32);
    }
    let one = weights.constant(one, "p", &[2, 4]);
    weights.vector(one, "bp", 2, INT32)
}

/// Cell clipping at a half, projections at one.
macro_rules! clipped {
    ($table:ident) => {
        Fields::default()
            .set($table::FUSED_ACTIVATION_FUNCTION, activation::TANH)
            .set($table::CELL_CLIP, 0.5)
            .set($table::PROJ_CLIP, 1.0)
    };
}

fn full_lstm(op: &str, weights: Weights, intermediates: usize, x: &[i32]) -> ModelBuilder {
    let batches = if x.len() == 3 { x[1] } else { x[0] };
    let one = layer(weights, OneOp::new(op).feed(weights.value("x", x)));
    let mut one = one.variable(weights.value("h", &[batches, 2])).variable(weights.cell(&[batches, 4]));
    for name in ["ni", "nf", "nc", "no"] {
        one = weights.vector(one, name, 4, INT16);
    }
    for _ in 0..intermediates {
        one = one.intermediate(quantized("sum", INT16, &[], 1.0 / 2048.0));
    }
    let mut y = x.to_vec();
    y[x.len() - 1] = 2;
    let one = one.output(weights.value("y", &y));
    let one = match x.len() {
        3 => one.options(|_| {
            clipped!(UnidirectionalSequenceLSTMOptions)
                .set(UnidirectionalSequenceLSTMOptions::TIME_MAJOR, true)
        }),
        _ => one.options(|_| clipped!(LSTMOptions).set(LSTMOptions::ASYMMETRIC_QUANTIZE_INPUTS, true)),
    };
    one.model()
}

fn lstm(weights: Weights, intermediates: usize, models: &mut Models) {
    models.push(sound("LSTM", full_lstm("LSTM", weights, intermediates, &[2, 3])));
    let op = "UNIDIRECTIONAL_SEQUENCE_LSTM";
    models.push(sound(op, full_lstm(op, weights, intermediates, &[2, 2, 3])));
}

fn bidirectional_lstm(weights: Weights) -> ModelBuilder {
    let one = OneOp::new("BIDIRECTIONAL_SEQUENCE_LSTM").feed(f32("x", &[2, 2, 3]));
    let mut one = layer(weights, layer(weights, one));
    for _ in 0..2 {
        one = one.variable(f32("h", &[2, 2])).variable(f32("c", &[2, 4]));
    }
    one = one.feed(f32("aux", &[2, 2, 2]));
    for _ in 0..8 {
        one = weights.constant(one, "a", &[4, 2]);
    }
    one.output(f32("y", &[2, 2, 4]))
        .options(|_| {
            clipped!(BidirectionalSequenceLSTMOptions)
                .set(BidirectionalSequenceLSTMOptions::MERGE_OUTPUTS, true)
        })
        .model()
}

fn basic_lstm(models: &mut Models) {
    let one = OneOp::new("LSTM").feed(f32("x", &[2, 3])).variable(f32("h", &[2, 2]));
    let one = Weights::Float.constant(one, "w", &[8, 5]);
    let one = Weights::Float.vector(one, "b", 8, INT32).variable(f32("c", &[2, 2]));
    let one = one.output(f32("y", &[2, 2])).output(f32("z", &[2, 2])).output(f32("xh", &[2, 5]));
    models.push(sound(
        "LSTM",
        one.output(f32("a", &[2, 8]))
            .options(|o| {
                o.set(LSTMOptions::FUSED_ACTIVATION_FUNCTION, activation::TANH)
                    .set(LSTMOptions::KERNEL_TYPE, lstm_kernel::BASIC)
            })
            .model(),
    ));

    let byte = |name: &str, shape: &[i32]| Tensor::new(name, UINT8, shape).quantized(1.0 / 128.0, 128);
    let wide = |name: &str, shape: &[i32]| quantized(name, INT16, shape, 1.0 / 2048.0);
    let one = OneOp::new("LSTM").feed(byte("x", &[2, 3])).variable(byte("h", &[2, 2]));
    let one = one.constant(byte("w", &[8, 5]), (0..40).map(|i| i * 6).collect::<Vec<u8>>());
    let one = one.constant(quantized("b", INT32, &[8], 1.0 / 16384.0), bytes_of(&[100i32; 8]));
    let one = one.variable(wide("c", &[2, 2])).output(byte("y", &[2, 2])).output(wide("z", &[2, 2]));
    let one = one.output(byte("xh", &[2, 5])).output(wide("a", &[2, 8]));
    models.push(sound(
        "LSTM",
        one.options(|o| {
            o.set(LSTMOptions::FUSED_ACTIVATION_FUNCTION, activation::TANH)
                .set(LSTMOptions::KERNEL_TYPE, lstm_kernel::BASIC)
        })
        .model(),
    ));
}

fn gru(models: &mut Models) {
    let op = "UNIDIRECTIONAL_SEQUENCE_GRU";
    let mut one = OneOp::custom(op).feed(f32("x", &[3, 2, 3])).feed(Tensor::new("h", FLOAT32, &[2, 2]));
    for (name, shape) in [("w", &[4, 5][..]), ("b", &[4]), ("v", &[2, 5]), ("c", &[2])] {
        one = one.constant(f32(name, shape), reals(shape.iter().product()));
    }
    models.push(sound(op, one.output(f32("y", &[3, 2, 2])).output(f32("last", &[2, 2])).model()));
}
