//! Convolutions over depth, height and width.

use arenite::ElementType::F32;
use arenite_abi::schema::{Conv3DOptions, padding};

use super::products::{Axis, axes, bias, fits};
use super::{Entry, NONE, REALS, activation, entry};
use crate::differential::graph::{Kind, Rule};
use crate::differential::net::Net;
use crate::options::Attributes;

pub const OPS: &[Entry] = &[entry("CONV_3D", REALS, NONE, convolution)];

fn convolution(net: &mut Net, kind: Kind) -> Option<()> {
    let x = net.fitting(F32, |shape| shape.len() == 5, |net| net.shape(5));
    let (depth, [rows, columns]) = (Axis::draw(net), axes(net));
    let &[batches, deep, height, width, channels] = &x.shape[..] else { return None };
    let (mode, filters) = (net.random.pick(&[padding::SAME, padding::VALID]), net.size());
    let shape = vec![
        batches,
        depth.output(deep, mode),
        rows.output(height, mode),
        columns.output(width, mode),
        filters,
    ];
    let terms = depth.taps * rows.taps * columns.taps * channels;
    if !fits(&shape, terms, net.sizes.work[0]) {
        return None;
    }
    let filter = net.filled(F32, &[depth.taps, rows.taps, columns.taps, channels, filters]);
    let inputs = [x.index, filter.index, bias(net, F32, filters)];
    let fused = activation(net);
    let options = Attributes::of(|o| {
        o.set(Conv3DOptions::PADDING, mode)
            .set(Conv3DOptions::STRIDE_D, depth.stride)
            .set(Conv3DOptions::STRIDE_H, rows.stride)
            .set(Conv3DOptions::STRIDE_W, columns.stride)
            .set(Conv3DOptions::DILATION_D_FACTOR, depth.dilation)
            .set(Conv3DOptions::DILATION_H_FACTOR, rows.dilation)
            .set(Conv3DOptions::DILATION_W_FACTOR, columns.dilation)
            .set(Conv3DOptions::FUSED_ACTIVATION_FUNCTION, fused)
    });
    let rule = Rule::Products { main: 0, weights: 1, bias: 2, depth: terms as usize, winograd: false };
    net.node(kind, &inputs, vec![(F32, shape, None)], Some(options), rule);
    Some(())
}
