//! RESHAPE, SQUEEZE, EXPAND_DIMS: renamings that are left move bytes.

use arenite_abi::prelude::*;

use crate::ops::build::{Build, LayerStep, Offers};
use crate::ops::values::{NetValues, NodeValues};
use crate::step::Step;
use crate::steps::copy::Copy;

/// Another name of the same bytes, from outside of the partition to outside of it.
pub(super) struct Rename;

impl LayerStep for Rename {
    fn build(&self, node: &NodeValues<'_>, net: &NetValues<'_, '_>, _: &Build) -> Result<Box<dyn Step>> {
        let bytes = net.values[node.outputs[0]].bytes();
        Ok(Box::new(Copy { input: node.inputs[0], output: node.outputs[0], bytes }))
    }

    fn offers(&self) -> Offers<'_> {
        Offers::NONE
    }
}
