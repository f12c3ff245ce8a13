//! LSTM: one step of an LSTM layer. The full kernel has 20 or 24 inputs and keeps the output and the cell as state
//! (formula: [`kit::lstm`](crate::kit::lstm)). The basic kernel has 5 inputs, and its outputs are the new state. f32;
//! f32 × i8, u8, where inputs are quantized at run time (hybrid); i8 with cells of i16, and sums of i16 or i8. The
//! basic kernel: f32; u8 with cells of i16.
//! Defined by: tflite/kernels/lstm.cc.

mod basic;

use arenite_abi::prelude::*;
use arenite_abi::schema::{LSTMOptions, lstm_kernel};

use crate::kit::lstm::{Layer, Layout, LstmOptions};
use crate::kit::lstm_float::FloatLstm;
use crate::kit::lstm_integer::IntegerLstm;
use crate::kit::lstm_integer_8::IntegerLstm8;
use crate::kit::node;
use crate::kit::recurrent::{self, Columns, Direction, Order, Sequence};

use basic::Basic;

plain! {
    /// A prepared `LSTM` node.
    #[allow(clippy::large_enum_variant, reason = "one value per node; there is no heap")]
    pub enum Lstm {
        /// The full kernel, which processes one row per batch.
        Full(Full),
        /// The basic kernel.
        Basic(Basic),
    }
}

plain! {
    /// The full kernel.
    pub struct Full {
        sequence: Sequence,
        outputs: usize,
        kernel: Kernel,
    }
}

plain! {
    enum Kernel {
        Float(FloatLstm),
        Integer(IntegerLstm),
        Integer8(IntegerLstm8),
    }
}

impl Op for Lstm {
    const CODE: OpCode = OpCode::Builtin(op::LSTM);
    const VERSIONS: RangeInclusive<i32> = 1..=4;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I8, U8, I16, I32]);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let options = node.options()?;
        match options.get(LSTMOptions::KERNEL_TYPE)? {
            lstm_kernel::FULL => Full::prepare(node, &options, cx).map(Lstm::Full),
            lstm_kernel::BASIC => Basic::prepare(node, cx).map(Lstm::Basic),
            kernel => Err(invalid!("its kernel type is {kernel}, the schema has 0 and 1")),
        }
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        match self {
            Lstm::Full(full) => full.eval(cx),
            Lstm::Basic(basic) => basic.eval(cx),
        }
    }
}

impl Full {
    fn prepare(
        node: &NodeView<'_>,
        options: &Options<'_, LSTMOptions>,
        cx: &mut PrepareContext<'_>,
    ) -> Result<Full> {
        ensure!(
            matches!(node.input_count(), 20 | 24),
            "it has {} inputs, the full kernel takes 20 or 24",
            node.input_count()
        );
        node.expect(20..=24, 1..=1)?;
        let (x, y) = (node.input(0)?, node.output(0)?);
        ensure!(x.rank() == 2, "input {x} is {:?}; it must have 2 axes", x.shape);
        node::same_type(&x, &y)?;
        let sequence = Sequence::of(&x, Order::TimeMajor)?;
        let layer = Layer::read(node, Layout::SINGLE, sequence.batches)?;
        ensure!(
            layer.inputs == sequence.features,
            "input {x} is {:?}, the weights have {} columns; they must agree",
            x.shape,
            layer.inputs
        );
        let outputs = layer.outputs;
        cx.set_output_shape(0, &recurrent::shape([sequence.batches, outputs])?)?;
        let lstm_options = LstmOptions::new(
            options.get(LSTMOptions::FUSED_ACTIVATION_FUNCTION)?,
            [options.get(LSTMOptions::CELL_CLIP)?, options.get(LSTMOptions::PROJ_CLIP)?],
            options.get(LSTMOptions::ASYMMETRIC_QUANTIZE_INPUTS)?,
        )?;
        let kernel = match (x.ty, node.intermediate_indices().len()) {
            (F32, _) => Kernel::Float(FloatLstm::prepare(layer, lstm_options, cx)?),
            (_, 5) => {
                Kernel::Integer(IntegerLstm::prepare((node, cx), &layer, lstm_options, sequence.batches)?)
            }
            (_, 12) => Kernel::Integer8(IntegerLstm8::prepare((node, cx), layer, lstm_options)?),
            (ty, n) => return Err(invalid!("it has {n} intermediates; with input {ty} it needs 5 or 12")),
        };
        Ok(Full { sequence, outputs, kernel })
    }

    fn eval(&self, cx: &EvalContext<'_>) -> Result<()> {
        let rows = (&self.sequence, Direction::Forward);
        let columns = Columns { width: self.outputs, first: 0 };
        let y = cx.output(0)?;
        match &self.kernel {
            Kernel::Float(lstm) => lstm.eval(cx, rows, (columns, y.into_slice()?)),
            Kernel::Integer(lstm) => lstm.eval(cx, rows, (columns, y.into_slice()?)),
            Kernel::Integer8(lstm) => lstm.eval(cx, &self.sequence, y.into_slice()?),
        }
    }
}

#[cfg(test)]
mod tests;
