//! BATCH_MATMUL, and FULLY_CONNECTED with weights that are known at run time only: f32.

use arenite_abi::prelude::*;
use arenite_layers::layer::BatchMatmul;

use crate::kernels::transpose::Transpose;
use crate::ops::build::{Build, LayerStep, Offers};
use crate::ops::values::{NetValues, NodeValues};
use crate::step::Step;
use crate::steps::matmul_f32::MatMulF32;

impl LayerStep for BatchMatmul<'_> {
    fn build(&self, node: &NodeValues<'_>, _: &NetValues<'_, '_>, build: &Build) -> Result<Box<dyn Step>> {
        Ok(Box::new(MatMulF32 {
            gemm: build.f32_gemm,
            map: build.f32_map,
            transpose: Transpose::words(build.isa),
            sizes: self.sizes,
            batches: self.batches.clone(),
            views: self.views.clone(),
            bias: self.bias.map_or(Vec::new(), <[f32]>::to_vec),
            clamp: self.clamp,
            epilogue: self.epilogue.clone(),
            inputs: [node.inputs[0], node.inputs[1]],
            output: node.outputs[0],
        }))
    }

    fn offers(&self) -> Offers<'_> {
        Offers::NONE
    }
}
