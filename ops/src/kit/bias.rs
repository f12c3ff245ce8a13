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
    /// The bias of a layer, input `index` of the node.
    ///
    /// # Errors
    /// The input is neither INT32 nor INT64.
    pub fn read(cx: &EvalContext<'a>, index: usize) -> Result<Bias<'a>> {
        match cx.input_type(index) {
            None => Ok(Bias::Absent),
            Some(I64) => cx.input_slice(index).map(Bias::I64),
            Some(_) => cx.input_slice(index).map(Bias::I32),
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
#[inline]
pub fn float_bias<'a>(cx: &EvalContext<'a>, index: usize) -> Result<&'a [f32]> {
    Ok(cx.optional_slice(index)?.unwrap_or_default())
}
