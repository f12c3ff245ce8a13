//! Pieces of several values, one after the other.

use arenite_abi::prelude::*;

use crate::ops::build::{Build, LayerStep, Offers};
use crate::ops::values::{NetValues, NodeValues};
use crate::step::Step;
use crate::steps::join::{self, Piece};

/// A small concatenation, which may flip the signs of bytes. A pass makes it.
pub(crate) struct Join {
    /// One of each input.
    pub pieces: Vec<Piece>,
}

impl LayerStep for Join {
    fn build(&self, node: &NodeValues<'_>, _: &NetValues<'_, '_>, build: &Build) -> Result<Box<dyn Step>> {
        let pieces = node.inputs.iter().copied().zip(self.pieces.iter().copied()).collect();
        Ok(Box::new(join::Join { map: build.bytes.map, pieces, output: node.outputs[0] }))
    }

    fn offers(&self) -> Offers<'_> {
        Offers::NONE
    }
}
