//! Scales and zero points of quantized tensors, checked.

use arenite_abi::prelude::*;
use arenite_abi::schema::activation;
use arenite_base::Quant;
use arenite_layers::{Id, Value};

use crate::ops::values::NetValues;
use crate::requantize::Bytes;

/// Scale and zero point. An error unless there is one of each, the scale is positive and the zero point is a value of
/// the type.
pub(super) fn quant_of(value: &Value<'_>) -> Result<Quant> {
    let quant = value.quant.ok_or_else(|| unsupported!("{value} has not one scale for all elements"))?;
    let range = match value.ty {
        U8 => 0..=255,
        I8 => -128..=127,
        ty => return Err(unsupported!("{value} is {ty}; only INT8 and UINT8 are supported")),
    };
    if !(quant.scale > 0.0 && quant.scale.is_finite() && range.contains(&quant.zero_point)) {
        return Err(unsupported!(
            "{value} has scale {} and zero point {}, which {} does not hold",
            quant.scale,
            quant.zero_point,
            value.ty
        ));
    }
    Ok(quant)
}

/// The quantization of a value that is bytes, now unsigned.
pub(super) fn unsigned(net: &NetValues<'_, '_>, id: Id) -> Result<Quant> {
    let value = &net.values[id];
    ensure!(value.ty == U8, "{value} is {} where bytes are unsigned", value.ty);
    quant_of(value)
}

/// Exclusive or with this bit makes signed bytes unsigned, and 128 larger.
pub(super) const FLIP: u8 = 0x80;

/// The quantization of a value as unsigned bytes, and the bits that make its bytes unsigned: [`FLIP`] or 0.
pub(super) fn raised(net: &NetValues<'_, '_>, id: Id) -> Result<(Quant, u8)> {
    let value = &net.values[id];
    let quant = quant_of(value)?;
    Ok(match value.ty {
        I8 => (Quant { zero_point: quant.zero_point + 128, ..quant }, FLIP),
        _ => (quant, 0),
    })
}

/// The bytes that results with this quantization are clamped to by an activation of the schema.
///
/// Defined by: `CalculateActivationRangeQuantized` of tflite/kernels/kernel_util.cc.
pub(super) fn range(activation: i8, quant: Quant) -> Result<Bytes> {
    let bound = |x: f32| {
        let steps = (x / quant.scale).round();
        let fits = steps >= i32::MIN as f32 && steps <= i32::MAX as f32;
        fits.then(|| quant.zero_point.checked_add(steps as i32)).flatten().ok_or_else(|| {
            invalid!("scale {} and zero point {} give no range", quant.scale, quant.zero_point)
        })
    };
    let (low, high) = match activation {
        activation::NONE => (0, 255),
        activation::RELU => (bound(0.0)?, 255),
        activation::RELU_N1_TO_1 => (bound(-1.0)?, bound(1.0)?),
        activation::RELU6 => (bound(0.0)?, bound(6.0)?),
        other => return Err(unsupported!("fused activation {other} is not a clamp")),
    };
    Ok(Bytes { zero_point: quant.zero_point, low: low.max(0) as u8, high: high.clamp(0, 255) as u8, flip: 0 })
}
