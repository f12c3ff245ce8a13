//! Copies of elements of whole bytes to other positions.

use arenite_abi::prelude::*;
use arenite_layers::layer::Moves;
use arenite_layers::layer::moves::BoxCopy;

use crate::kernels::transpose::Transpose;
use crate::ops::build::{Build, LayerStep, Offers};
use crate::ops::values::{NetValues, NodeValues};
use crate::step::Step;
use crate::steps::bands::Bands;
use crate::steps::moves;

impl LayerStep for Moves {
    fn build(&self, node: &NodeValues<'_>, _: &NetValues<'_, '_>, build: &Build) -> Result<Box<dyn Step>> {
        let transpose = Transpose::select(build.isa, self.width)
            .ok_or_else(|| invalid!("elements of {} bytes cannot be moved", self.width))?;
        let boxes = self.boxes.iter().map(|BoxCopy { input, output, nest }| {
            let from = input.map(|i| node.inputs[i]);
            (from, node.outputs[*output], nest.clone())
        });
        let boxes: Vec<_> = boxes.collect();
        let kernels = moves::Kernels { transpose, copies: build.copies };
        Ok(match Bands::of(self.name, kernels, &boxes) {
            Some(bands) => Box::new(bands),
            None => Box::new(moves::Moves::new(self.name, kernels, self.fill, boxes)),
        })
    }

    fn offers(&self) -> Offers<'_> {
        Offers::NONE
    }
}
