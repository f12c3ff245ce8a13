//! Ops that spread the input's elements over a tensor filled with one value: DILATE, STABLEHLO_PAD.
//!
//! Along each axis, element `i` of the input goes to `low + i × step` of the output, if that is one of its `low + (size
//! − 1) × step + 1 + high` positions. `low` and `high` may be negative.

use arenite_abi::prelude::*;

use super::indexing::{Dims, MAX_RANK, Nest};
use super::moves::Width;
use super::node;

plain! {
    /// The positions of the input's elements in the output.
    #[derive(Clone, Copy, Debug)]
    pub struct Spread {
        output: Dims,
        /// The loops over positions in the input and in the output.
        nest: Nest<2>,
    }
}

impl Spread {
    /// Checks the types of input, value and output, and that the value is a single element.
    ///
    /// # Errors
    /// The types differ or cannot be filled, or the value is not a scalar.
    pub fn check(x: &TensorView<'_>, value: &TensorView<'_>, y: &TensorView<'_>) -> Result<()> {
        node::same_type(x, y)?;
        ensure!(
            value.ty == x.ty && value.len() == 1,
            "the value {value} is {} {:?}; it must be one {}",
            value.ty,
            value.shape,
            x.ty
        );
        match Width::of(x.ty)? {
            Width::Bits2 | Width::Bits4 => Err(unsupported!("no kernel fills a tensor with {}", x.ty)),
            _ => Ok(()),
        }
    }

    /// Prepares the loops; `axis` returns `[low, step, high]` for each axis, with a step above 0.
    ///
    /// # Errors
    /// The output is too large, or `axis` fails.
    pub fn new(x: &TensorView<'_>, mut axis: impl FnMut(usize) -> Result<[i64; 3]>) -> Result<Spread> {
        let dims = node::dims(x)?;
        let rank = dims.rank();
        let (mut sizes, mut counts) = ([1; MAX_RANK], [1; MAX_RANK]);
        let mut plan = [(0, 0, 1); MAX_RANK];
        for i in 0..rank {
            let [low, step, high] = axis(i)?;
            let whole = dims.size(i) as i64;
            let padded = padded(whole, [low, step, high]).filter(|&padded| padded <= i32::MAX.into());
            let padded = padded.ok_or_else(|| {
                invalid!("axis {i}, {whole} elements with steps of {step} and paddings {low} and {high}, gets too large")
            })?;
            // `low + first × step` is the first position in the output, `low + (end − 1) × step` the last one.
            let first = ceiling(-i128::from(low), step).clamp(0, whole.into()) as i64;
            let end = ceiling(i128::from(padded) - i128::from(low), step).clamp(0, whole.into()) as i64;
            (sizes[i], counts[i]) = (padded.max(0) as i32, (end - first).max(0) as i32);
            // A step may be huge if there is only one element.
            let far = if counts[i] > 1 { step as isize } else { 1 };
            let target = if counts[i] > 0 { low + first * step } else { 0 };
            plan[i] = (first as isize, target as isize, far);
        }
        let output = Dims::new(&sizes[..rank]);
        let output = output.ok_or_else(|| invalid!("the padded output of {:?} is too large", x.shape))?;
        let counts = Dims::new(&counts[..rank]);
        let counts = counts.ok_or_else(|| invalid!("input {x} is {:?}: too large", x.shape))?;
        let (from, to) = (dims.strides(), output.strides());
        let (mut steps, mut start) = ([from, to], [0, 0]);
        for (i, &(first, target, far)) in plan.iter().enumerate().take(rank) {
            steps[1][i] *= far;
            start[0] += first * from[i];
            start[1] += target * to[i];
        }
        Ok(Spread { output, nest: Nest::new(&counts, steps).starting_at(start) })
    }

    /// The same, but with all sizes set to 0 if the output is empty.
    pub fn collapsed(self) -> Spread {
        let zeros = Dims::new(&[0; MAX_RANK][..self.output.rank()]);
        let output = zeros.filter(|_| self.output.flat_size() == 0).unwrap_or(self.output);
        Spread { output, ..self }
    }

    /// The shape of the output.
    pub fn output(&self) -> Dims {
        self.output
    }

    /// Fills `y` with the value and copies the elements of `x` into it.
    ///
    /// # Errors
    /// A tensor does not have the prepared type or shape.
    pub fn eval(&self, x: &TensorView<'_>, value: &TensorView<'_>, y: TensorViewMut<'_>) -> Result<()> {
        let (width, to) = (Width::of(x.ty)?, y.into_bytes());
        width.fill(value.bytes(), to)?;
        width.copy(&self.nest, x.bytes(), to)
    }
}

/// The size of an output axis, or `None` if it overflows.
fn padded(whole: i64, [low, step, high]: [i64; 3]) -> Option<i64> {
    let apart = match whole {
        0 => 0,
        _ => (whole - 1).checked_mul(step)?.checked_add(1)?,
    };
    apart.checked_add(low)?.checked_add(high)
}

/// Computes `⌈a / b⌉` for `b > 0`.
fn ceiling(a: i128, b: i64) -> i128 {
    let b = i128::from(b);
    a.div_euclid(b) + i128::from(a.rem_euclid(b) != 0)
}
