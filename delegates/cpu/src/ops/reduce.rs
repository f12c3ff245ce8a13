//! SUM, MEAN, REDUCE_MAX, REDUCE_MIN: f32.

use arenite_abi::prelude::*;
use arenite_layers::ops::Reduce;

use super::{Build, Offers, Runs};
use crate::net::{Net, Node};
use crate::program::Step;
use crate::steps::fold_f32::{FoldF32, axes};

impl Runs for Reduce {
    fn build(&self, node: &Node<'_>, net: &Net<'_>, build: &Build) -> Result<Box<dyn Step>> {
        let (kernels, places) = (build.f32_fold, (node.inputs[0], node.outputs[0]));
        let axes = axes(&net.values[node.inputs[0]].shape, &self.folded);
        Ok(Box::new(FoldF32::new(kernels, self.fold, axes, self.divisor, places)))
    }

    fn offers(&self) -> Offers<'_> {
        Offers::NONE
    }
}
