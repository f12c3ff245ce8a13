//! RESHAPE, SQUEEZE, EXPAND_DIMS: renamings that are left move bytes.

use arenite_abi::prelude::*;

use super::{Build, Offers, Runs};
use crate::net::{Net, Node};
use crate::program::Step;
use crate::steps::copy::Copy;

/// Another name of the same bytes, from outside of the partition to outside of it.
pub struct Rename;

impl Runs for Rename {
    fn build(&self, node: &Node<'_>, net: &Net<'_>, _: &Build) -> Result<Box<dyn Step>> {
        let bytes = net.values[node.outputs[0]].bytes();
        Ok(Box::new(Copy { input: node.inputs[0], output: node.outputs[0], bytes }))
    }

    fn offers(&self) -> Offers<'_> {
        Offers::NONE
    }
}
