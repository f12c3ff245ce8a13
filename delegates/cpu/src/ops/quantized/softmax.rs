//! SOFTMAX of bytes along the last axis.
//!
//! Defined by: tflite/kernels/activations.cc, optimized/optimized_ops.h: exponentials of the distances from the largest
//! byte come from a table of `f32` and are added in order.

use arenite_abi::prelude::*;
use arenite_abi::schema::SoftmaxOptions;
use arenite_layers::lower::expect_elements;
use arenite_layers::{Node, Source};

use super::quantization::{quant_of, raised, unsigned};
use crate::kernels::u8_real::Halves;
use crate::ops::build::Build;
use crate::ops::values::{NetValues, NodeValues};
use crate::step::{Step, StepValues};
use crate::steps::softmax_u8::{Scales, SoftmaxU8};

/// Softmax along the last axis.
pub(crate) struct Softmax {
    beta: f32,
    halves: Halves,
}

/// Lowers SOFTMAX.
pub(super) fn lower(x: &Source<'_, '_>) -> Result<Node<Softmax>> {
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
        _ => return Err(unsupported!("{y} has zero point {}, it must be −128", quant.zero_point)),
    };
    let layer = Softmax { beta, halves };
    Ok(Node::new(layer, vec![input], vec![output]))
}

impl Softmax {
    /// The step.
    pub(crate) fn build(
        &self,
        node: &NodeValues<'_>,
        net: &NetValues<'_, '_>,
        build: &Build,
    ) -> Result<Box<dyn Step>> {
        let StepValues { input, output } = node.ends();
        let (from, (to, flip)) = (unsigned(net, input)?, raised(net, output)?);
        let depth = net.values[input].shape.last().copied().unwrap_or(1);
        let kernels = (build.bytes.fold, build.bytes.map, build.bytes.reals);
        let scales = Scales { step: from.scale * self.beta, scale: to.scale, flip };
        Ok(Box::new(SoftmaxU8::new(kernels, scales, self.halves, depth, node.ends())))
    }
}
