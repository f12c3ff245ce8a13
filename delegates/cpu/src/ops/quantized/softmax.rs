//! SOFTMAX of bytes along the last axis.
//!
//! Defined by: tflite/kernels/activations.cc, optimized/optimized_ops.h: exponentials of the distances from the largest byte come from a
//! table of `f32` and are added in order.

use arenite_abi::prelude::*;
use arenite_abi::schema::SoftmaxOptions;
use arenite_layers::ops::expect_elements;
use arenite_layers::{Node, Source};

use super::{Lowered, Quantized, quant_of, unsigned};
use crate::kernels::u8_real::Halves;
use crate::net::{self, Net};
use crate::ops::Build;
use crate::program::Step;
use crate::steps::softmax_u8::SoftmaxU8;

/// Softmax along the last axis.
pub struct Softmax {
    beta: f32,
    halves: Halves,
}

/// Lowers SOFTMAX.
pub fn lower<'a>(x: &Source<'_, 'a>) -> Result<Lowered<'a>> {
    let ((input, a), (output, y)) = (x.input(0)?, x.output(0)?);
    expect_elements(y)?;
    if a.ty != y.ty || a.shape != y.shape || a.shape.is_empty() {
        return Err(unsupported!("{} {:?} to {} {:?} is not supported", a.ty, a.shape, y.ty, y.shape));
    }
    let quant = quant_of(y)?;
    quant_of(a)?;
    let beta = x.node.options()?.get(SoftmaxOptions::BETA)?;
    if beta.is_nan() || beta < 0.0 {
        return Err(unsupported!("beta is {beta}"));
    }
    let halves = match (a.ty, quant.zero_point) {
        (I8, -128) => Halves::Up,
        (U8, _) => Halves::Added,
        _ => return Err(unsupported!("'{}' has zero point {}, it must be −128", y.name, quant.zero_point)),
    };
    let layer = Softmax { beta, halves };
    Ok(Node::new(Quantized::Softmax(layer), vec![input], vec![output]))
}

impl Softmax {
    /// The step.
    pub fn build(&self, node: &net::Node<'_>, net: &Net<'_>, build: &Build) -> Result<Box<dyn Step>> {
        let (input, output) = (node.inputs[0], node.outputs[0]);
        let (from, to) = (unsigned(net, input)?, unsigned(net, output)?);
        let depth = net.values[input].shape.last().copied().unwrap_or(1);
        let kernels = (build.bytes.fold, build.bytes.map, build.bytes.reals);
        let scales = (from.scale * self.beta, to.scale);
        Ok(Box::new(SoftmaxU8::new(kernels, scales, self.halves, depth, (input, output))))
    }
}
