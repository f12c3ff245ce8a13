//! Reductions over the slices of each segment.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use super::complex;
use super::kernel::{Call, Inputs, Program, integers, shape_of};
use super::node_def::NodeDef;
use super::number::lowest_real;
use super::values::Values;

/// The reduction.
#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
    /// The sum.
    Sum,
    /// The sum divided by the number of slices.
    Mean,
    /// The product.
    Prod,
    /// The largest elements.
    Max,
    /// The smallest elements.
    Min,
}

/// The parameters that distinguish the ops of this family.
pub struct Member {
    /// The reduction.
    pub kind: Kind,
    /// Whether segment numbers ascend and the last one determines the number of segments; otherwise input 2 gives the
    /// number.
    pub sorted: bool,
}

/// A prepared node of the family.
pub struct Segment(&'static Member);

impl Program for Segment {
    type Member = Member;

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>, of: &'static Member) -> Result<Self> {
        let inputs = if of.sorted { 2 } else { 3 };
        node.expect(inputs..=inputs, 1..=1)?;
        Ok(Segment(of))
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let (dims, of) = (x.dims(0)?, x.dims(1)?);
        ensure!(
            dims.as_slice().starts_with(of.as_slice()) && (!self.0.sorted || of.rank() == 1),
            "segments are {:?}, the data {:?}; the first axes must agree",
            of.as_slice(),
            dims.as_slice()
        );
        let count = if self.0.sorted {
            x.integers(1)?.map(|of| of.last().map_or(0, |&last| last.saturating_add(1)))
        } else {
            x.scalar(2)?
        };
        let Some(count) = count else { return Ok(None) };
        let inner = dims.as_slice()[of.rank()..].iter().map(|&d| i64::from(d));
        shape_of(core::iter::once(count).chain(inner)).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let (of, output) = (integers(&call.input(1)?)?, call.output_dims(0)?);
        ensure!(!self.0.sorted || of.is_sorted(), "segments do not ascend");
        let count = output.size(0);
        let outside = |&i: &i64| i >= count as i64 || self.0.sorted && i < 0;
        if let Some(bad) = of.iter().find(|i| outside(i)) {
            return Err(invalid!("segment {bad} is not in 0..{count}"));
        }
        let x = call.input(0)?;
        combine(Values::of(&x)?, &of, &output, self.0.kind, self.0.sorted, x.ty)?.put(call.output(0)?)
    }
}

fn combine(
    x: Values,
    of: &[i64],
    output: &Dims,
    kind: Kind,
    sorted: bool,
    ty: ElementType,
) -> Result<Values> {
    let inner = output.product(1, output.rank());
    if output.flat_size() == 0 {
        return Ok(x.zeros(0));
    }
    let mut counts = vec![0usize; output.size(0)];
    of.iter().filter_map(|&i| usize::try_from(i).ok()).for_each(|i| counts[i] += 1);
    // Empty segments hold zeros if segments are sorted, else the neutral element of the reduction.
    let empty = |y: usize| counts[y / inner.max(1)] == 0;
    let each = |f: &mut dyn FnMut(usize, usize)| {
        for (slice, &i) in of.iter().enumerate() {
            let Ok(i) = usize::try_from(i) else { continue };
            (0..inner).for_each(|k| f(i * inner + k, slice * inner + k));
        }
    };
    Ok(match x {
        Values::Real(x) => {
            // A sorted segment starts with its first slice, an unsorted one with the limits of the type.
            let lowest = if sorted { f64::NEG_INFINITY } else { lowest_real(ty) };
            let largest = -lowest;
            let start = match kind {
                Kind::Sum | Kind::Mean => 0.0,
                Kind::Prod => 1.0,
                Kind::Max => lowest,
                Kind::Min => largest,
            };
            let mut y = vec![start; output.flat_size()];
            each(&mut |to, from| {
                y[to] = match kind {
                    Kind::Sum | Kind::Mean => y[to] + x[from],
                    Kind::Prod => y[to] * x[from],
                    // NaN is replaced by the next element.
                    Kind::Max if y[to] > x[from] => y[to],
                    Kind::Min if y[to] < x[from] => y[to],
                    _ => x[from],
                };
            });
            for (i, y) in y.iter_mut().enumerate() {
                if kind == Kind::Mean && !empty(i) {
                    *y /= counts[i / inner] as f64;
                }
                if sorted && kind != Kind::Prod && empty(i) {
                    *y = 0.0;
                }
            }
            Values::Real(y)
        }
        Values::Int(x) => {
            let bits = ty.bits();
            let (lowest, largest) = match matches!(ty, U8 | U16 | U32 | U64) {
                true => (0, (1i128 << bits) - 1),
                false => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
            };
            let start = match kind {
                Kind::Sum | Kind::Mean => 0,
                Kind::Prod => 1,
                Kind::Max => lowest,
                Kind::Min => largest,
            };
            let mut y = vec![start; output.flat_size()];
            each(&mut |to, from| {
                y[to] = match kind {
                    Kind::Sum | Kind::Mean => y[to].wrapping_add(x[from]),
                    Kind::Prod => y[to].wrapping_mul(x[from]),
                    Kind::Max => y[to].max(x[from]),
                    Kind::Min => y[to].min(x[from]),
                };
            });
            for (i, y) in y.iter_mut().enumerate() {
                if kind == Kind::Mean && !empty(i) {
                    *y /= counts[i / inner] as i128;
                }
                if sorted && kind != Kind::Prod && empty(i) {
                    *y = 0;
                }
            }
            Values::Int(y)
        }
        Values::Complex(x) => {
            let start = if kind == Kind::Prod { 1.0 } else { 0.0 };
            ensure!(matches!(kind, Kind::Sum | Kind::Prod | Kind::Mean), "{ty} has no order");
            let mut y = vec![complex::real(start); output.flat_size()];
            each(&mut |to, from| {
                y[to] = match kind {
                    Kind::Prod => complex::mul(y[to], x[from]),
                    _ => complex::add(y[to], x[from]),
                };
            });
            for (i, y) in y.iter_mut().enumerate() {
                if kind == Kind::Mean && !empty(i) {
                    *y = complex::div(*y, complex::real(counts[i / inner] as f64));
                }
            }
            Values::Complex(y)
        }
    })
}
