//! Reductions along axes.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::{Axes, Dims, KeepDims, Reduction};
use arenite_ops::kit::node;

use super::complex;
use super::functions::{maximum, minimum};
use super::kernel::{Call, Inputs, Program, axis_of};
use super::node_def::NodeDef;
use super::values::Values;

/// The reduction.
#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
    /// The sum.
    Sum,
    /// The mean.
    Mean,
    /// The largest element.
    Max,
    /// The smallest element.
    Min,
    /// The product.
    Prod,
    /// Whether all elements are true.
    All,
    /// Whether any element is true.
    Any,
    /// The square root of the sum of squares.
    Norm,
}

/// The parameters that distinguish the ops of this family.
pub struct Member {
    /// The reduction.
    pub kind: Kind,
}

/// A prepared node of the family.
pub struct Reduce {
    keep: KeepDims,
    of: &'static Member,
}

fn reduction(x: &Inputs<'_, '_>, keep: KeepDims) -> Result<Option<Reduction>> {
    let (dims, Some(axes)) = (x.dims(0)?, x.integers(1)?) else { return Ok(None) };
    for (i, &axis) in axes.iter().enumerate() {
        let found = axis_of(axis, dims.rank());
        ensure!(found.is_ok(), "axes {axes:?} do not exist in {:?}", dims.as_slice());
        let twice =
            axes[..i].iter().any(|&other| axis_of(other, dims.rank()).ok() == found.as_ref().ok().copied());
        ensure!(!twice, "axes {axes:?} name an axis of {:?} twice", dims.as_slice());
    }
    let narrow: Vec<i32> = axes.iter().map(|&axis| i32::try_from(axis).unwrap_or(i32::MAX)).collect();
    let set = Axes::new(&narrow, dims.rank());
    let set = set.ok_or_else(|| invalid!("axes {axes:?} do not exist in {:?}", dims.as_slice()))?;
    Ok(Some(Reduction::new(&dims, set, keep)))
}

impl Program for Reduce {
    type Member = Member;

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>, of: &'static Member) -> Result<Self> {
        let (x, _, y) = node.binary()?;
        let served = match x.ty {
            ElementType::Bool => matches!(of.kind, Kind::All | Kind::Any),
            C64 | C128 => matches!(of.kind, Kind::Sum | Kind::Mean | Kind::Prod | Kind::Norm),
            F16 | BF16 | F32 | F64 | I8 | U8 | I16 | U16 | I32 | U32 | I64 | U64 => {
                !matches!(of.kind, Kind::All | Kind::Any)
            }
            _ => false,
        };
        ensure!(served, "input {x} is {}, which this op does not support", x.ty);
        node::same_type(&x, &y)?;
        let keep = if def.bool("keep_dims", false)? { KeepDims::Keep } else { KeepDims::Drop };
        Ok(Reduce { keep, of })
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        Ok(reduction(x, self.keep)?.map(|reduction| reduction.output()))
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let Some(reduction) = reduction(&call.inputs(), self.keep)? else { return Err(invalid!("no axes")) };
        let x = call.input(0)?;
        reduce(Values::of(&x)?, &reduction, self.of.kind, x.ty)?.put(call.output(0)?)
    }
}

fn reduce(x: Values, reduction: &Reduction, kind: Kind, ty: ElementType) -> Result<Values> {
    let count = reduction.group_len();
    Ok(match x {
        Values::Real(x) => Values::Real(match kind {
            Kind::Sum => fold(&x, reduction, 0.0, |a, b| a + b),
            Kind::Mean => {
                fold(&x, reduction, 0.0, |a, b| a + b).into_iter().map(|sum| sum / count as f64).collect()
            }
            Kind::Max => fold(&x, reduction, f64::NEG_INFINITY, maximum),
            Kind::Min => fold(&x, reduction, f64::INFINITY, minimum),
            Kind::Prod => fold(&x, reduction, 1.0, |a, b| a * b),
            Kind::Norm => fold(&x, reduction, 0.0, |a, b| a + b * b).into_iter().map(libm::sqrt).collect(),
            Kind::All | Kind::Any => return Err(invalid!("{ty} is not a boolean")),
        }),
        Values::Int(x) => {
            let (low, high) = range(ty);
            Values::Int(match kind {
                Kind::Sum => fold(&x, reduction, 0, i128::wrapping_add),
                Kind::Mean => {
                    let sums = fold(&x, reduction, 0, i128::wrapping_add);
                    // TensorFlow sums 64-bit integers with wraparound, and narrower ones without.
                    let sum = |sum| if ty.bits() == 64 { wrapped(sum, ty) } else { sum };
                    sums.into_iter().map(|s| sum(s) / count.max(1) as i128).collect()
                }
                Kind::Max => fold(&x, reduction, low, i128::max),
                Kind::Min => fold(&x, reduction, high, i128::min),
                Kind::Prod => fold(&x, reduction, 1, i128::wrapping_mul),
                Kind::All => fold(&x, reduction, 1, |a, b| a & b),
                Kind::Any => fold(&x, reduction, 0, |a, b| a | b),
                Kind::Norm => {
                    let squares = fold(&x, reduction, 0, |a, b: i128| a.wrapping_add(b.wrapping_mul(b)));
                    squares.into_iter().map(|sum| root(wrapped(sum, ty), ty)).collect()
                }
            })
        }
        Values::Complex(x) => Values::Complex(match kind {
            Kind::Sum => fold(&x, reduction, complex::real(0.0), complex::add),
            Kind::Mean => {
                let by = complex::real(count.max(1) as f64);
                fold(&x, reduction, complex::real(0.0), complex::add)
                    .into_iter()
                    .map(|s| complex::div(s, by))
                    .collect()
            }
            Kind::Prod => fold(&x, reduction, complex::real(1.0), complex::mul),
            Kind::Norm => {
                let square = |a, b| complex::add(a, complex::mul(b, complex::conj(b)));
                fold(&x, reduction, complex::real(0.0), square).into_iter().map(complex::sqrt).collect()
            }
            _ => return Err(invalid!("{ty} has no order")),
        }),
    })
}

/// The lowest and the highest number of an integer type.
fn range(ty: ElementType) -> (i128, i128) {
    match ty.bits().max(1) {
        bits if matches!(ty, U8 | U16 | U32 | U64) => (0, (1i128 << bits) - 1),
        bits => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
    }
}

/// Wraps `x` to an integer type.
fn wrapped(x: i128, ty: ElementType) -> i128 {
    let (low, high) = range(ty);
    (x - low).rem_euclid(high - low + 1) + low
}

/// The integer part of the square root. For negative numbers, which result from overflow, it is the lowest 32-bit or
/// 64-bit integer.
fn root(x: i128, ty: ElementType) -> i128 {
    if x < 0 {
        if ty.bits() == 64 { i64::MIN.into() } else { i32::MIN.into() }
    } else {
        libm::sqrt(x as f64) as i128
    }
}

fn fold<T: Copy>(x: &[T], reduction: &Reduction, start: T, combine: impl Fn(T, T) -> T) -> Vec<T> {
    let mut y = vec![start; reduction.output().flat_size()];
    reduction.for_each_input(|i, o| y[o] = combine(y[o], x[i]));
    y
}
