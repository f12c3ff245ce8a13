//! RNN: one step of a fully connected recurrent layer, `h ← activation(W x + R h + b)`, whose state is the output. f32;
//! f32 × i8, u8, where inputs are quantized at run time (hybrid).
//! Defined by: tflite/kernels/basic_rnn.cc.

use arenite_abi::prelude::*;
use arenite_abi::schema::RNNOptions;

use crate::kit::node;
use crate::kit::recurrent::{self, Columns, Direction, Order, Sequence};
use crate::kit::rnn::{RnnLayer, RnnLayout};

plain! {
    /// A prepared `RNN` node.
    pub struct Rnn {
        sequence: Sequence,
        layer: RnnLayer,
    }
}

impl Op for Rnn {
    const CODE: OpCode = OpCode::Builtin(op::RNN);
    const VERSIONS: RangeInclusive<i32> = 1..=3;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I8, U8]);
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        node.expect(5..=5, 1..=1)?;
        let options = node.options()?;
        let options = (
            node::activation(options.get(RNNOptions::FUSED_ACTIVATION_FUNCTION)?)?,
            recurrent::symmetry(options.get(RNNOptions::ASYMMETRIC_QUANTIZE_INPUTS)?),
        );
        let x = node.input(0)?;
        ensure!(x.rank() == 2, "input {x} is {:?}; it must have 2 axes", x.shape);
        let sequence = Sequence::of(&x, Order::TimeMajor)?;
        let layout = RnnLayout { x: 0, weights: 1, aux: Maybe::Absent };
        let layer = RnnLayer::prepare((node, cx), layout, options, sequence.batches)?;
        recurrent::expect_output(node, 0, F32)?;
        cx.set_output_shape(0, &recurrent::shape([sequence.batches, layer.units()])?)?;
        Ok(Rnn { sequence, layer })
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
    use arenite_abi::schema::activation;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn layer(weights: Tensor, recurrent: Tensor) -> OpTest<Rnn> {
        let test = OpTest::new().input(Tensor::f32(&[2, 2], &[1., 2., -1., 0.])).constant(weights);
        let test = test.constant(recurrent).constant(Tensor::f32(&[2], &[0.5, -1.0]));
        test.variable(Tensor::f32(&[2, 2], &[1., 1., 0., -2.])).output(Spec::f32())
    }

    #[test]
    fn float_with_every_activation() {
        let (w, r) = (Tensor::f32(&[2, 2], &[1., 2., 3., 4.]), Tensor::f32(&[2, 2], &[1., 0., 2., -1.]));
        // Row 0: [1 + 4 + 1 + .5, 3 + 8 + 2 - 1 - 1]; row 1: [-1 + 0 + 0 + .5, -3 + 2 - 1].
        for (activation, want) in [
            (0, [6.5, 11.0, -0.5, -2.0]),
            (1, [6.5, 11.0, 0.0, 0.0]),
            (2, [1.0, 1.0, -0.5, -1.0]),
            (3, [6.0, 6.0, 0.0, 0.0]),
            (5, [0.0, 0.0, 1.0, 1.0]),
        ] {
            let test = layer(w.clone(), r.clone())
                .options(|o| o.set(RNNOptions::FUSED_ACTIVATION_FUNCTION, activation));
            let outcome = test.run_with_variables().unwrap();
            assert_eq!(outcome.outputs[0].as_f32(), want, "activation {activation}");
            assert_eq!(outcome.variables[0].as_f32(), want, "the state is the output");
        }
        let tanh = layer(w, r)
            .options(|o| o.set(RNNOptions::FUSED_ACTIVATION_FUNCTION, activation::TANH))
            .run()
            .unwrap()[0]
            .as_f32();
        assert!((tanh[2] - (-0.5f32).tanh()).abs() < 1e-6);
    }

    #[test]
    fn weights_of_8_bits() {
        let w = Tensor::i8(&[2, 2], &[1, 2, 3, 4]).quantized(0.5, 0);
        let r = Tensor::i8(&[2, 2], &[1, 0, 2, -1]).quantized(1.0, 0);
        // Row 0: x is [64, 127] steps of 2/127, h [127, 127] of 1/127.
        let half = 2.0 / 127.0 * 0.5;
        let want = [318.0 * half + 1.0 + 0.5, 700.0 * half + 1.0 - 1.0, -0.5 + 0.5, -1.5 + 2.0 - 1.0];
        let u8 = |x: &Tensor| {
            Tensor::raw(U8, x.shape(), x.bytes()).quantized(x.quantization().unwrap().scales[0], 0)
        };
        for (w, r) in [(w.clone(), r.clone()), (u8(&w), u8(&r))] {
            let y = layer(w, r).run().unwrap()[0].as_f32();
            assert!(y.iter().zip(want).all(|(y, want)| (y - want).abs() < 1e-5), "{y:?}, not {want:?}");
        }
    }
}
