//! Sums, differences and products of two tensors of 16 bits, and conversions from and to 16 bits.

use arenite_abi::prelude::*;
use arenite_layers::{Id, Loops};

use crate::kernels::i16_pair::{Combine, I16Kernels, Pair, Rescale};
use crate::step::{Run, Step};

/// Elements that one thread does at a time; whole sixteens.
const CHUNK: usize = 1 << 13;

/// A function of two tensors.
pub(crate) struct PairI16 {
    kernels: &'static I16Kernels,
    combine: Combine,
    loops: Loops<2>,
    /// The first results, which are scaled by the first pair.
    grouped: usize,
    pairs: [Pair; 2],
    inputs: [Id; 2],
    output: Id,
}

impl PairI16 {
    /// `shape` has the loops over the elements, and how many results the first of `pairs` scales. Operands are swapped
    /// if the first has one element per run.
    pub(crate) fn new(
        kernels: &'static I16Kernels,
        mut combine: Combine,
        shape: (Loops<2>, usize),
        mut pairs: [Pair; 2],
        mut inputs: [Id; 2],
        output: Id,
    ) -> Self {
        let (mut loops, grouped) = shape;
        if loops.moves == [false, true] {
            loops.moves.swap(0, 1);
            loops.outer.iter_mut().for_each(|(_, strides)| strides.swap(0, 1));
            pairs.iter_mut().for_each(|pair| pair.factors.swap(0, 1));
            inputs.swap(0, 1);
            combine = if combine == Combine::Sub { Combine::SubFrom } else { combine };
        }
        PairI16 { kernels, combine, loops, grouped, pairs, inputs, output }
    }
}

impl Step for PairI16 {
    fn name(&self) -> &'static str {
        "16-bit pairs"
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let [a, b] = self.inputs.map(|id| cx.input::<i16>(id));
        let y = cx.output::<i16>(self.output).share();
        let run = self.loops.run;
        let parts = run.div_ceil(CHUNK);
        let grain = (CHUNK / run.clamp(1, CHUNK)).max(1);
        cx.parallel_for(self.loops.runs() * parts, grain, |range| {
            for item in range {
                let (at, first) = (item / parts, item % parts * CHUNK);
                let starts = self.loops.starts(at);
                let n = CHUNK.min(run - first);
                // SAFETY: parts cut a run, runs cut the results, and each part is one thread's.
                let mut y = unsafe { y.part(at * run + first, n) };
                let grouped = self.grouped.saturating_sub(first).min(n);
                for (pair, from, n) in [(0, 0, grouped), (1, grouped, n - grouped)] {
                    if n == 0 {
                        continue;
                    }
                    let place = first + from;
                    let a = a.part(starts[0] + place, n);
                    let b = match self.loops.moves[1] {
                        true => b.part(starts[1] + place, n),
                        false => b.part(starts[1], 1),
                    };
                    self.kernels.combined(self.combine, &self.pairs[pair], [a, b], &mut y.part(from, n));
                }
            }
        })
    }
}

/// A conversion.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Conversion {
    /// Between quantizations.
    Rescale {
        /// Of the input and of the output.
        types: (ElementType, ElementType),
        /// The scaling.
        by: Rescale,
    },
    /// From `f32`, with this scale.
    Quantize(f32),
    /// To `f32`, with this scale.
    Dequantize(f32),
}

/// Converts a tensor.
pub(crate) struct ConvertI16 {
    /// The kernels.
    pub kernels: &'static I16Kernels,
    /// What is converted.
    pub conversion: Conversion,
    /// Read.
    pub input: Id,
    /// Written.
    pub output: Id,
}

macro_rules! rescaled {
    ($self:ident, $cx:ident, $by:ident, $kernel:ident: $x:ty, $y:ty) => {{
        let (x, y) = ($cx.input::<$x>($self.input), $cx.output::<$y>($self.output));
        $cx.parallel_parts(y, CHUNK, 1, |chunks, mut y| {
            $self.kernels.$kernel($by, x.part(chunks.start * CHUNK, y.len()), &mut y);
        })
    }};
}

impl ConvertI16 {
    fn quantize(&self, cx: &Run<'_>, scale: f32) -> Result<()> {
        let (x, mut y) = (cx.input::<f32>(self.input), cx.output::<i16>(self.output));
        let inverse = (1.0 / f64::from(scale)) as f32;
        let len = y.len();
        let eights = len / 8 * 8;
        cx.parallel_parts(y.part(0, eights), CHUNK, 1, |chunks, mut y| {
            self.kernels.quantized(x.part(chunks.start * CHUNK, y.len()), inverse, &mut y);
        })?;
        for i in eights..len {
            let steps = (f64::from(x.get(i)) / f64::from(scale)).round();
            y.set(i, (steps as i32).clamp(i16::MIN.into(), i16::MAX.into()) as i16);
        }
        Ok(())
    }
}

impl Step for ConvertI16 {
    fn name(&self) -> &'static str {
        match self.conversion {
            Conversion::Dequantize(_) => "DEQUANTIZE",
            _ => "QUANTIZE",
        }
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        match &self.conversion {
            Conversion::Quantize(scale) => self.quantize(cx, *scale),
            Conversion::Dequantize(scale) => {
                let (x, y) = (cx.input::<i16>(self.input), cx.output::<f32>(self.output));
                cx.parallel_parts(y, CHUNK, 1, |chunks, mut y| {
                    self.kernels.dequantized(x.part(chunks.start * CHUNK, y.len()), *scale, &mut y);
                })
            }
            Conversion::Rescale { types, by } => match types {
                (I16, I16) => rescaled!(self, cx, by, short_from_short: i16, i16),
                (U8, I16) => rescaled!(self, cx, by, short_from_byte: u8, i16),
                (I32, I16) => rescaled!(self, cx, by, short_from_whole: i32, i16),
                (I16, U8) => rescaled!(self, cx, by, byte_from_short: i16, u8),
                (I32, U8) => rescaled!(self, cx, by, byte_from_whole: i32, u8),
                (from, to) => Err(unsupported!("a conversion from {from} to {to}")),
            },
        }
    }
}
