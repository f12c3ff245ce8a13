//! AVERAGE_POOL_2D, MAX_POOL_2D: f32.

use arenite_abi::prelude::*;
use arenite_layers::layer::Pool2d;
use arenite_layers::{EpilogueOp, Window};

use crate::ops::build::{Build, ByRows, LayerStep, Offers};
use crate::ops::values::{NetValues, NodeValues};
use crate::step::Step;
use crate::steps::cascade::RowStep;
use crate::steps::pool_f32::PoolF32;

impl LayerStep for Pool2d {
    fn build(&self, node: &NodeValues<'_>, _: &NetValues<'_, '_>, build: &Build) -> Result<Box<dyn Step>> {
        Ok(Box::new(step(self, node, build)))
    }

    fn offers(&self) -> Offers<'_> {
        Offers { rows: Some(self), border: None }
    }
}

impl ByRows for Pool2d {
    fn window(&self) -> (&Window, usize) {
        (&self.window, self.window.channels * size_of::<f32>())
    }

    fn epilogue(&self) -> &[EpilogueOp] {
        &self.epilogue
    }

    fn weights(&self) -> usize {
        0
    }

    fn is_faster_whole(&self, _: &Build) -> bool {
        false
    }

    fn rows(&self, node: &NodeValues<'_>, _: &NetValues<'_, '_>, build: &Build) -> Result<Box<dyn RowStep>> {
        Ok(Box::new(step(self, node, build)))
    }
}

fn step(layer: &Pool2d, node: &NodeValues<'_>, build: &Build) -> PoolF32 {
    PoolF32::new(
        build.f32_pool,
        build.f32_map,
        layer.kind,
        layer.window,
        (layer.clamp, layer.epilogue.clone()),
        node.ends(),
    )
}
