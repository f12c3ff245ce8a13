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
    let count = element_count(value.shape);
    let equal = Difference { largest: Some(0.0), count, ..Difference::default() };
    if reference.bytes().map_err(|e| e.to_string())? == value.bytes().map_err(|e| e.to_string())? {
        return Ok(equal);
    }
    if value.ty == ElementType::String {
        return Ok(Difference { largest: None, differing: 1, ..equal });
    }
    let sums = Sums::of(&reals(reference)?, &reals(value)?);
    let Sums { at, magnitude, differing, .. } = sums;
    Ok(Difference { largest: sums.largest(), at, magnitude, differing, count })
}

/// The elements as real numbers: stored values with the scale applied.
pub(crate) fn reals(tensor: &Tensor<'_>) -> Result<Vec<f64>, String> {
    let bytes = tensor.bytes().map_err(|error| error.to_string())?;
    let scale = Scale::of(tensor).filter(|_| tensor.ty.is_quantizable());
    let real = |i: usize| {
        let stored = element(tensor.ty, bytes, i)?.real()?;
        Some(scale.as_ref().map_or(stored, |scale| scale.real(i, stored)))
    };
    let all: Option<Vec<f64>> = (0..element_count(tensor.shape)).map(real).collect();
    all.ok_or_else(|| format!("elements of {} cannot be compared", tensor.ty))
}

/// The differences between the elements of two tensors.
#[derive(Default)]
pub(crate) struct Sums {
    /// The largest difference; infinite for one without size, such as between NaN and 1.
    largest: f64,
    /// Position of the element that differs most.
    pub at: usize,
    /// The sum of all differences that have a size.
    pub total: f64,
    /// The largest absolute value of the first side.
    pub magnitude: f64,
    /// The number of elements that differ.
    pub differing: usize,
    products: [f64; 3],
}

impl Sums {
    pub(crate) fn of(expected: &[f64], got: &[f64]) -> Self {
        let mut sums = Sums::default();
        expected.iter().zip(got).enumerate().for_each(|(i, (&a, &b))| sums.add(i, a, b));
        sums
    }

    fn add(&mut self, i: usize, a: f64, b: f64) {
        if a.is_finite() {
            self.magnitude = self.magnitude.max(a.abs());
        }
        if a.is_finite() && b.is_finite() {
            let pairs = [a * b, a * a, b * b];
            self.products.iter_mut().zip(pairs).for_each(|(sum, product)| *sum += product);
        }
        // Equal infinities differ by NaN, but they are equal.
        if a == b || a.is_nan() && b.is_nan() {
            return;
        }
        self.differing += 1;
        let distance = if (a - b).is_finite() { (a - b).abs() } else { f64::INFINITY };
        self.total += if distance.is_finite() { distance } else { 0.0 };
        if distance > self.largest {
            (self.largest, self.at) = (distance, i);
        }
    }

    /// The largest difference; `None` if it has no size.
    pub(crate) fn largest(&self) -> Option<f64> {
        self.largest.is_finite().then_some(self.largest)
    }

    /// The cosine of the angle between the tensors.
    pub(crate) fn cosine(&self) -> Option<f64> {
        let [both, a, b] = self.products;
        let length = (a * b).sqrt();
        (length > 0.0 && length.is_finite()).then(|| both / length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_difference_has_a_position() {
        let inf = f64::INFINITY;
        let found = Sums::of(&[1.0, 2.0, -4.0, inf], &[1.0, 2.5, -3.75, inf]);
        let Sums { at, magnitude, differing, .. } = found;
        assert_eq!((found.largest(), at, differing, magnitude), (Some(0.5), 1, 2, 4.0));
    }

    #[test]
    fn a_number_and_nan_have_no_difference() {
        let nan = f64::NAN;
        let found = Sums::of(&[1.0, 1.0, 0.0, nan], &[1.5, nan, 9.0, nan]);
        assert_eq!((found.largest(), found.at, found.differing), (None, 1, 3));
    }
}
