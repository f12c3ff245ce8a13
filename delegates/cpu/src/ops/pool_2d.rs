//! AVERAGE_POOL_2D, MAX_POOL_2D: f32.

use arenite_abi::prelude::*;
use arenite_abi::schema::Pool2DOptions;

use super::conv_2d::expect_shape;
use super::{Build, Layer, Source, expect_elements};
use crate::kernels::f32_pool::Kind;
use crate::net::Node;
use crate::steps::pool_f32::PoolF32;
use crate::steps::post::Post;
use crate::steps::slide::MAX_TAPS;
use crate::window::{Window, limits};

/// A pool of `f32`.
pub struct Pool2d {
    /// What is computed.
    pub kind: Kind,
    /// Where it reads.
    pub window: Window,
    /// The range of results.
    pub limits: (f32, f32),
    /// What is done to results while they are in the cache.
    pub posts: Vec<Post>,
}

/// Lowers a pool.
pub fn lower<'a>(x: &Source<'_, 'a>, kind: Kind) -> Result<Node<'a>> {
    x.expect_f32(1)?;
    let ((input, image), (output, result)) = (x.input(0)?, x.output(0)?);
    expect_elements(image)?;
    expect_elements(result)?;
    let options = x.node.options()?;
    let taps = [options.get(Pool2DOptions::FILTER_HEIGHT)?, options.get(Pool2DOptions::FILTER_WIDTH)?];
    let taps = taps.map(|taps| usize::try_from(taps).unwrap_or(0));
    if taps[0].saturating_mul(taps[1]) > MAX_TAPS {
        return Err(unsupported!("the window has {taps:?} taps, taken are up to {MAX_TAPS} in all"));
    }
    let window = Window::read(&options, &image.shape, taps)?;
    expect_shape(&result.shape, &window, window.channels)?;
    let limits = limits(options.get(Pool2DOptions::FUSED_ACTIVATION_FUNCTION)?)?;
    let layer = Pool2d { kind, window, limits, posts: Vec::new() };
    Ok(Node::new(Layer::Pool2d(layer), vec![input], vec![output]))
}

impl Pool2d {
    /// The step.
    pub fn build(&self, node: &Node<'_>, build: &Build) -> PoolF32 {
        PoolF32::new(
            build.f32_pool,
            build.f32_map,
            self.kind,
            self.window,
            (self.limits, self.posts.clone()),
            (node.inputs[0], node.outputs[0]),
        )
    }
}
