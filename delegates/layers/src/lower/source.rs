//! A node of the model with its values, as lowerings see it.

use arenite_abi::prelude::*;
use arenite_abi::schema::{AddOptions, ConcatenationOptions, DivOptions, MulOptions, SubOptions};
use arenite_base::Stored;

use super::values::Values;
use crate::layer::Limits;
use crate::net::{Id, Value, is_aligned};

/// A node of the model and its values.
pub struct Source<'s, 'a> {
    /// The node.
    pub node: NodeView<'a>,
    /// The values of the graph.
    pub values: &'s Values<'a>,
    /// The limits of the engine.
    pub limits: &'s Limits,
}

impl<'s, 'a> Source<'s, 'a> {
    pub(super) fn new(node: NodeView<'a>, values: &'s Values<'a>, limits: &'s Limits) -> Self {
        Source { node, values, limits }
    }

    /// An error unless all constants are aligned to their element size.
    pub(super) fn expect_aligned(&self) -> Result<()> {
        for i in 0..self.node.input_count() {
            let Some((_, value)) = self.optional_input(i) else { continue };
            if value.constant.is_some_and(|data| !is_aligned(&data)) {
                return Err(unsupported!("constant {value} is not aligned to elements of {}", value.ty));
            }
        }
        Ok(())
    }

    /// The value of input `i`, if it is present.
    pub fn optional_input(&self, i: usize) -> Option<(Id, &Value<'a>)> {
        self.values.get(*self.node.input_indices().get(i)?)
    }

    /// The value of input `i`.
    ///
    /// # Errors
    /// The node has no such input.
    pub fn input(&self, i: usize) -> Result<(Id, &Value<'a>)> {
        self.optional_input(i).ok_or_else(|| invalid!("input {i} is absent, this op needs it"))
    }

    /// The value of output `i`.
    ///
    /// # Errors
    /// The node has no such output.
    pub fn output(&self, i: usize) -> Result<(Id, &Value<'a>)> {
        let index = self.node.output_indices().get(i).copied().unwrap_or(-1);
        self.values.get(index).ok_or_else(|| invalid!("output {i} is absent, this op needs it"))
    }

    /// The elements of input `i`, which must be constant.
    ///
    /// # Errors
    /// The input is absent, not constant, or of another type.
    pub fn constant<T: Element>(&self, i: usize) -> Result<&'a [T]> {
        let (_, value) = self.input(i)?;
        value.elements()?.ok_or_else(|| unsupported!("input {i} {value} is not constant"))
    }

    /// The weights of input `i`, which must be constant.
    ///
    /// # Errors
    /// The input is absent or not constant, or weights cannot have its type.
    pub fn weights(&self, i: usize) -> Result<Stored<'a>> {
        let (_, value) = self.input(i)?;
        self.optional_weights(i)?.ok_or_else(|| unsupported!("input {i} {value} is not constant"))
    }

    /// As [`weights`](Self::weights); `None` if they are computed at run time.
    ///
    /// # Errors
    /// The input is absent, or weights cannot have its type.
    pub fn optional_weights(&self, i: usize) -> Result<Option<Stored<'a>>> {
        let (_, value) = self.input(i)?;
        let weights = value.weights()?;
        ensure!(
            weights.is_none_or(|weights| weights.len() == value.len()),
            "{value} has {:?} elements for shape {:?}",
            weights.map(|weights| weights.len()),
            value.shape
        );
        Ok(weights)
    }

    /// As [`constant`](Self::constant); `None` if the input is missing.
    ///
    /// # Errors
    /// The input is not constant, or of another type.
    pub fn optional_constant<T: Element>(&self, i: usize) -> Result<Option<&'a [T]>> {
        self.optional_input(i).map(|_| self.constant(i)).transpose()
    }

    /// The constant input `i` with one number per channel; `None` if it is missing.
    ///
    /// # Errors
    /// The input is not constant, of another type, or has another number of elements.
    pub fn bias<T: Element>(&self, i: usize, channels: usize) -> Result<Option<&'a [T]>> {
        let bias = self.optional_constant::<T>(i)?;
        ensure!(
            bias.is_none_or(|bias| bias.len() == channels),
            "the bias has {:?} numbers for {channels} channels",
            bias.map(<[T]>::len)
        );
        Ok(bias)
    }

    /// Whether the constant input `i` lists each axis of input 0.
    ///
    /// # Errors
    /// The input is not constant, or lists an axis that input 0 does not have.
    pub fn folded_axes(&self, i: usize) -> Result<Vec<bool>> {
        let (_, value) = self.input(0)?;
        let mut folded = vec![false; value.shape.len()];
        for axis in self.integers(i)? {
            folded[axis_of(axis, value.shape.len())?] = true;
        }
        Ok(folded)
    }

    /// The integers of input `i`, which must be constant.
    ///
    /// # Errors
    /// The input is absent, not constant, or not of integers.
    pub fn integers(&self, i: usize) -> Result<Vec<i64>> {
        let (_, value) = self.input(i)?;
        fn wide<T: Element + Into<i64>>(list: &[T]) -> Vec<i64> {
            list.iter().map(|&x| x.into()).collect()
        }
        Ok(match value.ty {
            I8 => wide(self.constant::<i8>(i)?),
            I16 => wide(self.constant::<i16>(i)?),
            I32 => wide(self.constant::<i32>(i)?),
            I64 => self.constant::<i64>(i)?.to_vec(),
            ty => return Err(unsupported!("{value} is {ty}; only integers are supported")),
        })
    }

    /// Checks that the first `inputs` inputs, if present, and all outputs are `f32`.
    ///
    /// # Errors
    /// One of them has another type.
    pub fn expect_f32(&self, inputs: usize) -> Result<()> {
        let inputs = (0..inputs).filter_map(|i| self.optional_input(i));
        let outputs = (0..self.node.output_count()).filter_map(|i| self.output(i).ok());
        for (_, value) in inputs.chain(outputs) {
            if value.ty != F32 {
                return Err(unsupported!("{} is not supported, only FLOAT32: {value}", value.ty));
            }
        }
        Ok(())
    }
}

/// The axis `axis` of `rank` axes, counted from the end if it is negative.
pub(super) fn axis_of(axis: i64, rank: usize) -> Result<usize> {
    let at = if axis < 0 { axis + rank as i64 } else { axis };
    match usize::try_from(at) {
        Ok(at) if at < rank => Ok(at),
        _ => Err(invalid!("axis {axis} does not exist; the tensor has {rank} axes")),
    }
}

/// Checks that a value has elements, and that their number does not overflow.
///
/// # Errors
/// It has no elements, or too many.
pub fn expect_elements(value: &Value<'_>) -> Result<()> {
    let count = value.shape.iter().try_fold(1usize, |n, &d| n.checked_mul(d));
    match count {
        Some(n) if n > 0 => Ok(()),
        _ => Err(unsupported!("{value} has shape {:?}, without elements", value.shape)),
    }
}

/// The fused [`activation`](schema::activation) of an arithmetic op or a concatenation; `None` for other ops.
///
/// # Errors
/// The options are malformed.
pub fn fused_activation(node: &NodeView<'_>) -> Result<Option<i8>> {
    let activation = match node.builtin_code() {
        op::ADD => node.options()?.get(AddOptions::FUSED_ACTIVATION_FUNCTION)?,
        op::SUB => node.options()?.get(SubOptions::FUSED_ACTIVATION_FUNCTION)?,
        op::MUL => node.options()?.get(MulOptions::FUSED_ACTIVATION_FUNCTION)?,
        op::DIV => node.options()?.get(DivOptions::FUSED_ACTIVATION_FUNCTION)?,
        op::CONCATENATION => node.options()?.get(ConcatenationOptions::FUSED_ACTIVATION_FUNCTION)?,
        _ => return Ok(None),
    };
    Ok(Some(activation))
}
