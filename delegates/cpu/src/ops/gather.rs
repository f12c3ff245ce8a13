//! GATHER, EMBEDDING_LOOKUP: any type of whole bytes.

use arenite_abi::prelude::*;
use arenite_layers::ops::Gather;

use super::{Build, Offers, Runs};
use crate::net::{Net, Node};
use crate::program::Step;
use crate::steps::gather;

impl Runs for Gather {
    fn build(&self, node: &Node<'_>, net: &Net<'_>, _: &Build) -> Result<Box<dyn Step>> {
        Ok(Box::new(gather::Gather {
            groups: self.0,
            index: net.values[node.inputs[1]].ty,
            inputs: [node.inputs[0], node.inputs[1]],
            output: node.outputs[0],
        }))
    }

    fn offers(&self) -> Offers<'_> {
        Offers::NONE
    }
}
