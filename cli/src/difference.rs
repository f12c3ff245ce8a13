//! How far two values of a tensor are from one another.

use arenite::{ElementType, Tensor};
use arenite_common::values::{Scale, element, element_count};
use serde::Serialize;

/// The largest difference between two values of a tensor. Quantized elements are compared as real numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Difference {
    /// The largest absolute difference; null if elements differ that cannot be subtracted, such as NaN and 1.
    pub largest: Option<f64>,
    /// Position of the element that differs most.
    pub at: usize,
    /// The largest absolute value of the reference, if any element differs.
    pub magnitude: f64,
    /// The number of elements that differ.
    pub differing: usize,
    /// The number of elements.
    pub count: usize,
}

/// Compares a value with the reference's. `Err` has the reason if that is impossible: another type or shape, no data.
pub(crate) fn difference(reference: &Tensor<'_>, value: &Tensor<'_>) -> Result<Difference, String> {
    if (reference.ty, reference.shape) != (value.ty, value.shape) {
        let form = |tensor: &Tensor<'_>| format!("{} {}", tensor.ty, arenite_common::shape(tensor.shape));
        return Err(format!("the shapes differ: {} and {}", form(reference), form(value)));
    }
    let [expected, got] = [reference, value].map(Tensor::bytes);
    let (expected, got) = (expected.map_err(|e| e.to_string())?, got.map_err(|e| e.to_string())?);
    let count = element_count(value.shape);
    let mut found = Difference { largest: Some(0.0), count, ..Difference::default() };
    if expected == got {
        return Ok(found);
    }
    if value.ty == ElementType::String {
        return Ok(Difference { largest: None, differing: 1, ..found });
    }
    let scales = [Scale::of(reference), Scale::of(value)];
    let real = |side: usize, bytes: &[u8], i: usize| {
        let stored = element(value.ty, bytes, i)?.real()?;
        Some(scales[side].as_ref().map_or(stored, |scale| scale.real(i, stored)))
    };
    for i in 0..count {
        match (real(0, expected, i), real(1, got, i)) {
            (Some(a), Some(b)) => found.note(i, a, b),
            _ => return Err(format!("elements of {} cannot be compared", value.ty)),
        }
    }
    Ok(found)
}

impl Difference {
    fn note(&mut self, i: usize, expected: f64, got: f64) {
        if expected.is_finite() {
            self.magnitude = self.magnitude.max(expected.abs());
        }
        // Equal infinities differ by NaN, but they are equal.
        if expected == got || expected.is_nan() && got.is_nan() {
            return;
        }
        self.differing += 1;
        let distance = Some((expected - got).abs()).filter(|difference| difference.is_finite());
        let Some(largest) = self.largest else { return };
        if distance.is_none_or(|distance| distance > largest) {
            (self.largest, self.at) = (distance, i);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pairs: &[(f64, f64)]) -> Difference {
        let mut found = Difference { largest: Some(0.0), ..Difference::default() };
        pairs.iter().enumerate().for_each(|(i, &(a, b))| found.note(i, a, b));
        found
    }

    #[test]
    fn the_largest_difference_has_a_position() {
        let found = of(&[(1.0, 1.0), (2.0, 2.5), (-4.0, -3.75), (f64::INFINITY, f64::INFINITY)]);
        assert_eq!((found.largest, found.at, found.differing, found.magnitude), (Some(0.5), 1, 2, 4.0));
    }

    #[test]
    fn a_number_and_nan_have_no_difference() {
        let found = of(&[(1.0, 1.5), (1.0, f64::NAN), (0.0, 9.0), (f64::NAN, f64::NAN)]);
        assert_eq!((found.largest, found.at, found.differing), (None, 1, 3));
    }
}
