//! FULLY_CONNECTED of 16-bit numbers with constant weights of 8, 4 or 2 bits.
//!
//! ```text
//! with a bias of 64 bits:   sums of 64 bits, times input · filter / output in f64, ties away from zero
//! else:                     sums that wrap at 32 bits, times a fixed-point multiplier, rounded once, ties up
//! ```
//! Defined by: tflite/kernels/fully_connected.cc, tflite/kernels/internal/reference/integer_ops/fully_connected.h.

use arenite_abi::prelude::*;
use arenite_abi::schema::FullyConnectedOptions;
use arenite_layers::lower::fully_connected::Geometry;
use arenite_layers::{Node, Source};

use super::conv_i16::ConvI16;
use super::product::multipliers_of;
use super::shorts::{range, scale_of};
use crate::reach::weights_u8::Weights;
use crate::steps::conv_i16::Scale;

/// The schema's number of INT64.
const WIDE_BIAS: i8 = 4;

/// Lowers FULLY_CONNECTED.
pub(super) fn lower<'a>(x: &Source<'_, 'a>) -> Result<Node<ConvI16<'a>>> {
    let ((input, a), (_, w), (output, y)) = (x.input(0)?, x.input(1)?, x.output(0)?);
    let geometry = Geometry::read(x)?;
    let (from, to) = (scale_of(a)?, scale_of(y)?);
    if !matches!(w.ty, I8 | I4 | I2) {
        return Err(unsupported!("the weights {w} are {}; only INT8, INT4 and INT2 are supported", w.ty));
    }
    let (weights, filter) = Weights::read(x, 0)?;
    if weights.zero_point != 0 {
        return Err(unsupported!("the weights {w} have zero point {}; it must be 0", weights.zero_point));
    }
    let units = geometry.units;
    let is_wide = x.node.options()?.get(FullyConnectedOptions::QUANTIZED_BIAS_TYPE)? == WIDE_BIAS
        || x.optional_input(2).is_some_and(|(_, bias)| bias.ty == I64);
    let scales = if is_wide {
        let bias = x.bias::<i64>(2, units)?;
        let real = |c| f64::from(from) * f64::from(filter.scale_of(c)) / f64::from(to);
        (0..units).map(|c| Scale::real(bias.map_or(0, |bias| bias[c]), real(c))).collect()
    } else {
        let bias = x.bias::<i32>(2, units)?;
        let scaled = |(c, multiplier)| {
            let scale = Scale::narrow(bias.map_or(0, |bias| bias[c]), multiplier);
            scale.ok_or_else(|| unsupported!("scales {from} × {} / {to} are too large", filter.scale_of(c)))
        };
        let multipliers = multipliers_of(from, &filter, to, units, filter.scales.len() == 1)?;
        multipliers.into_iter().enumerate().map(scaled).collect::<Result<Vec<Scale>>>()?
    };
    let limits = range(geometry.activation, to)?;
    Ok(Node::new(ConvI16 { window: geometry.window(), weights, scales, limits }, vec![input], vec![output]))
}
