//! Quantized inputs and outputs: u8, i8 and i16.

use arenite_abi::prelude::*;

use crate::kit::activation::Limits;
use crate::kit::bias::Bias;
use crate::kit::channel_multipliers::{ChannelMultipliers, EachMultiplier, filter_scales};
use crate::kit::dot::{dot, dot_i64};
use crate::kit::node;
use crate::kit::pace::Pace;
use crate::kit::quantized::Quantized;
use crate::kit::ratio::{agree, quotient};
use crate::kit::requantize::{Multiplier, round_f64};

use super::{Dense, FilterRows, Layer, row_scratch};

plain! {
    pub(super) struct Fixed {
        input_zero: i32,
        filter_zero: i32,
        output_zero: i32,
        limits: Limits<i32>,
        sums: Sums,
        /// Whether input, filter and output are i8.
        all_i8: bool,
        multipliers: ChannelMultipliers,
        /// `input × filter[u] / output` in f64; only for [`Sums::Real`].
        reals: Table<f64>,
        row: Scratch<i8>,
    }
}

plain! {
    /// How sums are stored and scaled; each variant matches one of TFLite's kernels.
    #[derive(Clone, Copy, PartialEq)]
    enum Sums {
        /// 32 bits, rounded twice with ties up: 8-bit inputs.
        I32,
        /// 32 bits, rounded once: 16-bit inputs, 32-bit bias.
        I32Once,
        /// 64 bits, scaled by an f64: 16-bit inputs with a 64-bit bias, or with a filter that has a zero point.
        Real,
        /// 64 bits, with a 15-bit multiplier: 16-bit filters.
        I64,
    }
}

impl Fixed {
    /// `I8_ONLY`: leaves out what i8 does not need, so that programs do not link it.
    pub(super) fn prepare<const I8_ONLY: bool>(
        parts: &Dense<'_>,
        layer: &Layer,
        cx: &mut PrepareContext<'_>,
    ) -> Result<Fixed> {
        let Dense { x, filter, y, .. } = parts;
        let scales = filter_scales(filter, layer.units, 0)?;
        let per_channel = scales.scales.len() > 1;
        let filter_zero = parts.check_filter(&scales)?;
        parts.check_bias()?;
        let (from, to) = (node::quant(x)?, node::quant(y)?);
        if !I8_ONLY && x.ty == I16 {
            parts.check_i16(from.zero_point, to.zero_point)?;
        }
        let sums = if I8_ONLY { Sums::I32 } else { parts.sums(filter_zero) };
        let multipliers = match per_channel {
            true => ChannelMultipliers::per_channel(cx, [x, filter, y], layer.units, 0)?,
            false => {
                parts.check_bias_scale(from.scale, scales.scales[0], to.scale)?;
                ChannelMultipliers::per_tensor(cx, [x, filter, y])?
            }
        };
        parts.expect_range()?;
        let count = if sums == Sums::Real { layer.units } else { 0 };
        Ok(Fixed {
            input_zero: from.zero_point,
            filter_zero: if per_channel { 0 } else { filter_zero },
            output_zero: to.zero_point,
            limits: node::quantized_range(parts.activation, y)?,
            sums,
            all_i8: x.ty == I8 && filter.ty == I8,
            multipliers,
            reals: cx.table(if I8_ONLY { 0 } else { count }, |u| {
                quotient(from.scale, scales.scale_of(u), to.scale)
            })?,
            row: row_scratch(filter, layer, cx)?,
        })
    }

    pub(super) fn eval(&self, layer: &Layer, cx: &EvalContext<'_>) -> Result<()> {
        match (cx.input(0)?.ty, cx.input(1)?.ty, cx.node().output(0)?.ty) {
            (U8, _, U8) => self.plain::<u8, u8, u8>(layer, cx),
            (U8, _, _) => self.plain::<u8, u8, i16>(layer, cx),
            (_, I16, _) => self.plain::<i16, i16, i16>(layer, cx),
            (I8, _, _) => self.signed::<i8>(layer, cx),
            _ => self.signed::<i16>(layer, cx),
        }
    }

    pub(super) fn is_i8(&self) -> bool {
        self.all_i8 && self.sums == Sums::I32 && self.filter_zero == 0
    }

    /// i8 alone, whose sums have 32 bits, with symmetric filters.
    pub(super) fn eval_i8(&self, layer: &Layer, cx: &EvalContext<'_>) -> Result<()> {
        let (x, w) = (cx.input_slice::<i8>(0)?, cx.input_slice::<i8>(1)?);
        let bias = cx.optional_slice::<i32>(2)?.unwrap_or_default();
        let multipliers = self.multipliers.read(cx)?;
        let y = cx.output_slice::<i8>(0)?;
        let mut pace = Pace::new(cx);
        let depth = layer.depth.max(1);
        let (mut rows, units) = (x.chunks_exact(depth), Pace::items(depth));
        for y in y.chunks_exact_mut(layer.units.max(1)) {
            let (x, mut w, mut bias) = (rows.next().unwrap_or_default(), w, bias);
            let mut multipliers = multipliers.iter();
            for y in y.chunks_mut(units) {
                pace.ahead(y.len() * depth)?;
                self.units_i8(x, (w, bias), &mut multipliers, y);
                w = w.get(y.len() * x.len()..).unwrap_or_default();
                bias = bias.get(y.len()..).unwrap_or_default();
            }
        }
        Ok(())
    }

    /// Units of one batch. Without a bias, `bias` is empty.
    #[inline(never)] // with fewer values in registers than in the loops around it
    fn units_i8(
        &self,
        x: &[i8],
        (mut w, bias): (&[i8], &[i32]),
        multipliers: &mut EachMultiplier<'_>,
        y: &mut [i8],
    ) {
        for (u, y) in y.iter_mut().enumerate() {
            let Some((row, rest)) = w.split_at_checked(x.len()) else { break };
            w = rest;
            let sum = dot(x, self.input_zero, row, 0).wrapping_add(bias.get(u).copied().unwrap_or(0));
            let scaled = multipliers.next().apply_ties_up(sum).wrapping_add(self.output_zero);
            *y = self.limits.clamp(scaled) as i8;
        }
    }

    /// Filters whose type differs from the input's.
    fn plain<X: Quantized, W: Quantized, Y: Quantized>(
        &self,
        layer: &Layer,
        cx: &EvalContext<'_>,
    ) -> Result<()> {
        let w = cx.input_slice::<W>(1)?;
        let rows = |f: &mut dyn FnMut(usize, &[W]) -> Result<()>| {
            (0..layer.units).try_for_each(|u| f(u, layer.row(w, u)))
        };
        self.run::<X, W, Y>(layer, cx, rows, |x, w, unit| self.scaled(x, w, unit))
    }

    /// Filters of i8, i4 or i2.
    fn signed<X: Quantized>(&self, layer: &Layer, cx: &EvalContext<'_>) -> Result<()> {
        let mut rows = FilterRows::of(&cx.input(1)?, cx, &self.row)?;
        self.run::<X, i8, X>(layer, cx, |f| rows.for_each(layer, f), |x, w, unit| self.scaled(x, w, unit))
    }

    fn run<X: Quantized, W: Quantized, Y: Quantized>(
        &self,
        layer: &Layer,
        cx: &EvalContext<'_>,
        for_each_row: impl FnOnce(&mut dyn FnMut(usize, &[W]) -> Result<()>) -> Result<()>,
        scaled: impl Fn(&[X], &[W], &Unit) -> i32,
    ) -> Result<()> {
        let x = cx.input_slice::<X>(0)?;
        let bias = Bias::read(cx, 2)?;
        let (multipliers, reals) = (self.multipliers.read(cx)?, cx.table(&self.reals)?);
        let y = cx.output_slice::<Y>(0)?;
        let mut pace = Pace::new(cx);
        for_each_row(&mut |u, w| {
            let unit = Unit {
                bias: bias.at(u),
                multiplier: multipliers.of(u),
                real: reals.get(u).copied().unwrap_or(0.0),
            };
            for b in 0..layer.batches {
                pace.ahead(layer.depth)?;
                let scaled = scaled(layer.row(x, b), w, &unit).wrapping_add(self.output_zero);
                if let Some(y) = y.get_mut(b * layer.units + u) {
                    *y = Y::saturate(self.limits.clamp(scaled));
                }
            }
            Ok(())
        })
    }

    #[inline(never)] // one copy per pair of types, for all outputs
    fn scaled<X: Quantized, W: Quantized>(&self, x: &[X], w: &[W], unit: &Unit) -> i32 {
        match self.sums {
            Sums::I32 | Sums::I32Once => {
                let sum = dot(x, self.input_zero, w, self.filter_zero).wrapping_add(unit.bias as i32);
                match self.sums == Sums::I32 {
                    true => unit.multiplier.apply_ties_up(sum),
                    false => unit.multiplier.apply_once(sum),
                }
            }
            Sums::Real | Sums::I64 => {
                let sum = dot_i64(x, self.input_zero, w, self.filter_zero).wrapping_add(unit.bias);
                match self.sums == Sums::Real {
                    true => round_f64(sum as f64 * unit.real) as i32,
                    false => unit.multiplier.apply_i64(sum),
                }
            }
        }
    }
}

/// The scaling of the sums of one output unit.
struct Unit {
    bias: i64,
    multiplier: Multiplier,
    real: f64,
}

impl Dense<'_> {
    /// Checks the filter's quantization, and returns its zero point.
    fn check_filter(&self, scales: &Quantization<'_>) -> Result<i32> {
        let filter = &self.filter;
        ensure!(
            scales.scales.len() == 1 || self.x.ty != U8,
            "filter {filter} has {} scales; for u8 there must be one",
            scales.scales.len()
        );
        let filter_zero = scales.zero_points[0] as i32;
        ensure!(
            filter.ty.bits() >= 8 || scales.zero_points.iter().all(|&zero| zero == 0),
            "filter {filter} is {} with zero point {filter_zero}; it must be 0",
            filter.ty
        );
        Ok(filter_zero)
    }

    fn check_bias(&self) -> Result<()> {
        self.expect_bias(if self.x.ty == I16 { &[I32, I64] } else { &[I32] })
    }

    fn check_i16(&self, input_zero: i32, output_zero: i32) -> Result<()> {
        ensure!(
            input_zero == 0 && output_zero == 0,
            "input '{}' has zero point {input_zero}, output '{}' {output_zero}; for i16 both must be 0",
            self.x.name(),
            self.y.name()
        );
        let told = match u32::try_from(self.bias_type).ok().and_then(ElementType::from_raw) {
            Some(F32) => return Ok(()),
            Some(ty @ (I32 | I64)) => ty,
            _ => {
                let other = self.bias_type;
                return Err(invalid!("its bias type is number {other}; it must be 2 (INT32) or 4 (INT64)"));
            }
        };
        self.expect_bias(&[told])
    }

    /// The bias is added in steps of `input × filter`, so its own scale may differ from that by at most 2 % of an
    /// output step.
    fn check_bias_scale(&self, input: f32, filter: f32, output: f32) -> Result<()> {
        let Some((bias, q)) = self.bias.as_ref().and_then(|b| Some((b, b.quantization()?))) else {
            return Ok(());
        };
        ensure!(
            agree(input, filter, q.scales[0], output),
            "bias {bias} has scale {}, input × filter is {}; they must agree",
            q.scales[0],
            f64::from(input) * f64::from(filter)
        );
        Ok(())
    }

    fn sums(&self, filter_zero: i32) -> Sums {
        let wide_bias = self.bias_type == 4 || self.bias.as_ref().is_some_and(|b| b.ty == I64);
        match (self.x.ty, self.filter.ty) {
            (I16, I16) => Sums::I64,
            (I16, _) if wide_bias || filter_zero != 0 => Sums::Real,
            (I16, _) => Sums::I32Once,
            _ => Sums::I32,
        }
    }
}
