//! CONV_3D of `f32` with constant filters.
//!
//! Defined by: tflite/kernels/conv3d.cc.

use arenite_abi::prelude::*;
use arenite_abi::schema::Conv3DOptions;
use arenite_base::Clamp;
use arenite_layers::lower::expect_elements;
use arenite_layers::{Axis, Node, Source, Window, clamp_of};

use crate::ops::build::{Build, LayerStep, Offers};
use crate::ops::values::{NetValues, NodeValues};
use crate::reach::pointers::MAX_TAPS;
use crate::step::Step;
use crate::steps;
use crate::steps::conv_3d::Conv3dParameters;

/// A convolution.
pub(crate) struct Conv3d<'a> {
    depth: Axis,
    /// The window over a slice. Its images are the slices of all batches.
    plane: Window,
    filters: usize,
    /// `[depth][height][width][channels][filters]`.
    weights: &'a [f32],
    bias: Option<&'a [f32]>,
    clamp: Clamp,
}

/// Lowers the node if it is a CONV_3D.
pub(super) fn lower<'a>(x: &Source<'_, 'a>) -> Option<Result<Node<Conv3d<'a>>>> {
    (x.node.builtin_code() == op::CONV_3D).then(|| node(x))
}

fn node<'a>(x: &Source<'_, 'a>) -> Result<Node<Conv3d<'a>>> {
    type Fields = Conv3DOptions;
    let ((input, volume), (_, filter), (output, result)) = (x.input(0)?, x.input(1)?, x.output(0)?);
    expect_elements(volume)?;
    expect_elements(result)?;
    x.expect_f32(3)?;
    let (&[batches, input_depth, height, width, channels], &[taps_d, taps_h, taps_w, deep, filters]) =
        (&volume.shape[..], &filter.shape[..])
    else {
        return Err(invalid!("{:?} and {:?} must have 5 dimensions", volume.shape, filter.shape));
    };
    ensure!(deep == channels, "the filter has shape {:?}, the input {:?}", filter.shape, volume.shape);
    let options = x.node.options()?;
    let padding = options.get(Fields::PADDING)?;
    let axis = |input, taps, stride, dilation| {
        Axis::new(padding, [input, taps], options.get(stride)?, options.get(dilation)?)
    };
    let depth = axis(input_depth, taps_d, Fields::STRIDE_D, Fields::DILATION_D_FACTOR)?;
    let rows = axis(height, taps_h, Fields::STRIDE_H, Fields::DILATION_H_FACTOR)?;
    let columns = axis(width, taps_w, Fields::STRIDE_W, Fields::DILATION_W_FACTOR)?;
    let taps = taps_d.saturating_mul(taps_h).saturating_mul(taps_w);
    if taps > MAX_TAPS {
        return Err(unsupported!("the window has {taps} taps; at most {MAX_TAPS} are supported"));
    }
    let expected = [batches, depth.output, rows.output, columns.output, filters];
    ensure!(result.shape == expected, "the output is {:?}, the window gives {expected:?}", result.shape);
    let layer = Conv3d {
        depth,
        plane: Window { batches: batches * input_depth, rows, columns, channels },
        filters,
        weights: x.constant(1)?,
        bias: x.bias(2, filters)?,
        clamp: clamp_of(options.get(Fields::FUSED_ACTIVATION_FUNCTION)?)?,
    };
    Ok(Node::new(layer, vec![input], vec![output]))
}

impl LayerStep for Conv3d<'_> {
    fn build(&self, node: &NodeValues<'_>, net: &NetValues<'_, '_>, build: &Build) -> Result<Box<dyn Step>> {
        let Conv3d { depth, plane, filters, weights, bias, clamp } = *self;
        let (name, parts) =
            (build.name(node, net)?, Conv3dParameters { depth, plane, filters, weights, bias, clamp });
        let step = steps::conv_3d::Conv3d::new(build.f32_gemm, (&build.store, &name), &parts, node.ends())?;
        Ok(Box::new(step))
    }

    fn offers(&self) -> Offers<'_> {
        Offers::NONE
    }
}
