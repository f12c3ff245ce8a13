//! Checks of tensors, and the numbers that they hold as arguments of an op.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

/// The elements of an integer tensor.
///
/// # Errors
/// The tensor has another type.
pub fn integers(x: &TensorView<'_>) -> Result<Vec<i64>> {
    Ok(match x.ty {
        I8 => x.as_slice::<i8>()?.iter().map(|&i| i.into()).collect(),
        U8 => x.as_slice::<u8>()?.iter().map(|&i| i.into()).collect(),
        I16 => x.as_slice::<i16>()?.iter().map(|&i| i.into()).collect(),
        U16 => x.as_slice::<u16>()?.iter().map(|&i| i.into()).collect(),
        I32 => x.as_slice::<i32>()?.iter().map(|&i| i.into()).collect(),
        U32 => x.as_slice::<u32>()?.iter().map(|&i| i.into()).collect(),
        I64 => x.as_slice::<i64>()?.to_vec(),
        U64 => x.as_slice::<u64>()?.iter().map(|&i| i64::try_from(i).unwrap_or(i64::MAX)).collect(),
        ty => return Err(invalid!("{x} is {ty}; integers are needed")),
    })
}

/// The only element of an integer tensor.
///
/// # Errors
/// The tensor has another type, or does not have exactly one element.
pub fn integer(x: &TensorView<'_>) -> Result<i64> {
    ensure!(x.len() == 1, "{x} is {:?}; one element is needed", x.shape);
    Ok(integers(x)?.first().copied().unwrap_or_default())
}

/// The value of an integer scalar.
///
/// # Errors
/// The tensor has another type, or is not a scalar.
pub fn scalar(x: &TensorView<'_>) -> Result<i64> {
    ensure!(x.rank() == 0, "{x} is {:?}; a scalar is needed", x.shape);
    integer(x)
}

/// Checks that the type of `x` is one of `types`.
///
/// # Errors
/// `x` has another type.
pub fn expect_type(x: &TensorView<'_>, types: &[ElementType]) -> Result<()> {
    ensure!(types.contains(&x.ty), "input {x} is {}, which this op does not support", x.ty);
    Ok(())
}

/// Checks the number of axes of `x`.
///
/// # Errors
/// `x` has another rank.
pub fn expect_rank(x: &TensorView<'_>, rank: usize) -> Result<()> {
    ensure!(x.rank() == rank, "{x} is {:?}; it must have {rank} axes", x.shape);
    Ok(())
}

/// Builds a shape from its sizes.
///
/// # Errors
/// A size is negative, or there are too many axes.
pub fn shape_of(sizes: impl IntoIterator<Item = i64>) -> Result<Dims> {
    shape_of_sizes(&mut sizes.into_iter())
}

fn shape_of_sizes(sizes: &mut dyn Iterator<Item = i64>) -> Result<Dims> {
    let sizes: Vec<i64> = sizes.collect();
    let narrow = sizes.iter().map(|&size| i32::try_from(size).unwrap_or(-1));
    Dims::from_sizes(narrow).ok_or_else(|| {
        let sizes = &sizes[..sizes.len().min(16)];
        invalid!(
            "{sizes:?} is not a valid shape; sizes must not be negative, and at most 8 axes are supported"
        )
    })
}

/// The index of an axis; a negative one counts from the end.
///
/// # Errors
/// The axis does not exist.
pub fn axis_of(axis: i64, rank: usize) -> Result<usize> {
    let positive = if axis < 0 { axis.saturating_add(rank as i64) } else { axis };
    usize::try_from(positive)
        .ok()
        .filter(|&axis| axis < rank)
        .ok_or_else(|| invalid!("axis {axis} does not exist in a tensor of rank {rank}"))
}
