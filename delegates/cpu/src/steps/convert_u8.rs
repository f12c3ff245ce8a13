//! Converts reals to bytes, and bytes to reals.

use arenite_abi::prelude::*;
use arenite_base::Quant;
use arenite_layers::Id;

use crate::kernels::u8_real::{Reals, Scale};
use crate::requantize::Bytes;
use crate::step::{Run, Step};
use crate::steps::map_f32::stream;

/// The nearest bytes.
pub(crate) struct Quantize {
    /// The kernels.
    pub reals: &'static Reals,
    /// Of the results, as unsigned bytes.
    pub quant: Quant,
    /// The bits that make results signed, by exclusive or.
    pub flip: u8,
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
        let (x, mut y) = (cx.input::<f32>(self.input), cx.output::<u8>(self.output));
        let Quant { scale, zero_point } = self.quant;
        let inverse = (1.0 / f64::from(scale)) as f32;
        let bytes = Bytes { zero_point, low: 0, high: 255, flip: self.flip };
        let eights = self.len / 8 * 8;
        let chunk = stream(cx, eights);
        cx.parallel_parts(y.part(0, eights), chunk, 1, |chunks, mut y| {
            self.reals.quantized(x.part(chunks.start * chunk, y.len()), inverse, bytes, &mut y);
        })?;
        for i in eights..self.len {
            let steps = (f64::from(x.get(i)) / f64::from(scale)).round();
            y.set(i, (steps as i32).saturating_add(zero_point).clamp(0, 255) as u8 ^ self.flip);
        }
        Ok(())
    }
}

/// Converts bytes to the real values they represent.
pub(crate) struct Dequantize {
    /// The kernels.
    pub reals: &'static Reals,
    /// The quantization of the inputs before they were raised.
    pub quant: Quant,
    /// The number that was added to the inputs.
    pub raised: i32,
    /// The bits that make inputs unsigned, by exclusive or.
    pub flip: u8,
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
        let (x, mut y) = (cx.input::<u8>(self.input), cx.output::<f32>(self.output));
        let Quant { scale, zero_point } = self.quant;
        let offset = (f64::from(scale) * f64::from(-zero_point)) as f32;
        let by = Scale { flip: self.flip, zero_point: self.raised, factor: scale, offset };
        let eights = self.len / 8 * 8;
        let chunk = stream(cx, eights);
        cx.parallel_parts(y.part(0, eights), chunk, 1, |chunks, mut y| {
            self.reals.dequantized(x.part(chunks.start * chunk, y.len()), by, &mut y);
        })?;
        for i in eights..self.len {
            let q = i32::from(x.get(i) ^ self.flip) - self.raised;
            y.set(i, scale * (q - zero_point) as f32);
        }
        Ok(())
    }
}
