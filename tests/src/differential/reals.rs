//! Bounds for delegates that compute with the real values of quantized tensors and requantize each result.
//!
//! ```text
//! bytes from bytes     the reference ops round another sum, or more than once: a step of the result
//! from floats          exact, or one step if the quotient lies between two steps; NaN becomes a byte only when it leaves the device
//! to floats            q · scale − zero_point · scale, or (q − zero_point) · scale: 256 units of the last place of a step
//! inexact inputs       of bytes, nothing is known of what is made of them
//! ```

use super::bounds::{Bound, EXACT, Input, U};
use super::graph::Rule;

/// The bound of a node's results, in steps of the largest input scale and of the result's; `None` if the bound for
/// floats applies.
pub(super) fn bound(
    rule: Rule,
    inputs: &[Input],
    from: Option<f64>,
    to: Option<f64>,
) -> Option<Option<Bound>> {
    let error: f64 = inputs.iter().map(Input::error).sum();
    let exact = inputs.iter().all(|input| input.bound == EXACT);
    let within = |abs: f64| Some(Bound { abs, rel: 0.0 });
    match (rule, from, to) {
        (Rule::Integers, _, Some(step)) => Some(exact.then_some(Bound { abs: step, rel: 0.0 })),
        (Rule::Quantize, _, Some(step)) => {
            let known = inputs.iter().all(|input| !input.facts.special);
            Some(known.then_some(Bound { abs: error + step, rel: 0.0 }))
        }
        (Rule::Dequantize, Some(step), None) => Some(within(error + 512.0 * U * step)),
        _ => None,
    }
}
