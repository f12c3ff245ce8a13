//! Attention with a mask: `softmax(scale · q kᵀ + mask) v`. No node of a model is one: `rewrite` finds it.

use arenite_abi::prelude::*;

use crate::kernels::transpose::Transpose;
use crate::ops::build::{Build, LayerStep, Offers};
use crate::ops::values::{NetValues, NodeValues};
use crate::step::Step;
use crate::steps::attention_f32::AttentionF32;
use crate::steps::attention_layer::Attention;

impl LayerStep for Attention {
    fn build(&self, node: &NodeValues<'_>, _: &NetValues<'_, '_>, build: &Build) -> Result<Box<dyn Step>> {
        let &[queries, keys, values, mask] = node.inputs else {
            return Err(invalid!("attention has {} inputs, not 4", node.inputs.len()));
        };
        Ok(Box::new(AttentionF32::new(
            self.clone(),
            (build.f32_attention, build.f32_softmax, Transpose::words(build.isa)),
            [queries, keys, values, mask],
            node.outputs[0],
        )))
    }

    fn offers(&self) -> Offers<'_> {
        Offers::NONE
    }
}
