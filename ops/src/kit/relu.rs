//! The ReLU family: `y = clamp(x, lower, upper)`, f32, or quantized with any scales.
//!
//! Defined by: tflite/kernels/activations.cc (`ReluPrepare`, `QuantizedReluX`).

use arenite_abi::prelude::*;

use super::activation::Limits;
use super::integer::Quantized;
use super::node;
use super::requantize::Requantize;
use super::unary;

/// Prepared node of the family.
pub struct Clamp {
    real: Limits<f32>,
    quantized: Option<Requantize>,
}

impl Clamp {
    /// An infinite upper bound is none.
    pub fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>, real: Limits<f32>) -> Result<Self> {
        let (x, y) = unary::prepare(node, cx)?;
        let Some(ty) = node::type_limits(x.ty) else {
            if x.ty != F32 {
                return Err(unsupported!("no kernel for {}", x.ty));
            }
            return Ok(Clamp { real, quantized: None });
        };
        if x.ty == I16 {
            [&x, &y].into_iter().try_for_each(node::symmetric)?;
        }
        let (from, to) = (node::quant(&x)?, node::quant(&y)?);
        let multiplier = node::multiplier(f64::from(from.scale / to.scale), &x, &y)?;
        let bound = |real: f32| to.quantize(real, Limits { min: i32::MIN, max: i32::MAX });
        let limits = Limits {
            min: ty.min.max(bound(real.min)),
            max: if real.max == f32::INFINITY { ty.max } else { ty.max.min(bound(real.max)) },
        };
        let (input_zero_point, output_zero_point) = (from.zero_point, to.zero_point);
        Ok(Clamp {
            real,
            quantized: Some(Requantize { input_zero_point, output_zero_point, multiplier, limits }),
        })
    }

    /// All elements.
    pub fn eval(&self, cx: &EvalContext<'_>) -> Result<()> {
        match (cx.node().output(0)?.ty, &self.quantized) {
            (I8, Some(q)) => map::<i8>(cx, q),
            (U8, Some(q)) => map::<u8>(cx, q),
            (I16, Some(q)) => map::<i16>(cx, q),
            _ => unary::map(cx, |x: f32| self.real.clamp(x)),
        }
    }
}

fn map<T: Quantized>(cx: &EvalContext<'_>, requantize: &Requantize) -> Result<()> {
    unary::map(cx, |q: T| T::saturate(requantize.apply(q.into())))
}
