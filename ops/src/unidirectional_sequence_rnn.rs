//! UNIDIRECTIONAL_SEQUENCE_RNN: a fully connected recurrent layer over sequences, `h ← activation(W x + R h + b)` for
//! each row. The state persists between invocations. f32; f32 × i8, u8, where inputs are quantized at run time
//! (hybrid).
//! Defined by: tflite/kernels/unidirectional_sequence_rnn.cc.

use arenite_abi::prelude::*;
use arenite_abi::schema::SequenceRNNOptions;

use crate::kit::node;
use crate::kit::recurrent::{self, Columns, Direction, Order, Sequence};
use crate::kit::rnn::{RnnLayer, RnnLayout};

plain! {
    /// A prepared `UNIDIRECTIONAL_SEQUENCE_RNN` node.
    pub struct UnidirectionalSequenceRnn {
        sequence: Sequence,
        layer: RnnLayer,
    }
}

impl Op for UnidirectionalSequenceRnn {
    const CODE: OpCode = OpCode::Builtin(op::UNIDIRECTIONAL_SEQUENCE_RNN);
    const VERSIONS: RangeInclusive<i32> = 1..=3;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I8, U8]);
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        node.expect(5..=5, 1..=1)?;
        let options = node.options()?;
        let x = node.input(0)?;
        ensure!(x.rank() == 3, "input {x} is {:?}; it must have 3 axes", x.shape);
        let sequence = Sequence::of(&x, Order::new(options.get(SequenceRNNOptions::TIME_MAJOR)?))?;
        let options = (
            node::activation(options.get(SequenceRNNOptions::FUSED_ACTIVATION_FUNCTION)?)?,
            recurrent::symmetry(options.get(SequenceRNNOptions::ASYMMETRIC_QUANTIZE_INPUTS)?),
        );
        let layout = RnnLayout { x: 0, weights: 1, aux: Maybe::Absent };
        let layer = RnnLayer::prepare((node, cx), layout, options, sequence.batches)?;
        let [units] = recurrent::shape([layer.units()])?;
        recurrent::expect_output(node, 0, F32)?;
        cx.set_output_shape(0, &[x.shape[0], x.shape[1], units])?;
        Ok(UnidirectionalSequenceRnn { sequence, layer })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let columns = Columns { width: self.layer.units(), first: 0 };
        let y = cx.output_slice(0)?;
        self.layer.eval(cx, (&self.sequence, Direction::Forward), (columns, y))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn layer(x: Tensor, time_major: bool) -> OpTest<UnidirectionalSequenceRnn> {
        let test = OpTest::new().input(x).constant(Tensor::f32(&[1, 1], &[1.]));
        let test = test.constant(Tensor::f32(&[1, 1], &[10.])).constant(Tensor::f32(&[1], &[0.]));
        let test = test.variable(Tensor::f32(&[2, 1], &[0., 7.])).output(Spec::f32());
        test.options(|o| o.set(SequenceRNNOptions::TIME_MAJOR, time_major))
    }

    #[test]
    fn rows_of_both_orders() {
        // y = x + 10 h: the decimal digits show the order of the rows.
        let x = [1., 2., 3., 4., 5., 6.];
        let outcome = layer(Tensor::f32(&[2, 3, 1], &x), false).run_with_variables().unwrap();
        assert_eq!(outcome.outputs[0].as_f32(), [1., 12., 123., 74., 745., 7456.]);
        assert_eq!(outcome.variables[0].as_f32(), [123., 7456.]);
        let outcome = layer(Tensor::f32(&[3, 2, 1], &x), true).run_with_variables().unwrap();
        assert_eq!(outcome.outputs[0].as_f32(), [1., 72., 13., 724., 135., 7246.]);
        assert_eq!(outcome.variables[0].as_f32(), [135., 7246.]);
        assert_eq!(outcome.outputs[0].shape(), [3, 2, 1]);
    }
}
