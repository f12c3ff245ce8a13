//! The range that results are clamped to.

/// A clamp of `f32` results.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clamp {
    /// Smallest result.
    pub low: f32,
    /// Largest result.
    pub high: f32,
}

impl Clamp {
    /// No clamp.
    pub const NONE: Clamp = Clamp { low: f32::NEG_INFINITY, high: f32::INFINITY };
    /// Results without an activation: as in TensorFlow Lite, infinite sums become the largest finite number.
    pub const FINITE: Clamp = Clamp { low: f32::MIN, high: f32::MAX };

    /// Whether finite numbers are clamped. Where they are not, other operations may come between results and the clamp.
    #[inline]
    pub fn is_needed(self) -> bool {
        self.low > f32::MIN || self.high < f32::MAX
    }
}
