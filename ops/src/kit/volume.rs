//! Code that CONV_3D and CONV_3D_TRANSPOSE share: windows along depth, height and width.
//!
//! Defined by: tflite/kernels/conv3d.cc, tflite/kernels/conv3d_transpose.cc.

use arenite_abi::prelude::*;
use arenite_abi::schema::Conv3DOptions;

use super::activation::Limits;
use super::arguments::expect_type;
use super::node::{padding, range_activation};
use super::padding::Padding;
use super::window::Axis;

plain! {
    /// The options, along depth, height and width.
    #[derive(Clone, Copy)]
    pub struct Options3d {
        padding: Padding,
        strides: [i32; 3],
        dilations: [i32; 3],
        /// The range of the activation.
        pub limits: Limits<f32>,
    }
}

impl Options3d {
    /// Reads the options of the node.
    ///
    /// # Errors
    /// The padding or the activation is unknown.
    pub fn read(node: &NodeView<'_>) -> Result<Options3d> {
        type T = Conv3DOptions;
        let options = node.options()?;
        let triple = |[d, h, w]: [_; 3]| Ok::<_, Error>([options.get(d)?, options.get(h)?, options.get(w)?]);
        Ok(Options3d {
            padding: padding(options.get(T::PADDING)?)?,
            strides: triple([T::STRIDE_D, T::STRIDE_H, T::STRIDE_W])?,
            dilations: triple([T::DILATION_D_FACTOR, T::DILATION_H_FACTOR, T::DILATION_W_FACTOR])?,
            limits: range_activation(options.get(T::FUSED_ACTIVATION_FUNCTION)?)?.f32_range(),
        })
    }

    /// The window of a filter over an input, both above zero, along axis 0 (depth), 1 (height) or 2 (width).
    ///
    /// # Errors
    /// The stride or the dilation is not positive, or the filter does not fit.
    pub fn window(&self, axis: usize, input: i32, filter: i32) -> Result<Axis> {
        let what = ["depth", "height", "width"][axis];
        Axis::new(what, input, filter, self.padding, self.strides[axis], self.dilations[axis])
    }
}

/// Checks that a bias has one f32 per channel.
///
/// # Errors
/// It has another type or length.
pub fn check_bias(bias: Option<TensorView<'_>>, channels: i32) -> Result<()> {
    let Some(bias) = bias else { return Ok(()) };
    expect_type(&bias, &[F32])?;
    ensure!(
        bias.len() == channels as usize,
        "bias {bias} has {} elements, the filter gives {channels} channels; they must agree",
        bias.len()
    );
    Ok(())
}
