//! Float inputs with quantized filters: each input row is quantized at run time.
//!
//! Defined by: tflite/kernels/fully_connected.cc (`EvalHybridDense`, `EvalHybridDense4Bit`, `EvalBlockwise4Bit`).

use arenite_abi::prelude::*;

use crate::kit::activation::Activation;
use crate::kit::bias::float_bias;
use crate::kit::channel_multipliers::filter_scales;
use crate::kit::dot::dot;
use crate::kit::hybrid::{self, Symmetry};
use crate::kit::pace::Pace;
use crate::kit::single;

use super::{Dense, FilterRows, Layer, row_scratch};

plain! {
    pub(super) struct Hybrid {
        activation: Activation,
        /// The number of elements of a filter row that share a scale: the whole row unless scales are blockwise.
        block: usize,
        inputs: hybrid::QuantizedScratch,
        row: Scratch<i8>,
    }
}

impl Hybrid {
    pub(super) fn prepare(parts: &Dense<'_>, layer: &Layer, cx: &mut PrepareContext<'_>) -> Result<Hybrid> {
        parts.expect_bias(&[F32])?;
        let filter = &parts.filter;
        let q = filter
            .quantization()
            .ok_or_else(|| invalid!("filter {filter} is {} without quantization", filter.ty))?;
        ensure!(
            filter.ty.bits() >= 8 || q.zero_points.iter().all(|&zero| zero == 0),
            "filter {filter} is {} with zero point {}; it must be 0",
            filter.ty,
            q.zero_points[0]
        );
        let block = match q.block_size {
            0 => {
                filter_scales(filter, layer.units, 0)?;
                layer.depth
            }
            block => block_size(filter, layer, block, q.scales.len())?,
        };
        Ok(Hybrid {
            activation: parts.activation,
            block,
            inputs: hybrid::QuantizedScratch::prepare(
                cx,
                layer.batches,
                layer.depth,
                parts.symmetry(layer, &q),
            )?,
            row: row_scratch(filter, layer, cx)?,
        })
    }

    pub(super) fn eval(&self, layer: &Layer, cx: &EvalContext<'_>) -> Result<()> {
        let mut inputs = self.inputs.begin(cx)?;
        inputs.quantize(cx.input_slice(0)?);
        let filter = cx.input(1)?;
        let q = filter.quantization().ok_or_else(|| invalid!("filter {filter} lost its scales"))?;
        let bias = float_bias(cx, 2)?;
        let y = cx.output_slice::<f32>(0)?;
        let mut rows = FilterRows::of(&filter, cx, &self.row)?;
        let blocks = layer.depth / self.block.max(1);
        let mut pace = Pace::new(cx);
        rows.for_each(layer, |u, w| {
            for (b, input) in inputs.iter().enumerate() {
                pace.ahead(layer.depth)?;
                let mut sum = 0f32;
                for (k, (x, w)) in input.elements.chunks(self.block).zip(w.chunks(self.block)).enumerate() {
                    sum += dot(x, input.zero_point, w, 0) as f32 * (input.scale * q.scale_of(u * blocks + k));
                }
                if let Some(y) = y.get_mut(b * layer.units + u) {
                    *y = activate(self.activation, bias.get(u).copied().unwrap_or(0.0) + sum);
                }
            }
            Ok(())
        })
    }
}

impl Dense<'_> {
    /// Constant i4 filters above some size run in a kernel that ignores the option: it is asymmetric for blockwise
    /// scales, else symmetric.
    fn symmetry(&self, layer: &Layer, q: &Quantization<'_>) -> Symmetry {
        if q.block_size != 0 {
            return Symmetry::Asymmetric;
        }
        let packed = self.filter.ty == I4
            && self.filter.is_constant()
            && layer.batches > 0
            && layer.depth.is_multiple_of(2)
            && layer.depth >= 32
            && layer.units >= 4;
        if self.asymmetric && !packed { Symmetry::Asymmetric } else { Symmetry::Symmetric }
    }
}

fn block_size(filter: &TensorView<'_>, layer: &Layer, block: usize, scales: usize) -> Result<usize> {
    ensure!(
        layer.depth.is_multiple_of(block) && layer.units.checked_mul(layer.depth / block) == Some(scales),
        "filter {filter} is {:?} with {scales} scales, one for {block} elements each; they must cover it",
        filter.shape
    );
    Ok(block)
}

fn activate(activation: Activation, x: f32) -> f32 {
    match activation {
        Activation::None => x,
        Activation::Tanh => single::tanh(x),
        Activation::SignBit => f32::from(x.is_sign_negative()),
        range => range.f32_range().clamp(x),
    }
}
