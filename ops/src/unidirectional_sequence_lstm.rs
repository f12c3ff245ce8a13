//! UNIDIRECTIONAL_SEQUENCE_LSTM: an LSTM layer over sequences (formula: [`kit::lstm`](crate::kit::lstm)). The output
//! and the cell are state that persists between invocations. f32; f32 × i8, u8, where inputs are quantized at run time
//! (hybrid); i8 with cells of i16.
//! Defined by: tflite/kernels/unidirectional_sequence_lstm.cc.

use arenite_abi::prelude::*;
use arenite_abi::schema::UnidirectionalSequenceLSTMOptions as Fields;

use crate::kit::lstm::{Layer, Layout, LstmOptions};
use crate::kit::lstm_float::FloatLstm;
use crate::kit::lstm_integer::IntegerLstm;
use crate::kit::node;
use crate::kit::recurrent::{self, Columns, Direction, Order, Sequence};

plain! {
    /// A prepared `UNIDIRECTIONAL_SEQUENCE_LSTM` node.
    pub struct UnidirectionalSequenceLstm {
        sequence: Sequence,
        columns: Columns,
        kernel: Kernel,
    }
}

plain! {
    enum Kernel {
        Float(FloatLstm),
        Integer(IntegerLstm),
    }
}

impl Op for UnidirectionalSequenceLstm {
    const CODE: OpCode = OpCode::Builtin(op::UNIDIRECTIONAL_SEQUENCE_LSTM);
    const VERSIONS: RangeInclusive<i32> = 1..=4;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I8, U8, I16, I32]);
    const EMBED: Option<Embed<Self>> = Some(Embed::with(|op, cx| cx.put(op.form(), op)));

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let parts = Parts::read(node, cx);
        let parts = parts.as_ref().map_err(|&error| error)?;
        let kernel = match parts.input {
            F32 => Kernel::Float(FloatLstm::prepare(parts.layer, parts.options, cx)?),
            _ => Kernel::Integer(parts.integer(node, cx)?),
        };
        Ok(UnidirectionalSequenceLstm { sequence: parts.sequence, columns: parts.columns(), kernel })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        match &self.kernel {
            Kernel::Float(_) => self.eval_f32(cx),
            Kernel::Integer(_) => self.eval_i8(cx),
        }
    }

    fn form(&self) -> &'static str {
        match self.kernel {
            Kernel::Float(_) => "ar_embed_unidirectional_sequence_lstm_f32",
            Kernel::Integer(_) => "ar_embed_unidirectional_sequence_lstm_i8",
        }
    }
}

/// What `prepare` reads for all kernels.
struct Parts {
    input: ElementType,
    sequence: Sequence,
    layer: Layer,
    options: LstmOptions,
    order: Order,
}

impl Parts {
    /// Checks the node, and sets the shape of the output.
    #[inline(never)] // so that its values are not on the stack while a kernel is prepared
    fn read(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        ensure!(
            matches!(node.input_count(), 20 | 24),
            "it has {} inputs, this op takes 20 or 24",
            node.input_count()
        );
        node.expect(20..=24, 1..=1)?;
        let options = node.options()?;
        let (x, y) = (node.input(0)?, node.output(0)?);
        ensure!(x.rank() == 3, "input {x} is {:?}; it must have 3 axes", x.shape);
        node::same_type(&x, &y)?;
        let order = Order::new(options.get(Fields::TIME_MAJOR)?);
        let sequence = Sequence::of(&x, order)?;
        let layer = Layer::read(node, Layout::SINGLE, sequence.batches)?;
        ensure!(
            layer.inputs == sequence.features,
            "input {x} is {:?}, the weights have {} columns; they must agree",
            x.shape,
            layer.inputs
        );
        let [outputs] = recurrent::shape([layer.outputs])?;
        cx.set_output_shape(0, &[x.shape[0], x.shape[1], outputs])?;
        Ok(Parts { input: x.ty, sequence, layer, options: lstm_options(&options)?, order })
    }

    fn columns(&self) -> Columns {
        Columns { width: self.layer.outputs, first: 0 }
    }

    fn integer(&self, node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<IntegerLstm> {
        let intermediates = node.intermediate_indices().len();
        ensure!(
            intermediates == 5,
            "it has {intermediates} intermediates; with input {} it needs 5",
            self.input
        );
        let together = if self.order == Order::TimeMajor { self.sequence.batches } else { 1 };
        IntegerLstm::prepare((node, cx), &self.layer, self.options, together)
    }
}

impl UnidirectionalSequenceLstm {
    /// `prepare` for inputs of f32 alone.
    ///
    /// # Errors
    /// As for `prepare`, or the node has another form.
    pub fn prepare_f32(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let parts = Parts::read(node, cx);
        let parts = parts.as_ref().map_err(|&error| error)?;
        if parts.input != F32 {
            return Err(node::only_form("f32"));
        }
        let kernel = Kernel::Float(FloatLstm::prepare(parts.layer, parts.options, cx)?);
        Ok(UnidirectionalSequenceLstm { sequence: parts.sequence, columns: parts.columns(), kernel })
    }

    /// `prepare` for inputs of i8 alone.
    ///
    /// # Errors
    /// As for `prepare`, or the node has another form.
    pub fn prepare_i8(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let parts = Parts::read(node, cx);
        let parts = parts.as_ref().map_err(|&error| error)?;
        if parts.input == F32 {
            return Err(node::only_form("i8"));
        }
        let kernel = Kernel::Integer(parts.integer(node, cx)?);
        Ok(UnidirectionalSequenceLstm { sequence: parts.sequence, columns: parts.columns(), kernel })
    }

    /// `eval` for inputs of f32 alone.
    ///
    /// # Errors
    /// As for `eval`, or the node has another form.
    pub fn eval_f32(&self, cx: &EvalContext<'_>) -> Result<()> {
        let Kernel::Float(lstm) = &self.kernel else { return Err(node::other_form()) };
        let y = cx.output_slice(0)?;
        lstm.eval(cx, (&self.sequence, Direction::Forward), (self.columns, y))
    }

    /// `eval` for inputs of i8 alone.
    ///
    /// # Errors
    /// As for `eval`, or the node has another form.
    pub fn eval_i8(&self, cx: &EvalContext<'_>) -> Result<()> {
        let Kernel::Integer(lstm) = &self.kernel else { return Err(node::other_form()) };
        let y = cx.output_slice(0)?;
        lstm.eval(cx, (&self.sequence, Direction::Forward), (self.columns, y))
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
