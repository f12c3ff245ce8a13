//! Reductions over windows of any rank: REDUCE_WINDOW, and with padding and dilation of the input
//! STABLEHLO_REDUCE_WINDOW.
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

plain! {
    /// The function that combines the elements of a window.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Function {
        /// The sum; integers wrap.
        Add,
        /// The product; integers wrap.
        Mul,
        /// The smallest element.
        Min,
        /// The largest element.
        Max,
        /// 1 if no element is 0, else 0.
        All,
        /// 0 if all elements are 0, else 1.
        Any,
    }
}

plain! {
    /// The window along one axis.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct WindowAxis {
        /// The number of elements of the window.
        pub size: i64,
        /// The distance from one position to the next.
        pub stride: i64,
        /// The distance from one element of the window to the next.
        pub dilation: i64,
        /// The distance from one element of the input to the next.
        pub base_dilation: i64,
        /// The padding at both ends; a negative one crops.
        pub padding: [i64; 2],
    }
}

impl WindowAxis {
    /// A window of one element, without padding.
    pub const ONE: WindowAxis =
        WindowAxis { size: 1, stride: 1, dilation: 1, base_dilation: 1, padding: [0; 2] };
}

/// TFLite's limit.
const MAX_AXES: usize = 6;

/// The types that are supported.
pub const TYPES: [ElementType; 8] = [ElementType::Bool, I8, I16, I32, I64, U8, F32, F64];

/// Checks the types and the rank of the input, the initial value and the output.
///
/// # Errors
/// The types differ, or the rank is out of range.
pub fn check(x: &TensorView<'_>, init: &TensorView<'_>, y: &TensorView<'_>) -> Result<()> {
    expect_type(x, &TYPES)?;
    node::same_type(x, init)?;
    node::same_type(x, y)?;
    ensure!(
        (1..=MAX_AXES).contains(&x.rank()),
        "input {x} is {:?}; it must have 1 to {MAX_AXES} dimensions",
        x.shape
    );
    Ok(())
}

plain! {
    /// The function and the windows of a reduction from input 0 to output 0; input 1 is the initial value.
    pub struct Reduction {
        windows: Windows,
        function: Function,
    }
}

impl Reduction {
    /// Prepares the reduction and sets the output's shape. Only as many entries of `axes` are used as `x` has axes.
    ///
    /// # Errors
    /// A number other than the padding is below 1, or a number is too large.
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
    ///
    /// # Errors
    /// The initial value is empty, or the invocation is cancelled.
    pub fn eval(&self, cx: &EvalContext<'_>) -> Result<()> {
        match cx.node().output(0)?.ty {
            F32 => self.by_function::<f32>(cx, f32::add, f32::mul),
            F64 => self.by_function::<f64>(cx, f64::add, f64::mul),
            I16 => self.by_function::<i16>(cx, i16::wrapping_add, i16::wrapping_mul),
            I32 => self.by_function::<i32>(cx, i32::wrapping_add, i32::wrapping_mul),
            I64 => self.by_function::<i64>(cx, i64::wrapping_add, i64::wrapping_mul),
            U8 => self.by_function::<u8>(cx, u8::wrapping_add, u8::wrapping_mul),
            // Booleans are treated as bytes: their sum may be 2.
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
            return Err(invalid!("the initial value {init} is empty"));
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

plain! {
    /// The windows over a tensor.
    struct Windows {
        input: Dims,
        output: Dims,
        axes: [WindowAxis; MAX_RANK],
    }
}

impl Windows {
    /// Takes one window axis per axis of the input.
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

    /// Reduces each window of `x` into `y`.
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

    /// The index of the input element under an element of a window; `None` in the padding and between dilated elements.
    fn element(&self, position: &[i64], tap: &[i64], strides: &[isize]) -> Option<usize> {
        let mut index = 0;
        for (axis, window) in self.axes[..self.input.rank()].iter().enumerate() {
            // Cannot overflow: it is within the padded size, which `positions` checked.
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

/// The number of positions of a window over `input` elements.
fn positions(input: i64, axis: &WindowAxis) -> Option<i32> {
    let &WindowAxis { size, stride, dilation, base_dilation, padding } = axis;
    if [size, stride, dilation, base_dilation].iter().any(|&number| number < 1) {
        return None;
    }
    let dilated = if input == 0 { 0 } else { (input - 1).checked_mul(base_dilation)?.checked_add(1)? };
    let padded = dilated.checked_add(padding[0])?.checked_add(padding[1])?;
    let span = (size - 1).checked_mul(dilation)?.checked_add(1)?;
    // The position after the last element of a window must be representable too.
    padded.checked_add(stride)?.checked_add(span)?.checked_sub(padding[0])?;
    if padded < span { Some(0) } else { i32::try_from((padded - span) / stride + 1).ok() }
}

/// Counts through the positions in a box, in row-major order.
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

    /// Advances to the next position; returns false after the last one and starts again.
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
