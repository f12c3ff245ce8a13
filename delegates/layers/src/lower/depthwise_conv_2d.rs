//! DEPTHWISE_CONV_2D: with a constant filter; strides, dilations, several results per channel.

use arenite_abi::prelude::*;
use arenite_abi::schema::DepthwiseConv2DOptions;

use super::activation::clamp_of;
use super::source::{Source, expect_elements};
use crate::layer::{Common, DepthwiseConv2d, Window};
use crate::net::Node;

/// The sizes of a DEPTHWISE_CONV_2D of any types.
pub struct Geometry {
    /// The window over the input.
    pub window: Window,
    /// Results per channel of the input.
    pub multiplier: usize,
    /// One of [`activation`](arenite_abi::schema::activation).
    pub activation: i8,
}

impl Geometry {
    /// Reads the options of a node and checks its shapes.
    ///
    /// # Errors
    /// The options are malformed or not supported, or the shapes do not fit them.
    pub fn read(x: &Source<'_, '_>) -> Result<Geometry> {
        let ((_, image), (_, filter), (_, result)) = (x.input(0)?, x.input(1)?, x.output(0)?);
        expect_elements(image)?;
        expect_elements(result)?;
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
        window.expect_output(&result.shape, filters)?;
        let activation = options.get(DepthwiseConv2DOptions::FUSED_ACTIVATION_FUNCTION)?;
        Ok(Geometry { window, multiplier, activation })
    }

    /// Channels of the output.
    pub fn filters(&self) -> usize {
        self.window.channels * self.multiplier
    }
}

/// Lowers DEPTHWISE_CONV_2D.
pub(super) fn lower<'a>(x: &Source<'_, 'a>) -> Result<Node<Common<'a>>> {
    x.expect_f32(3)?;
    let geometry = Geometry::read(x)?;
    geometry.window.expect_taps(x.limits.depthwise_taps)?;
    let layer = DepthwiseConv2d {
        window: geometry.window,
        multiplier: geometry.multiplier,
        weights: x.weights(1)?,
        bias: x.bias(2, geometry.filters())?,
        clamp: clamp_of(geometry.activation)?,
        epilogue: Vec::new(),
    };
    Ok(Node::new(Common::DepthwiseConv2d(layer), vec![x.input(0)?.0], vec![x.output(0)?.0]))
}
