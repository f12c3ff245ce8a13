//! TRANSPOSE_CONV: f32, with a constant filter.

use arenite_abi::prelude::*;
use arenite_abi::schema::TransposeConvOptions;

use super::{Build, Layer, Source, expect_elements};
use crate::net::Node;
use crate::program::Step;
use crate::steps::phases::{MAX_TAPS, taps_of};
use crate::steps::post::Post;
use crate::steps::transpose_conv_f32::{Parts, TransposeConvF32};
use crate::stored::Stored;
use crate::window::{Window, limits};

/// The gradient of a convolution, with constant weights.
pub struct TransposeConv<'a> {
    /// Of the convolution: its input is the output here.
    pub window: Window,
    /// Channels of the input.
    pub depth: usize,
    /// `[channels of the output][taps][channels of the input]`.
    pub weights: Stored<'a>,
    /// One per channel of the output.
    pub bias: Option<&'a [f32]>,
    /// The range of results.
    pub limits: (f32, f32),
    /// What is done to results while they are in the cache.
    pub posts: Vec<Post>,
}

/// Lowers TRANSPOSE_CONV.
pub fn lower<'a>(x: &Source<'_, 'a>) -> Result<Node<'a>> {
    let ((_, filter), (input, image), (output, result)) = (x.input(1)?, x.input(2)?, x.output(0)?);
    for value in [filter, image, result] {
        if value.ty != F32 {
            return Err(unsupported!("'{}' is {}, taken is FLOAT32", value.name, value.ty));
        }
    }
    let (window, depth) = shape(x)?;
    let weights = x.weights(1)?;
    let bias = x.optional_constant::<f32>(3)?;
    ensure!(
        weights.len() == filter.len() && bias.is_none_or(|bias| bias.len() == window.channels),
        "the filter has shape {:?}, the bias {:?}",
        filter.shape,
        bias.map(<[f32]>::len)
    );
    let limits = limits(x.node.options()?.get(TransposeConvOptions::FUSED_ACTIVATION_FUNCTION)?)?;
    let layer = TransposeConv { window, depth, weights, bias, limits, posts: Vec::new() };
    Ok(Node::new(Layer::TransposeConv(layer), vec![input], vec![output]))
}

/// The window of the convolution whose gradient the node is, and the channels of its output, which are those of the input here.
pub fn shape(x: &Source<'_, '_>) -> Result<(Window, usize)> {
    let ((_, filter), (_, image), (_, result)) = (x.input(1)?, x.input(2)?, x.output(0)?);
    for value in [filter, image, result] {
        expect_elements(value)?;
    }
    let wanted = x.integers(0)?;
    let same = |(&size, &wanted): (&usize, &i64)| usize::try_from(wanted) == Ok(size);
    ensure!(
        wanted.len() == result.shape.len() && result.shape.iter().zip(&wanted).all(same),
        "a result of {wanted:?} is not {:?}",
        result.shape
    );
    let (&[filters, height, width, depth], &[images, rows, columns, channels]) =
        (&filter.shape[..], &image.shape[..])
    else {
        return Err(unsupported!("filter {:?} and input {:?} need 4 dimensions", filter.shape, image.shape));
    };
    let options = x.node.options::<TransposeConvOptions>()?;
    let window = Window::read(&options, &result.shape, [height, width])?;
    ensure!(
        [window.batches, window.rows.output, window.columns.output] == [images, rows, columns]
            && depth == channels
            && window.channels == filters,
        "input {:?}, filter {:?} and output {:?} do not fit",
        image.shape,
        filter.shape,
        result.shape
    );
    let taps = taps_of(&window.rows, 0) * taps_of(&window.columns, 0);
    if taps > MAX_TAPS {
        return Err(unsupported!("{taps} taps meet in a result, taken are up to {MAX_TAPS}"));
    }
    Ok((window, depth))
}

impl TransposeConv<'_> {
    /// Packs the weights.
    pub fn build(&self, node: &Node<'_>, build: &Build) -> Result<Box<dyn Step>> {
        let parts = Parts {
            window: self.window,
            depth: self.depth,
            name: format!("{:?}", node.packed),
            weights: self.weights,
            bias: self.bias,
            limits: self.limits,
            posts: self.posts.clone(),
            input: node.inputs[0],
            output: node.outputs[0],
        };
        Ok(Box::new(TransposeConvF32::new(build.f32_gemm, build.f32_map, &build.store, parts)?))
    }
}
