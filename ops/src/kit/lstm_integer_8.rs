//! The LSTM step on i8 whose sums are i8 too, each with its own scale, which twelve intermediates hold. Layer norm and
//! activations are computed in f32. As in TFLite, the input gate is ignored and replaced by `1 - f`.
//!
//! Defined by: tflite/kernels/lstm_eval.cc (`LstmStepInteger8x8_8`), tflite/kernels/lstm.cc and
//! tflite/kernels/internal/reference/portable_tensor_utils.cc.

use arenite_abi::prelude::*;

use super::activation::Limits;
use super::dot::{dot, dot_i64};
use super::float;
use super::lstm::{Gate, Layer, LstmOptions};
use super::lstm_integer::{multiplier, multiply, saturate, scale};
use super::pace::Pace;
use super::recurrent::{Direction, Sequence, load, row, store};
use super::requantize::{Multiplier, round_f32};

/// Returns `2^exponent`.
fn power_of_two(exponent: i32) -> f64 {
    // Clamped to the exponents of normal numbers.
    f64::from_bits(((1023 + exponent.clamp(-1022, 1023)) as u64) << 52)
}

plain! {
    /// A prepared layer.
    pub struct IntegerLstm8 {
        layer: Layer,
        /// The factors of the forget gate, the cell gate and the output gate.
        gates: [GateScales; 3],
        projection: Multiplier,
        cell_clip: i16,
        projection_clip: i8,
        input_zero_point: i32,
        output_zero_point: i32,
        /// Scratch memory for two gates and the cell.
        room: Scratch<i16>,
        output: Scratch<i8>,
    }
}

plain! {
    #[derive(Clone, Copy)]
    struct GateScales {
        input: Sum,
        recurrent: Sum,
        norm: f32,
    }
}

plain! {
    /// Rescales a sum of products to i8, and from there to the sum of the gate.
    #[derive(Clone, Copy)]
    struct Sum {
        to_i8: Multiplier,
        zero_point: i32,
        to_gate: Multiplier,
    }
}

struct GateData<'a> {
    scales: GateScales,
    input: &'a [i8],
    recurrent: &'a [i8],
    norm: &'a [i16],
    bias: &'a [i32],
}

/// The scratch memory of one step.
struct Room<'a> {
    gate: &'a mut [i16],
    other: &'a mut [i16],
    cell: &'a mut [i16],
    output: &'a mut [i8],
}

impl IntegerLstm8 {
    /// Prepares all factors and declares the scratch memory.
    ///
    /// # Errors
    /// A tensor is not quantized, a scale is out of range, or the layer has no layer norm or projection.
    pub fn prepare(
        (node, cx): (&NodeView<'_>, &mut PrepareContext<'_>),
        layer: Layer,
        options: LstmOptions,
    ) -> Result<IntegerLstm8> {
        let layout = &layer.layout;
        ensure!(
            layout.norm.get().is_some() && layer.projection,
            "with 12 intermediates it needs layer norm and projection"
        );
        node.input(layout.projection_bias())?;
        let cell = node.input(layout.cell_state())?;
        let cell_scale = scale(Ok(cell))?;
        ensure!(
            cell_scale == 1.0 / 32768.0,
            "cell {cell} has scale {cell_scale}; with 12 intermediates it must be 2^-15"
        );
        let (output_scale, output_zero_point) = node.input(layout.output_state())?.scale_and_zero_point()?;
        let projection = f64::from(scale(node.input(layout.projection()))?) * power_of_two(-15);
        let cell_clip = if options.cell_clip < 1.0 { options.cell_clip / cell_scale } else { 0.0 };
        Ok(IntegerLstm8 {
            layer,
            gates: gates(&layer, node)?,
            projection: multiplier((projection / f64::from(output_scale)) as f32)?,
            cell_clip: cell_clip as i16,
            projection_clip: (options.projection_clip / scale(node.output(0))?) as i8,
            input_zero_point: node.input(layout.x)?.scale_and_zero_point()?.1,
            output_zero_point,
            room: cx.scratch(layer.cells.saturating_mul(3))?,
            output: cx.scratch(layer.outputs)?,
        })
    }

    /// Runs the layer over `sequence`, whose input is `x`, and writes `y`.
    ///
    /// # Errors
    /// A tensor does not have the prepared type, or the invocation is cancelled.
    pub fn eval(&self, cx: &EvalContext<'_>, sequence: &Sequence, y: &mut [i8]) -> Result<()> {
        let layer = &self.layer;
        let layout = &layer.layout;
        let x = cx.input_slice::<i8>(layout.x)?;
        let [forget, cell, output] = [Gate::Forget, Gate::Cell, Gate::Output].map(|gate| self.data(gate, cx));
        let gates = [&forget?, &cell?, &output?];
        let projection = cx.input_slice::<i8>(layout.projection())?;
        let projection_bias = cx.input_slice::<i32>(layout.projection_bias())?;
        let output_state = cx.variable::<i8>(layout.output_state())?;
        let cell_state = cx.variable::<i16>(layout.cell_state())?;
        let (gate, rest) = cx.scratch(&self.room)?.split_at_mut(layer.cells);
        let (other, cell) = rest.split_at_mut(layer.cells);
        let mut room = Room { gate, other, cell, output: cx.scratch(&self.output)? };
        let mut pace = Pace::new(cx);
        sequence.for_each(Direction::Forward, |i, batch| {
            pace.ahead(layer.work())?;
            load(cell_state, batch, room.cell);
            load(output_state, batch, room.output);
            self.step(gates, row(x, i, layer.inputs), &mut room);
            self.project(projection, projection_bias, &mut room);
            store(room.cell, cell_state, batch);
            store(room.output, output_state, batch);
            let y = y.get_mut(i * layer.outputs..(i + 1) * layer.outputs).unwrap_or_default();
            y.copy_from_slice(room.output);
            Ok(())
        })
    }

    fn data<'a>(&self, gate: Gate, cx: &EvalContext<'a>) -> Result<GateData<'a>> {
        let layout = &self.layer.layout;
        Ok(GateData {
            scales: self.gates[(gate as usize).saturating_sub(1)],
            input: cx.input_slice(layout.input_to(gate))?,
            recurrent: cx.input_slice(layout.recurrent_to(gate))?,
            norm: layout.norm.get().map_or(Ok(&[][..]), |i| cx.input_slice(i + gate as usize))?,
            bias: cx.input_slice(layout.bias(gate))?,
        })
    }

    /// Advances the cell by one row, and leaves `o × tanh(c)` in `room.gate`.
    fn step(&self, [forget, cell, output]: [&GateData<'_>; 3], x: &[i8], room: &mut Room<'_>) {
        self.sum(forget, x, room.output, room.gate);
        room.gate.iter_mut().for_each(|f| *f = logistic(*f));
        self.sum(cell, x, room.output, room.other);
        room.other.iter_mut().for_each(|g| *g = tanh(*g, -12));
        for (c, (f, g)) in room.cell.iter_mut().zip(room.gate.iter().zip(&*room.other)) {
            *c = multiply(*f, *c, 15).saturating_add(multiply(i16::MAX.wrapping_sub(*f), *g, 15));
        }
        if self.cell_clip > 0 {
            room.cell.iter_mut().for_each(|c| *c = (*c).clamp(-self.cell_clip, self.cell_clip));
        }
        self.sum(output, x, room.output, room.gate);
        for (o, c) in room.gate.iter_mut().zip(&*room.cell) {
            *o = multiply(logistic(*o), tanh(*c, -15), 15);
        }
    }

    fn project(&self, weights: &[i8], bias: &[i32], room: &mut Room<'_>) {
        for (r, (h, &bias)) in room.output.iter_mut().zip(bias).enumerate() {
            let sum = dot_i64(room.gate, 0, row(weights, r, room.gate.len()), 0).wrapping_add(bias.into());
            *h = Limits::I8.clamp(self.projection.apply_i64(sum).wrapping_add(self.output_zero_point)) as i8;
            if self.projection_clip > 0 {
                *h = (*h).clamp(-self.projection_clip, self.projection_clip);
            }
        }
    }

    /// Computes a gate before its activation.
    fn sum(&self, gate: &GateData<'_>, x: &[i8], output: &[i8], to: &mut [i16]) {
        let GateScales { input, recurrent, norm } = gate.scales;
        for (r, to) in to.iter_mut().enumerate() {
            let seen = input.pass(dot(x, self.input_zero_point, row(gate.input, r, x.len()), 0));
            let kept =
                recurrent.pass(dot(output, self.output_zero_point, row(gate.recurrent, r, output.len()), 0));
            *to = saturate(kept.wrapping_add(seen));
        }
        normalize(to, (gate.norm, norm), gate.bias);
    }
}

impl Sum {
    fn pass(&self, sum: i32) -> i32 {
        let byte = Limits::I8.clamp(self.to_i8.apply(sum).wrapping_add(self.zero_point));
        self.to_gate.apply(byte - self.zero_point)
    }
}

/// The factors of the three gates. Intermediates come in groups of three: the sum of the gate, the product with the
/// input, and the product with the output.
fn gates(layer: &Layer, node: &NodeView<'_>) -> Result<[GateScales; 3]> {
    let layout = &layer.layout;
    let x = scale(node.input(layout.x))?;
    let output = scale(node.input(layout.output_state()))?;
    let sum = |weights: usize, x: f32, product: usize, gate: usize| {
        let (scale_of_product, zero_point) = node.intermediate(product)?.scale_and_zero_point()?;
        Ok(Sum {
            to_i8: multiplier(scale(node.input(weights))? * x / scale_of_product)?,
            zero_point: i32::from(zero_point as i8),
            to_gate: multiplier(scale_of_product / scale(node.intermediate(3 * gate))?)?,
        })
    };
    let scales = |gate: Gate| {
        let i = gate as usize;
        let norm = multiplier(layout.norm.get().map_or(Ok(1.0), |norm| scale(node.input(norm + i)))?)?;
        Ok(GateScales {
            input: sum(layout.input_to(gate), x, 3 * i + 1, i)?,
            recurrent: sum(layout.recurrent_to(gate), output, 3 * i + 2, i)?,
            norm: (f64::from(norm.value) * power_of_two(norm.shift - 31)) as f32,
        })
    };
    let [forget, cell, mut output] = [scales(Gate::Forget)?, scales(Gate::Cell)?, scales(Gate::Output)?];
    // TFLite reads these two zero points from the wrong positions, one of them beyond the end of its array.
    output.recurrent.zero_point = cell.input.zero_point;
    output.recurrent.to_gate.value = forget.recurrent.to_gate.shift;
    Ok([forget, cell, output])
}

/// Computes `1 / (1 + e^-x)` in Q0.15 for `x` in Q3.12, truncated towards zero.
fn logistic(x: i16) -> i16 {
    let x = f32::from(x) * (1.0 / 4096.0);
    saturate((1.0 / (1.0 + float::exp(-x)) * 32768.0) as i32)
}

/// Computes `tanh(x × 2^exponent)` in Q0.15, truncated towards zero.
fn tanh(x: i16, exponent: i32) -> i16 {
    let x = (f64::from(x) * power_of_two(exponent)) as f32;
    saturate((float::tanh(x) * 32768.0) as i32)
}

/// Layer norm with results in Q3.12.
fn normalize(values: &mut [i16], (weights, scale): (&[i16], f32), bias: &[i32]) {
    let n = values.len() as f32;
    let (sum, squares) = values.iter().fold((0f32, 0f32), |(sum, squares), &x| {
        let x = f32::from(x);
        (sum + x, squares + x * x)
    });
    let mean = sum / n;
    let variance = squares / n - mean * mean;
    let inverse = 1.0 / float::sqrt(if variance == 0.0 { 1e-8 } else { variance });
    let bias_scale = scale * (1.0 / 1024.0);
    for ((x, &w), &b) in values.iter_mut().zip(weights).zip(bias) {
        let normalized = (f32::from(*x) - mean) * inverse;
        let weighted = normalized * f32::from(w) * scale + b as f32 * bias_scale;
        *x = saturate(round_f32(weighted * 4096.0) as i32);
    }
}
