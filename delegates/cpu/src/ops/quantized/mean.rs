//! MEAN of bytes along adjacent axes.
//!
//! Defined by: tflite/kernels/reduce.cc, tflite/kernels/internal/reference/reduce.h (`QuantizedMeanOrSum`);
//! optimized/integer_ops/mean.h and optimized/reduce.h over height and width.

use arenite_abi::prelude::*;
use arenite_abi::schema::ReducerOptions;
use arenite_base::Quant;
use arenite_layers::lower::expect_elements;
use arenite_layers::{Node, Source};

use super::quantization::{quant_of, raised};
use crate::fixed_point::{Multiplier, Ties};
use crate::ops::build::Build;
use crate::ops::values::{NetValues, NodeValues};
use crate::requantize::{Bytes, Channel};
use crate::step::Step;
use crate::steps::fold_int::Shape;
use crate::steps::mean_u8::{MeanU8, Scaling};

/// The mean along some axes.
pub(crate) struct Mean {
    shape: Shape,
    kind: Kind,
}

/// Which of the kernels of TensorFlow Lite this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Over height and width of signed (raised by 128) or unsigned bytes, keeping the axes.
    Image { raised: i32 },
    /// Any other.
    General,
}

/// Lowers MEAN.
pub(super) fn lower(x: &Source<'_, '_>) -> Result<Node<Mean>> {
    let ((input, a), (output, y)) = (x.input(0)?, x.output(0)?);
    expect_elements(a)?;
    expect_elements(y)?;
    if a.ty != y.ty {
        return Err(unsupported!("input is {}, output is {}", a.ty, y.ty));
    }
    let folded = x.folded_axes(1)?;
    let over_image =
        x.node.options()?.get(ReducerOptions::KEEP_DIMS)? && folded[..] == [false, true, true, false];
    let shape = match a.shape[..] {
        // Rounding depends on the channels, however few pixels there are.
        [images, height, width, channels] if over_image => {
            Shape { outer: images, folded: height * width, inner: channels }
        }
        _ => Shape::of(&a.shape, &folded).ok_or_else(|| {
            unsupported!("reducing {:?} along axes that are not adjacent is not supported", a.shape)
        })?,
    };
    ensure!(shape.outer * shape.inner == y.len(), "input {:?} does not become {:?}", a.shape, y.shape);
    let raised = if a.ty == I8 { 128 } else { 0 };
    let layer = Mean { shape, kind: if over_image { Kind::Image { raised } } else { Kind::General } };
    // Signed zero points are brought to where the step will see them.
    let lift = |q: Quant| Quant { zero_point: q.zero_point + raised, ..q };
    layer.scaling(lift(quant_of(a)?), lift(quant_of(y)?))?;
    Ok(Node::new(layer, vec![input], vec![output]))
}

/// The factor of sums of `count` numbers with the first of two scales, for means with the other:
/// `value / count · 2^shift`, with as many bits of `value / count` as the shift can take.
pub(super) fn multiplier([from, to]: [f32; 2], count: usize) -> Option<Multiplier> {
    let Multiplier { value, shift } = Multiplier::from_real(f64::from(from) / f64::from(to))?;
    let count = count as i64;
    let bits = (63 - count.leading_zeros() as i32).min(32).min(31 + shift);
    let value = ((i64::from(value) << bits) / count) as i32;
    Some(Multiplier { value, shift: shift - bits })
}

impl Mean {
    /// The step.
    pub(crate) fn build(
        &self,
        node: &NodeValues<'_>,
        net: &NetValues<'_, '_>,
        build: &Build,
    ) -> Result<Box<dyn Step>> {
        let (input, output) = (node.inputs[0], node.outputs[0]);
        let ((from, flip), (to, unflip)) = (raised(net, input)?, raised(net, output)?);
        let mut scaling = self.scaling(from, to)?;
        scaling.bytes.flip = unflip;
        let kernels = (build.bytes.fold, build.bytes.reals);
        Ok(Box::new(MeanU8::new(kernels, (self.shape, flip), scaling, node.ends())))
    }

    fn scaling(&self, from: Quant, to: Quant) -> Result<Scaling> {
        let scaling = match self.kind {
            Kind::Image { raised } => self.image(from, to, raised),
            Kind::General => self.general(from, to),
        };
        scaling
            // Sums of 16 bits saturate beyond.
            .filter(|scaling| scaling.bytes.zero_point.abs() <= 32_000)
            .ok_or_else(|| {
                unsupported!("the ratio of scales {} and {} is not supported", from.scale, to.scale)
            })
    }

    /// `sum · s + z`, with s and z of `f32`; vectors of whole sixteens round ties up.
    fn image(&self, from: Quant, to: Quant, raised: i32) -> Option<Scaling> {
        let count = self.shape.folded;
        let offset = (from.zero_point - raised) as f32 * from.scale / to.scale;
        let offset = if offset > 0.0 { offset + 0.5 } else { offset - 0.5 };
        let multiplier = Multiplier::from_real((from.scale / (count as f32 * to.scale)).into())?;
        let channels = self.shape.inner;
        let bias = i32::try_from(count).ok()?.checked_mul(raised)?.wrapping_neg();
        let channel = |ties| Channel { bias, factor: multiplier.factor(ties) };
        Some(Scaling {
            first: (channel(Ties::Up), channels / 16 * 16),
            rest: channel(Ties::Away),
            bytes: Bytes {
                zero_point: to.zero_point.checked_sub(offset as i32)?,
                low: 0,
                high: 255,
                flip: 0,
            },
        })
    }

    /// `(sum − count · z) · factor`.
    fn general(&self, from: Quant, to: Quant) -> Option<Scaling> {
        let multiplier = multiplier([from.scale, to.scale], self.shape.folded)?;
        let count = self.shape.folded as i64;
        let bias = i64::from(from.zero_point).wrapping_mul(count) as i32;
        let channel = Channel { bias: bias.wrapping_neg(), factor: multiplier.factor(Ties::Away) };
        let bytes = Bytes { zero_point: to.zero_point, low: 0, high: 255, flip: 0 };
        Some(Scaling { first: (channel, 0), rest: channel, bytes })
    }
}
