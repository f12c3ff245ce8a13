//! Pools, and resized images.

use arenite::ElementType::F32;
use arenite_abi::schema::{Pool2DOptions, ResizeBilinearOptions, ResizeNearestNeighborOptions, padding};

use super::products::axes;
use super::{Entry, NONE, REAL, REAL_AND_BYTES, SHORT, SIGNED, UNSIGNED, WHOLE, activation, elements, entry};
use crate::differential::graph::{Kind, Rule};
use crate::differential::net::Net;
use crate::options::Attributes;

pub const OPS: &[Entry] = &[
    entry("AVERAGE_POOL_2D", REAL_AND_BYTES, &[SHORT], pool),
    entry("MAX_POOL_2D", REAL_AND_BYTES, &[SHORT], pool),
    entry("RESIZE_BILINEAR", REAL_AND_BYTES, &[SHORT], resize),
    entry("RESIZE_NEAREST_NEIGHBOR", &[REAL, SIGNED, UNSIGNED, SHORT, WHOLE], NONE, resize),
];

fn pool(net: &mut Net, kind: Kind) -> Option<()> {
    let x = net.images(kind.form.ty());
    let [rows, columns] = axes(net).map(|axis| super::products::Axis { dilation: 1, ..axis });
    let &[images, height, width, channels] = &x.shape[..] else { return None };
    let mode = net.random.pick(&[padding::SAME, padding::VALID]);
    let shape = vec![images, rows.output(height, mode), columns.output(width, mode), channels];
    if shape[1..].contains(&0) {
        return None;
    }
    let fused = activation(net);
    let options = Attributes::of(|o| {
        o.set(Pool2DOptions::PADDING, mode)
            .set(Pool2DOptions::STRIDE_H, rows.stride)
            .set(Pool2DOptions::STRIDE_W, columns.stride)
            .set(Pool2DOptions::FILTER_HEIGHT, rows.taps)
            .set(Pool2DOptions::FILTER_WIDTH, columns.taps)
            .set(Pool2DOptions::FUSED_ACTIVATION_FUNCTION, fused)
    });
    let rule = match (x.ty, kind.op) {
        (F32, "AVERAGE_POOL_2D") => Rule::Fold { count: (rows.taps * columns.taps) as usize, mean: true },
        (F32, _) => Rule::Moves,
        _ => Rule::Integers,
    };
    net.node(kind, &[x.index], vec![x.like(shape)], Some(options), rule);
    Some(())
}

fn resize(net: &mut Net, kind: Kind) -> Option<()> {
    let x = net.images(kind.form.ty());
    let sizes = [net.random.between(1, 9), net.random.between(1, 9)];
    let shape = vec![x.shape[0], sizes[0], sizes[1], x.shape[3]];
    if x.shape.contains(&0) || elements(&shape) > 3000 {
        return None;
    }
    let list = net.row(&sizes);
    let [corners, half] = net.random.pick(&[[false, false], [true, false], [false, true], [true, true]]);
    let options = match kind.op {
        "RESIZE_BILINEAR" => Attributes::of(|o| {
            o.set(ResizeBilinearOptions::ALIGN_CORNERS, corners)
                .set(ResizeBilinearOptions::HALF_PIXEL_CENTERS, half)
        }),
        _ => Attributes::of(|o| {
            o.set(ResizeNearestNeighborOptions::ALIGN_CORNERS, corners)
                .set(ResizeNearestNeighborOptions::HALF_PIXEL_CENTERS, half)
        }),
    };
    let rule = match (x.ty, kind.op) {
        (F32, "RESIZE_BILINEAR") => Rule::Blend,
        (_, "RESIZE_BILINEAR") => Rule::Integers,
        _ => Rule::Moves,
    };
    net.node(kind, &[x.index, list.index], vec![x.like(shape)], Some(options), rule);
    Some(())
}
