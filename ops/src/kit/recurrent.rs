//! What recurrent layers share: sequences of rows, weights of f32 or 8 bits, activations, states.
//!
//! Defined by: tflite/kernels/internal/{tensor_utils.h,optimized/sse_tensor_utils.cc}.

use core::cell::Cell;

use arenite_abi::prelude::*;

use super::activation::Activation;
use super::dot::{dot, dot_f32};
use super::float;
use super::hybrid::{Symmetry, quantize_row};
use super::node;

/// Which of batches and times is the outer dimension of a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// `[times, batches, features]`.
    TimeMajor,
    /// `[batches, times, features]`.
    BatchMajor,
}

impl Order {
    /// The order that the option `time_major` says.
    pub fn new(time_major: bool) -> Order {
        if time_major { Order::TimeMajor } else { Order::BatchMajor }
    }
}

/// The direction in which a layer walks through time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// First row first.
    Forward,
    /// Last row first.
    Backward,
}

/// The rows of a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sequence {
    /// Rows of one batch.
    pub times: usize,
    /// Independent sequences.
    pub batches: usize,
    /// Elements of one row.
    pub features: usize,
    order: Order,
}

impl Sequence {
    /// The sequences in `x`, which has three axes, or two and one point in time.
    pub fn of(x: &TensorView<'_>, order: Order) -> Result<Sequence> {
        let dims = node::dims(x)?;
        let (outer, inner, features) = match dims.rank() {
            2 => return Ok(Sequence { times: 1, batches: dims.size(0), features: dims.size(1), order }),
            3 => (dims.size(0), dims.size(1), dims.size(2)),
            _ => return Err(invalid!("input '{}' is {:?}; it must have 2 or 3 axes", x.name, x.shape)),
        };
        Ok(match order {
            Order::TimeMajor => Sequence { times: outer, batches: inner, features, order },
            Order::BatchMajor => Sequence { times: inner, batches: outer, features, order },
        })
    }

    /// Calls `step(row, batch)` for all rows, those of one batch in `direction`, until it fails.
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

/// Where the rows of a layer stand in those of its output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Columns {
    /// Elements of a row of the output.
    pub width: usize,
    /// The first that the layer writes.
    pub first: usize,
}

impl Columns {
    /// The layer's part of a row.
    pub fn of<'a, T>(&self, output: &'a mut [T], row: usize, count: usize) -> &'a mut [T] {
        let first = row * self.width + self.first;
        output.get_mut(first..first + count).unwrap_or_default()
    }
}

/// The outputs of two layers, one for each direction of time.
#[derive(Clone, Copy)]
pub struct Directions {
    forward: Columns,
    backward: Columns,
    outputs: usize,
}

impl Directions {
    /// Layers with rows of these sizes, side by side in one output, or in two.
    pub fn new(forward: usize, backward: usize, outputs: usize) -> Directions {
        let (forward, backward) = match outputs {
            1 => {
                let width = forward.saturating_add(backward);
                (Columns { width, first: 0 }, Columns { width, first: forward })
            }
            _ => (Columns { width: forward, first: 0 }, Columns { width: backward, first: 0 }),
        };
        Directions { forward, backward, outputs }
    }

    /// Sets the shapes of the outputs, for an input of shape `x`.
    pub fn set_output_shapes(
        &self,
        (node, cx): (&NodeView<'_>, &mut PrepareContext<'_>),
        x: &[i32],
    ) -> Result<()> {
        for (i, columns) in [self.forward, self.backward].iter().take(self.outputs).enumerate() {
            expect_output(node, i, F32)?;
            let [width] = shape([columns.width])?;
            cx.set_output_shape(i, &[x[0], x[1], width])?;
        }
        Ok(())
    }

    /// Lets both layers write their columns.
    pub fn eval(
        &self,
        cx: &EvalContext<'_>,
        forward: impl FnOnce(Columns, &mut [f32]) -> Result<()>,
        backward: impl FnOnce(Columns, &mut [f32]) -> Result<()>,
    ) -> Result<()> {
        let y = cx.output(0)?.into_slice()?;
        forward(self.forward, y)?;
        match self.outputs {
            1 => backward(self.backward, y),
            _ => backward(self.backward, cx.output(1)?.into_slice()?),
        }
    }
}

/// What the second input of a node with two directions is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecondInput {
    /// There is none.
    Absent,
    /// Both layers read it besides the first, by weights of their own.
    Added,
    /// The backward layer reads it instead of the first.
    OfBackward,
}

impl SecondInput {
    /// Looks at input `i`, which has weights if those at `weights` are there.
    pub fn read<const N: usize>(node: &NodeView<'_>, i: usize, weights: [usize; N]) -> Result<SecondInput> {
        let mut present = 0;
        for weight in weights {
            present += usize::from(node.optional_input(weight)?.is_some());
        }
        ensure!(
            present == 0 || present == N,
            "{present} of its {N} weights for the second input are there; it needs all or none"
        );
        if present == N {
            node.input(i)?;
        }
        let (x, Some(second)) = (node.input(0)?, node.optional_input(i)?) else {
            return Ok(SecondInput::Absent);
        };
        let agree = second.rank() == 3
            && second.shape[..2] == x.shape[..2]
            && (present == N || second.shape == x.shape);
        ensure!(
            agree && second.ty == x.ty,
            "inputs '{}' and '{}' are {}{:?} and {}{:?}; their types and rows must agree",
            x.name,
            second.name,
            x.ty,
            x.shape,
            second.ty,
            second.shape
        );
        Ok(if present == N { SecondInput::Added } else { SecondInput::OfBackward })
    }

    /// Input of the backward layer, if `second` is the position of the second input.
    pub fn of_backward(self, second: usize) -> usize {
        if self == SecondInput::OfBackward { second } else { 0 }
    }
}

/// Row `i` of rows of `length` elements; empty past the end.
pub fn row<T>(data: &[T], i: usize, length: usize) -> &[T] {
    data.get(i * length..(i + 1) * length).unwrap_or_default()
}

/// One number per element: a vector of weights, or the diagonal of a square matrix.
#[derive(Clone, Copy)]
pub enum Diagonal<'a> {
    /// The numbers.
    Float(&'a [f32]),
    /// Multiples of a scale.
    Quantized(&'a [i8], f32),
}

impl<'a> Diagonal<'a> {
    /// The weights of a tensor of f32 or 8 bits. Those of u8 are signed all the same.
    pub fn of(weights: &TensorView<'a>) -> Result<Self> {
        Ok(match weights.ty {
            F32 => Diagonal::Float(weights.as_slice()?),
            _ => Diagonal::Quantized(weights.as_words()?, weights.scale_and_zero_point()?.0),
        })
    }

    /// `sums += self × x`, element by element.
    pub fn accumulate(&self, x: &[f32], sums: &mut [f32]) {
        match *self {
            Diagonal::Float(w) => w.iter().zip(x).zip(sums).for_each(|((w, x), sum)| *sum += w * x),
            Diagonal::Quantized(w, scale) => {
                w.iter().zip(x).zip(sums).for_each(|((&w, x), sum)| *sum += scale * f32::from(w) * x);
            }
        }
    }

    /// `Σ self[first + i] × x[i]`.
    pub fn dot(&self, first: usize, x: impl Iterator<Item = f32>) -> f32 {
        match *self {
            Diagonal::Float(w) => w.iter().skip(first).zip(x).map(|(w, x)| w * x).sum(),
            Diagonal::Quantized(w, scale) => {
                w.iter().skip(first).zip(x).map(|(&w, x)| scale * f32::from(w) * x).sum()
            }
        }
    }
}

/// Weights `[rows, columns]`.
#[derive(Clone, Copy)]
pub enum Matrix<'a> {
    /// All of them.
    Float(&'a [f32]),
    /// Multiples of a scale.
    Quantized(&'a [i8], f32),
    /// Those that are not zero.
    Diagonal(Diagonal<'a>),
}

impl<'a> Matrix<'a> {
    /// The weights of a tensor of f32 or 8 bits; a tensor of one axis is a diagonal.
    pub fn of(weights: &TensorView<'a>) -> Result<Self> {
        if weights.rank() == 1 {
            return Diagonal::of(weights).map(Matrix::Diagonal);
        }
        Ok(match Diagonal::of(weights)? {
            Diagonal::Float(w) => Matrix::Float(w),
            Diagonal::Quantized(w, scale) => Matrix::Quantized(w, scale),
        })
    }

    /// `sums[r] += Σ_c self[r, c] × x[c]`.
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

/// What weights are multiplied with.
#[derive(Clone, Copy)]
pub struct Vector<'a> {
    float: &'a [f32],
    quantized: &'a [i8],
    scale: f32,
    zero_point: i32,
}

impl<'a> Vector<'a> {
    /// `x`, also quantized into `room` for weights of 8 bits; a float layer has none.
    pub fn new(x: &'a [f32], symmetry: Symmetry, room: &'a mut [i8]) -> Self {
        let (mut scale, mut zero_point) = (1.0, 0);
        if !room.is_empty() {
            (scale, zero_point) = quantize_row(x, symmetry, room);
        }
        Vector { float: x, quantized: room, scale, zero_point }
    }
}

/// How inputs of a layer with weights of 8 bits are quantized, by the option `asymmetric_quantize_inputs`.
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
        Activation::Tanh => float::tanh,
        Activation::SignBit => |x| if x.is_sign_negative() { 1.0 } else { 0.0 },
    };
    values.iter_mut().for_each(|x| *x = f(*x));
}

/// Within the range; `min` for NaN.
fn between(x: f32, min: f32, max: f32) -> f32 {
    x.max(min).min(max)
}

/// Checks that input `i` of the node is state of this type and size, which `eval` may write.
pub fn expect_state(
    node: &NodeView<'_>,
    i: usize,
    ty: ElementType,
    rows: usize,
    length: usize,
) -> Result<()> {
    let state = node.input(i)?;
    ensure!(state.is_variable(), "state '{}' (input {i}) is no variable", state.name);
    ensure!(
        state.ty == ty && rows.checked_mul(length) == Some(state.len()),
        "state '{}' is {}{:?}; it must be {ty} and hold {length} elements for each of {rows} batches",
        state.name,
        state.ty,
        state.shape
    );
    Ok(())
}

/// Checks the type of an output.
pub fn expect_output(node: &NodeView<'_>, i: usize, ty: ElementType) -> Result<()> {
    let y = node.output(i)?;
    ensure!(y.ty == ty, "output '{}' is {}; it must be {ty}", y.name, y.ty);
    Ok(())
}

/// Checks type and shape of an input.
pub fn expect(x: &TensorView<'_>, ty: ElementType, shape: &[usize]) -> Result<()> {
    ensure!(
        x.ty == ty
            && x.rank() == shape.len()
            && x.shape.iter().zip(shape).all(|(&a, &b)| usize::try_from(a) == Ok(b)),
        "'{}' is {}{:?}; it must be {ty}{shape:?}",
        x.name,
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

/// Sizes as a shape has them.
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
