//! Elements of any type of whole bytes that go to other places as they are.

use arenite_abi::prelude::*;
use arenite_layers::ops::Moves;

use super::{Build, Offers, Runs};
use crate::kernels::transpose::Transpose;
use crate::net::{Net, Node};
use crate::program::Step;
use crate::steps::bands::Bands;
use crate::steps::moves;

impl Runs for Moves {
    fn build(&self, node: &Node<'_>, _: &Net<'_>, build: &Build) -> Result<Box<dyn Step>> {
        let transpose = Transpose::select(build.isa, self.width)
            .ok_or_else(|| invalid!("elements of {} bytes cannot be moved", self.width))?;
        let boxes = self.boxes.iter().map(|(from, to, nest)| {
            let from = from.map(|i| node.inputs[i]);
            (from, node.outputs[*to], nest.clone())
        });
        let boxes: Vec<_> = boxes.collect();
        Ok(match Bands::of(self.name, transpose, &boxes) {
            Some(bands) => Box::new(bands),
            None => Box::new(moves::Moves::new(self.name, transpose, self.fill, boxes)),
        })
    }

    fn offers(&self) -> Offers<'_> {
        Offers::NONE
    }
}
