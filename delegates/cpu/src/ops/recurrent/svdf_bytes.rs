//! SVDF of bytes, with a memory of `i16`.
//!
//! Defined by: tflite/kernels/internal/reference/svdf.h (`EvalIntegerSVDF`).

use arenite_abi::prelude::*;
use arenite_abi::schema::{SVDFOptions, activation};
use arenite_layers::{Node, Source};

use super::inputs::{elements, factor, state};
use super::svdf::{BIAS, FEATURES, INPUT, STATE, TIME, sizes};
use crate::fixed_point::Factor;
use crate::kernels::i16_svdf;
use crate::ops::build::Build;
use crate::ops::values::{NetValues, NodeValues};
use crate::reach::dense::MatrixSizes;
use crate::reach::dense_u8::DenseU8;
use crate::step::Step;
use crate::steps::svdf_f32::{SvdfIds, SvdfSizes};
use crate::steps::svdf_u8::SvdfU8;

/// An SVDF layer of bytes.
pub(crate) struct SvdfBytes<'a> {
    sizes: SvdfSizes,
    features: &'a [i8],
    time: &'a [i16],
    bias: &'a [i32],
    to_memory: Factor,
    to_output: Factor,
    /// Of the input and the output, as signed bytes.
    zero_points: [i32; 2],
}

/// Lowers the node, whose input is I8.
pub(super) fn lower<'a>(x: &Source<'_, 'a>) -> Result<Node<SvdfBytes<'a>>> {
    let (sizes, fused) = (sizes(x)?, x.node.options()?.get(SVDFOptions::FUSED_ACTIVATION_FUNCTION)?);
    if fused != activation::RELU {
        return Err(unsupported!("activation {fused} is not supported with INT8, only RELU"));
    }
    let SvdfSizes { batches, depth, filters, memory, rank } = sizes;
    let meaning = |i: usize| x.node.input(i)?.scale_and_zero_point();
    let ((from, zero_from), (features, _), (time, _), (memory_scale, _)) =
        (meaning(INPUT)?, meaning(FEATURES)?, meaning(TIME)?, meaning(STATE)?);
    let (to, zero_to) = x.node.output(0)?.scale_and_zero_point()?;
    let bias = match x.optional_input(BIAS) {
        Some(_) => elements::<i32>(x, BIAS, filters / rank)?,
        None => &[],
    };
    let layer = SvdfBytes {
        sizes,
        features: elements(x, FEATURES, filters * depth)?,
        time: elements(x, TIME, filters * memory)?,
        bias,
        to_memory: factor(from * features / memory_scale)?,
        to_output: factor(memory_scale * time / to)?,
        zero_points: [zero_from, zero_to],
    };
    let state = state(x, STATE, (I16, batches * filters * memory))?;
    Ok(Node::new(layer, vec![x.input(INPUT)?.0], vec![x.output(0)?.0, state]))
}

impl SvdfBytes<'_> {
    /// Packs the weights.
    pub(crate) fn build(
        &self,
        node: &NodeValues<'_>,
        net: &NetValues<'_, '_>,
        build: &Build,
    ) -> Result<Box<dyn Step>> {
        let name = build.name(node, net)?;
        let SvdfSizes { depth, filters, .. } = self.sizes;
        let sizes = MatrixSizes { depth, columns: filters };
        let weight = |j: usize, i: usize| self.features[j * depth + i];
        let features = DenseU8::new(build.isa, &build.store, &format!("SVDF {name}"), sizes, &weight)?;
        let time =
            build.store.block(&format!("SVDF time {name}"), self.time.len(), |time: &mut [i16]| {
                time.copy_from_slice(self.time);
            })?;
        let [zero_from, zero_to] = self.zero_points;
        Ok(Box::new(SvdfU8 {
            kernels: i16_svdf::Svdf::select(build.isa),
            biases: features.biases(zero_from.wrapping_add(128), &|_| 0),
            features,
            to_memory: self.to_memory,
            time,
            to_output: self.to_output,
            unit_biases: self.bias.to_vec(),
            zero_point: zero_to,
            sizes: self.sizes,
            ids: SvdfIds { input: node.inputs[0], output: node.outputs[0], state: node.outputs[1] },
        }))
    }
}
