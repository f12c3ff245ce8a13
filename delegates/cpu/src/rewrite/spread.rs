//! Lets the layer that computes an image write the copy with a border that a later layer reads. It replaces the image
//! if no other layer reads that. With several threads it is written in any case: a step for the copy alone would move
//! the image from one thread's caches to another's.
//!
//! ```text
//! [CONV_2D] ──────► x ─► [pad] ─► y     =>     [CONV_2D] ─► y
//! [CONV_2D, ADD] ─► x ─► [pad] ─► y     =>     [CONV_2D, ADD] ─► x, y
//! ```

use arenite_layers::Common;
use arenite_layers::layer::Moves;
use arenite_layers::layer::moves::padding;

use crate::net::{CpuLayer, Layer, Net};
use crate::ops::build::Build;
use crate::ops::quantized::Quantized;
use crate::reach::bordered::Border;

/// Rewrites the net.
pub(super) fn spread(net: &mut Net<'_>, build: &Build) {
    let (uses, producers) = (net.uses(), net.producers());
    for i in 0..net.nodes.len() {
        let Some(border) = border(net, i) else { continue };
        let Some(p) = producers[net.nodes[i].inputs[0]] else { continue };
        let is_alone = uses[net.nodes[i].inputs[0]] == 1;
        let (place, replaces) = match &mut net.nodes[p].layer {
            Layer::Engine(CpuLayer::Quantized(Quantized::Product(layer))) => {
                let replaces = is_alone && layer.writes_border(build);
                (layer.border_mut(build), replaces)
            }
            Layer::Engine(CpuLayer::Quantized(Quantized::Pairwise(layer))) => {
                (Some(layer.border_mut()), false)
            }
            _ => continue,
        };
        if let Some(place @ None) = place
            && (replaces || build.threads > 1)
        {
            *place = Some(border);
            let copy = net.take(i).outputs[0];
            if replaces {
                net.nodes[p].outputs.clear();
            }
            net.nodes[p].outputs.push(copy);
        }
    }
    net.compact();
}

/// The border that node `i` gives an image of bytes, if that is all it does.
fn border(net: &Net<'_>, i: usize) -> Option<Border> {
    let node = &net.nodes[i];
    let Layer::Common(Common::Moves(Moves { boxes, width: 1, fill, .. })) = &node.layer else { return None };
    let ([input], [output]) = (&node.inputs[..], &node.outputs[..]) else { return None };
    let (from, to) = (&net.values[*input].shape, &net.values[*output].shape);
    let ([_, _, inside, channels], [_, _, all, _]) = (&from[..], &to[..]) else { return None };
    let before = boxes.first()?.nest.to.checked_div(*channels)?;
    let after = all.checked_sub(before + inside)?;
    let padded = padding(from, &[[0, 0], [0, 0], [before, after], [0, 0]], 1, *fill);
    let border = Border { before: before * channels, after: after * channels, fill: fill[0] };
    (padded.boxes == *boxes).then_some(border)
}
