//! The difference between two contenders' results, so that a fast but wrong one is noticed.

use serde::Serialize;

use crate::failure::{Failure, Result};
use crate::protocol::Output;

/// An output as real numbers.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    values: Vec<f64>,
    /// The quantization step; 0 for floats.
    step: f64,
}

/// The largest difference between two lists of results.
#[derive(Clone, Copy, Debug, Default, Serialize, PartialEq)]
pub(crate) struct Difference {
    /// The largest difference of two elements.
    pub absolute: f64,
    /// The same, relative to the largest magnitude of the reference in that output.
    pub relative: f64,
    /// The same in quantization steps; 0 for floats.
    pub steps: f64,
}

impl Answer {
    /// Reads the elements from the file.
    pub(crate) fn read(output: &Output) -> Result<Self> {
        let bytes =
            std::fs::read(&output.file).map_err(|error| Failure::with(output.file.display(), error))?;
        Answer::new(output, &bytes)
    }

    fn new(output: &Output, bytes: &[u8]) -> Result<Self> {
        let values = elements(&output.ty, bytes)
            .ok_or_else(|| Failure::new(format!("outputs of type {} cannot be compared", output.ty)))?;
        let count: usize = output.shape.iter().product();
        if values.len() != count {
            let text = format!("an output of shape {:?} has {} elements", output.shape, values.len());
            return Err(Failure::new(text));
        }
        let zero = output.zero_point as f64;
        let values = match output.scale > 0.0 {
            true => values.into_iter().map(|q| output.scale * (q - zero)).collect(),
            false => values,
        };
        Ok(Answer { values, step: output.scale })
    }
}

/// Little-endian elements of a type that NumPy calls `ty`.
fn elements(ty: &str, bytes: &[u8]) -> Option<Vec<f64>> {
    macro_rules! read {
        ($of:ty) => {
            bytes.as_chunks().0.iter().map(|&chunk| <$of>::from_le_bytes(chunk) as f64).collect()
        };
    }
    Some(match ty {
        "float32" => read!(f32),
        "float64" => read!(f64),
        "float16" => bytes.as_chunks().0.iter().map(|&c| half::f16::from_le_bytes(c).to_f64()).collect(),
        "int8" => read!(i8),
        "uint8" | "bool" => read!(u8),
        "int16" => read!(i16),
        "int32" => read!(i32),
        "int64" => read!(i64),
        _ => return None,
    })
}

/// Compares results, output by output. A NaN on one side only is an infinite difference.
pub(crate) fn compare(found: &[Answer], reference: &[Answer]) -> Result<Difference> {
    if found.len() != reference.len() {
        return Err(Failure::new(format!("{} outputs, expected {}", found.len(), reference.len())));
    }
    let mut worst = Difference::default();
    for (found, reference) in found.iter().zip(reference) {
        if found.values.len() != reference.values.len() {
            let (found, reference) = (found.values.len(), reference.values.len());
            return Err(Failure::new(format!("an output has {found} elements, expected {reference}")));
        }
        let pairs = found.values.iter().zip(&reference.values);
        let absolute = pairs.map(|(&a, &b)| distance(a, b)).fold(0.0, f64::max);
        let largest = reference.values.iter().map(|value| value.abs()).fold(0.0, f64::max);
        let step = found.step.max(reference.step);
        worst.absolute = worst.absolute.max(absolute);
        worst.relative = worst.relative.max(quotient(absolute, largest));
        worst.steps = worst.steps.max(if step > 0.0 { absolute / step } else { 0.0 });
    }
    Ok(worst)
}

fn distance(a: f64, b: f64) -> f64 {
    match (a.is_nan(), b.is_nan()) {
        (false, false) if a == b => 0.0,
        (false, false) => (a - b).abs(),
        (true, true) => 0.0,
        _ => f64::INFINITY,
    }
}

fn quotient(absolute: f64, largest: f64) -> f64 {
    match absolute == 0.0 {
        true => 0.0,
        false => absolute / largest,
    }
}

impl Difference {
    /// `0`, `3e-7` of the largest value, or `2 steps`.
    pub(crate) fn short(&self) -> String {
        match (self.absolute, self.steps) {
            (0.0, _) => "0".to_owned(),
            (_, steps) if steps > 0.0 => format!("{} steps", steps.round()).replace("1 steps", "1 step"),
            _ => format!("{:.0e}", self.relative),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(ty: &str, scale: f64, bytes: &[u8]) -> Answer {
        let width = if ty == "float32" { 4 } else { 1 };
        let shape = vec![bytes.len() / width];
        let output = Output { file: "".into(), ty: ty.into(), shape, scale, zero_point: 3 };
        Answer::new(&output, bytes).unwrap()
    }

    fn floats(values: &[f32]) -> Answer {
        answer("float32", 0.0, &values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<_>>())
    }

    #[test]
    fn floats_differ_relative_to_the_largest() {
        let found = compare(&[floats(&[1.0, -4.0])], &[floats(&[1.5, -5.0])]).unwrap();
        assert_eq!(found, Difference { absolute: 1.0, relative: 0.2, steps: 0.0 });
        assert_eq!(found.short(), "2e-1");
        assert_eq!(compare(&[floats(&[0.0])], &[floats(&[-0.0])]).unwrap().short(), "0");
    }

    #[test]
    fn bytes_differ_in_steps() {
        let found = compare(&[answer("int8", 0.5, &[3, 250])], &[answer("int8", 0.5, &[3, 248])]).unwrap();
        assert_eq!((found.steps, found.absolute), (2.0, 1.0));
        assert_eq!(found.short(), "2 steps");
    }

    #[test]
    fn incomparable_outputs_are_errors() {
        assert_eq!(compare(&[floats(&[f32::NAN])], &[floats(&[1.0])]).unwrap().absolute, f64::INFINITY);
        assert!(compare(&[floats(&[1.0])], &[floats(&[1.0, 2.0])]).is_err());
        assert!(compare(&[], &[floats(&[1.0])]).is_err());
    }
}
