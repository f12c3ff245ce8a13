//! The multipliers of a quantized layer, one per output channel or one for all.
//!
//! Defined by: tflite/kernels/kernel_util.cc (`PopulateConvolutionQuantizationParams`,
//! `GetQuantizedConvolutionMultipler`).

use arenite_abi::prelude::*;

use super::node::quant;
use super::requantize::Multiplier;

plain! {
    /// Prepared multipliers in the host's persistent memory.
    pub struct ChannelMultipliers {
        /// The value and the shift of each channel in turn.
        table: Table<i32>,
    }
}

/// The multipliers during `eval`.
#[derive(Clone, Copy)]
pub struct Multipliers<'a>(&'a [i32]);

impl ChannelMultipliers {
    /// Computes `input × filter[c] / output` in f64 for each of `channels` channels. The filter has one scale, or one
    /// per channel along `axis`.
    ///
    /// # Errors
    /// The number of scales does not match, or a quotient is not finite.
    pub fn per_channel(
        cx: &mut PrepareContext<'_>,
        [input, filter, output]: [&TensorView<'_>; 3],
        channels: usize,
        axis: usize,
    ) -> Result<Self> {
        let scales = filter_scales(filter, channels, axis)?;
        Self::new(cx, channels, quant(input)?.scale, &scales, quant(output)?.scale)
    }

    /// Computes `input × filter / output` for all channels, with the product of the scales rounded to f32.
    ///
    /// # Errors
    /// The quotient is not finite.
    pub fn per_tensor(
        cx: &mut PrepareContext<'_>,
        [input, filter, output]: [&TensorView<'_>; 3],
    ) -> Result<Self> {
        let product = quant(input)?.scale * quant(filter)?.scale;
        let one = Quantization { scales: &[1.0], zero_points: &[0], dimension: 0, block_size: 0 };
        Self::new(cx, 1, product, &one, quant(output)?.scale)
    }

    #[inline(never)] // one copy
    fn new(
        cx: &mut PrepareContext<'_>,
        count: usize,
        input: f32,
        filter: &Quantization<'_>,
        output: f32,
    ) -> Result<Self> {
        let words = count.checked_mul(2).ok_or_else(|| invalid!("{count} channels are too many"))?;
        let mut shift = 0;
        // The entries are requested in order, each shift right after its value.
        let table = cx.try_table(words, |i| {
            if i % 2 == 1 {
                return Ok(shift);
            }
            let scale = filter.scale_of(i / 2);
            let multiplier = Multiplier::from_scales(input, scale, output);
            let multiplier = multiplier.ok_or_else(|| no_multiplier(input * scale, output))?;
            shift = multiplier.shift;
            Ok(multiplier.value)
        })?;
        Ok(ChannelMultipliers { table })
    }

    /// Reads the multipliers in `eval`.
    ///
    /// # Errors
    /// The context does not provide the memory that `prepare` declared.
    pub fn read<'a>(&self, cx: &EvalContext<'a>) -> Result<Multipliers<'a>> {
        cx.table(&self.table).map(Multipliers)
    }
}

impl<'a> Multipliers<'a> {
    /// The multipliers of the channels, in order.
    #[inline]
    pub fn iter(self) -> EachMultiplier<'a> {
        let one = self.0.len() == 2;
        EachMultiplier {
            next: self.of(0),
            left: if one { &[] } else { self.0.get(2..).unwrap_or_default() },
            one,
        }
    }

    /// The multiplier of a channel; zero past the end.
    #[inline]
    pub fn of(&self, channel: usize) -> Multiplier {
        let at = if self.0.len() == 2 { 0 } else { 2 * channel };
        match self.0.get(at..at + 2) {
            Some(&[value, shift]) => Multiplier { value, shift },
            _ => Multiplier::ZERO,
        }
    }
}

/// Yields the multiplier of each channel in turn.
pub struct EachMultiplier<'a> {
    next: Multiplier,
    left: &'a [i32],
    /// Whether all channels have the same.
    one: bool,
}

impl EachMultiplier<'_> {
    /// The multiplier of the next channel; zero past the end.
    #[allow(clippy::should_implement_trait)] // it never ends
    #[inline]
    pub fn next(&mut self) -> Multiplier {
        let next = self.next;
        if !self.one {
            self.next = match self.left.split_first_chunk() {
                Some((&[value, shift], left)) => {
                    self.left = left;
                    Multiplier { value, shift }
                }
                None => Multiplier::ZERO,
            };
        }
        next
    }
}

/// The filter's quantization, with one scale or one for each channel along `axis`.
///
/// # Errors
/// The filter is not quantized, or the number or the axis of its scales does not match.
pub fn filter_scales<'a>(filter: &TensorView<'a>, channels: usize, axis: usize) -> Result<Quantization<'a>> {
    let q = filter
        .quantization()
        .ok_or_else(|| invalid!("filter {filter} is {} without quantization", filter.ty))?;
    let count = q.scales.len();
    ensure!(
        count == 1 || count == channels,
        "filter {filter} has {count} scales, the output has {channels} channels; give 1 or {channels}"
    );
    ensure!(
        count == 1 || q.dimension == axis,
        "filter {filter} has scales along dimension {}; its output channels are dimension {axis}",
        q.dimension
    );
    Ok(q)
}

fn no_multiplier(product: f32, output: f32) -> Error {
    invalid!(
        "the scales of input and filter have the product {product}, the output's scale is {output}: they give no \
         finite multiplier; scales must be finite, and the output's not zero"
    )
}
