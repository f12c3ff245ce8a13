//! AVERAGE_POOL_2D, MAX_POOL_2D: f32.

use arenite_abi::prelude::*;
use arenite_layers::ops::Pool2d;
use arenite_layers::{EpilogueOp, Window};

use super::{Build, ByRows, Offers, Runs};
use crate::net::{Net, Node};
use crate::program::Step;
use crate::steps::cascade::Rows;
use crate::steps::pool_f32::PoolF32;

impl Runs for Pool2d {
    fn build(&self, node: &Node<'_>, _: &Net<'_>, build: &Build) -> Result<Box<dyn Step>> {
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

    fn rows(&self, node: &Node<'_>, _: &Net<'_>, build: &Build) -> Result<Box<dyn Rows>> {
        Ok(Box::new(step(self, node, build)))
    }
}

fn step(layer: &Pool2d, node: &Node<'_>, build: &Build) -> PoolF32 {
    PoolF32::new(
        build.f32_pool,
        build.f32_map,
        layer.kind,
        layer.window,
        (layer.clamp, layer.epilogue.clone()),
        (node.inputs[0], node.outputs[0]),
    )
}
