//! AVERAGE_POOL_2D and MAX_POOL_2D of bytes; padding is left out.
//!
//! Defined by: tflite/kernels/pooling.cc. Means of signed numbers round ties away from zero.

use arenite_abi::prelude::*;
use arenite_abi::schema::{Pool2DOptions, activation};

use super::{Quantized, range, unsigned};
use crate::net::{Net, Node};
use crate::ops::conv_2d::expect_shape;
use crate::ops::{Build, Layer, Source, expect_elements};
use crate::requantize::Bytes;
use crate::steps::conv_f32::MAX_TAPS;
use crate::steps::pool_u8::{PoolU8, Pooling};
use crate::window::Window;

/// A pool.
pub struct Pool {
    /// Where it reads.
    pub window: Window,
    pooling: Pooling,
    activation: i8,
}

/// Lowers a pool, of means or of maxima.
pub fn lower<'a>(x: &Source<'_, 'a>, means: bool) -> Result<Node<'a>> {
    let ((input, a), (output, y)) = (x.input(0)?, x.output(0)?);
    expect_elements(a)?;
    expect_elements(y)?;
    if a.ty != y.ty {
        return Err(unsupported!("input is {}, output is {}", a.ty, y.ty));
    }
    let options = x.node.options()?;
    let (width, height) =
        (options.get(Pool2DOptions::FILTER_WIDTH)?, options.get(Pool2DOptions::FILTER_HEIGHT)?);
    let taps = [height.max(0) as usize, width.max(0) as usize];
    let window = Window::read(&options, &a.shape, taps)?;
    if window.rows.taps * window.columns.taps > MAX_TAPS {
        return Err(unsupported!("the window has {height} × {width} taps, taken are up to {MAX_TAPS}"));
    }
    expect_shape(&y.shape, &window, window.channels)?;
    let activation = options.get(Pool2DOptions::FUSED_ACTIVATION_FUNCTION)?;
    if activation != 0 {
        range(activation, super::quant_of(y)?)?;
    }
    let pooling = match (means, a.ty) {
        (false, _) => Pooling::Largest,
        (true, I8) => Pooling::SignedMean,
        (true, _) => Pooling::Mean,
    };
    let layer = Pool { window, pooling, activation };
    Ok(Node::new(Layer::Quantized(Quantized::Pool(layer)), vec![input], vec![output]))
}

impl Pool {
    /// The step.
    pub fn build(&self, node: &Node<'_>, net: &Net<'_>, build: &Build) -> Result<PoolU8> {
        let (input, output) = (node.inputs[0], node.outputs[0]);
        let bytes = match self.activation {
            activation::NONE => Bytes { zero_point: 0, low: 0, high: 255 },
            activation => range(activation, unsigned(net, output)?)?,
        };
        Ok(PoolU8::new(build.bytes.pools, self.pooling, self.window, bytes, (input, output)))
    }
}
