//! DEPTHWISE_CONV_2D: f32, with a constant filter; strides, dilations, several results per channel.

use arenite_abi::prelude::*;
use arenite_abi::schema::DepthwiseConv2DOptions;

use super::conv_2d::expect_shape;
use super::{Build, Layer, Source, expect_elements};
use crate::net::Node;
use crate::steps::dwconv_f32::{DwConvF32, Parts};
use crate::steps::post::Post;
use crate::steps::slide::MAX_TAPS;
use crate::stored::Stored;
use crate::window::{Window, limits};

/// A convolution of each channel with its own filters, which are constant.
pub struct DepthwiseConv2d<'a> {
    /// Where it reads.
    pub window: Window,
    /// Results per channel of the input.
    pub multiplier: usize,
    /// `[taps][channels · multiplier]`.
    pub weights: Stored<'a>,
    /// One per channel of the output.
    pub bias: Option<&'a [f32]>,
    /// The range of results.
    pub limits: (f32, f32),
    /// What is done to results while they are in the cache.
    pub posts: Vec<Post>,
}

/// Lowers DEPTHWISE_CONV_2D.
pub fn lower<'a>(x: &Source<'_, 'a>) -> Result<Node<'a>> {
    x.expect_f32(3)?;
    let ((input, image), (_, filter), (output, result)) = (x.input(0)?, x.input(1)?, x.output(0)?);
    expect_elements(image)?;
    expect_elements(result)?;
    let weights = x.weights(1)?;
    let bias = x.optional_constant::<f32>(2)?;
    let &[1, height, width, filters] = &filter.shape[..] else {
        return Err(unsupported!("the filter has shape {:?}", filter.shape));
    };
    let options = x.node.options()?;
    let window = Window::read(&options, &image.shape, [height, width])?;
    let multiplier = filters / window.channels;
    ensure!(
        multiplier > 0 && multiplier * window.channels == filters,
        "the filter has shape {:?}, the input {:?}",
        filter.shape,
        image.shape
    );
    if height * width > MAX_TAPS {
        return Err(unsupported!("the filter has {height} × {width} taps, taken are up to {MAX_TAPS}"));
    }
    ensure!(
        weights.len() == filter.len() && bias.is_none_or(|bias| bias.len() == filters),
        "the filter has shape {:?}, the bias {:?}",
        filter.shape,
        bias.map(<[f32]>::len)
    );
    expect_shape(&result.shape, &window, filters)?;
    let limits = limits(options.get(DepthwiseConv2DOptions::FUSED_ACTIVATION_FUNCTION)?)?;
    let layer = DepthwiseConv2d { window, multiplier, weights, bias, limits, posts: Vec::new() };
    Ok(Node::new(Layer::DepthwiseConv2d(layer), vec![input], vec![output]))
}

impl DepthwiseConv2d<'_> {
    /// Packs the weights.
    pub fn build(&self, node: &Node<'_>, build: &Build) -> Result<DwConvF32> {
        DwConvF32::new(
            build.f32_dwconv,
            build.f32_map,
            &build.store,
            Parts {
                window: self.window,
                multiplier: self.multiplier,
                name: format!("{:?}", node.packed),
                weights: self.weights,
                bias: self.bias,
                limits: self.limits,
                posts: self.posts.clone(),
                input: node.inputs[0],
                output: node.outputs[0],
            },
        )
    }
}
