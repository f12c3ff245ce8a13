//! Layer normalization of `f32`.

use arenite_abi::prelude::*;
use arenite_layers::Id;
use arenite_layers::layer::LayerNorm;

use crate::ops::build::{Build, LayerStep, Offers};
use crate::ops::values::{NetValues, NodeValues};
use crate::step::Step;
use crate::steps::norm_f32::NormF32;

impl LayerStep for LayerNorm {
    fn build(&self, node: &NodeValues<'_>, net: &NetValues<'_, '_>, build: &Build) -> Result<Box<dyn Step>> {
        let constants = |id: Option<Id>| -> Result<Vec<f32>> {
            let list = id.map(|id| net.values[id].elements::<f32>()).transpose()?.flatten();
            Ok(list.map_or(Vec::new(), <[f32]>::to_vec))
        };
        let depth = net.values[node.inputs[0]].shape.last().copied().unwrap_or(1);
        Ok(Box::new(NormF32 {
            kernels: build.f32_norm,
            depth,
            epsilon: self.epsilon,
            gamma: constants(self.gamma)?,
            beta: constants(self.beta)?,
            input: node.inputs[0],
            output: node.outputs[0],
        }))
    }

    fn offers(&self) -> Offers<'_> {
        Offers::NONE
    }
}
