//! QUANTIZE of `f32` to bytes, DEQUANTIZE of bytes to `f32`.
//!
//! Defined by: tflite/kernels/quantize.cc, tflite/kernels/dequantize.h and their SIMD kernels in
//! optimized/optimized_ops.h, which take whole eights and round otherwise than scalar code:
//!
//! ```text
//! quantize     eights: round(x · (1 / scale)), ties to even, + z      rest: round(x / scale), ties away from zero, + z
//! dequantize   eights: q · scale + (−z · scale)                       rest: (q − z) · scale
//! ```

use arenite_abi::prelude::*;
use arenite_base::Quant;
use arenite_layers::lower::expect_elements;
use arenite_layers::{Node, Source};

use super::quantization::{quant_of, raised};
use crate::ops::build::Build;
use crate::ops::values::{NetValues, NodeValues};
use crate::step::Step;
use crate::steps::convert_u8::{Dequantize, Quantize};

/// A conversion.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Convert {
    /// From `f32`.
    Quantize,
    /// To `f32`; the number is what signed bytes are raised by.
    Dequantize(i32),
}

/// Lowers QUANTIZE.
pub(super) fn quantize(x: &Source<'_, '_>) -> Result<Node<Convert>> {
    let (_, y) = x.output(0)?;
    quant_of(y)?;
    node(x, Convert::Quantize)
}

/// Lowers DEQUANTIZE.
pub(super) fn dequantize(x: &Source<'_, '_>) -> Result<Node<Convert>> {
    let (_, a) = x.input(0)?;
    quant_of(a)?;
    node(x, Convert::Dequantize(if a.ty == I8 { 128 } else { 0 }))
}

/// A node whose output has as many elements as its input.
pub(super) fn node<L>(x: &Source<'_, '_>, layer: L) -> Result<Node<L>> {
    let ((input, a), (output, y)) = (x.input(0)?, x.output(0)?);
    expect_elements(y)?;
    ensure!(a.len() == y.len(), "input has shape {:?}, output {:?}", a.shape, y.shape);
    Ok(Node::new(layer, vec![input], vec![output]))
}

impl Convert {
    /// The step.
    pub(crate) fn build(
        &self,
        node: &NodeValues<'_>,
        net: &NetValues<'_, '_>,
        build: &Build,
    ) -> Result<Box<dyn Step>> {
        let (input, output, reals) = (node.inputs[0], node.outputs[0], build.bytes.reals);
        let len = net.values[output].len();
        Ok(match *self {
            Convert::Quantize => {
                let (quant, flip) = raised(net, output)?;
                Box::new(Quantize { reals, quant, flip, len, input, output })
            }
            Convert::Dequantize(by) => {
                let (Quant { scale, zero_point }, flip) = raised(net, input)?;
                let quant = Quant { scale, zero_point: zero_point - by };
                Box::new(Dequantize { reals, quant, raised: by, flip, len, input, output })
            }
        })
    }
}
