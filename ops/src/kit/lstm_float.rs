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
        let output_state = cx.variable::<f32>(layout.output_state())?;
        let cell_state = cx.variable::<f32>(layout.cell_state())?;
        let mut room = self.room(cx)?;
        let mut pace = Pace::new(cx);
        sequence.for_each(direction, |i, batch| {
            pace.ahead(layer.work())?;
            load(cell_state, batch, room.cell);
            load(output_state, batch, room.output);
            self.step(cx, row(x, i, layer.inputs), row(aux, i, layer.aux), &mut room)?;
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
    fn step(&self, cx: &EvalContext<'_>, x: &[f32], aux: &[f32], room: &mut Room<'_>) -> Result<()> {
        let options = &self.options;
        let [q_x, q_aux, q_output, q_cell] = &mut room.quantized;
        let row = Row {
            x: Vector::new(x, options.symmetry, q_x),
            aux: Vector::new(aux, options.symmetry, q_aux),
            output: Vector::new(room.output, options.symmetry, q_output),
        };
        self.gate(Gate::Forget, cx, &row, room.cell, room.forget)?;
        match self.layer.input_gate {
            true => self.gate(Gate::Input, cx, &row, room.cell, room.input)?,
            false => room.input.iter_mut().zip(&*room.forget).for_each(|(i, f)| *i = 1.0 - f),
        }
        self.gate(Gate::Cell, cx, &row, room.cell, room.gate)?;
        activate(options.activation, room.gate);
        for ((c, f), (i, g)) in
            room.cell.iter_mut().zip(&*room.forget).zip(room.input.iter().zip(&*room.gate))
        {
            *c = f * *c + i * g;
        }
        clip(room.cell, options.cell_clip);
        self.gate(Gate::Output, cx, &row, room.cell, room.forget)?;
        // Without an activation, the cell gate is used in place of the activated cell, as in TFLite.
        if options.activation != Activation::None {
            room.gate.copy_from_slice(room.cell);
            activate(options.activation, room.gate);
        }
        room.gate.iter_mut().zip(&*room.forget).for_each(|(h, o)| *h *= o);
        if !self.layer.projection {
            room.output.copy_from_slice(room.gate);
            return Ok(());
        }
        let hidden = Vector::new(room.gate, options.symmetry, q_cell);
        self.project(cx, &hidden, room.output)
    }

    /// Computes a gate; the cell gate before its activation. Each step looks up the slices of its weights: kept for all
    /// gates, they would not fit a small stack.
    #[inline(never)] // keeps them off the caller's stack
    fn gate(
        &self,
        gate: Gate,
        cx: &EvalContext<'_>,
        row: &Row<'_>,
        cell: &[f32],
        to: &mut [f32],
    ) -> Result<()> {
        let layout = &self.layer.layout;
        let bias = float_bias(cx, layout.bias(gate))?;
        set(to, if layout.norm.get().is_some() { &[] } else { bias });
        Matrix::read(cx, layout.input_to(gate))?.accumulate(&row.x, to);
        if let Some([_, weights]) = layout.aux.get() {
            Matrix::read(cx, weights + gate as usize)?.accumulate(&row.aux, to);
        }
        Matrix::read(cx, layout.recurrent_to(gate))?.accumulate(&row.output, to);
        if let (Some(i), true) = (layout.cell_to(gate), self.layer.peephole) {
            Diagonal::read(cx, i)?.accumulate(cell, to);
        }
        if let Some(i) = layout.norm.get() {
            let norm = cx.input_slice::<f32>(i + gate as usize)?;
            normalize(to);
            to.iter_mut().zip(norm.iter().zip(bias)).for_each(|(x, (n, b))| *x = *x * n + b);
        }
        if gate != Gate::Cell {
            to.iter_mut().for_each(|x| *x = single::logistic(*x));
        }
        Ok(())
    }

    #[inline(never)] // as above
    fn project(&self, cx: &EvalContext<'_>, hidden: &Vector<'_>, output: &mut [f32]) -> Result<()> {
        let layout = &self.layer.layout;
        set(output, float_bias(cx, layout.projection_bias())?);
        Matrix::read(cx, layout.projection())?.accumulate(hidden, output);
        clip(output, self.options.projection_clip);
        Ok(())
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
