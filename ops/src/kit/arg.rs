//! ARG_MAX and ARG_MIN: the index of the first best element along an axis.
//!
//! For floats, NaN loses against every number. Four or more contiguous floats are compared like SIMD code does: in four
//! lanes, where a lane that holds only NaN can hide the others.
//!
//! Defined by: tflite/kernels/arg_min_max.cc, tflite/kernels/internal/reference/arg_min_max.h,
//! tflite/kernels/internal/optimized/optimized_ops.h (`ArgMinMax`).

use core::marker::PhantomData;

use arenite_abi::prelude::*;
use arenite_abi::schema::{Field, OptionsTable};

use super::arguments::{Integers, expect_type, saturated};
use super::blocks::BLOCK;
use super::indexing::{Dims, normalize_axis};
use super::node;

/// The parameters of one op, which its op file provides.
pub trait Best: Send + Sync + 'static {
    /// The code of the op.
    const CODE: OpCode;
    /// The options table of the op.
    type Options: OptionsTable;
    /// The option that names the type of the output.
    const OUTPUT_TYPE: Field<Self::Options, i8>;

    /// Whether `a` is better than `b`.
    fn is_better<T: PartialOrd>(a: T, b: T) -> bool;
}

plain! {
    /// A prepared node of the family.
    pub struct Arg<marker B> {
        /// The axis; `None` if it is known only in `eval`.
        axis: Maybe<usize>,
        best: PhantomData<B>,
    }
}

impl<B: Best> Op for Arg<B> {
    const CODE: OpCode = B::CODE;
    const VERSIONS: RangeInclusive<i32> = 1..=3;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, U8, I8, I32, I64, ElementType::Bool]);
    const OUTPUT_TYPE: OutputType = OutputType::Option;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, axis, y) = node.binary()?;
        expect_type(&x, &[F32, U8, I8, I32, ElementType::Bool])?;
        expect_type(&axis, &[I32, I64])?;
        expect_type(&y, &[I32, I64])?;
        let output_type = node.options()?.get(B::OUTPUT_TYPE)?;
        ensure!(
            i64::from(output_type) == i64::from(y.ty as u32),
            "its options ask for type {output_type}, output {y} is {}; they must agree",
            y.ty
        );
        ensure!(axis.len() == 1, "axis {axis} is {:?}; it must hold one number", axis.shape);
        let axis = match axis.is_constant() {
            true => Some(axis_of(&x, &axis)?),
            false => None,
        };
        match axis {
            Some(axis) => cx.set_output_shape(0, without(&x, axis)?.as_slice())?,
            None => cx.set_output_dynamic(0)?,
        }
        Ok(Arg { axis: axis.into(), best: PhantomData })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let x = cx.input(0)?;
        let (axis, y) = match self.axis.get() {
            Some(axis) => (axis, cx.output(0)?),
            None => {
                let axis = axis_of(&x, &cx.input(1)?)?;
                (axis, cx.resize_output(0, without(&x, axis)?.as_slice())?)
            }
        };
        let rows = Rows { size: x.shape[axis] as usize, inner: node::dims(&x)?.split_at(axis).2 };
        let mut y = Positions::of(y)?;
        match x.ty {
            F32 if rows.inner == 1 => {
                let lines = x.as_slice::<f32>()?.chunks_exact(rows.size);
                lines.enumerate().for_each(|(out, line)| y.set(out, find_best(line, B::is_better)));
            }
            F32 => rows.search(x.as_slice::<f32>()?, &mut y, |a, b| beats(a, b, B::is_better)),
            U8 => rows.search(x.as_slice::<u8>()?, &mut y, B::is_better),
            I8 => rows.search(x.as_slice::<i8>()?, &mut y, B::is_better),
            I32 => rows.search(x.as_slice::<i32>()?, &mut y, B::is_better),
            ElementType::Bool => {
                rows.search(x.as_slice::<Bool>()?, &mut y, |a, b| B::is_better(a.0 != 0, b.0 != 0));
            }
            ty => return Err(unsupported!("no kernel for {ty}")),
        }
        Ok(())
    }
}

fn axis_of(x: &TensorView<'_>, axis: &TensorView<'_>) -> Result<usize> {
    let wanted = Integers::scalar(axis)?;
    let axis = normalize_axis(saturated(wanted), x.rank())
        .ok_or_else(|| invalid!("axis {wanted} does not exist: input {x} is {:?}", x.shape))?;
    ensure!(x.shape[axis] > 0, "axis {axis} of input {x} is empty: it is {:?}", x.shape);
    Ok(axis)
}

/// The input's shape without an axis.
fn without(x: &TensorView<'_>, axis: usize) -> Result<Dims> {
    let sizes = node::dims(x)?;
    let rest = sizes.as_slice().iter().enumerate().filter(|&(i, _)| i != axis).map(|(_, &size)| size);
    Dims::from_sizes(rest).ok_or_else(|| invalid!("input {x} is {:?}: too large", x.shape))
}

/// Whether `a` beats `b`: NaN beats nothing, and a number beats NaN.
fn beats(a: f32, b: f32, better: impl Fn(f32, f32) -> bool) -> bool {
    !a.is_nan() && (b.is_nan() || better(a, b))
}

/// The output: positions along the axis.
enum Positions<'a> {
    I32(&'a mut [i32]),
    I64(&'a mut [i64]),
}

impl<'a> Positions<'a> {
    fn of(y: TensorViewMut<'a>) -> Result<Self> {
        Ok(match y.ty() {
            I32 => Positions::I32(y.into_slice()?),
            _ => Positions::I64(y.into_slice()?),
        })
    }

    fn set(&mut self, out: usize, position: usize) {
        match self {
            Positions::I32(y) => y[out] = position as i32,
            Positions::I64(y) => y[out] = position as i64,
        }
    }
}

/// The axis: its size, and the number of elements after it.
struct Rows {
    size: usize,
    inner: usize,
}

impl Rows {
    /// Finds the first best element along the axis for each output.
    fn search<T: Element>(&self, x: &[T], y: &mut Positions<'_>, better: impl Fn(T, T) -> bool) {
        let Rows { size, inner } = *self;
        for (outer, plane) in x.chunks_exact((size * inner).max(1)).enumerate() {
            if inner == 1 {
                let best = plane.iter().fold(plane[0], |best, &x| if better(x, best) { x } else { best });
                // The first element that the best one does not beat.
                y.set(outer, plane.iter().position(|&x| !better(best, x)).unwrap_or(0));
                continue;
            }
            for begin in (0..inner).step_by(BLOCK) {
                let count = BLOCK.min(inner - begin);
                let (mut best, mut positions) = ([T::zeroed(); BLOCK], [0; BLOCK]);
                best[..count].copy_from_slice(&plane[begin..begin + count]);
                for position in 1..size {
                    let row = &plane[position * inner + begin..][..count];
                    for ((best, at), &x) in best.iter_mut().zip(&mut positions).zip(row) {
                        let is_better = better(x, *best);
                        *best = if is_better { x } else { *best };
                        *at = if is_better { position } else { *at };
                    }
                }
                (0..count).for_each(|k| y.set(outer * inner + begin + k, positions[k]));
            }
        }
    }
}

/// The number of lanes of floats without NaN.
const LANES: usize = 16;

/// The index of the best of some contiguous floats.
fn find_best(row: &[f32], better: impl Fn(f32, f32) -> bool) -> usize {
    let (chunks, rest) = row.as_chunks::<LANES>();
    let Some((first, chunks)) = chunks.split_first() else { return find_in_four_lanes(row, better) };
    let (mut values, mut unordered) = (*first, first.map(f32::is_nan));
    for chunk in chunks {
        for ((value, unordered), &x) in values.iter_mut().zip(&mut unordered).zip(chunk) {
            *value = if better(x, *value) { x } else { *value };
            *unordered |= x.is_nan();
        }
    }
    if unordered.contains(&true) || rest.iter().any(|x| x.is_nan()) {
        return find_in_four_lanes(row, better);
    }
    let best = values.iter().chain(rest).fold(values[0], |best, &x| if better(x, best) { x } else { best });
    row.iter().position(|&x| x == best).unwrap_or(0)
}

/// The index of the best of some contiguous floats, of which some may be NaN.
fn find_in_four_lanes(row: &[f32], better: impl Fn(f32, f32) -> bool) -> usize {
    let (mut value, mut index) = (row[0], 0);
    let mut done = 1;
    if let Some((first, rest)) = row.split_first_chunk::<4>() {
        let (mut values, mut indices) = (*first, [0, 1, 2, 3]);
        done = row.len() / 4 * 4;
        for (chunk, start) in rest.chunks_exact(4).zip((4..).step_by(4)) {
            for lane in 0..4 {
                let is_better = beats(chunk[lane], values[lane], &better);
                values[lane] = if is_better { chunk[lane] } else { values[lane] };
                indices[lane] = if is_better { start + lane } else { indices[lane] };
            }
        }
        let best = |a: f32, b: f32| if better(b, a) { b } else { a };
        value = best(best(values[0], values[1]), best(values[2], values[3]));
        let equal = values.iter().zip(indices).filter(|&(&v, _)| v == value);
        index = equal.map(|(_, i)| i).min().unwrap_or(0);
    }
    for (i, &x) in row.iter().enumerate().skip(done) {
        if beats(x, value, &better) {
            (value, index) = (x, i);
        }
    }
    if value.is_nan() { 0 } else { index }
}

/// Helpers for the tests of both ops.
#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    /// The indices along an axis; checks that they are the same for a constant and a late axis and for both output
    /// types.
    pub(crate) fn run<B: Best>(x: &Tensor, axis: i32) -> Result<(Vec<i32>, Vec<i64>)> {
        let test = |axis: Tensor, known: bool, y: Spec, output_type: i8| {
            let test =
                OpTest::<Arg<B>>::new().options(|o| o.set(B::OUTPUT_TYPE, output_type)).input(x.clone());
            if known { test.constant(axis) } else { test.input(axis) }.output(y).run()
        };
        let known = test(Tensor::i32(&[], &[axis]), true, Spec::i64(), 4);
        let late = test(Tensor::i64(&[1], &[axis.into()]), false, Spec::i64(), 4);
        crate::kit::assert_same(&known, &late);
        let short = test(Tensor::i64(&[1], &[axis.into()]), true, Spec::i32(), 2);
        let long = known.map(|mut y| y.remove(0))?;
        assert!(short?[0].as_i32().iter().map(|&i| i64::from(i)).eq(long.as_i64()));
        Ok((long.shape().to_vec(), long.as_i64()))
    }
}
