//! Gradients of convolutions with constant weights.

use arenite_base::{Clamp, Stored};

use super::epilogue::EpilogueOp;
use super::window::Window;

/// The gradient of a convolution of `f32`, with constant weights.
pub struct TransposeConv<'a> {
    /// The window of the convolution, whose input is the output here.
    pub window: Window,
    /// Channels of the input.
    pub depth: usize,
    /// `[channels of the output][taps][channels of the input]`.
    pub weights: Stored<'a>,
    /// One per channel of the output.
    pub bias: Option<&'a [f32]>,
    /// The clamp of results.
    pub clamp: Clamp,
    /// Functions that are applied to results.
    pub epilogue: Vec<EpilogueOp>,
}
