//! The quantization of a tensor.

/// Per-tensor quantization: `real = scale · (q − zero_point)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quant {
    /// Positive.
    pub scale: f32,
    /// In the clamp of the type.
    pub zero_point: i32,
}
