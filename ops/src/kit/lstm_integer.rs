//! The LSTM step on i8 with gates and cells of i16, entirely in fixed point. Gates are Q3.12 before their activation
//! and Q0.15 after it, unless the layer norm gives them other scales.
//!
//! Defined by: tflite/kernels/lstm_eval.cc (`LstmStepInteger8x8_16`) and
//! tflite/kernels/internal/reference/portable_tensor_utils.cc.

use arenite_abi::prelude::*;

use super::activation::Limits;
use super::bias::Bias;
use super::dot::dot;
use super::fixed_point::inverse_sqrt;
use super::fixed_point_i16;
use super::lstm::{Gate, Layer, LstmOptions};
use super::node::input_quant;
use super::pace::Pace;
use super::ratio::quotient;
use super::recurrent::{Columns, Direction, Sequence, load, row, store};
use super::requantize::{Multiplier, rounding_divide_by_pot};
use super::single::power_of_two;

plain! {
    /// A prepared layer.
    pub struct IntegerLstm {
        layer: Layer,
        gates: [GateScales; 4],
        /// Rescales `o × tanh(c)` to the projection's input, or to the output.
        hidden: Multiplier,
        hidden_zero_point: i32,
        projection: Multiplier,
        /// The binary logarithm of the cell's scale.
        cell_exponent: i32,
        cell_clip: i16,
        projection_clip: i8,
        input_zero_point: i32,
        output_zero_point: i32,
        /// The number of rows that TFLite's peephole treats as one in a layer with projection; see
        /// [`IntegerLstm::peephole`].
        batches: usize,
        /// Scratch memory for two gates, the sum of a third, and the cell.
        room: Scratch<i16>,
        /// Scratch memory for the projection's input and the output.
        bytes: Scratch<i8>,
    }
}

plain! {
    /// The factors that scale a gate's sums.
    #[derive(Clone, Copy)]
    struct GateScales {
        input: Multiplier,
        recurrent: Multiplier,
        cell: Multiplier,
        norm: Multiplier,
        /// The least variance that the layer norm divides by.
        variance_guard: i32,
    }
}

/// The weights and biases of a gate. Each step looks them up: kept for all gates, they would not fit a small stack.
struct GateData<'a> {
    scales: &'a GateScales,
    input: &'a [i8],
    recurrent: &'a [i8],
    cell: &'a [i16],
    norm: &'a [i16],
    bias: Bias<'a>,
}

/// The scratch memory of one step.
struct Room<'a> {
    input: &'a mut [i16],
    forget: &'a mut [i16],
    gate: &'a mut [i16],
    cell: &'a mut [i16],
    hidden: &'a mut [i8],
    output: &'a mut [i8],
}

/// The fixed-point form of a product of scales, computed in f32.
///
/// # Errors
/// The factor is not finite.
pub(super) fn multiplier(factor: f32) -> Result<Multiplier> {
    Multiplier::from_scales(factor, 1.0, 1.0)
        .ok_or_else(|| invalid!("scales give the factor {factor}; scales must be above zero and finite"))
}

/// The scale of a tensor with per-tensor quantization.
pub(super) fn scale(x: Result<TensorView<'_>>) -> Result<f32> {
    Ok(x?.scale_and_zero_point()?.0)
}

/// The binary logarithm of a cell's scale.
///
/// # Errors
/// The scale is not a power of two.
pub fn cell_exponent(cell: &TensorView<'_>) -> Result<i32> {
    let (scale, _) = cell.scale_and_zero_point()?;
    let exact = super::float::log(scale) * (1.0 / core::f32::consts::LN_2);
    let rounded = super::requantize::round_f32(exact);
    ensure!((exact - rounded).abs() < 1e-3, "cell {cell} has scale {scale}; it must be a power of two");
    Ok(rounded as i32)
}

#[inline(never)] // as `input_quant`
fn checked_cell_exponent(node: &NodeView<'_>, i: usize) -> Result<i32> {
    let cell = node.input(i)?;
    let exponent = cell_exponent(&cell)?;
    let is_served = (-15..=-9).contains(&exponent);
    ensure!(is_served, "cell {cell} has scale 2^{exponent}; the exponent must be within -15 and -9");
    Ok(exponent)
}

impl GateScales {
    /// For a gate that the layer lacks.
    const NONE: GateScales = GateScales {
        input: Multiplier::ZERO,
        recurrent: Multiplier::ZERO,
        cell: Multiplier::ZERO,
        norm: Multiplier::ZERO,
        variance_guard: 1,
    };

    fn new(gate: Gate, layer: &Layer, node: &NodeView<'_>, cell_exponent: i32) -> Result<GateScales> {
        let layout = &layer.layout;
        let sum = match layout.norm.get() {
            Some(_) => scale(node.intermediate(gate as usize))?,
            None => 1.0 / 4096.0,
        };
        let x = input_quant(node, layout.x)?.scale;
        let output = input_quant(node, layout.output_state())?.scale;
        let cell = match layout.cell_to(gate) {
            Some(i) if layer.peephole => {
                quotient(power_of_two(cell_exponent), input_quant(node, i)?.scale, sum) as f32
            }
            _ => 1.0,
        };
        let norm = match layout.norm.get() {
            Some(i) => input_quant(node, i + gate as usize)?.scale,
            None => 1.0,
        };
        Ok(GateScales {
            input: multiplier(input_quant(node, layout.input_to(gate))?.scale * x / sum)?,
            recurrent: multiplier(input_quant(node, layout.recurrent_to(gate))?.scale * output / sum)?,
            cell: multiplier(cell)?,
            norm: multiplier(norm)?,
            variance_guard: ((10000.0 * norm) as i32).max(1),
        })
    }
}

impl IntegerLstm {
    /// Prepares all factors and declares the scratch memory.
    ///
    /// # Errors
    /// A tensor is not quantized, or a scale or zero point is out of range.
    pub fn prepare(
        (node, cx): (&NodeView<'_>, &mut PrepareContext<'_>),
        layer: &Layer,
        options: LstmOptions,
        batches: usize,
    ) -> Result<IntegerLstm> {
        let layout = &layer.layout;
        let cell_exponent = checked_cell_exponent(node, layout.cell_state())?;
        let (hidden_scale, hidden_zero_point) = node.intermediate(4)?.scale_and_zero_point()?;
        let output = input_quant(node, layout.output_state())?;
        let projection = if layer.projection { input_quant(node, layout.projection())?.scale } else { 1.0 };
        let mut gates = [GateScales::NONE; 4];
        for gate in layer.gates() {
            gates[gate as usize] = GateScales::new(gate, layer, node, cell_exponent)?;
        }
        let hidden = quotient(power_of_two(-30), 1.0, hidden_scale);
        Ok(IntegerLstm {
            layer: *layer,
            gates,
            hidden: multiplier(hidden as f32)?,
            hidden_zero_point,
            projection: multiplier(projection * hidden_scale / output.scale)?,
            cell_exponent,
            cell_clip: (options.cell_clip / input_quant(node, layout.cell_state())?.scale) as i16,
            projection_clip: (options.projection_clip / scale(node.output(0))?) as i8,
            input_zero_point: input_quant(node, layout.x)?.zero_point,
            output_zero_point: output.zero_point,
            batches,
            room: cx.scratch(layer.cells.saturating_mul(4))?,
            bytes: cx.scratch(layer.cells.saturating_add(layer.outputs))?,
        })
    }

    /// Runs the layer over `sequence`, whose input is `x`, and writes `columns` of `y`.
    ///
    /// # Errors
    /// A tensor does not have the prepared type, or the invocation is cancelled.
    pub fn eval(
        &self,
        cx: &EvalContext<'_>,
        (sequence, direction): (&Sequence, Direction),
        (columns, y): (Columns, &mut [i8]),
    ) -> Result<()> {
        let layer = &self.layer;
        let layout = &layer.layout;
        let x = cx.input_slice::<i8>(layout.x)?;
        let projection = self.projection_data(cx)?;
        let output_state = cx.variable::<i8>(layout.output_state())?;
        let cell_state = cx.variable::<i16>(layout.cell_state())?;
        let mut room = self.room(cx)?;
        let mut pace = Pace::new(cx);
        sequence.for_each(direction, |i, batch| {
            pace.ahead(layer.work())?;
            load(cell_state, batch, room.cell);
            load(output_state, batch, room.output);
            self.step(cx, row(x, i, layer.inputs), batch, &mut room)?;
            self.project(&projection, &mut room);
            store(room.cell, cell_state, batch);
            store(room.output, output_state, batch);
            columns.of(y, i, layer.outputs).copy_from_slice(room.output);
            Ok(())
        })
    }

    fn room<'a>(&self, cx: &EvalContext<'a>) -> Result<Room<'a>> {
        let cells = self.layer.cells;
        let (input, rest) = cx.scratch(&self.room)?.split_at_mut(cells);
        let (forget, rest) = rest.split_at_mut(cells);
        let (gate, cell) = rest.split_at_mut(cells);
        let (hidden, output) = cx.scratch(&self.bytes)?.split_at_mut(cells);
        Ok(Room { input, forget, gate, cell, hidden, output })
    }

    /// Reads the weights and the bias of a gate.
    fn read<'a>(&'a self, gate: Gate, cx: &EvalContext<'a>) -> Result<GateData<'a>> {
        let layer = &self.layer;
        let layout = &layer.layout;
        Ok(GateData {
            scales: &self.gates[gate as usize],
            input: cx.input_slice(layout.input_to(gate))?,
            recurrent: cx.input_slice(layout.recurrent_to(gate))?,
            cell: match layout.cell_to(gate) {
                Some(i) if layer.peephole => cx.input_slice(i)?,
                _ => &[],
            },
            norm: layout.norm.get().map_or(Ok(&[][..]), |i| cx.input_slice(i + gate as usize))?,
            bias: Bias::read(cx, layout.bias(gate))?,
        })
    }

    fn projection_data<'a>(&self, cx: &EvalContext<'a>) -> Result<Option<(&'a [i8], Bias<'a>)>> {
        let layout = &self.layer.layout;
        if !self.layer.projection {
            return Ok(None);
        }
        let bias = Bias::read(cx, layout.projection_bias())?;
        Ok(Some((cx.input_slice(layout.projection())?, bias)))
    }

    /// Advances the cell by one row, and leaves the output gate in `room.forget`.
    fn step(&self, cx: &EvalContext<'_>, x: &[i8], batch: usize, room: &mut Room<'_>) -> Result<()> {
        self.gate((Gate::Forget, cx), x, room.output, (room.cell, batch), room.forget)?;
        if self.layer.input_gate {
            self.gate((Gate::Input, cx), x, room.output, (room.cell, batch), room.input)?;
        } else {
            room.input.iter_mut().zip(&*room.forget).for_each(|(i, f)| *i = i16::MAX.wrapping_sub(*f));
        }
        self.gate((Gate::Cell, cx), x, room.output, (room.cell, batch), room.gate)?;
        let shift = (30 + self.cell_exponent) as u32;
        let pairs = room.forget.iter().zip(room.input.iter().zip(&*room.gate));
        for (c, (f, (i, g))) in room.cell.iter_mut().zip(pairs) {
            let (kept, new) = (multiply(*f, *c, 15), multiply(*i, *g, shift));
            *c = kept.saturating_add(new);
        }
        if self.cell_clip > 0 {
            room.cell.iter_mut().for_each(|c| *c = (*c).clamp(-self.cell_clip, self.cell_clip));
        }
        self.gate((Gate::Output, cx), x, room.output, (room.cell, batch), room.forget)
    }

    /// Computes a gate.
    #[inline(never)] // keeps the weights off the caller's stack
    fn gate(
        &self,
        (gate, cx): (Gate, &EvalContext<'_>),
        x: &[i8],
        output: &[i8],
        cell: (&[i16], usize),
        to: &mut [i16],
    ) -> Result<()> {
        self.sum(&self.read(gate, cx)?, x, output, cell, to);
        match gate {
            Gate::Cell => to.iter_mut().for_each(|g| *g = fixed_point_i16::tanh(*g)),
            _ => to.iter_mut().for_each(|g| *g = fixed_point_i16::logistic(*g)),
        }
        Ok(())
    }

    /// Computes the output from the cell and the output gate.
    fn project(&self, projection: &Option<(&[i8], Bias<'_>)>, room: &mut Room<'_>) {
        let bits = 15 + self.cell_exponent;
        let hidden = |c: i16, o: i16, zero_point: i32| {
            let product = i32::from(o) * i32::from(fixed_point_i16::tanh_of(c, bits));
            Limits::I8.clamp(self.hidden.apply(product).wrapping_add(zero_point)) as i8
        };
        let pairs = room.cell.iter().zip(&*room.forget);
        let Some((weights, bias)) = projection else {
            let outputs = room.output.iter_mut().zip(pairs);
            return outputs.for_each(|(h, (c, o))| *h = hidden(*c, *o, self.hidden_zero_point));
        };
        let zero_point = self.hidden_zero_point.wrapping_neg();
        room.hidden.iter_mut().zip(pairs).for_each(|(h, (c, o))| *h = hidden(*c, *o, zero_point));
        for (r, h) in room.output.iter_mut().enumerate() {
            let sum = dot(room.hidden, zero_point, row(weights, r, room.hidden.len()), 0);
            let sum = sum.wrapping_add(bias.at(r) as i32);
            *h = Limits::I8.clamp(self.projection.apply(sum).wrapping_add(self.output_zero_point)) as i8;
        }
        if self.projection_clip > 0 {
            let limit = self.projection_clip;
            room.output.iter_mut().for_each(|h| *h = (*h).clamp(-limit, limit));
        }
    }

    /// Computes a gate before its activation.
    fn sum(
        &self,
        gate: &GateData<'_>,
        x: &[i8],
        output: &[i8],
        (cell, batch): (&[i16], usize),
        to: &mut [i16],
    ) {
        let scales = gate.scales;
        let has_norm = !gate.norm.is_empty();
        for (r, to) in to.iter_mut().enumerate() {
            let bias = if has_norm { 0 } else { gate.bias.at(r) as i32 };
            let sum = dot(x, self.input_zero_point, row(gate.input, r, x.len()), 0).wrapping_add(bias);
            let seen = saturate(scales.input.apply(sum));
            let sum = dot(output, self.output_zero_point, row(gate.recurrent, r, output.len()), 0);
            *to = saturate(scales.recurrent.apply(sum).saturating_add(seen.into()));
        }
        if !gate.cell.is_empty() {
            self.peephole(gate, cell, batch, to);
        }
        if has_norm {
            normalize(gate, to);
        }
    }

    /// Adds `weights ⊙ cell`. TFLite uses the number of outputs instead of the number of cells. With the cells of all
    /// batches in a row, only the first `batches × outputs` of them get a weight, and the weights repeat every
    /// `outputs` cells.
    fn peephole(&self, gate: &GateData<'_>, cell: &[i16], batch: usize, to: &mut [i16]) {
        let outputs = self.layer.outputs.max(1);
        let first = if self.batches > 1 { batch * self.layer.cells } else { 0 };
        for (k, (to, c)) in to.iter_mut().zip(cell).enumerate() {
            let position = first + k;
            if position >= self.batches * outputs {
                break;
            }
            let v = position % outputs;
            let product = i32::from(gate.cell.get(v).copied().unwrap_or(0)) * i32::from(*c);
            // TFLite processes groups of sixteen with ties rounded up.
            let scaled = match v < outputs & !15 {
                true => gate.scales.cell.apply_ties_up(product),
                false => gate.scales.cell.apply(product),
            };
            *to = saturate(scaled.saturating_add((*to).into()));
        }
    }
}

/// Saturates to 16 bits.
pub(super) fn saturate(x: i32) -> i16 {
    x.clamp(i16::MIN.into(), i16::MAX.into()) as i16
}

/// Computes `a × b / 2^shift`, truncated to 16 bits.
pub(super) fn multiply(a: i16, b: i16, shift: u32) -> i16 {
    rounding_divide_by_pot(i32::from(a) * i32::from(b), shift) as i16
}

/// Layer norm, in steps of 2^-10 between subtracting the mean and applying the weights.
fn normalize(gate: &GateData<'_>, to: &mut [i16]) {
    let n = to.len() as i64;
    let (sum, squares) = to
        .iter()
        .fold((0i64, 0i64), |(sum, squares), &x| (sum + i64::from(x), squares + i64::from(x) * i64::from(x)));
    let mean = (sum * 1024 / n) as i32;
    let variance = squares * ((1 << 20) / n) - i64::from(mean) * i64::from(mean);
    let variance = (variance / (1 << 20)) as i32;
    let inverse = inverse_sqrt(if variance < 1 { gate.scales.variance_guard } else { variance });
    let norm = Multiplier { shift: gate.scales.norm.shift.saturating_add(12), ..gate.scales.norm };
    for (i, (x, &weight)) in to.iter_mut().zip(gate.norm).enumerate() {
        let shifted = 1024 * i32::from(*x) - mean;
        let weighted =
            inverse.apply(shifted).wrapping_mul(weight.into()).wrapping_add(gate.bias.at(i) as i32);
        let weighted = i64::from(weighted);
        let rounded = (weighted + if weighted > 0 { 512 } else { -512 }) / 1024;
        *x = saturate(norm.apply(rounded as i32));
    }
}
