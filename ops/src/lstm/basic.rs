//! The basic kernel. The state is passed in and out explicitly. All weights are in one matrix, whose rows belong to the
//! input gate `i`, the cell gate `g`, the forget gate `f` and the output gate `o`:
//!
//! ```text
//! a = W [x, h] + b       c ← σ(i) ⊙ tanh(g) + σ(f) ⊙ c       h ← σ(o) ⊙ tanh(c)
//! ```
//!
//! The third output is `[x, h]`, the fourth is `a`. u8 has `c` in Q4.11 and `a` in Q3.12.

use core::cell::Cell;

use arenite_abi::prelude::*;

use crate::kit::dot::{dot, dot_f32};
use crate::kit::fixed_point_i16::{logistic, multiply_by_pot, tanh};
use crate::kit::lstm_integer::cell_exponent;
use crate::kit::node;
use crate::kit::pace::Pace;
use crate::kit::recurrent::{self, expect, row, store};
use crate::kit::requantize::{
    Multiplier, rounding_divide_by_pot, saturating_rounding_doubling_high_mul_i16 as mul,
};
use crate::kit::single;

plain! {
    /// A prepared `LSTM` node with the basic kernel.
    pub struct Basic {
        batches: usize,
        inputs: usize,
        outputs: usize,
        /// For u8.
        quantized: Maybe<Scales>,
    }
}

plain! {
    /// The multiplier from sums to `a`, and the zero point of the weights.
    #[derive(Clone, Copy)]
    struct Scales {
        multiplier: Multiplier,
        zero_point: i32,
    }
}

const INPUT: usize = 0;
const PREVIOUS_OUTPUT: usize = 1;
const WEIGHTS: usize = 2;
const BIAS: usize = 3;
const PREVIOUS_CELL: usize = 4;

/// The zero point of u8 inputs.
const ZERO: i32 = 128;

impl Basic {
    pub(super) fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Basic> {
        node.expect(5..=5, 4..=4)?;
        let (x, previous) = (node.input(INPUT)?, node.input(PREVIOUS_OUTPUT)?);
        let (byte, bias, wide) = match x.ty {
            F32 => (F32, F32, F32),
            U8 => (U8, I32, I16),
            ty => return Err(unsupported!("no basic kernel for input {ty}")),
        };
        for x in [&x, &previous] {
            ensure!(x.rank() == 2, "{x} is {:?}; it must have 2 axes", x.shape);
        }
        let [x_dims, previous_dims] = [node::dims(&x)?, node::dims(&previous)?];
        let (batches, inputs, outputs) = (x_dims.size(0), x_dims.size(1), previous_dims.size(1));
        let gates = outputs.checked_mul(4).ok_or_else(|| invalid!("{outputs} outputs are too many"))?;
        let depth = inputs.saturating_add(outputs);
        expect(&previous, byte, &[batches, outputs])?;
        expect(&node.input(WEIGHTS)?, byte, &[gates, depth])?;
        expect(&node.input(BIAS)?, bias, &[gates])?;
        expect(&node.input(PREVIOUS_CELL)?, wide, &[batches, outputs])?;
        let shapes = [(byte, outputs), (wide, outputs), (byte, depth), (wide, gates)];
        for (i, (ty, columns)) in shapes.into_iter().enumerate() {
            let y = node.output(i)?;
            ensure!(y.ty == ty, "output {y} is {}; with input {} it must be {ty}", y.ty, x.ty);
            cx.set_output_shape(i, &recurrent::shape([batches, columns])?)?;
        }
        let quantized = if x.ty == U8 { Some(quantization(node)?) } else { None }.into();
        Ok(Basic { batches, inputs, outputs, quantized })
    }

    pub(super) fn eval(&self, cx: &EvalContext<'_>) -> Result<()> {
        match self.quantized.get() {
            None => self.eval_f32(cx),
            Some(quantized) => self.eval_u8(cx, quantized),
        }
    }

    fn eval_f32(&self, cx: &EvalContext<'_>) -> Result<()> {
        let weights = cx.input_slice::<f32>(WEIGHTS)?;
        let bias = cx.input_slice::<f32>(BIAS)?;
        let sum = |depth: &[f32], r: usize| dot_f32(depth, row(weights, r, depth.len())) + bias[r];
        self.steps(cx, sum, |i, g, f, o, c: f32| {
            let c = single::logistic(i) * single::tanh(g) + single::logistic(f) * c;
            (c, single::logistic(o) * single::tanh(c))
        })
    }

    fn eval_u8(&self, cx: &EvalContext<'_>, scales: Scales) -> Result<()> {
        let Scales { multiplier, zero_point } = scales;
        let weights = cx.input_slice::<u8>(WEIGHTS)?;
        let bias = cx.input_slice::<i32>(BIAS)?;
        let sum = |depth: &[u8], r: usize| {
            let sum = dot(depth, ZERO, row(weights, r, depth.len()), zero_point).wrapping_add(bias[r]);
            multiplier.apply_ties_up(sum).clamp(i16::MIN.into(), i16::MAX.into()) as i16
        };
        self.steps(cx, sum, |i, g, f, o, c: i16| {
            let new = multiply_by_pot(mul(logistic(i), tanh(g)), -4);
            let c = new.saturating_add(mul(logistic(f), c));
            let h = mul(logistic(o), tanh(multiply_by_pot(c, 1)));
            let h = rounding_divide_by_pot(h.into(), 8).clamp(-128, 127);
            (c, (h + ZERO) as u8)
        })
    }

    /// Computes `a` with `sum(depth, row of weights)`, and the new cell and output with `step(i, g, f, o, cell)`.
    fn steps<X: Element, A: Element>(
        &self,
        cx: &EvalContext<'_>,
        sum: impl Fn(&[X], usize) -> A,
        step: impl Fn(A, A, A, A, A) -> (A, X),
    ) -> Result<()> {
        let (outputs, depth) = (self.outputs, self.inputs + self.outputs);
        let x = cx.input_slice::<X>(INPUT)?;
        let previous = State::<X>::of(cx, PREVIOUS_OUTPUT)?;
        let previous_cell = State::<A>::of(cx, PREVIOUS_CELL)?;
        let h = cx.output_slice::<X>(0)?;
        let c = cx.output_slice::<A>(1)?;
        let joined = cx.output_slice::<X>(2)?;
        let a = cx.output_slice::<A>(3)?;
        let mut pace = Pace::new(cx);
        for batch in 0..self.batches {
            pace.ahead(depth.saturating_mul(4 * outputs).max(1))?;
            let joined = joined.get_mut(batch * depth..(batch + 1) * depth).unwrap_or_default();
            let (first, second) = joined.split_at_mut(self.inputs);
            first.copy_from_slice(row(x, batch, self.inputs));
            second.iter_mut().enumerate().for_each(|(k, to)| *to = previous.at(batch * outputs + k));
            let a = a.get_mut(batch * 4 * outputs..(batch + 1) * 4 * outputs).unwrap_or_default();
            a.iter_mut().enumerate().for_each(|(r, a)| *a = sum(joined, r));
            for k in 0..outputs {
                let at = batch * outputs + k;
                let gate = |g: usize| a[g * outputs + k];
                (c[at], h[at]) = step(gate(0), gate(1), gate(2), gate(3), previous_cell.at(at));
            }
        }
        previous.store(h);
        previous_cell.store(c);
        Ok(())
    }
}

/// The incoming state: a variable that the new state overwrites, or any other input.
enum State<'a, T> {
    Variable(&'a [Cell<T>]),
    Input(&'a [T]),
}

impl<'a, T: Element> State<'a, T> {
    fn of(cx: &EvalContext<'a>, i: usize) -> Result<Self> {
        Ok(match cx.node().input(i)?.is_variable() {
            true => State::Variable(cx.variable(i)?),
            false => State::Input(cx.input_slice(i)?),
        })
    }

    fn at(&self, i: usize) -> T {
        match self {
            State::Variable(cells) => cells[i].get(),
            State::Input(x) => x[i],
        }
    }

    fn store(&self, new: &[T]) {
        if let State::Variable(cells) = self {
            store(new, cells, 0);
        }
    }
}

fn quantization(node: &NodeView<'_>) -> Result<Scales> {
    let cell = node.output(1)?;
    let exponent = cell_exponent(&cell)?;
    ensure!(exponent == -11, "cell {cell} has scale 2^{exponent}; the basic kernel for {U8} needs 2^-11");
    let (bias, _) = node.input(BIAS)?.scale_and_zero_point()?;
    let multiplier = Multiplier::from_real(f64::from(4096.0 * bias)).ok_or_else(|| {
        invalid!("bias '{}' has scale {bias}; it must be finite", node.input(BIAS).map_or("", |b| b.name()))
    })?;
    Ok(Scales { multiplier, zero_point: node.input(WEIGHTS)?.scale_and_zero_point()?.1 })
}
