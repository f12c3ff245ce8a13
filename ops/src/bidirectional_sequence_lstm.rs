//! BIDIRECTIONAL_SEQUENCE_LSTM: two LSTM layers (formula: [`kit::lstm`](crate::kit::lstm)) over sequences, one for each
//! direction of time. The results go to two outputs, or are concatenated in one. A second input with weights is added
//! in both layers; without weights it is the input of the backward layer. f32; f32 × i8, u8, where inputs are quantized
//! at run time (hybrid).
//! Defined by: tflite/kernels/bidirectional_sequence_lstm.cc.

use arenite_abi::prelude::*;
use arenite_abi::schema::BidirectionalSequenceLSTMOptions as Fields;

use crate::kit::lstm::{Layer, Layout, LstmOptions};
use crate::kit::lstm_float::FloatLstm;
use crate::kit::recurrent::{Direction, Directions, Order, SecondInput, Sequence};

plain! {
    /// A prepared `BIDIRECTIONAL_SEQUENCE_LSTM` node.
    pub struct BidirectionalSequenceLstm {
        sequence: Sequence,
        directions: Directions,
        forward: FloatLstm,
        backward: FloatLstm,
    }
}

const AUX: usize = 39;
const FORWARD: Layout = Layout { x: 0, weights: 1, state: 35, norm: Maybe::Absent, aux: Maybe::Absent };
const BACKWARD: Layout = Layout { x: 0, weights: 18, state: 37, norm: Maybe::Absent, aux: Maybe::Absent };

impl Op for BidirectionalSequenceLstm {
    const CODE: OpCode = OpCode::Builtin(op::BIDIRECTIONAL_SEQUENCE_LSTM);
    const VERSIONS: RangeInclusive<i32> = 1..=3;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I8, U8]);
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let options = node.options()?;
        let outputs = if options.get(Fields::MERGE_OUTPUTS)? { 1 } else { 2 };
        node.expect(48..=48, outputs..=outputs)?;
        let x = node.input(0)?;
        ensure!(x.rank() == 3, "input {x} is {:?}; it must have 3 axes", x.shape);
        ensure!(x.ty == F32, "input {x} is {}; it must be {F32}", x.ty);
        let sequence = Sequence::of(&x, Order::new(options.get(Fields::TIME_MAJOR)?))?;
        let (forward_aux, backward_aux) = (AUX + 1, AUX + 5);
        let second = SecondInput::read(
            node,
            AUX,
            [
                forward_aux + 1,
                forward_aux + 2,
                forward_aux + 3,
                backward_aux + 1,
                backward_aux + 2,
                backward_aux + 3,
            ],
        )?;
        let aux = |weights: usize| (second == SecondInput::Added).then_some([AUX, weights]).into();
        let layer = |layout: Layout| {
            let layer = Layer::read(node, layout, sequence.batches)?;
            ensure!(
                layer.inputs == sequence.features,
                "input {x} is {:?}, weights have {} columns; they must agree",
                x.shape,
                layer.inputs
            );
            Ok(layer)
        };
        let forward = layer(Layout { aux: aux(forward_aux), ..FORWARD })?;
        let backward = layer(Layout { aux: aux(backward_aux), x: second.of_backward(AUX), ..BACKWARD })?;
        let directions = Directions::new(forward.outputs, backward.outputs, outputs);
        directions.set_output_shapes((node, &mut *cx), x.shape)?;
        let lstm_options = lstm_options(&options)?;
        Ok(BidirectionalSequenceLstm {
            sequence,
            directions,
            forward: FloatLstm::prepare(forward, lstm_options, cx)?,
            backward: FloatLstm::prepare(backward, lstm_options, cx)?,
        })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        self.directions.eval(
            cx,
            |columns, y| self.forward.eval(cx, (&self.sequence, Direction::Forward), (columns, y)),
            |columns, y| self.backward.eval(cx, (&self.sequence, Direction::Backward), (columns, y)),
        )
    }
}

fn lstm_options(options: &Options<'_, Fields>) -> Result<LstmOptions> {
    LstmOptions::new(
        options.get(Fields::FUSED_ACTIVATION_FUNCTION)?,
        [options.get(Fields::CELL_CLIP)?, options.get(Fields::PROJ_CLIP)?],
        options.get(Fields::ASYMMETRIC_QUANTIZE_INPUTS)?,
    )
}

#[cfg(test)]
mod tests;
