//! SOFTMAX, LOG_SOFTMAX: f32.

use arenite_abi::prelude::*;
use arenite_layers::layer::Softmax;

use crate::ops::build::{Build, LayerStep, Offers};
use crate::ops::values::{NetValues, NodeValues};
use crate::step::Step;
use crate::steps::softmax_f32::SoftmaxF32;

impl LayerStep for Softmax {
    fn build(&self, node: &NodeValues<'_>, net: &NetValues<'_, '_>, build: &Build) -> Result<Box<dyn Step>> {
        let (input, output) = (node.inputs[0], node.outputs[0]);
        let depth = net.values[input].shape.last().copied().unwrap_or(1);
        Ok(Box::new(SoftmaxF32 { kernels: build.f32_softmax, kind: self.0, depth, input, output }))
    }

    fn offers(&self) -> Offers<'_> {
        Offers::NONE
    }
}
