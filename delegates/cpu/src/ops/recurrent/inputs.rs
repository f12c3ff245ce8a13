//! The inputs of recurrent layers: states, constants and scales.

use arenite_abi::prelude::*;
use arenite_layers::{Id, Source};

use crate::fixed_point::{Factor, Multiplier, Ties};

/// The state at input `i`: a variable of the main graph with `len` elements of a type.
#[inline(never)]
pub(super) fn state(x: &Source<'_, '_>, i: usize, (ty, len): (ElementType, usize)) -> Result<Id> {
    let (id, value) = x.input(i)?;
    if !value.is_variable || value.tensor.is_none() {
        return Err(unsupported!("state {value} is not a variable of the graph that the partition is in"));
    }
    ensure!(
        value.ty == ty && value.len() == len,
        "state {value} is {}{:?}; it must be {ty} and hold {len} elements",
        value.ty,
        value.shape
    );
    Ok(id)
}

/// The `len` elements of input `i`, which must be constant.
#[inline(never)]
pub(super) fn elements<'a, T: Element>(x: &Source<'_, 'a>, i: usize, len: usize) -> Result<&'a [T]> {
    let (_, value) = x.input(i)?;
    if value.ty != T::TYPE {
        return Err(unsupported!("{value} is {}; only {} is supported here", value.ty, T::TYPE));
    }
    let elements = x.constant::<T>(i)?;
    ensure!(elements.len() == len, "{value} has {} elements; it must have {len}", elements.len());
    Ok(elements)
}

/// A product of scales in fixed point.
pub(super) fn factor(real: f32) -> Result<Factor> {
    let multiplier = Multiplier::from_real(f64::from(real));
    let multiplier = multiplier.ok_or_else(|| unsupported!("its scales give the factor {real}"))?;
    Ok(multiplier.factor(Ties::Away))
}
