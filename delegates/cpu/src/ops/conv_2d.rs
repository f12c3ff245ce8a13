//! CONV_2D, and FULLY_CONNECTED with constant weights: f32.

use arenite_abi::prelude::*;
use arenite_layers::layer::Conv2d;
use arenite_layers::{EpilogueOp, Window};

use crate::kernels::f32_winograd;
use crate::ops::build::{Border, Build, ByRows, LayerStep, Offers, Winograd};
use crate::ops::values::{NetValues, NodeValues};
use crate::step::Step;
use crate::steps::cascade::RowStep;
use crate::steps::conv_f32::{ConvF32, ConvF32Parameters};
use crate::steps::winograd_f32::{self, WinogradF32};

impl LayerStep for Conv2d<'_> {
    fn build(&self, node: &NodeValues<'_>, net: &NetValues<'_, '_>, build: &Build) -> Result<Box<dyn Step>> {
        Ok(match winograd(self, build) {
            Some(winograd) => {
                let parts = parts(self, (node, net), build)?;
                Box::new(WinogradF32::new(build.f32_gemm, build.f32_map, winograd, &build.store, parts)?)
            }
            None => Box::new(plain(self, (node, net), build)?),
        })
    }

    fn offers(&self) -> Offers<'_> {
        let border = Border { width: size_of::<f32>(), few: 0, groups: self.groups };
        Offers { rows: Some(self), border: Some(border) }
    }
}

impl ByRows for Conv2d<'_> {
    fn window(&self) -> (&Window, usize) {
        (&self.window, self.filters * size_of::<f32>())
    }

    fn epilogue(&self) -> &[EpilogueOp] {
        &self.epilogue
    }

    fn weights(&self) -> usize {
        self.weights.len() * size_of::<f32>()
    }

    fn is_faster_whole(&self, build: &Build) -> bool {
        winograd(self, build).is_some()
    }

    fn rows(
        &self,
        node: &NodeValues<'_>,
        net: &NetValues<'_, '_>,
        build: &Build,
    ) -> Result<Box<dyn RowStep>> {
        Ok(Box::new(plain(self, (node, net), build)?))
    }
}

/// Winograd's kernels, where they are faster and allowed.
fn winograd(layer: &Conv2d<'_>, build: &Build) -> Option<&'static f32_winograd::Winograd> {
    match build.winograd {
        Winograd::Allowed => {
            winograd_f32::choose(build.isa, build.f32_gemm, &layer.window, layer.groups, layer.filters)
        }
        Winograd::Off => None,
    }
}

/// The step that multiplies all taps.
fn plain(layer: &Conv2d<'_>, at: (&NodeValues<'_>, &NetValues<'_, '_>), build: &Build) -> Result<ConvF32> {
    ConvF32::new(build.f32_gemm, build.f32_map, &build.store, parts(layer, at, build)?)
}

fn parts<'a>(
    layer: &Conv2d<'a>,
    (node, net): (&NodeValues<'_>, &NetValues<'_, '_>),
    build: &Build,
) -> Result<ConvF32Parameters<'a>> {
    Ok(ConvF32Parameters {
        window: layer.window,
        groups: layer.groups,
        filters: layer.filters,
        name: build.name(node, net)?,
        weights: layer.weights,
        bias: layer.bias,
        clamp: layer.clamp,
        epilogue: layer.epilogue.clone(),
        input: node.inputs[0],
        output: node.outputs[0],
    })
}
