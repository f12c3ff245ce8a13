//! Reductions of windows of any rank: REDUCE_WINDOW, and with padding and dilation of the input STABLEHLO_REDUCE_WINDOW.
//!
//! Defined by: tflite/kernels/stablehlo_reduce_window.cc.
//!
//! ```text
//! padded axis:   before │ x . . x . . x │ after       "." base dilation; both hold the initial value; negative padding cuts
//! y[o] = f(… f(f(init, padded[o × stride]), padded[o × stride + dilation]) …)        row-major over the window
//! ```

use core::ops::{Add, Mul};

use arenite_abi::prelude::*;

use super::arguments::expect_type;
use super::indexing::{Dims, MAX_RANK};
use super::node;
use super::pace::Pace;

/// What is done with the elements of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// Their sum; integers wrap.
    Add,
    /// Their product; integers wrap.
    Mul,
    /// The smallest one.
    Min,
    /// The largest one.
    Max,
    /// 1 if none is 0, otherwise 0.
    All,
    /// 0 if all are 0, otherwise 1.
    Any,
}

/// A window along one axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowAxis {
    /// Elements of the window.
    pub size: i64,
    /// Steps from one position to the next.
    pub stride: i64,
    /// Steps from one element of the window to the next.
    pub dilation: i64,
    /// Steps from one element of the input to the next.
    pub base_dilation: i64,
    /// What is added at both ends.
    pub padding: [i64; 2],
}

impl WindowAxis {
    /// One element, without padding.
    pub const ONE: WindowAxis =
        WindowAxis { size: 1, stride: 1, dilation: 1, base_dilation: 1, padding: [0; 2] };
}

/// As TFLite.
const MAX_AXES: usize = 6;

/// The types that are served.
pub const TYPES: [ElementType; 8] = [ElementType::Bool, I8, I16, I32, I64, U8, F32, F64];

/// Checks types and rank of the input, the initial value and the output.
pub fn check(x: &TensorView<'_>, init: &TensorView<'_>, y: &TensorView<'_>) -> Result<()> {
    expect_type(x, &TYPES)?;
    ensure!(
        x.ty == y.ty && x.ty == init.ty,
        "input '{}' is {}, initial value '{}' {}, output '{}' {}; they must agree",
        x.name,
        x.ty,
        init.name,
        init.ty,
        y.name,
        y.ty
    );
    ensure!(
        (1..=MAX_AXES).contains(&x.rank()),
        "input '{}' is {:?}; it must have 1 to {MAX_AXES} dimensions",
        x.name,
        x.shape
    );
    Ok(())
}

/// What is done with which windows: output 0 of input 0 and the initial value in input 1.
pub struct Reduction {
    windows: Windows,
    function: Function,
}

impl Reduction {
    /// Sets the output's shape. Of `axes` count as many as `x` has.
    ///
    /// An error if a number other than the padding is below 1, or one is too large.
    pub fn prepare(
        cx: &mut PrepareContext<'_>,
        x: &TensorView<'_>,
        axes: &[WindowAxis; MAX_RANK],
        function: Function,
    ) -> Result<Reduction> {
        let windows = Windows::new(node::dims(x)?, &axes[..x.rank()])?;
        cx.set_output_shape(0, windows.output.as_slice())?;
        Ok(Reduction { windows, function })
    }

    /// Computes the output.
    pub fn eval(&self, cx: &EvalContext<'_>) -> Result<()> {
        match cx.node().output(0)?.ty {
            F32 => self.by_function::<f32>(cx, f32::add, f32::mul),
            F64 => self.by_function::<f64>(cx, f64::add, f64::mul),
            I16 => self.by_function::<i16>(cx, i16::wrapping_add, i16::wrapping_mul),
            I32 => self.by_function::<i32>(cx, i32::wrapping_add, i32::wrapping_mul),
            I64 => self.by_function::<i64>(cx, i64::wrapping_add, i64::wrapping_mul),
            U8 => self.by_function::<u8>(cx, u8::wrapping_add, u8::wrapping_mul),
            // Truth values are bytes like others: their sum may be 2.
            I8 | ElementType::Bool => self.by_function::<i8>(cx, i8::wrapping_add, i8::wrapping_mul),
            ty => Err(unsupported!("no reduction of {ty}")),
        }
    }

    fn by_function<T: Element + PartialOrd + From<bool>>(
        &self,
        cx: &EvalContext<'_>,
        add: fn(T, T) -> T,
        mul: fn(T, T) -> T,
    ) -> Result<()> {
        let (windows, x, init) = (&self.windows, cx.input(0)?, cx.input(1)?);
        let (x, y) = (x.as_words::<T>()?, cx.output(0)?.into_words::<T>()?);
        let Some(&init) = init.as_words::<T>()?.first() else {
            return Err(invalid!("the initial value '{}' is empty", init.name));
        };
        let (zero, one) = (T::from(false), T::from(true));
        let truth = |truth: bool| if truth { one } else { zero };
        match self.function {
            Function::Add => windows.reduce(cx, x, init, y, add),
            Function::Mul => windows.reduce(cx, x, init, y, mul),
            Function::Min => windows.reduce(cx, x, init, y, |a, b| if a <= b { a } else { b }),
            Function::Max => windows.reduce(cx, x, init, y, |a, b| if a >= b { a } else { b }),
            Function::All => windows.reduce(cx, x, init, y, |a, b| truth(a != zero && b != zero)),
            Function::Any => windows.reduce(cx, x, init, y, |a, b| truth(a != zero || b != zero)),
        }
    }
}

/// Windows over a tensor.
struct Windows {
    input: Dims,
    output: Dims,
    axes: [WindowAxis; MAX_RANK],
}

impl Windows {
    /// One axis of windows per axis of the input.
    fn new(input: Dims, list: &[WindowAxis]) -> Result<Windows> {
        let mut axes = [WindowAxis::ONE; MAX_RANK];
        let (mut sizes, rank) = ([0; MAX_RANK], input.rank());
        ensure!(list.len() == rank, "windows along {} axes, the input has {rank}", list.len());
        for (axis, window) in list.iter().enumerate() {
            let count = input.size(axis);
            axes[axis] = *window;
            sizes[axis] = positions(count as i64, window).ok_or_else(|| {
                let WindowAxis { size, stride, dilation, padding, .. } = window;
                invalid!(
                    "windows along axis {axis}, of {count} elements: size {size}, stride {stride}, dilation {dilation}, padding {padding:?}; they must be above zero, and positions must not overflow"
                )
            })?;
        }
        let output = Dims::new(&sizes[..rank])
            .ok_or_else(|| invalid!("the output would be {:?}: too large", &sizes[..rank]))?;
        Ok(Windows { input, output, axes })
    }

    /// Reduces each window of `x` into `y`. An error once the invocation is cancelled.
    fn reduce<T: Copy>(
        &self,
        cx: &EvalContext<'_>,
        x: &[T],
        init: T,
        y: &mut [T],
        f: impl Fn(T, T) -> T,
    ) -> Result<()> {
        let mut pace = Pace::new(cx);
        let strides = self.input.strides();
        let mut window = Counter::new(self.input.rank(), |axis| self.axes[axis].size);
        let mut position = Counter::new(self.input.rank(), |axis| self.output.size(axis) as i64);
        for y in y {
            let mut value = init;
            loop {
                pace.ahead(self.input.rank())?;
                let element = self.element(&position.at, &window.at, &strides);
                value = f(value, element.and_then(|i| x.get(i)).copied().unwrap_or(init));
                if !window.advance() {
                    break;
                }
            }
            *y = value;
            position.advance();
        }
        Ok(())
    }

    /// The element of the input that an element of a window is; `None` between and outside of them.
    fn element(&self, position: &[i64], tap: &[i64], strides: &[isize]) -> Option<usize> {
        let mut index = 0;
        for (axis, window) in self.axes[..self.input.rank()].iter().enumerate() {
            // Within the padded size, as `positions` checked.
            let at = position[axis] * window.stride + tap[axis] * window.dilation - window.padding[0];
            if at % window.base_dilation != 0 {
                return None;
            }
            let at =
                usize::try_from(at / window.base_dilation).ok().filter(|&at| at < self.input.size(axis))?;
            index += at * strides[axis] as usize;
        }
        Some(index)
    }
}

/// Number of positions of a window over `input` elements.
fn positions(input: i64, axis: &WindowAxis) -> Option<i32> {
    let &WindowAxis { size, stride, dilation, base_dilation, padding } = axis;
    if [size, stride, dilation, base_dilation].iter().any(|&number| number < 1) {
        return None;
    }
    let dilated = if input == 0 { 0 } else { (input - 1).checked_mul(base_dilation)?.checked_add(1)? };
    let padded = dilated.checked_add(padding[0])?.checked_add(padding[1])?;
    let span = (size - 1).checked_mul(dilation)?.checked_add(1)?;
    // The last element that a window reaches is one more number that must fit.
    padded.checked_add(stride)?.checked_add(span)?.checked_sub(padding[0])?;
    if padded < span { Some(0) } else { i32::try_from((padded - span) / stride + 1).ok() }
}

/// Positions in a box, row-major.
struct Counter {
    rank: usize,
    sizes: [i64; MAX_RANK],
    at: [i64; MAX_RANK],
}

impl Counter {
    fn new(rank: usize, size: impl Fn(usize) -> i64) -> Counter {
        Counter {
            rank,
            sizes: core::array::from_fn(|axis| if axis < rank { size(axis) } else { 1 }),
            at: [0; MAX_RANK],
        }
    }

    /// Whether there is another position; otherwise it is the first one again.
    fn advance(&mut self) -> bool {
        for axis in (0..self.rank).rev() {
            self.at[axis] += 1;
            if self.at[axis] < self.sizes[axis] {
                return true;
            }
            self.at[axis] = 0;
        }
        false
    }
}
