//! The layer of LSTM's basic kernel: one step, whose state is an input and an output.

use arenite_abi::prelude::*;
use arenite_abi::schema::{LSTMOptions, lstm_kernel};
use arenite_base::Stored;
use arenite_layers::Node;
use arenite_layers::Source;

/// A step of an LSTM layer.
pub(crate) struct Lstm<'a> {
    /// Rows.
    pub batches: usize,
    /// Elements of a row of the input.
    pub inputs: usize,
    /// Cells.
    pub cells: usize,
    /// `[gates, cells, inputs and cells]`.
    pub weights: Stored<'a>,
    /// One per gate and cell.
    pub bias: Option<&'a [f32]>,
}

/// Lowers LSTM.
pub(crate) fn lower<'a>(x: &Source<'_, 'a>) -> Result<Node<Lstm<'a>>> {
    if x.node.options::<LSTMOptions>()?.get(LSTMOptions::KERNEL_TYPE)? != lstm_kernel::BASIC {
        return Err(unsupported!("the full kernel keeps its state between invocations, on the host"));
    }
    x.expect_f32(5)?;
    let inputs = [0, 1, 4].iter().map(|&i| Ok(x.input(i)?.0)).collect::<Result<Vec<_>>>()?;
    let outputs = (0..4).map(|i| Ok(x.output(i)?.0)).collect::<Result<Vec<_>>>()?;
    let ((_, row), (_, state)) = (x.input(0)?, x.input(4)?);
    let (&[batches, inputs_of_row], &[_, cells]) = (&row.shape[..], &state.shape[..]) else {
        return Err(unsupported!("rows of {:?} with a state of {:?}", row.shape, state.shape));
    };
    ensure!(batches > 0 && inputs_of_row > 0 && cells > 0, "{row} has no elements");
    let layer =
        Lstm { batches, inputs: inputs_of_row, cells, weights: x.weights(2)?, bias: x.bias(3, 4 * cells)? };
    ensure!(
        layer.weights.len() == 4 * cells * (inputs_of_row + cells),
        "there are {} weights for {inputs_of_row} inputs and {cells} cells",
        layer.weights.len()
    );
    Ok(Node::new(layer, inputs, outputs))
}
