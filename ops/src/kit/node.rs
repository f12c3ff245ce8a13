//! Reads parts of a node in `prepare`, with errors that name the tensor.
//!
//! Defined by: tflite/kernels/kernel_util.cc.

use arenite_abi::prelude::*;

use super::activation::{Activation, Limits};
use super::indexing::Dims;
use super::padding::Padding;
use super::requantize::{Multiplier, Quant};

/// The error of a form of `eval` for a node that has another form. `Op::EMBED` chooses the right one.
#[cold]
pub fn other_form() -> Error {
    Error::new(Status::Internal, format_args!("the node has another form"))
}

/// The refusal of a node by a form of `prepare` that serves other types.
#[cold]
pub fn only_form(form: &str) -> Error {
    unsupported!(
        "the program links this op for {form} only; run `arenite inspect MODEL --ops c` for this model and link what \
         it lists"
    )
}

/// The tensor's shape.
///
/// # Errors
/// It has more than eight axes, a negative size or too many elements.
pub fn dims(x: &TensorView<'_>) -> Result<Dims> {
    Dims::new(x.shape).ok_or_else(|| {
        invalid!("{x} is {:?}; sizes must not be negative, and at most 8 axes are supported", x.shape)
    })
}

/// Checks that two tensors have the same element type.
///
/// # Errors
/// The types differ.
pub fn same_type(a: &TensorView<'_>, b: &TensorView<'_>) -> Result<()> {
    ensure!(a.ty == b.ty, "{a} is {}, {b} is {}; they must agree", a.ty, b.ty);
    Ok(())
}

/// Checks that input and output of an op that only moves elements have the same quantization: one scale and zero point,
/// or none. Per-channel quantization counts as none, as in TFLite.
///
/// # Errors
/// They differ.
pub fn same_quantization(x: &TensorView<'_>, y: &TensorView<'_>) -> Result<()> {
    let of = |t: &TensorView<'_>| match t.quantization() {
        Some(q) if q.scales.len() == 1 => (q.scales[0], q.zero_points[0]),
        _ => (0.0, 0),
    };
    let (a, b) = (of(x), of(y));
    ensure!(
        a == b,
        "{x} has scale {} and zero point {}, {y} has {} and {}; they must agree",
        a.0,
        a.1,
        b.0,
        b.1
    );
    Ok(())
}

/// The fused activation with this number in the schema.
///
/// # Errors
/// The number is unknown.
pub fn activation(number: i8) -> Result<Activation> {
    Activation::from_schema(number)
        .ok_or_else(|| invalid!("its fused activation is number {number}, the schema has 0 to 5"))
}

/// The padding with this number in the schema.
///
/// # Errors
/// The number is unknown.
pub fn padding(number: i8) -> Result<Padding> {
    Padding::from_schema(number)
        .ok_or_else(|| invalid!("its padding is number {number}, the schema has 0 and 1"))
}

/// Like [`activation`], for activations that clamp to a range.
///
/// # Errors
/// The number is unknown, or the activation is not a clamp.
pub fn range_activation(number: i8) -> Result<Activation> {
    let activation = activation(number)?;
    if !activation.is_range() {
        return Err(unsupported!(
            "no kernel for the fused activation {activation:?}; only clamping activations are supported"
        ));
    }
    Ok(activation)
}

/// The range of a quantized type, or `None` for other types.
pub fn type_limits(ty: ElementType) -> Option<Limits<i32>> {
    match ty {
        I8 => Some(Limits::I8),
        U8 => Some(Limits::U8),
        I16 => Some(Limits::I16),
        _ => None,
    }
}

/// The quantization of a per-tensor quantized tensor.
///
/// # Errors
/// The tensor is not quantized per tensor, or its zero point does not fit its type.
pub fn quant(x: &TensorView<'_>) -> Result<Quant> {
    let (scale, zero_point) = x.scale_and_zero_point()?;
    Ok(Quant { scale, zero_point })
}

/// The quantization of input `i` of a node, as [`quant`].
///
/// # Errors
/// As for [`quant`], or the input is absent.
#[inline(never)] // so that the tensor's description is on the stack only here
pub fn input_quant(node: &NodeView<'_>, i: usize) -> Result<Quant> {
    quant(&node.input(i)?)
}

/// The fixed-point form of a ratio of scales, from `x` to `y`.
///
/// # Errors
/// The ratio is not finite.
pub fn multiplier(ratio: f64, x: &TensorView<'_>, y: &TensorView<'_>) -> Result<Multiplier> {
    Multiplier::from_real(ratio).ok_or_else(|| {
        invalid!("the scales of {x} and {y} give the factor {ratio}; scales must be above zero")
    })
}

/// Checks that the zero point is 0.
///
/// # Errors
/// The tensor is not quantized per tensor, or its zero point is not 0.
pub fn symmetric(x: &TensorView<'_>) -> Result<()> {
    let zero_point = quant(x)?.zero_point;
    ensure!(zero_point == 0, "{x} is {} with zero point {zero_point}; it must be 0", x.ty);
    Ok(())
}

/// Checks that the zero point is 0, for a tensor that may also have no quantization or one scale per channel.
///
/// # Errors
/// The zero point is not 0.
pub fn no_zero_point(x: &TensorView<'_>) -> Result<()> {
    match x.quantization() {
        Some(q) if q.scales.len() == 1 => symmetric(x),
        _ => Ok(()),
    }
}

/// The range of a quantized output with this activation.
///
/// # Errors
/// The type is not quantized, or a bound of the activation does not fit i32.
pub fn quantized_range(activation: Activation, y: &TensorView<'_>) -> Result<Limits<i32>> {
    let Some(limits) = type_limits(y.ty) else {
        return Err(unsupported!("no quantized range for output {y} of type {}", y.ty));
    };
    let Quant { scale, zero_point } = quant(y)?;
    activation.quantized_range(scale, zero_point, limits).ok_or_else(|| {
        invalid!("output {y} has scale {scale} and zero point {zero_point}: {activation:?} does not fit")
    })
}
