//! Reals to bytes, and bytes to reals.

use arenite_abi::prelude::*;
use arenite_layers::{Id, Quant};

use crate::kernels::u8_real::Reals;
use crate::memory::Shared;
use crate::program::{Run, Step};

/// Elements that one thread does at a time.
const CHUNK: usize = 1 << 13;

/// The nearest bytes.
pub struct Quantize {
    /// The kernels.
    pub reals: &'static Reals,
    /// Of the results.
    pub quant: Quant,
    /// How many.
    pub len: usize,
    /// Read.
    pub input: Id,
    /// Written.
    pub output: Id,
}

impl Step for Quantize {
    fn name(&self) -> &'static str {
        "QUANTIZE"
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let x = Shared::new(cx.place::<f32>(self.input));
        let y = Shared::new(cx.place::<u8>(self.output));
        let Quant { scale, zero_point } = self.quant;
        let inverse = (1.0 / f64::from(scale)) as f32;
        let eights = self.len / 8 * 8;
        cx.parallel_for(eights.div_ceil(CHUNK), 1, |range| {
            let at = range.start * CHUNK;
            let n = (range.len() * CHUNK).min(eights - at);
            // SAFETY: both tensors have `len` elements, and each range is one thread's.
            unsafe { (self.reals.quantize)(n, x.get().add(at), inverse, zero_point, y.get().add(at)) };
        })?;
        for i in eights..self.len {
            // SAFETY: as above.
            unsafe {
                let steps = (f64::from(*x.get().add(i)) / f64::from(scale)).round();
                *y.get().add(i) = (steps as i32).saturating_add(zero_point).clamp(0, 255) as u8;
            }
        }
        Ok(())
    }
}

/// The reals that bytes stand for.
pub struct Dequantize {
    /// The kernels.
    pub reals: &'static Reals,
    /// Of the inputs, less what they are raised by.
    pub quant: Quant,
    /// What the inputs are raised by.
    pub raised: i32,
    /// How many.
    pub len: usize,
    /// Read.
    pub input: Id,
    /// Written.
    pub output: Id,
}

impl Step for Dequantize {
    fn name(&self) -> &'static str {
        "DEQUANTIZE"
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let x = Shared::new(cx.place::<u8>(self.input));
        let y = Shared::new(cx.place::<f32>(self.output));
        let Quant { scale, zero_point } = self.quant;
        let offset = (f64::from(scale) * f64::from(-zero_point)) as f32;
        let eights = self.len / 8 * 8;
        cx.parallel_for(eights.div_ceil(CHUNK), 1, |range| {
            let at = range.start * CHUNK;
            let n = (range.len() * CHUNK).min(eights - at);
            // SAFETY: both tensors have `len` elements, and each range is one thread's.
            unsafe {
                (self.reals.dequantize)(n, x.get().add(at), self.raised, scale, offset, y.get().add(at))
            };
        })?;
        for i in eights..self.len {
            // SAFETY: as above.
            unsafe {
                let q = i32::from(*x.get().add(i)) - self.raised;
                *y.get().add(i) = scale * (q - zero_point) as f32;
            }
        }
        Ok(())
    }
}
