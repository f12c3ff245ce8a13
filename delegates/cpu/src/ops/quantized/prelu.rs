//! PRELU of bytes with a constant slope for each column, or one for all.
//!
//! ```text
//! x ≥ zx:   y = (x − zx) · sx / sy + zy
//! else:     y = (x − zx) · (alpha − za) · sx · sa / sy + zy
//! ```
//! Defined by: tflite/kernels/activations.cc and tflite/kernels/internal/reference/prelu.h.

use arenite_abi::prelude::*;
use arenite_base::Quant;
use arenite_layers::lower::expect_elements;
use arenite_layers::{Node, Source};

use super::lookup;
use super::quantization::{quant_of, raised};
use crate::fixed_point::{Multiplier, Ties};
use crate::ops::build::Build;
use crate::ops::values::{NetValues, NodeValues};
use crate::step::Step;
use crate::steps::lookup_columns::{ColumnLookup, Tables};

/// The slopes.
pub(crate) struct Prelu<'a> {
    /// Their bytes, as the model has them.
    slopes: &'a [u8],
    quant: Quant,
    is_signed: bool,
}

/// Lowers PRELU.
pub(super) fn lower<'a>(x: &Source<'_, 'a>) -> Result<Node<Prelu<'a>>> {
    let ((input, a), (_, slope), (output, y)) = (x.input(0)?, x.input(1)?, x.output(0)?);
    for value in [a, slope, y] {
        expect_elements(value)?;
        if value.ty != a.ty {
            return Err(unsupported!("{value} is {}, {a} is {}", value.ty, a.ty));
        }
    }
    ensure!(a.len() == y.len(), "input has shape {:?}, output {:?}", a.shape, y.shape);
    let is_row = slope.len() == 1
        || slope.shape.len() <= a.shape.len()
            && slope.shape.last() == a.shape.last()
            && slope.shape.last() == Some(&slope.len());
    if !is_row {
        return Err(unsupported!("{slope} has shape {:?}; one slope per column is supported", slope.shape));
    }
    let is_signed = a.ty == I8;
    let slopes = match is_signed {
        true => bytemuck::cast_slice(x.constant::<i8>(1)?),
        false => x.constant::<u8>(1)?,
    };
    ensure!(slopes.len() == slope.len(), "{slope} has {} elements for {:?}", slopes.len(), slope.shape);
    let quant = quant_of(slope)?;
    factors(quant_of(a)?, quant, quant_of(y)?)?;
    Ok(Node::new(Prelu { slopes, quant, is_signed }, vec![input], vec![output]))
}

/// The factors of numbers from zero on, and of products with slopes.
fn factors(x: Quant, slope: Quant, y: Quant) -> Result<[Multiplier; 2]> {
    let factor = |real: f32| {
        Multiplier::from_real(real.into())
            .ok_or_else(|| unsupported!("the scales give the factor {real}, which is out of range"))
    };
    Ok([factor(x.scale / y.scale)?, factor(x.scale * slope.scale / y.scale)?])
}

impl Prelu<'_> {
    /// The step.
    pub(crate) fn build(
        &self,
        node: &NodeValues<'_>,
        net: &NetValues<'_, '_>,
        build: &Build,
    ) -> Result<Box<dyn Step>> {
        let (input, output) = (node.inputs[0], node.outputs[0]);
        let ((from, flip), (to, unflip)) = (raised(net, input)?, raised(net, output)?);
        let [positive, negative] = factors(from, self.quant, to)?;
        let table = |slope: u8| -> lookup::Table {
            let slope = if self.is_signed { i32::from(slope as i8) } else { slope.into() };
            lookup::table(|q| {
                let x = q - from.zero_point;
                let scaled = match x >= 0 {
                    true => positive.apply(x, Ties::Away),
                    false => negative.apply(x.wrapping_mul(slope - self.quant.zero_point), Ties::Away),
                };
                scaled.wrapping_add(to.zero_point)
            })
        };
        let flipped = |slope: u8| lookup::flipped(&table(slope), flip, unflip);
        if let [slope] = self.slopes {
            return Ok(lookup::step(flipped(*slope), node, net, build));
        }
        Ok(Box::new(ColumnLookup { tables: Tables::new(self.slopes, flipped), input, output }))
    }
}
