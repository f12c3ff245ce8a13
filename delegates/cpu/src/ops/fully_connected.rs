//! FULLY_CONNECTED: f32; with constant weights a convolution with one tap, else a product of matrices.

use arenite_abi::prelude::*;
use arenite_abi::schema::{FullyConnectedOptions, weights_format};

use super::{BatchMatmul, Conv2d, Layer, Source, expect_elements};
use crate::net::Node;
use crate::steps::matmul_f32::Sizes;
use crate::steps::post::Post;
use crate::window::{Window, limits};

/// Lowers FULLY_CONNECTED.
pub fn lower<'a>(x: &Source<'_, 'a>) -> Result<Node<'a>> {
    x.expect_f32(3)?;
    let ((input, a), (w_id, w), (output, y)) = (x.input(0)?, x.input(1)?, x.output(0)?);
    expect_elements(a)?;
    expect_elements(y)?;
    let bias = x.optional_constant::<f32>(2)?;
    let &[units, depth] = &w.shape[..] else {
        return Err(unsupported!("the weights have shape {:?}", w.shape));
    };
    let options = x.node.options()?;
    if options.get(FullyConnectedOptions::WEIGHTS_FORMAT)? != weights_format::DEFAULT {
        return Err(unsupported!("shuffled weights are not taken"));
    }
    ensure!(
        bias.is_none_or(|bias| bias.len() == units) && depth > 0 && units > 0,
        "the weights have shape {:?}, the bias {:?}",
        w.shape,
        bias.map(<[f32]>::len)
    );
    let rows = a.len() / depth;
    ensure!(
        rows * depth == a.len() && rows * units == y.len(),
        "input {:?}, weights {:?} and output {:?} do not fit",
        a.shape,
        w.shape,
        y.shape
    );
    let limits = limits(options.get(FullyConnectedOptions::FUSED_ACTIVATION_FUNCTION)?)?;
    let Some(weights) = w.weights()? else {
        let sizes = Sizes { rows, depth, columns: units, turned: true };
        let mut layer = BatchMatmul { bias, ..BatchMatmul::new(sizes, false, vec![[0, 0]]) };
        if limits != (f32::MIN, f32::MAX) {
            layer.posts.push(Post::Clamp(limits.0, limits.1));
        }
        return Ok(Node::new(Layer::BatchMatmul(layer), vec![input, w_id], vec![output]));
    };
    ensure!(weights.len() == w.len(), "'{}' has {} elements for shape {:?}", w.name, weights.len(), w.shape);
    let layer = Conv2d {
        window: Window::point(rows, depth),
        groups: 1,
        filters: units,
        weights,
        bias,
        limits,
        posts: Vec::new(),
    };
    Ok(Node::new(Layer::Conv2d(layer), vec![input], vec![output]))
}
