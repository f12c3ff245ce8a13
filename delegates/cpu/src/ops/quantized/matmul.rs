//! BATCH_MATMUL of bytes, of matrices that are both known at run time only.
//!
//! Defined by: tflite/kernels/batch_matmul.cc, tflite/kernels/internal/reference/batch_matmul.h.

use arenite_abi::prelude::*;
use arenite_abi::schema::BatchMatMulOptions;
use arenite_base::Quant;
use arenite_layers::layer::batch_matmul::Sizes;
use arenite_layers::layer::matrices::Batches;
use arenite_layers::lower::batch_matmul;
use arenite_layers::{Node, Source};

use super::quantization::{quant_of, range, unsigned};
use crate::fixed_point::{Multiplier, Ties};
use crate::ops::build::Build;
use crate::ops::values::{NetValues, NodeValues};
use crate::step::Step;
use crate::steps::matmul_u8::MatMulU8;

/// Products of matrices.
pub(crate) struct Matmul {
    sizes: Sizes,
    /// The matrices of both inputs for each product.
    batches: Batches,
}

/// Lowers BATCH_MATMUL.
pub(super) fn lower(x: &Source<'_, '_>) -> Result<Node<Matmul>> {
    let ((a_id, a), (b_id, b), (output, y)) = (x.input(0)?, x.input(1)?, x.output(0)?);
    if a.ty != y.ty || b.ty != y.ty {
        return Err(unsupported!("multiplying {} by {} into {} is not supported", a.ty, b.ty, y.ty));
    }
    if a_id == b_id || x.node.options()?.get(BatchMatMulOptions::ADJ_X)? {
        return Err(unsupported!("a transposed first matrix, or a matrix times itself, is not supported"));
    }
    let (sizes, batches) = batch_matmul::shape(x)?;
    if sizes.depth > 1 << 16 {
        return Err(unsupported!("sums of {} products are not supported: they could overflow", sizes.depth));
    }
    multiplier([quant_of(a)?, quant_of(b)?, quant_of(y)?])?;
    let layer = Matmul { sizes, batches };
    Ok(Node::new(layer, vec![a_id, b_id], vec![output]))
}

/// `a · b / y`, where the product of the scales is one of `f32`.
fn multiplier([a, b, y]: [Quant; 3]) -> Result<Multiplier> {
    Multiplier::from_real(f64::from(a.scale * b.scale) / f64::from(y.scale))
        .ok_or_else(|| unsupported!("scales {} × {} / {} give no multiplier", a.scale, b.scale, y.scale))
}

impl Matmul {
    /// The step.
    pub(crate) fn build(
        &self,
        node: &NodeValues<'_>,
        net: &NetValues<'_, '_>,
        build: &Build,
    ) -> Result<Box<dyn Step>> {
        let (inputs, output) = ([node.inputs[0], node.inputs[1]], node.outputs[0]);
        let (a, b, y) = (unsigned(net, inputs[0])?, unsigned(net, inputs[1])?, unsigned(net, output)?);
        let factor = multiplier([a, b, y])?.factor(Ties::Away);
        Ok(Box::new(MatMulU8::new(
            (build.bytes.gemm, build.bytes.fold),
            (self.sizes, self.batches.clone()),
            [a.zero_point, b.zero_point],
            (factor, range(0, y)?),
            inputs,
            output,
        )))
    }
}
