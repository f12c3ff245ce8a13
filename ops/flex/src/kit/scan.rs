//! Cumulative sums and products along an axis.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;
use arenite_ops::kit::node;

use super::complex::{add, mul, real};
use super::kernel::{Call, Inputs, Program, axis_of, scalar};
use super::node_def::NodeDef;
use super::number::Number;
use crate::by_type;

/// The operation that is accumulated.
#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
    /// A sum.
    Sum,
    /// A product.
    Product,
    /// The logarithm of a sum of exponentials.
    LogSumExp,
}

/// The parameters that distinguish the ops of this family.
pub struct Member {
    /// The operation that is accumulated.
    pub kind: Kind,
}

/// A prepared node of the family.
pub struct Scan {
    exclusive: bool,
    reverse: bool,
    of: &'static Member,
}

impl Program for Scan {
    type Member = Member;

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>, of: &'static Member) -> Result<Self> {
        let (x, _, y) = node.binary()?;
        let served = match x.ty {
            F16 | BF16 | F32 | F64 => true,
            I8 | U8 | I16 | U16 | I32 | U32 | I64 | U64 | C64 | C128 => of.kind != Kind::LogSumExp,
            _ => false,
        };
        ensure!(served, "input {x} is {}, which this op does not support", x.ty);
        node::same_type(&x, &y)?;
        Ok(Scan { exclusive: def.bool("exclusive", false)?, reverse: def.bool("reverse", false)?, of })
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        x.dims(0).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let axis = axis_of(scalar(&call.input(1)?)?, call.dims(0)?.rank())?;
        by_type!(call.input(0)?.ty,
            float: T => match self.of.kind {
                Kind::Sum => self.run::<T>(call, axis, 0.0, |a, b| a + b),
                Kind::Product => self.run::<T>(call, axis, 1.0, |a, b| a * b),
                Kind::LogSumExp => self.run::<T>(call, axis, f64::NEG_INFINITY, log_add),
            },
            int: T => match self.of.kind {
                Kind::Sum => self.run::<T>(call, axis, 0, i128::wrapping_add),
                Kind::Product => self.run::<T>(call, axis, 1, i128::wrapping_mul),
                Kind::LogSumExp => Err(invalid!("integers have no logarithms")),
            },
            complex: T => match self.of.kind {
                Kind::Sum => self.run::<T>(call, axis, real(0.0), add),
                Kind::Product => self.run::<T>(call, axis, real(1.0), mul),
                Kind::LogSumExp => Err(invalid!("complex numbers have no order")),
            },
        )
    }
}

impl Scan {
    fn run<T: Number>(
        &self,
        call: &Call<'_, '_>,
        axis: usize,
        start: T::Wide,
        combine: fn(T::Wide, T::Wide) -> T::Wide,
    ) -> Result<()> {
        let (outer, size, inner) = call.dims(0)?.split_at(axis);
        let (x, y) = (call.slice::<T>(0)?, call.output_slice::<T>(0)?);
        if x.is_empty() {
            return Ok(());
        }
        for line in (0..outer).flat_map(|o| (0..inner).map(move |i| o * size * inner + i)) {
            let mut value = start;
            for step in 0..size {
                let at = line + inner * if self.reverse { size - 1 - step } else { step };
                let before = value;
                value = T::narrow(combine(value, x[at].wide())).wide();
                y[at] = T::narrow(if self.exclusive { before } else { value });
            }
        }
        Ok(())
    }
}

fn log_add(a: f64, b: f64) -> f64 {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    if high == f64::NEG_INFINITY { high } else { high + libm::log1p(libm::exp(low - high)) }
}
