//! TRANSPOSE_CONV: f32.

use arenite_abi::prelude::*;
use arenite_layers::layer::TransposeConv;

use crate::ops::build::{Build, LayerStep, Offers};
use crate::ops::values::{NetValues, NodeValues};
use crate::step::Step;
use crate::steps::transpose_conv_f32::{TransposeConvF32, TransposeConvF32Parameters};

impl LayerStep for TransposeConv<'_> {
    fn build(&self, node: &NodeValues<'_>, net: &NetValues<'_, '_>, build: &Build) -> Result<Box<dyn Step>> {
        let parts = TransposeConvF32Parameters {
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
