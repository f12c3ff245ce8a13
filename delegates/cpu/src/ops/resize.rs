//! RESIZE_BILINEAR of f32, RESIZE_NEAREST_NEIGHBOR of any type of whole bytes.

use arenite_abi::prelude::*;
use arenite_layers::Value;
use arenite_layers::layer::Resize;
use arenite_layers::layer::moves::width;
use arenite_layers::layer::resize::Kind;

use super::quantized::resize_tables as tables;
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
