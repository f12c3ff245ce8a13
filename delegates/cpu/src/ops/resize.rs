//! RESIZE_BILINEAR of f32, RESIZE_NEAREST_NEIGHBOR of any type of whole bytes.

use arenite_abi::prelude::*;
use arenite_layers::Value;
use arenite_layers::layer::Resize;
use arenite_layers::layer::moves::width;
use arenite_layers::layer::resize::{Kind, Neighbours};

use crate::kernels::blend::{Column, Columns, RowPair};
use crate::kernels::f32_blend::Blend;
use crate::ops::build::{Build, LayerStep, Offers};
use crate::ops::values::{NetValues, NodeValues};
use crate::step::Step;
use crate::steps::resize::{Bilinear, Images, Nearest};

impl LayerStep for Resize {
    fn build(&self, node: &NodeValues<'_>, net: &NetValues<'_, '_>, build: &Build) -> Result<Box<dyn Step>> {
        let (input, output) = (node.inputs[0], node.outputs[0]);
        let (a, y): (&Value<'_>, &Value<'_>) = (&net.values[input], &net.values[output]);
        let bytes = width(a)?;
        let sizes = [(a.shape[1], y.shape[1]), (a.shape[2], y.shape[2])];
        let images = |channels| Images { count: a.shape[0], input: [a.shape[1], a.shape[2]], channels };
        Ok(match self.kind {
            Kind::Bilinear => {
                let between = |from, to, at| self.alignment.between(from, to, at);
                let (rows, columns) = tables(build, [&a.shape, &y.shape], between, |distance| distance)?;
                let (blend, ends) = (Blend::select(build.isa), node.ends());
                Box::new(Bilinear { blend, images: images(a.shape[3]), rows, columns, ends })
            }
            Kind::Nearest => {
                let table =
                    |(from, to)| build.store.table(to, |at| self.alignment.nearest(bytes, from, to, at));
                let [rows, columns] = [table(sizes[0])?, table(sizes[1])?];
                Box::new(Nearest { images: images(a.shape[3] * bytes), rows, columns, input, output })
            }
        })
    }

    fn offers(&self) -> Offers<'_> {
        Offers::NONE
    }
}

/// The rows of pixels around each row of the output, in elements from the start of an image, and the columns.
pub(crate) fn tables<D: Copy>(
    build: &Build,
    [a, y]: [&[usize]; 2],
    between: impl Fn(usize, usize, usize) -> Neighbours,
    distance: impl Fn(f32) -> D,
) -> Result<(Vec<RowPair<D>>, Columns<D>)> {
    let (line, pixel) = (a[2] * a[3], a[3]);
    let rows = build.store.table(y[1], |at| {
        let n = between(a[1], y[1], at);
        RowPair { rows: [n.low * line, n.high * line], distance: distance(n.distance) }
    })?;
    let columns = build.store.table(y[2], |at| {
        let n = between(a[2], y[2], at);
        Column { low: n.low * pixel, high: n.high * pixel, distance: distance(n.distance) }
    })?;
    Ok((rows, Columns::new(columns)))
}
