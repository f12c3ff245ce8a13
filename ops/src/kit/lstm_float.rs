//! The LSTM step on f32, with weights of f32, or of 8 bits, where inputs are quantized row by row (hybrid).
//!
//! Defined by: tflite/kernels/lstm_eval.cc (`LstmStepFloat`, `LstmStepHybrid`).

use arenite_abi::prelude::*;

use super::activation::Activation;
use super::bias::float_bias;
use super::float;
use super::lstm::{Gate, Layer, LstmOptions};
use super::pace::Pace;
use super::recurrent::{Columns, Diagonal, Direction, Matrix, Sequence, Vector, activate, load, row, store};
use super::single;

plain! {
    /// A prepared layer.
    pub struct FloatLstm {
        layer: Layer,
        options: LstmOptions,
        /// Scratch memory for three gates, the cell and the output.
        room: Scratch<f32>,
        /// Scratch memory for the quantized input, second input, output, and values to be projected; empty for weights
        /// of f32.
        quantized: Scratch<i8>,
    }
}

/// The weights and biases of a gate.
#[derive(Clone, Copy)]
struct GateData<'a> {
    input: Matrix<'a>,
    aux: Option<Matrix<'a>>,
    recurrent: Matrix<'a>,
    cell: Option<Diagonal<'a>>,
    norm: Option<&'a [f32]>,
    bias: &'a [f32],
}

/// The weights and biases of a layer.
struct LayerData<'a> {
    /// By number; without an input gate, the first is [`GateData::NONE`].
    gates: [GateData<'a>; 4],
    projection: Option<(Matrix<'a>, &'a [f32])>,
}

/// The inputs of one step.
struct Row<'a> {
    x: Vector<'a>,
    aux: Vector<'a>,
    output: Vector<'a>,
}

/// The scratch memory of one step.
struct Room<'a> {
    input: &'a mut [f32],
    forget: &'a mut [f32],
    gate: &'a mut [f32],
    cell: &'a mut [f32],
    output: &'a mut [f32],
    quantized: [&'a mut [i8]; 4],
}

impl FloatLstm {
    /// Declares the scratch memory of the layer.
    ///
    /// # Errors
    /// The layer is too large.
    pub fn prepare(layer: Layer, options: LstmOptions, cx: &mut PrepareContext<'_>) -> Result<FloatLstm> {
        let floats = layer.cells.checked_mul(4).and_then(|n| n.checked_add(layer.outputs));
        let floats = floats.ok_or_else(|| invalid!("{} cells are too many", layer.cells))?;
        let sizes = [layer.inputs, layer.aux, layer.outputs, layer.cells];
        let bytes = sizes.iter().fold(0usize, |sum, n| sum.saturating_add(*n));
        Ok(FloatLstm {
            layer,
            options,
            room: cx.scratch(floats)?,
            quantized: cx.scratch(if layer.weights == F32 { 0 } else { bytes })?,
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
        (columns, y): (Columns, &mut [f32]),
    ) -> Result<()> {
        let layer = &self.layer;
        let layout = &layer.layout;
        let x = cx.input_slice::<f32>(layout.x)?;
        let aux = layout.aux.get().map_or(Ok(&[][..]), |[x, _]| cx.input_slice::<f32>(x))?;
        let mut data = LayerData { gates: [GateData::NONE; 4], projection: None };
        for gate in layer.gates() {
            data.gates[gate as usize] = GateData::read(gate, layer, cx)?;
        }
        if layer.projection {
            let weights = Matrix::read(cx, layout.projection())?;
            data.projection = Some((weights, float_bias(cx, layout.projection_bias())?));
        }
        let output_state = cx.variable::<f32>(layout.output_state())?;
        let cell_state = cx.variable::<f32>(layout.cell_state())?;
        let mut room = self.room(cx)?;
        let mut pace = Pace::new(cx);
        sequence.for_each(direction, |i, batch| {
            pace.ahead(layer.work())?;
            load(cell_state, batch, room.cell);
            load(output_state, batch, room.output);
            self.step(&data, row(x, i, layer.inputs), row(aux, i, layer.aux), &mut room);
            store(room.cell, cell_state, batch);
            store(room.output, output_state, batch);
            columns.of(y, i, layer.outputs).copy_from_slice(room.output);
            Ok(())
        })
    }

    fn room<'a>(&self, cx: &EvalContext<'a>) -> Result<Room<'a>> {
        let layer = &self.layer;
        let (input, rest) = cx.scratch(&self.room)?.split_at_mut(layer.cells);
        let (forget, rest) = rest.split_at_mut(layer.cells);
        let (gate, rest) = rest.split_at_mut(layer.cells);
        let (cell, output) = rest.split_at_mut(layer.cells);
        let mut bytes = cx.scratch(&self.quantized)?;
        let hybrid = layer.weights != F32;
        let quantized = [layer.inputs, layer.aux, layer.outputs, layer.cells].map(|size| {
            let (part, rest) = core::mem::take(&mut bytes).split_at_mut(if hybrid { size } else { 0 });
            bytes = rest;
            part
        });
        Ok(Room { input, forget, gate, cell, output, quantized })
    }

    /// Advances the cell and the output in `room` by one row.
    fn step(&self, data: &LayerData<'_>, x: &[f32], aux: &[f32], room: &mut Room<'_>) {
        let options = &self.options;
        let [q_x, q_aux, q_output, q_cell] = &mut room.quantized;
        let row = Row {
            x: Vector::new(x, options.symmetry, q_x),
            aux: Vector::new(aux, options.symmetry, q_aux),
            output: Vector::new(room.output, options.symmetry, q_output),
        };
        let [input, forget, cell, output] = &data.gates;
        forget.apply(&row, room.cell, room.forget, single::logistic);
        match self.layer.input_gate {
            true => input.apply(&row, room.cell, room.input, single::logistic),
            false => room.input.iter_mut().zip(&*room.forget).for_each(|(i, f)| *i = 1.0 - f),
        }
        cell.sum(&row, room.cell, room.gate);
        activate(options.activation, room.gate);
        for ((c, f), (i, g)) in
            room.cell.iter_mut().zip(&*room.forget).zip(room.input.iter().zip(&*room.gate))
        {
            *c = f * *c + i * g;
        }
        clip(room.cell, options.cell_clip);
        output.apply(&row, room.cell, room.forget, single::logistic);
        // Without an activation, the cell gate is used in place of the activated cell, as in TFLite.
        if options.activation != Activation::None {
            room.gate.copy_from_slice(room.cell);
            activate(options.activation, room.gate);
        }
        room.gate.iter_mut().zip(&*room.forget).for_each(|(h, o)| *h *= o);
        let Some((weights, bias)) = data.projection else {
            return room.output.copy_from_slice(room.gate);
        };
        set(room.output, bias);
        weights.accumulate(&Vector::new(room.gate, options.symmetry, q_cell), room.output);
        clip(room.output, options.projection_clip);
    }
}

impl<'a> GateData<'a> {
    const NONE: GateData<'static> = GateData {
        input: Matrix::Float(&[]),
        aux: None,
        recurrent: Matrix::Float(&[]),
        cell: None,
        norm: None,
        bias: &[],
    };

    #[inline(never)]
    fn read(gate: Gate, layer: &Layer, cx: &EvalContext<'a>) -> Result<GateData<'a>> {
        let layout = &layer.layout;
        let matrix = |i: usize| Matrix::read(cx, i);
        Ok(GateData {
            input: matrix(layout.input_to(gate))?,
            aux: layout.aux.get().map(|[_, weights]| matrix(weights + gate as usize)).transpose()?,
            recurrent: matrix(layout.recurrent_to(gate))?,
            cell: match layout.cell_to(gate) {
                Some(i) if layer.peephole => Some(Diagonal::read(cx, i)?),
                _ => None,
            },
            norm: layout.norm.get().map(|i| cx.input_slice(i + gate as usize)).transpose()?,
            bias: float_bias(cx, layout.bias(gate))?,
        })
    }

    fn apply(&self, row: &Row<'_>, cell: &[f32], to: &mut [f32], activation: fn(f32) -> f32) {
        self.sum(row, cell, to);
        to.iter_mut().for_each(|x| *x = activation(*x));
    }

    /// Computes a gate before its activation.
    fn sum(&self, row: &Row<'_>, cell: &[f32], to: &mut [f32]) {
        set(to, if self.norm.is_some() { &[] } else { self.bias });
        self.input.accumulate(&row.x, to);
        if let Some(aux) = &self.aux {
            aux.accumulate(&row.aux, to);
        }
        self.recurrent.accumulate(&row.output, to);
        if let Some(weights) = &self.cell {
            weights.accumulate(cell, to);
        }
        if let Some(norm) = self.norm {
            normalize(to);
            to.iter_mut().zip(norm.iter().zip(self.bias)).for_each(|(x, (n, b))| *x = *x * n + b);
        }
    }
}

/// Copies a bias, or zeros if it is empty.
fn set(to: &mut [f32], bias: &[f32]) {
    to.iter_mut().enumerate().for_each(|(i, to)| *to = bias.get(i).copied().unwrap_or(0.0));
}

/// Clamps to `[-limit, limit]`; a limit of 0 means no limit.
fn clip(values: &mut [f32], limit: f32) {
    if limit > 0.0 {
        values.iter_mut().for_each(|x| *x = x.min(limit).max(-limit));
    }
}

/// Normalizes to mean 0 and variance 1.
fn normalize(values: &mut [f32]) {
    let n = values.len() as f32;
    let mean = values.iter().sum::<f32>() / n;
    let variance = values.iter().map(|x| (x - mean) * (x - mean)).sum::<f32>() / n;
    let inverse = 1.0 / float::sqrt(variance + 1e-8);
    values.iter_mut().for_each(|x| *x = (*x - mean) * inverse);
}
