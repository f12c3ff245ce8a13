//! Pools.

use arenite_base::{Clamp, PoolKind};

use super::epilogue::EpilogueOp;
use super::window::Window;

/// A pool of `f32`.
pub struct Pool2d {
    /// The function of the window's elements.
    pub kind: PoolKind,
    /// The window over the input.
    pub window: Window,
    /// The clamp of results.
    pub clamp: Clamp,
    /// Functions that are applied to results.
    pub epilogue: Vec<EpilogueOp>,
}
