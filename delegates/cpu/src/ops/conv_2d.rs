//! CONV_2D: f32, with constant filters; strides, dilations, groups.

use arenite_abi::prelude::*;
use arenite_abi::schema::Conv2DOptions;

use super::{Build, Layer, Source, Winograd, expect_elements};
use crate::kernels::f32_winograd;
use crate::net::Node;
use crate::program::Step;
use crate::steps::conv_f32::{ConvF32, MAX_TAPS, Parts};
use crate::steps::post::Post;
use crate::steps::winograd_f32::{self, WinogradF32};
use crate::stored::Stored;
use crate::window::{Window, limits};

/// A convolution with constant weights.
pub struct Conv2d<'a> {
    /// Where it reads.
    pub window: Window,
    /// Groups of channels.
    pub groups: usize,
    /// Output channels.
    pub filters: usize,
    /// `[filters][taps][channels / groups]`.
    pub weights: Stored<'a>,
    /// One per filter.
    pub bias: Option<&'a [f32]>,
    /// The range of results.
    pub limits: (f32, f32),
    /// What is done to results while they are in the cache.
    pub posts: Vec<Post>,
}

/// Lowers CONV_2D.
pub fn lower<'a>(x: &Source<'_, 'a>) -> Result<Node<'a>> {
    x.expect_f32(3)?;
    let ((input, image), (_, filter), (output, result)) = (x.input(0)?, x.input(1)?, x.output(0)?);
    expect_elements(image)?;
    expect_elements(result)?;
    let weights = x.weights(1)?;
    let bias = x.optional_constant::<f32>(2)?;
    let &[filters, height, width, depth] = &filter.shape[..] else {
        return Err(unsupported!("the filter has shape {:?}", filter.shape));
    };
    let options = x.node.options()?;
    let window = Window::read(&options, &image.shape, [height, width])?;
    let groups = window.channels / depth.max(1);
    ensure!(
        groups * depth == window.channels && groups > 0 && filters % groups == 0,
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
    let limits = limits(options.get(Conv2DOptions::FUSED_ACTIVATION_FUNCTION)?)?;
    let layer = Conv2d { window, groups, filters, weights, bias, limits, posts: Vec::new() };
    Ok(Node::new(Layer::Conv2d(layer), vec![input], vec![output]))
}

/// An error unless an output has the shape that the window gives.
pub fn expect_shape(shape: &[usize], window: &Window, channels: usize) -> Result<()> {
    let expected = [window.batches, window.rows.output, window.columns.output, channels];
    ensure!(shape == expected, "the output has shape {shape:?}, the window gives {expected:?}");
    Ok(())
}

impl Conv2d<'_> {
    /// Packs the weights.
    pub fn build(&self, node: &Node<'_>, build: &Build) -> Result<Box<dyn Step>> {
        Ok(match self.winograd(build) {
            Some(winograd) => {
                let parts = self.parts(node);
                Box::new(WinogradF32::new(build.f32_gemm, build.f32_map, winograd, &build.store, parts)?)
            }
            None => Box::new(self.plain(node, build)?),
        })
    }

    /// Winograd's kernels, where they are faster and allowed.
    pub fn winograd(&self, build: &Build) -> Option<&'static f32_winograd::Winograd> {
        match build.winograd {
            Winograd::Allowed => {
                winograd_f32::choose(build.isa, build.f32_gemm, &self.window, self.groups, self.filters)
            }
            Winograd::Off => None,
        }
    }

    /// The step that multiplies all taps.
    pub fn plain(&self, node: &Node<'_>, build: &Build) -> Result<ConvF32> {
        ConvF32::new(build.f32_gemm, build.f32_map, &build.store, self.parts(node))
    }

    fn parts(&self, node: &Node<'_>) -> Parts<'_> {
        Parts {
            window: self.window,
            groups: self.groups,
            filters: self.filters,
            name: format!("{:?}", node.packed),
            weights: self.weights,
            bias: self.bias,
            limits: self.limits,
            posts: self.posts.clone(),
            input: node.inputs[0],
            output: node.outputs[0],
        }
    }
}
