//! Layers with enough multiply-adds for AMX tiles.

use arenite::ElementType::I8;

use super::products::{Axis, over};
use super::{Entry, NONE, SIGNED, UNSIGNED, entry};
use crate::differential::graph::Form::Hybrid;
use crate::differential::graph::Kind;
use crate::differential::net::Net;

pub const OPS: &[Entry] = &[entry("CONV_2D", &[SIGNED, UNSIGNED, Hybrid(I8)], NONE, convolution)];

/// The most multiply-adds.
const MOST: i64 = 1 << 23;

/// With 1 × 1 or 3 × 3 taps.
fn convolution(net: &mut Net, kind: Kind) -> Option<()> {
    let (taps, low, high) = net.random.pick(&[(1, 60, 140), (3, 8, 20)]);
    let channels = net.random.between(low, high);
    let shape = vec![1, net.random.between(9, 14), net.random.between(9, 14), channels];
    let quant = net.quant(kind.form.ty());
    let x = net.given((kind.form.ty(), shape, quant));
    let filters = net.random.between(60, 140);
    over(net, kind, &x, [Axis { taps, stride: 1, dilation: 1 }; 2], filters, [MOST; 2])
}
