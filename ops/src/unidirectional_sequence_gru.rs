//! Custom op UNIDIRECTIONAL_SEQUENCE_GRU: a layer of gated recurrent units over sequences `[times, batches, features]`:
//!
//! ```text
//! r, u = σ(W [x, h] + b)       h ← (1 - u) ⊙ tanh(W' [x, r ⊙ h] + b') + u ⊙ h
//! ```
//!
//! The second output is the last `h`. f32.
//! Defined by: tflite/kernels/{unidirectional_sequence_gru.cc,gru_cell.cc}.

use arenite_abi::prelude::*;

use crate::kit::dot::dot_f32;
use crate::kit::node;
use crate::kit::pace::Pace;
use crate::kit::recurrent::{Direction, Order, Sequence, expect, expect_output, row};
use crate::kit::single;

plain! {
    /// A prepared `UNIDIRECTIONAL_SEQUENCE_GRU` node.
    pub struct UnidirectionalSequenceGru {
        sequence: Sequence,
        outputs: usize,
        /// Scratch memory for `[x, h]`, then `r` and `u`.
        room: Scratch<f32>,
    }
}

impl Op for UnidirectionalSequenceGru {
    const CODE: OpCode = OpCode::Custom("UNIDIRECTIONAL_SEQUENCE_GRU");
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[F32]);
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        node.expect(6..=6, 2..=2)?;
        let (x, state) = (node.input(0)?, node.input(1)?);
        ensure!(x.rank() == 3, "input {x} is {:?}; it must have 3 axes", x.shape);
        ensure!(state.rank() == 2, "state {state} is {:?}; it must have 2 axes", state.shape);
        let sequence = Sequence::of(&x, Order::TimeMajor)?;
        let outputs = node::dims(&state)?.size(1);
        let columns = sequence.features.saturating_add(outputs);
        let gates = outputs.saturating_mul(2);
        let shapes: [&[usize]; 6] = [
            &[sequence.times, sequence.batches, sequence.features],
            &[sequence.batches, outputs],
            &[gates, columns],
            &[gates],
            &[outputs, columns],
            &[outputs],
        ];
        for (i, shape) in shapes.into_iter().enumerate() {
            expect(&node.input(i)?, F32, shape)?;
        }
        for i in 0..2 {
            expect_output(node, i, F32)?;
        }
        cx.set_output_shape(0, &[x.shape[0], x.shape[1], state.shape[1]])?;
        cx.set_output_shape(1, state.shape)?;
        let room = cx.scratch(columns.saturating_add(gates))?;
        Ok(UnidirectionalSequenceGru { sequence, outputs, room })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let (features, outputs) = (self.sequence.features, self.outputs);
        let data = |i: usize| cx.input_slice::<f32>(i);
        let (x, first) = (data(0)?, data(1)?);
        let (weights, bias, candidate, candidate_bias) = (data(2)?, data(3)?, data(4)?, data(5)?);
        let y = cx.output_slice::<f32>(0)?;
        let state = cx.output_slice::<f32>(1)?;
        state.copy_from_slice(first);
        let (joined, gates) = cx.scratch(&self.room)?.split_at_mut(features + outputs);
        let mut pace = Pace::new(cx);
        self.sequence.for_each(Direction::Forward, |i, batch| {
            pace.ahead(joined.len().saturating_mul(3 * outputs).max(1))?;
            let h = state.get_mut(batch * outputs..(batch + 1) * outputs).unwrap_or_default();
            joined[..features].copy_from_slice(row(x, i, features));
            joined[features..].copy_from_slice(h);
            for (r, (gate, b)) in gates.iter_mut().zip(bias).enumerate() {
                *gate = single::logistic(dot_f32(joined, row(weights, r, joined.len())) + b);
            }
            let (reset, update) = gates.split_at(outputs);
            joined[features..].iter_mut().zip(reset).for_each(|(h, r)| *h *= r);
            for (k, (h, u)) in h.iter_mut().zip(update).enumerate() {
                let new = single::tanh(dot_f32(joined, row(candidate, k, joined.len())) + candidate_bias[k]);
                *h = (1.0 - u) * new + u * *h;
            }
            y.get_mut(i * outputs..(i + 1) * outputs).unwrap_or_default().copy_from_slice(h);
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn layer(weights: Tensor) -> OpTest<UnidirectionalSequenceGru> {
        let test =
            OpTest::new().input(Tensor::f32(&[2, 1, 1], &[0.5, -1.0])).input(Tensor::f32(&[1, 1], &[0.25]));
        let test = test.constant(weights).constant(Tensor::f32(&[2], &[0.1, -0.1]));
        let test = test.constant(Tensor::f32(&[1, 2], &[1.5, -2.0])).constant(Tensor::f32(&[1], &[0.2]));
        test.output(Spec::f32()).output(Spec::f32())
    }

    #[test]
    fn two_steps() {
        let y = layer(Tensor::f32(&[2, 2], &[1., 2., 3., 4.])).run().unwrap();
        let logistic = |x: f64| 1.0 / (1.0 + (-x).exp());
        let mut h = 0.25f64;
        for (x, y) in [0.5, -1.0].into_iter().zip(y[0].as_f32()) {
            let (r, u) = (logistic(x + 2.0 * h + 0.1), logistic(3.0 * x + 4.0 * h - 0.1));
            h = (1.0 - u) * (1.5 * x - 2.0 * r * h + 0.2).tanh() + u * h;
            assert!((f64::from(y) - h).abs() < 1e-6, "{y}, not {h}");
        }
        assert_eq!(y[1].as_f32(), y[0].as_f32()[1..]);
        assert_eq!((y[0].shape(), y[1].shape()), (&[2, 1, 1][..], &[1, 1][..]));
    }
}
