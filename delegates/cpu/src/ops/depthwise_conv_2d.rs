//! DEPTHWISE_CONV_2D: f32.

use arenite_abi::prelude::*;
use arenite_layers::layer::DepthwiseConv2d;
use arenite_layers::{EpilogueOp, Window};

use crate::ops::build::{Build, ByRows, LayerStep, Offers};
use crate::ops::values::{NetValues, NodeValues};
use crate::step::Step;
use crate::steps::cascade::RowStep;
use crate::steps::dwconv_f32::{DwConvF32, DwConvF32Parameters};

impl LayerStep for DepthwiseConv2d<'_> {
    fn build(&self, node: &NodeValues<'_>, net: &NetValues<'_, '_>, build: &Build) -> Result<Box<dyn Step>> {
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

    /// Small compared with the weights of products.
    fn weights(&self) -> usize {
        0
    }

    fn is_faster_whole(&self, _: &Build) -> bool {
        false
    }

    fn rows(
        &self,
        node: &NodeValues<'_>,
        net: &NetValues<'_, '_>,
        build: &Build,
    ) -> Result<Box<dyn RowStep>> {
        Ok(Box::new(step(self, (node, net), build)?))
    }
}

fn step(
    layer: &DepthwiseConv2d<'_>,
    (node, net): (&NodeValues<'_>, &NetValues<'_, '_>),
    build: &Build,
) -> Result<DwConvF32> {
    let parts = DwConvF32Parameters {
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
