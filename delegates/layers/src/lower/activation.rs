//! Fused activations.

use arenite_abi::prelude::*;
use arenite_abi::schema::activation;
use arenite_base::Clamp;

/// The clamp of a fused [`activation`].
///
/// # Errors
/// If the activation is not a clamp.
pub fn clamp_of(activation: i8) -> Result<Clamp> {
    Ok(match activation {
        activation::NONE => Clamp::FINITE,
        activation::RELU => Clamp { low: 0.0, high: f32::MAX },
        activation::RELU_N1_TO_1 => Clamp { low: -1.0, high: 1.0 },
        activation::RELU6 => Clamp { low: 0.0, high: 6.0 },
        other => return Err(unsupported!("fused activation {other} is not a clamp")),
    })
}
