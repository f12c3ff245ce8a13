//! CONV_2D: with constant filters; strides, dilations, groups.

use arenite_abi::prelude::*;
use arenite_abi::schema::Conv2DOptions;

use super::activation::clamp_of;
use super::source::{Source, expect_elements};
use crate::layer::{Common, Conv2d, Window};
use crate::net::Node;

/// The sizes of a CONV_2D of any types.
pub struct Geometry {
    /// The window over the input.
    pub window: Window,
    /// Groups of channels.
    pub groups: usize,
    /// Output channels.
    pub filters: usize,
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
        let seen = window.turned().unwrap_or(window);
        let is_merged = groups == 1 && seen.columns.dilation == 1 && seen.rows.taps <= x.limits.conv_rows;
        if !is_merged {
            window.expect_taps(x.limits.conv_taps)?;
        }
        window.expect_output(&result.shape, filters)?;
        let activation = options.get(Conv2DOptions::FUSED_ACTIVATION_FUNCTION)?;
        Ok(Geometry { window, groups, filters, activation })
    }
}

/// Lowers CONV_2D.
pub(super) fn lower<'a>(x: &Source<'_, 'a>) -> Result<Node<Common<'a>>> {
    x.expect_f32(3)?;
    let Geometry { window, groups, filters, activation } = Geometry::read(x)?;
    let layer = Conv2d {
        window,
        groups,
        filters,
        weights: x.weights(1)?,
        bias: x.bias(2, filters)?,
        clamp: clamp_of(activation)?,
        epilogue: Vec::new(),
    };
    Ok(Node::new(Common::Conv2d(layer), vec![x.input(0)?.0], vec![x.output(0)?.0]))
}
