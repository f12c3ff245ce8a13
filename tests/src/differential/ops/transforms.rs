//! Fourier transforms.

use arenite::ElementType::C64;

use super::{Entry, NONE, REALS, entry};
use crate::differential::graph::{Kind, Rule};
use crate::differential::net::Net;

pub const OPS: &[Entry] = &[entry("RFFT2D", REALS, NONE, rfft)];

/// Of the last two axes, cropped or padded to powers of two.
fn rfft(net: &mut Net, kind: Kind) -> Option<()> {
    let x = net.of_rank(kind.form.ty(), 2);
    let [outer @ .., _, _] = &x.shape[..] else { return None };
    let (height, width) = (net.random.pick(&[1, 1, 1, 2, 4]), net.random.pick(&[1, 2, 4, 8, 16, 32]));
    let slices: i32 = outer.iter().product();
    if i64::from(slices) * i64::from(height * width) > net.sizes.work[0] {
        return None;
    }
    let shape = outer.iter().copied().chain([height, width / 2 + 1]).collect();
    let lengths = net.row(&[height, width]);
    net.node(kind, &[x.index, lengths.index], vec![(C64, shape, None)], None, Rule::Transform);
    Some(())
}
