//! The bias of a layer: one number per output channel, or none.

use arenite_abi::prelude::*;

/// The bias of a quantized layer.
#[derive(Clone, Copy)]
pub enum Bias<'a> {
    /// The layer has no bias.
    Absent,
    /// One 32-bit number per output channel.
    I32(&'a [i32]),
    /// One 64-bit number per output channel.
    I64(&'a [i64]),
}

impl<'a> Bias<'a> {
    /// Reads the bias of an optional input.
    ///
    /// # Errors
    /// The input is neither INT32 nor INT64.
    pub fn of(bias: Option<TensorView<'a>>) -> Result<Bias<'a>> {
        match bias {
            None => Ok(Bias::Absent),
            Some(b) if b.ty == I64 => b.as_slice().map(Bias::I64),
            Some(b) => b.as_slice().map(Bias::I32),
        }
    }

    /// The bias of a channel; 0 past the end.
    #[inline]
    pub fn at(&self, channel: usize) -> i64 {
        match self {
            Bias::Absent => 0,
            Bias::I32(b) => b.get(channel).map_or(0, |&b| b.into()),
            Bias::I64(b) => b.get(channel).copied().unwrap_or(0),
        }
    }
}

/// The bias of a float layer, input `index` of the node; empty if it is absent.
///
/// # Errors
/// The bias is not FLOAT32.
pub fn float_bias<'a>(cx: &EvalContext<'a>, index: usize) -> Result<&'a [f32]> {
    cx.optional_input(index)?.map_or(Ok(&[]), |bias| bias.as_slice())
}
