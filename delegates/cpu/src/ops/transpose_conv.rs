//! TRANSPOSE_CONV: f32.

use arenite_abi::prelude::*;
use arenite_layers::ops::TransposeConv;

use super::{Build, Offers, Runs};
use crate::net::{Net, Node};
use crate::program::Step;
use crate::steps::transpose_conv_f32::{Parts, TransposeConvF32};

impl Runs for TransposeConv<'_> {
    fn build(&self, node: &Node<'_>, net: &Net<'_>, build: &Build) -> Result<Box<dyn Step>> {
        let parts = Parts {
            window: self.window,
            depth: self.depth,
            name: build.name(node, net)?,
            weights: self.weights,
            bias: self.bias,
            clamp: self.clamp,
            epilogue: self.epilogue.clone(),
            input: node.inputs[0],
            output: node.outputs[0],
        };
        Ok(Box::new(TransposeConvF32::new(build.f32_gemm, build.f32_map, &build.store, parts)?))
    }

    fn offers(&self) -> Offers<'_> {
        Offers::NONE
    }
}
