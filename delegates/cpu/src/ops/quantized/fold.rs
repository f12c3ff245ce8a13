//! SUM, REDUCE_MAX and REDUCE_MIN of bytes and of 16 bits, MEAN of 16 bits, REDUCE_ANY and REDUCE_ALL, along adjacent
//! axes.
//!
//! Defined by: tflite/kernels/reduce.cc, tflite/kernels/internal/optimized/reduce.h (`QuantizedMeanOrSum`, `MaxOp`,
//! `MinOp`).

use arenite_abi::prelude::*;
use arenite_base::Quant;
use arenite_layers::lower::expect_elements;
use arenite_layers::{Node, Source, Value};

use super::mean::multiplier;
use crate::fixed_point::{Factor, Ties};
use crate::ops::build::Build;
use crate::ops::values::{NetValues, NodeValues};
use crate::step::Step;
use crate::steps::fold_int::Shape;
use crate::steps::fold_int::{Fold, FoldInt, Line};

/// A fold along an axis.
pub(crate) struct IntFold {
    shape: Shape,
    kind: Kind,
    /// The type of the model's tensors. The net may hold signed bytes as `q + 128`.
    ty: ElementType,
}

/// A function of the elements that become one.
#[derive(Clone, Copy)]
enum Kind {
    Largest,
    Smallest,
    Any,
    All,
    Sum {
        /// The input's scale divided by the output's.
        scale: f32,
        /// Of the input and the output.
        zero_points: [i32; 2],
    },
    /// The factor of sums of numbers without zero points.
    Mean(Factor),
}

/// Lowers SUM, REDUCE_MAX, REDUCE_MIN, REDUCE_ANY or REDUCE_ALL.
pub(super) fn lower(x: &Source<'_, '_>) -> Result<Node<IntFold>> {
    let ((input, a), (output, y)) = (x.input(0)?, x.output(0)?);
    expect_elements(a)?;
    expect_elements(y)?;
    ensure!(a.ty == y.ty, "input is {}, output is {}", a.ty, y.ty);
    let shape = Shape::of(&a.shape, &x.folded_axes(1)?).ok_or_else(|| {
        unsupported!("reducing {:?} along axes that are not adjacent is not supported", a.shape)
    })?;
    ensure!(shape.outer * shape.inner == y.len(), "input {:?} does not become {:?}", a.shape, y.shape);
    let kind = match x.node.builtin_code() {
        op::REDUCE_MAX => Kind::Largest,
        op::REDUCE_MIN => Kind::Smallest,
        op::REDUCE_ANY => Kind::Any,
        op::REDUCE_ALL => Kind::All,
        op::MEAN => {
            let scales = [quant_of(a)?.scale, quant_of(y)?.scale];
            let factor = multiplier(scales, shape.folded).ok_or_else(|| {
                unsupported!("the ratio of scales {} and {} is not supported", scales[0], scales[1])
            })?;
            Kind::Mean(factor.factor(Ties::Away))
        }
        _ => {
            let (from, to) = (quant_of(a)?, quant_of(y)?);
            Kind::Sum { scale: from.scale / to.scale, zero_points: [from.zero_point, to.zero_point] }
        }
    };
    Ok(Node::new(IntFold { shape, kind, ty: a.ty }, vec![input], vec![output]))
}

/// Scale and zero point. Unlike in other layers, 16-bit numbers may have them, too.
fn quant_of(value: &Value<'_>) -> Result<Quant> {
    let quant = value.quant.ok_or_else(|| unsupported!("{value} has not one scale for all elements"))?;
    if !(quant.scale > 0.0 && quant.scale.is_finite()) {
        return Err(unsupported!("{value} has scale {}; it must be positive and finite", quant.scale));
    }
    Ok(quant)
}

impl IntFold {
    /// The step.
    pub(crate) fn build(
        &self,
        node: &NodeValues<'_>,
        net: &NetValues<'_, '_>,
        build: &Build,
    ) -> Result<Box<dyn Step>> {
        let (input, output) = (&net.values[node.inputs[0]], &net.values[node.outputs[0]]);
        ensure!(input.ty == output.ty, "{input} is {}, {output} is {}", input.ty, output.ty);
        let is_signed = input.ty == I8;
        let fold = match self.kind {
            Kind::Largest => Fold::Extreme { flip: if is_signed { -128 } else { 0 } },
            Kind::Smallest => Fold::Extreme { flip: if is_signed { 127 } else { -1 } },
            Kind::Any => Fold::Truth { flip: 0 },
            Kind::All => Fold::Truth { flip: -1 },
            Kind::Mean(factor) => Fold::Mean(factor),
            Kind::Sum { scale, zero_points } => Fold::Sum(self.line(scale, zero_points, is_signed)),
        };
        let (folds, is_wide) = (build.bytes.fold, self.ty == I16);
        Ok(Box::new(FoldInt { folds, fold, is_wide, shape: self.shape, ends: node.ends() }))
    }

    /// The kernel's bytes are unsigned: it raises signed ones. If the net holds `q + 128`, they are raised already, and
    /// results have to be.
    fn line(&self, scale: f32, zero_points: [i32; 2], is_signed: bool) -> Line {
        let [from, to] = zero_points;
        let raised = if self.ty == I8 { 128 } else { 0 };
        Line {
            scale,
            bias: from.wrapping_neg() as f32 * scale * self.shape.folded as f32,
            zero_point: to,
            limits: match self.ty {
                I8 => [i8::MIN.into(), i8::MAX.into()],
                U8 => [0, u8::MAX.into()],
                _ => [i16::MIN.into(), i16::MAX.into()],
            },
            flip: if is_signed { -128 } else { 0 },
            raised,
            unflip: if raised > 0 && !is_signed { -128 } else { 0 },
        }
    }
}
