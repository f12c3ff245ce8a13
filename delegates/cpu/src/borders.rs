//! Gives small images of bytes, or that become bytes, a border of zeros to the left and to the right, where windows reach over it.
//!
//! ```text
//! x ─► CONV_2D               =>   x ─► [pad] ─► y ─► CONV_2D          all taps of a filter row lie side by side
//! ```
//! So a product sees one run of bytes per filter row, whatever the position; rows above and below come from elsewhere as they are.

use crate::net::{Net, Node};
use crate::ops::{Layer, Quantized, padding};

/// Bytes of an image that are worth copying. Of a few channels each is: without a border, each tap is rounded up to four bytes.
const COPIED: usize = 1 << 17;
/// These are few channels.
const FEW: usize = 16;
/// As above, where the bytes are `f32` still, which are dearer to copy.
const FEW_REALS: usize = 3;

/// Rewrites the net.
pub fn add_borders(net: &mut Net<'_>) {
    let mut i = 0;
    while i < net.nodes.len() {
        if let Some(pad) = border(net, i) {
            net.nodes.insert(i, pad);
            i += 1;
        }
        i += 1;
    }
}

/// The node that copies the input of node `i` into a border, which the node sees from then on.
fn border<'a>(net: &mut Net<'a>, i: usize) -> Option<Node<'a>> {
    let input = *net.nodes[i].inputs.first()?;
    let value = &net.values[input];
    let mut fill = [0; 16];
    let (window, width, groups, few) = match &mut net.nodes[i].layer {
        Layer::Quantized(Quantized::Product(layer)) => {
            fill[0] = value.quant?.zero_point as u8;
            (&mut layer.window, 1, layer.groups, FEW)
        }
        Layer::Hybrid(layer) => {
            let (window, groups) = layer.convolution()?;
            (window, size_of::<f32>(), groups, FEW_REALS)
        }
        _ => return None,
    };
    let columns = &mut window.columns;
    let lies = value.shape[..] == [window.batches, window.rows.input, columns.input, window.channels];
    let sides = columns.taps > 1 && columns.dilation == 1 && !columns.is_inside(0, columns.output - 1);
    let small = width * value.len() <= COPIED;
    let fits = window.channels < few || width == 1 && window.channels.is_multiple_of(4) && small;
    if !(lies && sides && fits && groups == 1) {
        return None;
    }
    let before = columns.before;
    let reached = (columns.output - 1) * columns.stride + columns.taps;
    // Rows are read in fours of bytes.
    let after = reached.saturating_sub(before + columns.input) + 3usize.div_ceil(window.channels);
    (columns.before, columns.input) = (0, before + columns.input + after);
    let pads = padding(&value.shape, &[[0, 0], [0, 0], [before, after], [0, 0]], width, fill);
    let wide = columns.input;
    let padded = net.add_value(input);
    net.values[padded].shape[2] = wide;
    net.nodes[i].inputs[0] = padded;
    Some(Node::new(Layer::Moves(pads), vec![input], vec![padded]))
}
