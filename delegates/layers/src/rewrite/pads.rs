//! Merges padding into windows.
//!
//! ```text
//! x ─► PAD ─► y ─► CONV_2D                 =>   x ─► CONV_2D            x is smaller, more of the window is outside
//! ```
//! Positions outside of a window's input count as zero, like the elements that PAD adds.

use arenite_base::Dim;

use crate::layer::Moves;
use crate::layer::moves::{BoxCopy, Nest, strides};
use crate::{Axis, Common, EngineLayer, Id, Layer, Net, Window};

/// Rewrites the net.
pub(super) fn take_pads<'a, X: EngineLayer<'a>>(net: &mut Net<'a, X>) {
    let producers = net.producers();
    for i in 0..net.nodes.len() {
        let Some(&input) = net.nodes[i].inputs.first() else { continue };
        let Some(pad) = producers[input].and_then(|pad| padding(net, pad)) else { continue };
        let Some(window) = net.nodes[i].layer.parts_mut().window else { continue };
        if let Some(wider) = pad.widen(window) {
            *window = wider;
            net.nodes[i].inputs[0] = pad.from;
        }
    }
    net.drop_unread();
}

/// The padding that a node adds to its input.
struct Padding {
    from: Id,
    /// Rows and columns of the input.
    sizes: [usize; 2],
    /// Rows and columns of the output.
    padded: [usize; 2],
    /// Rows and columns before the input.
    before: [usize; 2],
}

impl Padding {
    /// The window over the input, for a window over the output.
    fn widen(&self, window: &Window) -> Option<Window> {
        if [window.rows.input, window.columns.input] != self.padded {
            return None;
        }
        let axis = |axis: Axis, i: usize| Axis {
            input: self.sizes[i],
            before: axis.before + self.before[i],
            ..axis
        };
        let (rows, columns) = (axis(window.rows, 0), axis(window.columns, 1));
        let wider = Window { rows, columns, ..*window };
        // Kernels require a tap inside at each position.
        let touches = |axis: &Axis| (0..axis.output).all(|p| !axis.taps_inside(p).is_empty());
        (touches(&rows) && touches(&columns)).then_some(wider)
    }
}

/// The padding of a node that adds rows and columns of zeros.
fn padding<X>(net: &Net<'_, X>, node: usize) -> Option<Padding> {
    let node = &net.nodes[node];
    let (&[from], &[to], Layer::Common(Common::Moves(moves))) =
        (&node.inputs[..], &node.outputs[..], &node.layer)
    else {
        return None;
    };
    let (input, output) = (&net.values[from], &net.values[to]);
    let (&[n, height, width, channels], &[_, high, wide, _]) = (&input.shape[..], &output.shape[..]) else {
        return None;
    };
    let [BoxCopy { input: Some(0), output: 0, nest: inner }, others @ ..] = &moves.boxes[..] else {
        return None;
    };
    if others.iter().any(|copy| copy.input.is_some()) || input.quant != output.quant {
        return None;
    }
    let row = (wide * channels).max(1);
    let before = [inner.to / row, inner.to % row / channels.max(1)];
    let (sources, targets) = (strides(&input.shape), strides(&output.shape));
    let dims = (0..4).map(|i| Dim { size: input.shape[i], from: sources[i], to: targets[i] });
    let whole = Nest::new(0, before[0] * row + before[1] * channels, dims);
    let only_inner_axes = output.shape[0] == n && output.shape[3] == channels;
    (only_inner_axes && *inner == whole && is_zero(moves, net, from)).then_some(Padding {
        from,
        sizes: [height, width],
        padded: [high, wide],
        before,
    })
}

/// Whether the padding counts as zero.
fn is_zero<X>(moves: &Moves, net: &Net<'_, X>, from: Id) -> bool {
    let value = &net.values[from];
    match (value.quant, moves.width) {
        (Some(quant), 1) => moves.fill[0] == quant.zero_point as u8,
        (None, 4) => moves.fill[..4] == [0; 4],
        _ => false,
    }
}
