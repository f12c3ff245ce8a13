//! DEPTHWISE_CONV_2D: f32.

use arenite_abi::prelude::*;
use arenite_layers::ops::DepthwiseConv2d;
use arenite_layers::{EpilogueOp, Window};

use super::{Build, ByRows, Offers, Runs};
use crate::net::{Net, Node};
use crate::program::Step;
use crate::steps::cascade::Rows;
use crate::steps::dwconv_f32::{DwConvF32, Parts};

impl Runs for DepthwiseConv2d<'_> {
    fn build(&self, node: &Node<'_>, net: &Net<'_>, build: &Build) -> Result<Box<dyn Step>> {
        Ok(Box::new(step(self, (node, net), build)?))
    }

    fn offers(&self) -> Offers<'_> {
        Offers { rows: (self.multiplier == 1).then_some(self as &dyn ByRows), border: None }
    }
}

impl ByRows for DepthwiseConv2d<'_> {
    fn window(&self) -> (&Window, usize) {
        (&self.window, self.window.channels * size_of::<f32>())
    }

    fn epilogue(&self) -> &[EpilogueOp] {
        &self.epilogue
    }

    /// Few beside those of products.
    fn weights(&self) -> usize {
        0
    }

    fn is_faster_whole(&self, _: &Build) -> bool {
        false
    }

    fn rows(&self, node: &Node<'_>, net: &Net<'_>, build: &Build) -> Result<Box<dyn Rows>> {
        Ok(Box::new(step(self, (node, net), build)?))
    }
}

fn step(layer: &DepthwiseConv2d<'_>, (node, net): (&Node<'_>, &Net<'_>), build: &Build) -> Result<DwConvF32> {
    let parts = Parts {
        window: layer.window,
        multiplier: layer.multiplier,
        name: build.name(node, net)?,
        weights: layer.weights,
        bias: layer.bias,
        clamp: layer.clamp,
        epilogue: layer.epilogue.clone(),
        input: node.inputs[0],
        output: node.outputs[0],
    };
    DwConvF32::new(build.f32_dwconv, build.f32_map, &build.store, parts)
}
