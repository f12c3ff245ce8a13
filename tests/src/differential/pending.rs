//! Differences that are known and not mended yet. An arm goes with its defect.

use arenite::ElementType::F32;

use super::bounds::{Bound, Facts, TINY};
use super::graph::{Form, Kind};

/// What is known of a node's results `y` where the delegate is known to differ.
pub fn pending(kind: Kind, inputs: &[Facts], y: Facts, known: Option<Bound>) -> Option<Bound> {
    let odd = inputs.iter().any(|x| x.special);
    match (kind.op, kind.form) {
        // Which of a number and of none is the larger one depends on their order.
        ("REDUCE_MAX" | "REDUCE_MIN" | "MAXIMUM" | "MINIMUM", Form::Of(F32)) if odd => None,
        // Zeros have another sign; x = 0 is not multiplied by alpha.
        ("ROUND" | "LEAKY_RELU", Form::Of(F32)) if y.nearest == 0.0 && (odd || !y.special) => {
            known.map(|bound| Bound { abs: bound.abs.max(TINY), ..bound })
        }
        ("LEAKY_RELU", Form::Of(F32)) if y.special && !odd => None,
        // Infinite sums are clamped otherwise.
        ("FULLY_CONNECTED", Form::Of(F32) | Form::Hybrid(_)) if odd || inputs.iter().any(|x| x.huge > 0) => {
            None
        }
        _ => known,
    }
}
