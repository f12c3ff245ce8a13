//! Minimum and median of times; geometric mean of ratios.

/// The minimum; NaN for an empty list.
pub(crate) fn minimum(values: &[f64]) -> f64 {
    values.iter().copied().reduce(f64::min).unwrap_or(f64::NAN)
}

/// The median, or the mean of the two middle values; NaN for an empty list.
pub(crate) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        n => (sorted[(n - 1) / 2] + sorted[n / 2]) / 2.0,
    }
}

/// `(∏ x)^(1/n)`; NaN for an empty list.
pub(crate) fn geometric_mean(values: &[f64]) -> f64 {
    match values.len() {
        0 => f64::NAN,
        n => (values.iter().map(|value| value.ln()).sum::<f64>() / n as f64).exp(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_of_a_few_values() {
        assert_eq!(minimum(&[3.0, 1.0, 2.0]), 1.0);
        assert_eq!((median(&[3.0, 1.0, 2.0]), median(&[4.0, 1.0, 2.0, 3.0])), (2.0, 2.5));
        assert!((geometric_mean(&[2.0, 8.0]) - 4.0).abs() < 1e-12);
    }

    #[test]
    fn statistics_of_no_values_are_nan() {
        assert!(minimum(&[]).is_nan() && median(&[]).is_nan() && geometric_mean(&[]).is_nan());
    }
}
