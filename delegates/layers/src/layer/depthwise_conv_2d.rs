//! Depthwise convolutions with constant weights.

use arenite_base::{Clamp, Stored};

use super::epilogue::EpilogueOp;
use super::window::Window;

/// A depthwise convolution of `f32` with constant weights.
pub struct DepthwiseConv2d<'a> {
    /// The window over the input.
    pub window: Window,
    /// Results per channel of the input.
    pub multiplier: usize,
    /// `[taps][channels · multiplier]`.
    pub weights: Stored<'a>,
    /// One per channel of the output.
    pub bias: Option<&'a [f32]>,
    /// The clamp of results.
    pub clamp: Clamp,
    /// Functions that are applied to results.
    pub epilogue: Vec<EpilogueOp>,
}
