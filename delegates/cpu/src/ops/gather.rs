//! GATHER, EMBEDDING_LOOKUP: any type of whole bytes.

use arenite_abi::prelude::*;
use arenite_layers::layer::Gather;

use crate::ops::build::{Build, LayerStep, Offers};
use crate::ops::values::{NetValues, NodeValues};
use crate::step::Step;
use crate::steps::gather;

impl LayerStep for Gather {
    fn build(&self, node: &NodeValues<'_>, net: &NetValues<'_, '_>, build: &Build) -> Result<Box<dyn Step>> {
        Ok(Box::new(gather::Gather {
            groups: self.0,
            index: net.values[node.inputs[1]].ty,
            width: net.values[node.inputs[0]].ty.bits() as usize / 8,
            inputs: [node.inputs[0], node.inputs[1]],
            indices: net.values[node.inputs[1]].name.to_owned(),
            output: node.outputs[0],
            copies: build.copies,
        }))
    }

    fn offers(&self) -> Offers<'_> {
        Offers::NONE
    }
}
