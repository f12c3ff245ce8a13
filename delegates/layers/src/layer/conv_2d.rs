//! Convolutions with constant weights.

use arenite_base::{Clamp, Stored};

use super::epilogue::EpilogueOp;
use super::window::Window;

/// A convolution of `f32` with constant weights.
pub struct Conv2d<'a> {
    /// The window over the input.
    pub window: Window,
    /// Groups of channels.
    pub groups: usize,
    /// Output channels.
    pub filters: usize,
    /// `[filters][taps][channels / groups]`.
    pub weights: Stored<'a>,
    /// One per filter.
    pub bias: Option<&'a [f32]>,
    /// The clamp of results.
    pub clamp: Clamp,
    /// Functions that are applied to results.
    pub epilogue: Vec<EpilogueOp>,
}
