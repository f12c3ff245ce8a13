//! RESHAPE, SQUEEZE, EXPAND_DIMS: the step for renamings that no pass removed, which copies bytes.

use arenite_abi::prelude::*;

use crate::ops::build::{Build, LayerStep, Offers};
use crate::ops::values::{NetValues, NodeValues};
use crate::step::Step;
use crate::steps::copy::Copy;

/// An output of the partition with the bytes of an input of the partition.
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
