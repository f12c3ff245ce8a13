//! L2_NORMALIZATION: f32.

use arenite_abi::prelude::*;
use arenite_layers::layer::L2Norm;

use crate::ops::build::{Build, LayerStep, Offers};
use crate::ops::values::{NetValues, NodeValues};
use crate::step::Step;
use crate::steps::l2_norm_f32::L2NormF32;

impl LayerStep for L2Norm {
    fn build(&self, node: &NodeValues<'_>, net: &NetValues<'_, '_>, _: &Build) -> Result<Box<dyn Step>> {
        let (input, output) = (node.inputs[0], node.outputs[0]);
        let depth = net.values[input].shape.last().copied().unwrap_or(1);
        Ok(Box::new(L2NormF32 { depth, input, output }))
    }

    fn offers(&self) -> Offers<'_> {
        Offers::NONE
    }
}
