//! SUM, MEAN, REDUCE_MAX, REDUCE_MIN: f32.

use arenite_abi::prelude::*;
use arenite_layers::layer::Reduce;

use crate::ops::build::{Build, LayerStep, Offers};
use crate::ops::values::{NetValues, NodeValues};
use crate::step::Step;
use crate::steps::fold_f32::{FoldF32, axes};

impl LayerStep for Reduce {
    fn build(&self, node: &NodeValues<'_>, net: &NetValues<'_, '_>, build: &Build) -> Result<Box<dyn Step>> {
        let kernels = build.f32_fold;
        let axes = axes(&net.values[node.inputs[0]].shape, &self.folded);
        Ok(Box::new(FoldF32::new(kernels, self.fold, axes, self.divisor, node.ends())))
    }

    fn offers(&self) -> Offers<'_> {
        Offers::NONE
    }
}
