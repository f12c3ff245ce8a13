//! Copies small images of bytes, or images that become bytes, into a border of zeros on the left and the right, if
//! windows reach beyond them. Images of any size are copied under windows of more taps than pointers have room for.
//!
//! ```text
//! x ─► CONV_2D               =>   x ─► [pad] ─► y ─► CONV_2D          all taps of a filter row are contiguous
//! ```
//! A product then reads one run of bytes per filter row at every position. Rows above and below the image are constant
//! pixels as before.

use arenite_layers::Common;
use arenite_layers::layer::moves::padding;

use crate::net::{Layer, Net, Node};
use crate::ops::runs;
use crate::reach::pointers::MAX_TAPS;

/// Bytes of an image that are worth copying, whatever its channels.
const COPIED: usize = 1 << 17;

/// Rewrites the net.
pub(super) fn add_borders(net: &mut Net<'_>) {
    let mut i = 0;
    while i < net.nodes.len() {
        if let Some(pad) = border(net, i) {
            net.nodes.insert(i, pad);
            i += 1;
        }
        i += 1;
    }
}

/// The node that copies the input of node `i` into a border. Node `i` then reads the copy.
fn border<'a>(net: &mut Net<'a>, i: usize) -> Option<Node<'a>> {
    let input = *net.nodes[i].inputs.first()?;
    let border = runs(&net.nodes[i].layer).offers().border?;
    let value = &net.values[input];
    let mut fill = [0; 16];
    fill[0] = value.quant.map_or(0, |quant| quant.zero_point as u8);
    let window = net.nodes[i].layer.parts_mut().window?;
    let columns = &mut window.columns;
    let mut shape = [window.batches, window.rows.input, columns.input, window.channels];
    let is_image = value.len() == shape.iter().product::<usize>();
    let sides = columns.taps > 1 && columns.dilation == 1 && !columns.is_inside(0, columns.output - 1);
    let small = border.width * value.len() <= COPIED;
    let many = window.rows.taps * columns.taps > MAX_TAPS;
    let fits = window.channels < border.few
        || border.width == 1 && window.channels.is_multiple_of(4) && small
        || many;
    if !(is_image && sides && fits && border.groups == 1) {
        return None;
    }
    let before = columns.before;
    let reached = (columns.output - 1) * columns.stride + columns.taps;
    // Rows are read in fours of bytes.
    let after = reached.saturating_sub(before + columns.input) + 3usize.div_ceil(window.channels);
    (columns.before, columns.input) = (0, before + columns.input + after);
    let pads = padding(&shape, &[[0, 0], [0, 0], [before, after], [0, 0]], border.width, fill);
    shape[2] = columns.input;
    let padded = net.add_value(input);
    net.values[padded].shape = shape.to_vec();
    net.nodes[i].inputs[0] = padded;
    Some(Node::new(Layer::Common(Common::Moves(pads)), vec![input], vec![padded]))
}
