//! The front end of TensorFlow Lite Micro's `micro_speech`, as a model of its signal ops: 40 log-mel features in 0..26
//! per frame of 30 ms, every 20 ms, at 16 kHz.
//!
//! Defined by: tflite-micro's `examples/micro_speech/audio_preprocessor.py` (with float output) and
//! `python/…/signal/ops`.
//!
//! ```text
//! Hann window → scaled FFT of 512 → energy per frequency → 40 mel channels → √ → minus the noise → gain control (PCAN)
//! → log → / 25.6
//! ```

use arenite_abi::testing::FlexBuilder;
use arenite_model::tensor_type::{FLOAT32, INT16, INT32, UINT32, UINT64};
use arenite_model::writer::{ModelBuilder, Number, Operator, SubGraph, Tensor, bytes_of};

/// Samples per second.
const RATE: f32 = 16_000.0;
/// Samples per frame: 30 ms.
const WINDOW: usize = 480;
/// Samples from one frame to the next: 20 ms.
pub(super) const STRIDE: usize = 320;
/// Features per frame.
pub(super) const CHANNELS: usize = 40;

const FFT_LENGTH: usize = 512;
const SPECTRUM: usize = FFT_LENGTH / 2 + 1;
const WINDOW_BITS: u32 = 12;
/// Limits of the mel channels, in Hz.
const LOWEST: f32 = 125.0;
const HIGHEST: f32 = 7_500.0;
/// Weights of the channels have this many fraction bits.
const WEIGHT_BITS: u32 = 12;
/// Channels start at an even frequency and have a multiple of four weights.
const ALIGNMENT: usize = 2;
const BLOCK: usize = 4;

/// Fraction bits of the noise's smoothing factors.
const SUBTRACTION_BITS: u32 = 14;
/// Fraction bits of the noise.
const SMOOTHING_BITS: u32 = 10;
/// The square roots of the channels are smaller than the spectrum's by this many bits: the bits of the FFT's length,
/// minus half the weights' bits.
const CORRECTION_BITS: u32 = FFT_LENGTH.ilog2() - WEIGHT_BITS / 2;
const GAIN_BITS: u32 = 21;
const GAIN_STRENGTH: f32 = 0.95;
const GAIN_OFFSET: f32 = 80.0;

/// The model: `[480]` INT16 samples to `[40]` FLOAT32 features.
pub(super) fn model() -> Vec<u8> {
    let mut chain = Chain { model: ModelBuilder::new(), graph: SubGraph::new("main") };
    let flex = FlexBuilder::default;
    let bank = Bank::new();
    let samples = chain.graph.input(Tensor::new("samples", INT16, &[WINDOW as i32]));
    let window = chain.constant(&window());
    let shift = flex().int("shift", WINDOW_BITS.into());
    let windowed = chain.custom("SignalWindow", &[samples, window], &[(INT16, WINDOW)], shift)[0];
    let scaled = chain.tensor(INT16, &[WINDOW as i32]);
    let bits = chain.tensor(INT32, &[]);
    chain.node("SignalFftAutoScale", &[windowed], &[scaled, bits], flex());
    // `T` is the number of INT16 among the schema's types.
    let options = flex().int("fft_length", FFT_LENGTH as i64).int("T", INT16.into());
    let spectrum = chain.custom("SignalRfft", &[scaled], &[(INT16, 2 * SPECTRUM)], options)[0];
    let options = flex().int("start_index", bank.start as i64).int("end_index", bank.end as i64);
    let energy = chain.custom("SignalEnergy", &[spectrum], &[(UINT32, SPECTRUM)], options)[0];
    let lists = [&bank.weights, &bank.unweights, &bank.frequencies, &bank.firsts, &bank.widths];
    let lists = lists.map(|list| chain.constant(list));
    let inputs = [&[energy][..], &lists].concat();
    let options = flex().int("num_channels", CHANNELS as i64);
    let channels = chain.custom("SignalFilterBank", &inputs, &[(UINT64, CHANNELS)], options)[0];
    let each = [(UINT32, CHANNELS)];
    let roots = chain.custom("SignalFilterBankSquareRoot", &[channels, bits], &each, flex())[0];
    let both = [each[0], each[0]];
    let subtracted = chain.custom("SignalFilterBankSpectralSubtraction", &[roots], &both, subtraction());
    let gains = chain.constant(&gains());
    // The signal-to-noise ratio has 12 fraction bits.
    let options = flex().int("snr_shift", (GAIN_BITS - CORRECTION_BITS - 12).into());
    let controlled = chain.custom("SignalPCAN", &[subtracted[0], subtracted[1], gains], &each, options)[0];
    let options = flex().int("output_scale", 64).int("input_correction_bits", CORRECTION_BITS.into());
    let logs = chain.custom("SignalFilterBankLog", &[controlled], &[(INT16, CHANNELS)], options)[0];
    chain.finish(logs)
}

/// A model whose nodes are added in order.
struct Chain {
    model: ModelBuilder,
    graph: SubGraph,
}

impl Chain {
    fn tensor(&mut self, ty: i32, shape: &[i32]) -> i32 {
        self.graph.tensor(Tensor::new("", ty, shape))
    }

    fn constant(&mut self, values: &[i16]) -> i32 {
        self.constant_of(INT16, values)
    }

    fn constant_of<T: Number>(&mut self, ty: i32, values: &[T]) -> i32 {
        let buffer = self.model.buffer(bytes_of(values));
        self.graph.tensor(Tensor::new("", ty, &[values.len() as i32]).buffer(buffer))
    }

    /// Adds a custom op whose outputs are lists.
    fn custom(&mut self, op: &str, from: &[i32], to: &[(i32, usize)], options: FlexBuilder) -> Vec<i32> {
        let outputs: Vec<i32> = to.iter().map(|&(ty, count)| self.tensor(ty, &[count as i32])).collect();
        self.node(op, from, &outputs, options);
        outputs
    }

    fn node(&mut self, op: &str, from: &[i32], to: &[i32], options: FlexBuilder) {
        let code = self.model.custom(op, 1);
        self.graph.operator(Operator::new(code, from, to).custom_options(options.finish()));
    }

    /// The logarithms have 6 fraction bits, but models are trained on 1/25.6 of their integers.
    fn finish(mut self, logs: i32) -> Vec<u8> {
        let (cast, div) = (self.model.builtin("CAST", 1), self.model.builtin("DIV", 1));
        let floats = self.tensor(FLOAT32, &[CHANNELS as i32]);
        let divisor = self.constant_of(FLOAT32, &[25.6f32]);
        let features = self.graph.output(Tensor::new("features", FLOAT32, &[CHANNELS as i32]));
        self.graph.operator(Operator::new(cast, &[logs], &[floats]));
        self.graph.operator(Operator::new(div, &[floats, divisor], &[features]));
        self.model.subgraph(self.graph);
        self.model.finish()
    }
}

/// A Hann window, sampled at the middle of each sample.
fn window() -> Vec<i16> {
    let weight = |i: usize| {
        let turn = 2.0 * std::f64::consts::PI * (i as f64 + 0.5) / WINDOW as f64;
        ((0.5 - 0.5 * turn.cos()) * f64::from(1 << WINDOW_BITS)).round() as i16
    };
    (0..WINDOW).map(weight).collect()
}

/// Options of the spectral subtraction: even channels follow the noise more slowly than odd ones.
fn subtraction() -> FlexBuilder {
    let one = 1i64 << SUBTRACTION_BITS;
    let part = |part: f64| (part * one as f64) as i64;
    let (even, odd) = (part(0.025), part(0.06));
    let options = FlexBuilder::default().int("num_channels", CHANNELS as i64);
    let options = options.int("smoothing", even).int("one_minus_smoothing", one - even);
    let options = options.int("alternate_smoothing", odd).int("alternate_one_minus_smoothing", one - odd);
    let options = options.int("smoothing_bits", SMOOTHING_BITS.into()).bool("clamping", false);
    let options = options.int("min_signal_remaining", part(0.05));
    options.int("spectral_subtraction_bits", SUBTRACTION_BITS.into())
}

/// Mel channels: each frequency counts with a weight in one channel and with the rest in the next.
struct Bank {
    /// The frequencies that are used.
    start: usize,
    end: usize,
    weights: Vec<i16>,
    unweights: Vec<i16>,
    /// Per channel: its first frequency, its first weight, and its number of weights.
    frequencies: Vec<i16>,
    firsts: Vec<i16>,
    widths: Vec<i16>,
}

/// Hertz per frequency of the spectrum.
const BIN: f32 = RATE / FFT_LENGTH as f32;

fn mel(hertz: f32) -> f32 {
    1127.0 * (hertz / 700.0).ln_1p()
}

impl Bank {
    fn new() -> Self {
        let start = (1.0 + LOWEST / BIN).round() as usize;
        let mut bank = Bank {
            start,
            end: start,
            weights: Vec::new(),
            unweights: Vec::new(),
            frequencies: Vec::new(),
            firsts: Vec::new(),
            widths: Vec::new(),
        };
        let lowest = mel(LOWEST);
        let spacing = (mel(HIGHEST) - lowest) / (CHANNELS + 1) as f32;
        let mut before = lowest;
        for channel in 1..=CHANNELS + 1 {
            let center = lowest + spacing * channel as f32;
            bank.add(before, center);
            before = center;
        }
        bank
    }

    /// Adds the channel of the frequencies up to `center`, with weights that fall from `before` to there.
    fn add(&mut self, before: f32, center: f32) {
        let first = self.end;
        while mel(self.end as f32 * BIN) <= center {
            self.end += 1;
        }
        let aligned = first / ALIGNMENT * ALIGNMENT;
        let width = (self.end - aligned).next_multiple_of(BLOCK);
        let place = self.weights.len();
        self.frequencies.push(aligned as i16);
        self.firsts.push(place as i16);
        self.widths.push(width as i16);
        self.weights.resize(place + width, 0);
        self.unweights.resize(place + width, 0);
        for frequency in first..self.end {
            let weight = (center - mel(frequency as f32 * BIN)) / (center - before);
            let one = (1 << WEIGHT_BITS) as f32;
            self.weights[place + frequency - aligned] = (weight * one) as i16;
            self.unweights[place + frequency - aligned] = ((1.0 - weight) * one) as i16;
        }
    }
}

/// The gain for a noise, as parabolas between powers of two. The first two numbers are the gains for 0 and 1.
fn gains() -> Vec<i16> {
    /// Intervals start at 2 and end at 2³¹ and at the largest noise.
    const INTERVALS: std::ops::RangeInclusive<u32> = 2..=32;
    let noise_bits = SMOOTHING_BITS - CORRECTION_BITS;
    let gain = |noise: u32| {
        let noise = noise as f32 / (1u32 << noise_bits) as f32;
        let gain = (1u32 << GAIN_BITS) as f32 * (noise + GAIN_OFFSET).powf(-GAIN_STRENGTH);
        if gain > f32::from(i16::MAX) { i32::from(i16::MAX) } else { (gain + 0.5) as i32 }
    };
    let mut table = vec![gain(0), gain(1)];
    for interval in INTERVALS {
        let start = 1u32 << (interval - 1);
        let end = if interval == *INTERVALS.end() { u32::MAX } else { 2 * start };
        let at_start = gain(start);
        let (half, whole) = (gain(start + start / 2) - at_start, gain(end) - at_start);
        let slope = 4 * half - whole;
        // The fourth number of an interval is not used; the last one has only three.
        table.extend([at_start, slope, whole - slope, 0]);
    }
    table.pop();
    table.into_iter().map(|number| number as i16).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers of tflite-micro's audio_preprocessor_int8.tflite.
    #[test]
    fn the_tables_have_the_sizes_of_the_reference() {
        let bank = Bank::new();
        assert_eq!((bank.start, bank.end), (5, 241));
        assert_eq!((bank.weights.len(), bank.unweights.len()), (316, 316));
        assert_eq!([&bank.frequencies, &bank.firsts, &bank.widths].map(Vec::len), [41; 3]);
        assert_eq!(gains().len(), 125);
        assert_eq!((window().len(), window()[0], window()[240]), (480, 0, 4096));
    }
}
