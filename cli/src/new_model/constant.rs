//! The bytes of a constant.

use arenite_common::values::{element_count, set_element};

use super::statement::Declaration;

/// The bytes of a tensor with these values, which are real numbers.
pub(super) fn bytes(tensor: &Declaration, values: &[f64]) -> Result<Vec<u8>, String> {
    let Declaration { ty, shape, .. } = tensor;
    if shape.iter().any(|&dim| dim < 0) {
        return Err(format!("a constant has a fixed shape, but this is {}", crate::text::shape(shape)));
    }
    let count = element_count(shape);
    if values.len() != 1 && values.len() != count {
        return Err(format!(
            "{} has {count} elements, but {} values are given; give one per element, or one for all",
            crate::text::shape(shape),
            values.len()
        ));
    }
    let length =
        ty.bytes_of(count).ok_or_else(|| format!("a constant of {ty} cannot be written as numbers"))?;
    if length > MAX_BYTES {
        return Err(format!("a constant has at most {MAX_BYTES} bytes, but this has {length}"));
    }
    let mut bytes = vec![0; length];
    for (i, &real) in values.iter().cycle().take(count).enumerate() {
        let stored = match tensor.scale {
            Some(scale) => (real / f64::from(scale)).round() + tensor.zero_point as f64,
            None => real,
        };
        check_range(tensor, stored, real)?;
        set_element(*ty, &mut bytes, i, stored)
            .ok_or_else(|| format!("a constant of {ty} cannot be written as numbers"))?;
    }
    Ok(bytes)
}

/// Constants of a model that is written by hand are small.
const MAX_BYTES: usize = 1 << 28;

/// Refuses numbers that an integer type would clamp or round.
fn check_range(tensor: &Declaration, stored: f64, real: f64) -> Result<(), String> {
    let ty = tensor.ty;
    let Some((low, high)) = arenite::model_file::tensor_type::quantized_range(ty as i32) else {
        return Ok(());
    };
    if tensor.scale.is_none() && stored.fract() != 0.0 {
        return Err(format!("{real} is not an integer, as {ty} needs; or give the tensor a scale"));
    }
    if (low as f64..=high as f64).contains(&stored) {
        return Ok(());
    }
    match tensor.scale {
        None => Err(format!("{real} does not fit {ty}, which holds {low} to {high}")),
        Some(scale) => Err(format!(
            "{real} is stored as {stored} with scale {scale} and zero point {}, but {ty} holds {low} to {high}; give a \
             larger scale",
            tensor.zero_point
        )),
    }
}
