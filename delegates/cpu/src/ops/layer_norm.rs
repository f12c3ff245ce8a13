//! Layer normalization of `f32`.

use arenite_abi::prelude::*;
use arenite_layers::Id;
use arenite_layers::ops::LayerNorm;

use super::{Build, Offers, Runs};
use crate::net::{Net, Node};
use crate::program::Step;
use crate::steps::norm_f32::NormF32;

impl Runs for LayerNorm {
    fn build(&self, node: &Node<'_>, net: &Net<'_>, build: &Build) -> Result<Box<dyn Step>> {
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
