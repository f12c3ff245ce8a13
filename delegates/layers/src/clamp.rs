//! What results are clamped to.

use arenite_abi::prelude::*;
use arenite_abi::schema::activation;

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
    /// What is left of results without an activation: TensorFlow Lite makes finite numbers of infinite sums.
    pub const FINITE: Clamp = Clamp { low: f32::MIN, high: f32::MAX };

    /// What an activation of the schema clamps to. An error if it is another function.
    pub fn of(activation: i8) -> Result<Clamp> {
        Ok(match activation {
            activation::NONE => Clamp::FINITE,
            activation::RELU => Clamp { low: 0.0, high: f32::MAX },
            activation::RELU_N1_TO_1 => Clamp { low: -1.0, high: 1.0 },
            activation::RELU6 => Clamp { low: 0.0, high: 6.0 },
            other => return Err(unsupported!("activation {other} is no range")),
        })
    }

    /// Whether finite numbers are clamped. Where they are not, other operations may come between results and the clamp.
    #[inline]
    pub fn is_needed(self) -> bool {
        self.low > f32::MIN || self.high < f32::MAX
    }
}
