//! Code that recurrent layers share: sequences of rows, weights of f32 or 8 bits, activations, states.
//!
//! Defined by: tflite/kernels/internal/{tensor_utils.h,optimized/sse_tensor_utils.cc}.

use core::cell::Cell;

use arenite_abi::prelude::*;

pub use directions::{Columns, Directions, SecondInput};

use super::activation::Activation;
use super::dot::{dot, dot_f32};
use super::hybrid::{Symmetry, quantize_row};
use super::node;
use super::single;

mod directions;

plain! {
    /// Whether batches or time steps are the outer dimension of a sequence.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Order {
        /// `[times, batches, features]`.
        TimeMajor,
        /// `[batches, times, features]`.
        BatchMajor,
    }
}

impl Order {
    /// The order for the option `time_major`.
    pub fn new(time_major: bool) -> Order {
        if time_major { Order::TimeMajor } else { Order::BatchMajor }
    }
}

/// The direction in which a layer processes time steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the first row to the last.
    Forward,
    /// From the last row to the first.
    Backward,
}

plain! {
    /// The rows of a sequence.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Sequence {
        /// The number of rows of one batch.
        pub times: usize,
        /// The number of independent sequences.
        pub batches: usize,
        /// The number of elements in a row.
        pub features: usize,
        order: Order,
    }
}

impl Sequence {
    /// The sequences in `x`, which has three axes, or two for a single time step.
    ///
    /// # Errors
    /// `x` has another rank.
    pub fn of(x: &TensorView<'_>, order: Order) -> Result<Sequence> {
        let dims = node::dims(x)?;
        let (outer, inner, features) = match dims.rank() {
            2 => return Ok(Sequence { times: 1, batches: dims.size(0), features: dims.size(1), order }),
            3 => (dims.size(0), dims.size(1), dims.size(2)),
            _ => return Err(invalid!("input {x} is {:?}; it must have 2 or 3 axes", x.shape)),
        };
        Ok(match order {
            Order::TimeMajor => Sequence { times: outer, batches: inner, features, order },
            Order::BatchMajor => Sequence { times: inner, batches: outer, features, order },
        })
    }

    /// Calls `step(row, batch)` for all rows until one call fails. The rows of a batch are in `direction`.
    ///
    /// # Errors
    /// The error of `step`.
    #[inline(always)] // so that what `step` captures is on the stack once
    pub fn for_each(
        &self,
        direction: Direction,
        mut step: impl FnMut(usize, usize) -> Result<()>,
    ) -> Result<()> {
        let batches = if self.times == 0 { 0 } else { self.batches };
        for batch in 0..batches {
            for i in 0..self.times {
                let time = if direction == Direction::Forward { i } else { self.times - 1 - i };
                let row = match self.order {
                    Order::TimeMajor => time * self.batches + batch,
                    Order::BatchMajor => batch * self.times + time,
                };
                step(row, batch)?;
            }
        }
        Ok(())
    }
}

/// Row `i` of rows of `length` elements; empty past the end.
pub fn row<T>(data: &[T], i: usize, length: usize) -> &[T] {
    data.get(i * length..(i + 1) * length).unwrap_or_default()
}

/// One weight per element: a vector, or the diagonal of a square matrix.
#[derive(Clone, Copy)]
pub enum Diagonal<'a> {
    /// Weights of f32.
    Float(&'a [f32]),
    /// 8-bit weights and their scale.
    Quantized(&'a [i8], f32),
}

impl<'a> Diagonal<'a> {
    /// Reads weights of f32 or 8 bits; u8 is read as signed too.
    ///
    /// # Errors
    /// The tensor has another type or no scale.
    pub fn of(weights: &TensorView<'a>) -> Result<Self> {
        Ok(match weights.ty {
            F32 => Diagonal::Float(weights.as_slice()?),
            _ => Diagonal::Quantized(weights.as_words()?, weights.scale_and_zero_point()?.0),
        })
    }

    /// Reads input `i` of the node, as [`of`](Self::of).
    ///
    /// # Errors
    /// As for [`of`](Self::of).
    #[inline(never)] // keeps the tensor's description off the caller's stack
    pub fn read(cx: &EvalContext<'a>, i: usize) -> Result<Self> {
        Diagonal::of(&cx.input(i)?)
    }

    /// Computes `sums += self × x`, element by element.
    pub fn accumulate(&self, x: &[f32], sums: &mut [f32]) {
        match *self {
            Diagonal::Float(w) => w.iter().zip(x).zip(sums).for_each(|((w, x), sum)| *sum += w * x),
            Diagonal::Quantized(w, scale) => {
                w.iter().zip(x).zip(sums).for_each(|((&w, x), sum)| *sum += scale * f32::from(w) * x);
            }
        }
    }

    /// Computes `Σ self[first + i] × x[i]`.
    pub fn dot(&self, first: usize, x: impl Iterator<Item = f32>) -> f32 {
        match *self {
            Diagonal::Float(w) => w.iter().skip(first).zip(x).map(|(w, x)| w * x).sum(),
            Diagonal::Quantized(w, scale) => {
                w.iter().skip(first).zip(x).map(|(&w, x)| scale * f32::from(w) * x).sum()
            }
        }
    }
}

/// A weight matrix `[rows, columns]`.
#[derive(Clone, Copy)]
pub enum Matrix<'a> {
    /// Weights of f32.
    Float(&'a [f32]),
    /// 8-bit weights and their scale.
    Quantized(&'a [i8], f32),
    /// A diagonal matrix, stored as its diagonal.
    Diagonal(Diagonal<'a>),
}

impl<'a> Matrix<'a> {
    /// Reads weights of f32 or 8 bits; a tensor with one axis is a diagonal.
    ///
    /// # Errors
    /// The tensor has another type or no scale.
    pub fn of(weights: &TensorView<'a>) -> Result<Self> {
        if weights.rank() == 1 {
            return Diagonal::of(weights).map(Matrix::Diagonal);
        }
        Ok(match Diagonal::of(weights)? {
            Diagonal::Float(w) => Matrix::Float(w),
            Diagonal::Quantized(w, scale) => Matrix::Quantized(w, scale),
        })
    }

    /// Reads input `i` of the node, as [`of`](Self::of).
    ///
    /// # Errors
    /// As for [`of`](Self::of).
    pub fn read(cx: &EvalContext<'a>, i: usize) -> Result<Self> {
        if cx.input_type(i) != Some(F32) {
            return Matrix::described(cx, i);
        }
        let weights = cx.input_slice(i)?;
        Ok(if is_vector(cx, i)? {
            Matrix::Diagonal(Diagonal::Float(weights))
        } else {
            Matrix::Float(weights)
        })
    }

    #[inline(never)] // keeps the tensor's description off the caller's stack
    fn described(cx: &EvalContext<'a>, i: usize) -> Result<Self> {
        Matrix::of(&cx.input(i)?)
    }

    /// Computes `sums[r] += Σ_c self[r, c] × x[c]`.
    pub fn accumulate(&self, x: &Vector<'_>, sums: &mut [f32]) {
        let columns = x.float.len();
        match *self {
            Matrix::Float(w) => {
                sums.iter_mut().enumerate().for_each(|(r, sum)| *sum += dot_f32(row(w, r, columns), x.float));
            }
            Matrix::Quantized(w, scale) => {
                let scale = scale * x.scale;
                for (r, sum) in sums.iter_mut().enumerate() {
                    *sum += dot(x.quantized, x.zero_point, row(w, r, columns), 0) as f32 * scale;
                }
            }
            Matrix::Diagonal(diagonal) => diagonal.accumulate(x.float, sums),
        }
    }
}

/// Whether input `i` has one axis.
#[inline(never)] // as in `Matrix::described`
fn is_vector(cx: &EvalContext<'_>, i: usize) -> Result<bool> {
    Ok(cx.node().input(i)?.rank() == 1)
}

/// A vector that weights are multiplied with, possibly also in quantized form.
#[derive(Clone, Copy)]
pub struct Vector<'a> {
    float: &'a [f32],
    quantized: &'a [i8],
    scale: f32,
    zero_point: i32,
}

impl<'a> Vector<'a> {
    /// Stores `x`, and for 8-bit weights also quantizes it into `room`, which is empty for float weights.
    pub fn new(x: &'a [f32], symmetry: Symmetry, room: &'a mut [i8]) -> Self {
        let (mut scale, mut zero_point) = (1.0, 0);
        if !room.is_empty() {
            (scale, zero_point) = quantize_row(x, symmetry, room);
        }
        Vector { float: x, quantized: room, scale, zero_point }
    }
}

/// How the inputs of a layer with 8-bit weights are quantized, from the option `asymmetric_quantize_inputs`.
pub fn symmetry(asymmetric: bool) -> Symmetry {
    if asymmetric { Symmetry::Asymmetric } else { Symmetry::Symmetric }
}

/// Applies any activation.
pub fn activate(activation: Activation, values: &mut [f32]) {
    let f: fn(f32) -> f32 = match activation {
        Activation::None => return,
        Activation::Relu => |x| x.max(0.0),
        Activation::ReluN1To1 => |x| between(x, -1.0, 1.0),
        Activation::Relu6 => |x| between(x, 0.0, 6.0),
        Activation::Tanh => single::tanh,
        Activation::SignBit => |x| if x.is_sign_negative() { 1.0 } else { 0.0 },
    };
    values.iter_mut().for_each(|x| *x = f(*x));
}

/// Clamps to the range; NaN becomes `min`.
fn between(x: f32, min: f32, max: f32) -> f32 {
    x.max(min).min(max)
}

/// Checks that input `i` of the node is a variable of this type and size.
///
/// # Errors
/// The input is not a variable, or its type or size differs.
pub fn expect_state(
    node: &NodeView<'_>,
    i: usize,
    ty: ElementType,
    rows: usize,
    length: usize,
) -> Result<()> {
    let state = node.input(i)?;
    ensure!(state.is_variable(), "state {state} (input {i}) is not a variable");
    ensure!(
        state.ty == ty && rows.checked_mul(length) == Some(state.len()),
        "state {state} is {}{:?}; it must be {ty} and hold {length} elements for each of {rows} batches",
        state.ty,
        state.shape
    );
    Ok(())
}

/// Checks the type of an output.
///
/// # Errors
/// The output has another type.
pub fn expect_output(node: &NodeView<'_>, i: usize, ty: ElementType) -> Result<()> {
    let y = node.output(i)?;
    ensure!(y.ty == ty, "output {y} is {}; it must be {ty}", y.ty);
    Ok(())
}

/// Checks the type and the shape of an input.
///
/// # Errors
/// The type or the shape differs.
pub fn expect(x: &TensorView<'_>, ty: ElementType, shape: &[usize]) -> Result<()> {
    ensure!(
        x.ty == ty
            && x.rank() == shape.len()
            && x.shape.iter().zip(shape).all(|(&a, &b)| usize::try_from(a) == Ok(b)),
        "{x} is {}{:?}; it must be {ty}{shape:?}",
        x.ty,
        x.shape
    );
    Ok(())
}

/// Reads row `i` of a state.
pub fn load<T: Copy>(state: &[Cell<T>], i: usize, to: &mut [T]) {
    let length = to.len();
    to.iter_mut().zip(row(state, i, length)).for_each(|(to, from)| *to = from.get());
}

/// Writes row `i` of a state.
pub fn store<T: Copy>(from: &[T], state: &[Cell<T>], i: usize) {
    from.iter().zip(row(state, i, from.len())).for_each(|(from, to)| to.set(*from));
}

/// Converts sizes to a shape.
///
/// # Errors
/// A size does not fit i32.
pub fn shape<const N: usize>(sizes: [usize; N]) -> Result<[i32; N]> {
    let mut shape = [0; N];
    for (to, &size) in shape.iter_mut().zip(&sizes) {
        *to = i32::try_from(size)
            .map_err(|_| invalid!("an output of {size} elements along one axis is too large"))?;
    }
    Ok(shape)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_in_both_orders_and_directions() {
        let order = |order, direction| {
            let mut rows = Vec::new();
            let sequence = Sequence { times: 3, batches: 2, features: 1, order };
            sequence
                .for_each(direction, |row, batch| {
                    rows.push((row, batch));
                    Ok(())
                })
                .unwrap();
            rows
        };
        assert_eq!(
            order(Order::TimeMajor, Direction::Forward),
            [(0, 0), (2, 0), (4, 0), (1, 1), (3, 1), (5, 1)]
        );
        assert_eq!(
            order(Order::BatchMajor, Direction::Backward),
            [(2, 0), (1, 0), (0, 0), (5, 1), (4, 1), (3, 1)]
        );
    }

    #[test]
    fn products() {
        let x = [2.0, -1.0];
        let mut room = [0; 2];
        // 2 is 127 steps, -1 is -64.
        let vector = Vector::new(&x, Symmetry::Symmetric, &mut room);
        let mut sums = [10.0, 20.0];
        Matrix::Float(&[1.0, 2.0, 3.0, 4.0]).accumulate(&vector, &mut sums);
        assert_eq!(sums, [10.0, 22.0]);
        Matrix::Diagonal(Diagonal::Quantized(&[2, 4], 0.5)).accumulate(&vector, &mut sums);
        assert_eq!(sums, [12.0, 20.0]);
        sums.fill(0.0);
        Matrix::Quantized(&[1, 0, 0, 2], 1.0).accumulate(&vector, &mut sums);
        assert_eq!(sums, [127.0 * (2.0 / 127.0), -128.0 * (2.0 / 127.0)]);
    }

    #[test]
    fn activations() {
        let x = [-8.0, -0.5, 0.5, 8.0];
        for (activation, want) in [
            (Activation::None, x),
            (Activation::Relu, [0.0, 0.0, 0.5, 8.0]),
            (Activation::ReluN1To1, [-1.0, -0.5, 0.5, 1.0]),
            (Activation::Relu6, [0.0, 0.0, 0.5, 6.0]),
            (Activation::SignBit, [1.0, 1.0, 0.0, 0.0]),
        ] {
            let mut values = x;
            activate(activation, &mut values);
            assert_eq!(values, want, "{activation:?}");
        }
    }
}
