//! Ops that compute a string or a number from each string.

use core::marker::PhantomData;

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use super::kernel::{Call, Inputs, Kernel};
use super::node_def::NodeDef;
use super::number::put_integers;

/// An op that computes a string from each string.
pub trait Edit: Sized + Send + Sync + 'static {
    /// The name of the custom op.
    const NAME: &'static str;

    /// Reads the attributes.
    ///
    /// # Errors
    /// An attribute is invalid.
    fn new(def: &NodeDef<'_>) -> Result<Self>;

    /// Returns the new string.
    ///
    /// # Errors
    /// The text is invalid, or the result is too long.
    fn edit(&self, text: &[u8]) -> Result<Vec<u8>>;
}

/// A prepared node of the family.
pub struct TextEdit<M>(M);

impl<M: Edit> Kernel for TextEdit<M> {
    const NAME: &'static str = M::NAME;

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>) -> Result<Self> {
        let (x, y) = node.unary()?;
        let strings = x.ty == ElementType::String && y.ty == ElementType::String;
        ensure!(strings, "{x} is {}, {y} is {}; both must be STRING", x.ty, y.ty);
        Ok(TextEdit(M::new(def)?))
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        x.dims(0).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let texts = call.strings(0)?.iter().map(|text| self.0.edit(text)).collect::<Result<Vec<_>>>()?;
        call.put_strings(0, &call.dims(0)?, &texts)
    }
}

/// An op that computes an integer from each string.
pub trait Measure: Sized + Send + Sync + 'static {
    /// The name of the custom op.
    const NAME: &'static str;

    /// Reads the attributes.
    ///
    /// # Errors
    /// An attribute is invalid.
    fn new(def: &NodeDef<'_>) -> Result<Self>;

    /// Returns the number.
    ///
    /// # Errors
    /// The text is invalid.
    fn measure(&self, text: &[u8]) -> Result<i64>;
}

/// A prepared node of the family.
pub struct TextMeasure<M> {
    member: M,
    of: PhantomData<fn() -> M>,
}

impl<M: Measure> Kernel for TextMeasure<M> {
    const NAME: &'static str = M::NAME;

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>) -> Result<Self> {
        let (x, _) = node.unary()?;
        ensure!(x.ty == ElementType::String, "{x} is {}, not STRING", x.ty);
        Ok(TextMeasure { member: M::new(def)?, of: PhantomData })
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        x.dims(0).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let numbers =
            call.strings(0)?.iter().map(|text| self.member.measure(text)).collect::<Result<Vec<_>>>()?;
        put_integers(call.output(0)?, numbers)
    }
}

/// Checks that the output holds strings.
///
/// # Errors
/// The output has another type.
pub fn text_output(y: &TensorView<'_>) -> Result<()> {
    ensure!(y.ty == ElementType::String, "output {y} is {}; it must be STRING", y.ty);
    Ok(())
}

/// Whether a byte is ASCII whitespace, including the vertical tab.
pub fn is_space(byte: &u8) -> bool {
    byte.is_ascii_whitespace() || *byte == 0x0b
}

/// Strips ASCII whitespace from both ends.
pub fn strip(text: &[u8]) -> &[u8] {
    let start = text.iter().position(|b| !is_space(b)).unwrap_or(text.len());
    let end = text.iter().rposition(|b| !is_space(b)).map_or(start, |i| i + 1);
    &text[start..end]
}

/// The number of hash buckets, from the attribute.
///
/// # Errors
/// The attribute is missing or not positive.
pub fn buckets(def: &NodeDef<'_>) -> Result<u64> {
    let count = def.int("num_buckets", 0)?;
    ensure!(count > 0, "attribute 'num_buckets' is {count}; it must be positive");
    Ok(count as u64)
}
