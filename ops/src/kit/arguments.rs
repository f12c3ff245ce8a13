//! Short lists of integers that tensors hold as arguments, such as axes, sizes and paddings.

use core::ops::Deref;

use arenite_abi::prelude::*;

/// The maximum length of a list: a strided slice has up to 31 entries, and paddings have two for each of eight axes.
pub const MAX_INTEGERS: usize = 32;

/// The elements of a short integer tensor.
#[derive(Clone, Copy, Debug)]
pub struct Integers {
    count: usize,
    values: [i64; MAX_INTEGERS],
}

impl Integers {
    /// Reads the elements of `x`, which must be INT8, INT16, INT32, INT64 or BOOL. In `prepare` it must be a constant.
    ///
    /// # Errors
    /// The type is another one, the data is not known, or there are more than [`MAX_INTEGERS`] elements.
    pub fn of(x: &TensorView<'_>) -> Result<Integers> {
        match x.ty {
            I32 => Self::convert(x, x.as_slice::<i32>()?.iter().map(|&v| v.into())),
            I64 => Self::convert(x, x.as_slice::<i64>()?.iter().copied()),
            I16 => Self::convert(x, x.as_slice::<i16>()?.iter().map(|&v| v.into())),
            I8 => Self::convert(x, x.as_slice::<i8>()?.iter().map(|&v| v.into())),
            ElementType::Bool => Self::convert(x, x.bytes().iter().map(|&v| i64::from(v != 0))),
            ty => Err(unsupported!("{x} is {ty}; integers are needed")),
        }
    }

    /// Reads the only element of `x`.
    ///
    /// # Errors
    /// The errors of [`of`](Self::of), or `x` does not have exactly one element.
    pub fn scalar(x: &TensorView<'_>) -> Result<i64> {
        match *Integers::of(x)? {
            [value] => Ok(value),
            _ => Err(invalid!("{x} is {:?}; it must hold one number", x.shape)),
        }
    }

    /// The elements as i32. An element out of range becomes the nearest i32, which is not a valid axis or size either.
    pub fn saturated(&self) -> ([i32; MAX_INTEGERS], usize) {
        (self.values.map(saturated), self.count)
    }

    fn convert(x: &TensorView<'_>, from: impl ExactSizeIterator<Item = i64>) -> Result<Integers> {
        let count = from.len();
        ensure!(
            count == x.len() && count <= MAX_INTEGERS,
            "{x} is {:?} and holds {count} numbers; at most {MAX_INTEGERS} are supported",
            x.shape
        );
        let mut values = [0; MAX_INTEGERS];
        values.iter_mut().zip(from).for_each(|(to, from)| *to = from);
        Ok(Integers { count, values })
    }
}

impl Deref for Integers {
    type Target = [i64];

    fn deref(&self) -> &[i64] {
        &self.values[..self.count]
    }
}

/// Converts to the nearest i32.
pub fn saturated(value: i64) -> i32 {
    value.clamp(i32::MIN.into(), i32::MAX.into()) as i32
}

/// Checks that the type of `x` is one of `types`.
///
/// # Errors
/// `x` has another type.
pub fn expect_type(x: &TensorView<'_>, types: &[ElementType]) -> Result<()> {
    if types.contains(&x.ty) {
        return Ok(());
    }
    Err(unsupported!("{x} is {}; it may be {}", x.ty, Alternatives(types)))
}

/// Checks that `x` is a vector, and returns its length.
///
/// # Errors
/// `x` has another rank.
pub fn expect_vector(x: &TensorView<'_>) -> Result<usize> {
    match *x.shape {
        [count] => Ok(count.max(0) as usize),
        _ => Err(invalid!("{x} is {:?}; it must have one dimension", x.shape)),
    }
}

struct Alternatives<'a>(&'a [ElementType]);

impl core::fmt::Display for Alternatives<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        for (i, ty) in self.0.iter().enumerate() {
            let separator = match i {
                0 => "",
                i if i + 1 == self.0.len() => " or ",
                _ => ", ",
            };
            write!(f, "{separator}{ty}")?;
        }
        Ok(())
    }
}
