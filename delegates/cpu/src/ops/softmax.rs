//! SOFTMAX, LOG_SOFTMAX: f32.

use arenite_abi::prelude::*;
use arenite_layers::ops::Softmax;

use super::{Build, Offers, Runs};
use crate::net::{Net, Node};
use crate::program::Step;
use crate::steps::softmax_f32::SoftmaxF32;

impl Runs for Softmax {
    fn build(&self, node: &Node<'_>, net: &Net<'_>, build: &Build) -> Result<Box<dyn Step>> {
        let (input, output) = (node.inputs[0], node.outputs[0]);
        let depth = net.values[input].shape.last().copied().unwrap_or(1);
        Ok(Box::new(SoftmaxF32 { kernels: build.f32_softmax, kind: self.0, depth, input, output }))
    }

    fn offers(&self) -> Offers<'_> {
        Offers::NONE
    }
}
