//! BIDIRECTIONAL_SEQUENCE_RNN: two fully connected recurrent layers over sequences, one for each direction of time. The
//! results go to two outputs, or are concatenated in one. A second input with weights is added in both layers; without
//! weights it is the input of the backward layer. f32; f32 × i8, u8, where inputs are quantized at run time (hybrid).
//! As in TFLite, hybrid layers run over a time-major sequence once per time step, and the backward layer of a
//! batch-major sequence always reads the first input.
//! Defined by: tflite/kernels/bidirectional_sequence_rnn.cc.

use arenite_abi::prelude::*;
use arenite_abi::schema::BidirectionalSequenceRNNOptions;

use crate::kit::node;
use crate::kit::recurrent::{self, Direction, Directions, Order, SecondInput, Sequence};
use crate::kit::rnn::{RnnLayer, RnnLayout};

plain! {
    /// A prepared `BIDIRECTIONAL_SEQUENCE_RNN` node.
    pub struct BidirectionalSequenceRnn {
        sequence: Sequence,
        directions: Directions,
        forward: RnnLayer,
        backward: RnnLayer,
    }
}

const AUX: usize = 9;

impl Op for BidirectionalSequenceRnn {
    const CODE: OpCode = OpCode::Builtin(op::BIDIRECTIONAL_SEQUENCE_RNN);
    const VERSIONS: RangeInclusive<i32> = 1..=3;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I8, U8]);
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let options = node.options()?;
        let merged = options.get(BidirectionalSequenceRNNOptions::MERGE_OUTPUTS)?;
        let outputs = if merged { 1 } else { 2 };
        node.expect(12..=12, outputs..=outputs)?;
        let x = node.input(0)?;
        ensure!(x.rank() == 3, "input {x} is {:?}; it must have 3 axes", x.shape);
        let order = Order::new(options.get(BidirectionalSequenceRNNOptions::TIME_MAJOR)?);
        let sequence = Sequence::of(&x, order)?;
        let second = SecondInput::read(node, AUX, [AUX + 1, AUX + 2])?;
        let aux = |weights: usize| -> Maybe<[usize; 2]> {
            (second == SecondInput::Added).then_some([AUX, weights]).into()
        };
        let options = (
            node::activation(options.get(BidirectionalSequenceRNNOptions::FUSED_ACTIVATION_FUNCTION)?)?,
            recurrent::symmetry(options.get(BidirectionalSequenceRNNOptions::ASYMMETRIC_QUANTIZE_INPUTS)?),
        );
        let layout = RnnLayout { x: 0, weights: 1, aux: aux(AUX + 1) };
        let forward = RnnLayer::prepare((node, &mut *cx), layout, options, sequence.batches)?;
        let hybrid = node.input(1)?.ty != F32;
        let x_of_backward = if hybrid && order == Order::BatchMajor { 0 } else { second.of_backward(AUX) };
        let layout = RnnLayout { x: x_of_backward, weights: 5, aux: aux(AUX + 2) };
        let backward = RnnLayer::prepare((node, &mut *cx), layout, options, sequence.batches)?;
        let directions = Directions::new(forward.units(), backward.units(), outputs);
        directions.set_output_shapes((node, &mut *cx), x.shape)?;
        let again = hybrid && order == Order::TimeMajor && sequence.batches > 0;
        let passes = if again { sequence.times } else { 1 };
        let (forward, backward) = (forward.repeated(passes), backward.repeated(passes));
        Ok(BidirectionalSequenceRnn { sequence, directions, forward, backward })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        self.directions.eval(
            cx,
            |columns, y| self.forward.eval(cx, (&self.sequence, Direction::Forward), (columns, y)),
            |columns, y| self.backward.eval(cx, (&self.sequence, Direction::Backward), (columns, y)),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn number(x: f32) -> Tensor {
        Tensor::f32(&[1, 1], &[x])
    }

    /// Both layers compute `y = x + 10 h`; the backward one adds 0.5.
    fn layers() -> OpTest<BidirectionalSequenceRnn> {
        let test = OpTest::new().input(Tensor::f32(&[1, 3, 1], &[1., 2., 3.]));
        let test = test.constant(number(1.)).constant(number(10.)).constant(Tensor::f32(&[1], &[0.]));
        let test = test.variable(number(0.)).constant(number(1.)).constant(number(10.));
        test.constant(Tensor::f32(&[1], &[0.5])).variable(number(0.))
    }

    #[test]
    fn two_outputs_and_one() {
        let test = layers().absent().absent().absent();
        let y = test.clone().output(Spec::f32()).output(Spec::f32()).run_with_variables().unwrap();
        assert_eq!(y.outputs[0].as_f32(), [1., 12., 123.]);
        assert_eq!(y.outputs[1].as_f32(), [376.5, 37.5, 3.5]);
        assert_eq!([y.variables[0].as_f32(), y.variables[1].as_f32()], [[123.], [376.5]]);
        let merged = test
            .output(Spec::f32())
            .options(|o| o.set(BidirectionalSequenceRNNOptions::MERGE_OUTPUTS, true))
            .run()
            .unwrap();
        assert_eq!(merged[0].shape(), [1, 3, 2]);
        assert_eq!(merged[0].as_f32(), [1., 376.5, 12., 37.5, 123., 3.5]);
    }

    #[test]
    fn second_inputs() {
        let aux = Tensor::f32(&[1, 3, 1], &[4., 5., 6.]);
        let added = layers().input(aux.clone()).constant(number(100.)).constant(number(1000.));
        let y = added.output(Spec::f32()).output(Spec::f32()).run().unwrap();
        assert_eq!(y[0].as_f32(), [401., 4512., 45723.]);
        assert_eq!(y[1].as_f32()[2], 6003.5);
        let stacked = layers().input(aux).absent().absent();
        let y = stacked.output(Spec::f32()).output(Spec::f32()).run().unwrap();
        assert_eq!(y[0].as_f32(), [1., 12., 123.]);
        assert_eq!(y[1].as_f32(), [709.5, 70.5, 6.5]);
    }

    #[test]
    fn weights_of_8_bits_in_time_major_order_run_again() {
        let byte = |x: i8, scale: f32| Tensor::i8(&[1, 1], &[x]).quantized(scale, 0);
        let bias = || Tensor::f32(&[1], &[0.]);
        let layers = |shape: &[i32]| {
            let test = OpTest::<BidirectionalSequenceRnn>::new().input(Tensor::f32(shape, &[1., 2.]));
            let layer = |test: OpTest<_>| {
                let test = test.constant(byte(1, 1.0)).constant(byte(10, 1.0)).constant(bias());
                test.variable(number(0.))
            };
            let test = layer(layer(test)).absent().absent().absent();
            test.output(Spec::f32()).output(Spec::f32())
        };
        let near = |y: &Tensor, want: [f32; 2]| {
            let y = y.as_f32();
            assert!(y.iter().zip(want).all(|(y, want)| (y / want - 1.0).abs() < 1e-5), "{y:?}, not {want:?}");
        };
        let y = layers(&[1, 2, 1]).run().unwrap();
        near(&y[0], [1., 12.]);
        near(&y[1], [21., 2.]);
        // The second pass starts with the states 12 and 21.
        let y = layers(&[2, 1, 1])
            .options(|o| o.set(BidirectionalSequenceRNNOptions::TIME_MAJOR, true))
            .run()
            .unwrap();
        near(&y[0], [121., 1212.]);
        near(&y[1], [2121., 212.]);
    }
}
