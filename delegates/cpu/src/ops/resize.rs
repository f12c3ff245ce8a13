//! RESIZE_BILINEAR of f32, RESIZE_NEAREST_NEIGHBOR of any type of whole bytes.

use arenite_abi::prelude::*;
use arenite_layers::Value;
use arenite_layers::ops::Resize;
use arenite_layers::ops::moves::width;
use arenite_layers::ops::resize::Kind;

use super::{Build, Offers, Runs};
use crate::net::{Net, Node};
use crate::program::Step;
use crate::steps::resize::{Bilinear, Images, Nearest};

impl Runs for Resize {
    fn build(&self, node: &Node<'_>, net: &Net<'_>, build: &Build) -> Result<Box<dyn Step>> {
        let (input, output) = (node.inputs[0], node.outputs[0]);
        let (a, y): (&Value<'_>, &Value<'_>) = (&net.values[input], &net.values[output]);
        let bytes = width(a)?;
        let sizes = [(a.shape[1], y.shape[1]), (a.shape[2], y.shape[2])];
        let images = |channels| Images { count: a.shape[0], input: [a.shape[1], a.shape[2]], channels };
        Ok(match self.kind {
            Kind::Bilinear => {
                let table = |(from, to)| build.store.table(to, |at| self.alignment.between(from, to, at));
                let [rows, columns] = [table(sizes[0])?, table(sizes[1])?];
                Box::new(Bilinear {
                    map: build.f32_map,
                    images: images(a.shape[3]),
                    rows,
                    columns,
                    input,
                    output,
                })
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
