//! TILE: repeats the input `multiples[axis]` times along each axis. Any type.
//! Defined by: tflite/kernels/tile.cc.

use core::ops::Range;

use arenite_abi::prelude::*;
use arenite_abi::tensor::cells_of;

use crate::kit::arguments::{Integers, expect_type};
use crate::kit::indexing::{Dims, MAX_RANK, Nest};
use crate::kit::moves::{Run, Width};
use crate::kit::node;
use crate::kit::pace::Pace;
use crate::kit::rearrange::declare_shape;
use crate::kit::strings::{self, Strings};

plain! {
    /// A prepared `TILE` node.
    pub struct Tile {
        plan: Maybe<Plan>,
    }
}

impl Op for Tile {
    const CODE: OpCode = OpCode::Builtin(op::TILE);
    const VERSIONS: RangeInclusive<i32> = 1..=3;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, multiples, y) = node.binary()?;
        node::same_type(&x, &y)?;
        expect_type(&multiples, &[I32, I64])?;
        ensure!(
            multiples.len() == x.rank(),
            "{multiples} has {} numbers, input {x} has {} axes; there must be one number per axis",
            multiples.len(),
            x.rank()
        );
        let plan = if multiples.is_constant() { Some(Plan::new(&x, &multiples)?) } else { None };
        declare_shape(plan.as_ref().map(|plan| plan.output.as_slice()), cx, 0, x.ty)?;
        Ok(Tile { plan: plan.into() })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let x = cx.input(0)?;
        let plan = match self.plan.get() {
            Some(plan) => plan,
            None => Plan::new(&x, &cx.input(1)?)?,
        };
        let shape = plan.output.as_slice();
        if x.ty == ElementType::String {
            let from = Strings::of(&x)?;
            let copies = plan.output.flat_size().checked_div(from.len()).unwrap_or(0);
            return strings::repeat(cx, 0, shape, &from, copies, |f| {
                let each = plan.try_each_run(&mut |_, from, length| {
                    (0..length).for_each(|k| f(from + k * plan.run_step()));
                    Ok(())
                });
                debug_assert!(each.is_ok(), "nothing fails");
            });
        }
        let y = if self.plan.get().is_some() { cx.output(0)? } else { cx.resize_output(0, shape)? };
        let (width, to) = (Width::of(x.ty)?, y.into_bytes());
        width.clear_rest(to);
        let (mut pace, to) = (Pace::new(cx), cells_of(to));
        plan.try_each_run(&mut |at, from, length| {
            let source = Run { first: from, step: plan.run_step() as isize };
            width.move_long_run(x.bytes().into(), source, to, Run::contiguous(at), length, &mut pace)
        })
    }
}

plain! {
    /// Each axis needs two loops, over the copies and over the elements. A nest has too few axes for more than four of
    /// these, so the last four axes form the inner nest.
    #[derive(Clone, Copy)]
    struct Plan {
        output: Dims,
        outer: Nest<1>,
        inner: Nest<1>,
    }
}

impl Plan {
    fn new(x: &TensorView<'_>, multiples: &TensorView<'_>) -> Result<Plan> {
        let (dims, list) = (node::dims(x)?, Integers::of(multiples)?);
        let (mut counts, mut sizes) = ([1; MAX_RANK], [1; MAX_RANK]);
        for (axis, (&size, &count)) in x.shape.iter().zip(&*list).enumerate() {
            let tiled = if size == 0 { Some(0) } else { count.checked_mul(size.into()) };
            let tiled = tiled.and_then(|tiled| i32::try_from(tiled).ok()).filter(|_| count >= 0);
            sizes[axis] = tiled.ok_or_else(|| {
                invalid!("{count} copies of axis {axis}, whose size is {size}, are negative or too large")
            })?;
            counts[axis] = if size == 0 { 1 } else { count as i32 };
        }
        let too_large = || invalid!("{:?} copies of input {x}, which is {:?}", &*list, x.shape);
        let output = Dims::new(&sizes[..dims.rank()]).ok_or_else(too_large)?;
        let split = dims.rank().saturating_sub(MAX_RANK / 2);
        Ok(Plan {
            output,
            outer: nest(&dims, &counts, 0..split).ok_or_else(too_large)?,
            inner: nest(&dims, &counts, split..dims.rank()).ok_or_else(too_large)?,
        })
    }

    /// Calls `f(output position, input position, length)` for every run, in the output's order, until one call fails.
    fn try_each_run(&self, f: &mut dyn FnMut(usize, usize, usize) -> Result<()>) -> Result<()> {
        if self.inner.is_empty() {
            return Ok(());
        }
        let [step] = self.outer.run_steps();
        self.outer.try_each_run(&mut |copy, [start], copies| {
            (0..copies).try_for_each(|k| {
                let start = (start as isize).wrapping_add(step.wrapping_mul(k as isize));
                let first = (copy + k) * self.inner.len();
                let inner = self.inner.starting_at([start]);
                inner.try_each_run(&mut |at, [from], length| f(first + at, from, length))
            })
        })
    }

    /// The distance between input elements within a run: 1, or 0 for copies of one element.
    fn run_step(&self) -> usize {
        let [step] = self.inner.run_steps();
        step.unsigned_abs()
    }
}

/// Loops over the elements of these axes and over their copies, which have a stride of 0 in the input.
fn nest(dims: &Dims, counts: &[i32; MAX_RANK], axes: Range<usize>) -> Option<Nest<1>> {
    let strides = dims.strides();
    let mut steps = [0; MAX_RANK];
    for (i, axis) in axes.clone().enumerate() {
        steps[2 * i + 1] = strides[axis];
    }
    let loops = Dims::from_sizes(axes.flat_map(|axis| [counts[axis], dims.size(axis) as i32]))?;
    Some(Nest::new(&loops, [steps]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::assert_same;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn run(x: Tensor, multiples: &[i32]) -> Result<Tensor> {
        let long: Vec<i64> = multiples.iter().map(|&v| v.into()).collect();
        let shape = [multiples.len() as i32];
        let test = OpTest::<Tile>::new().input(x.clone()).output(Spec::of(x.ty()));
        let known = test.clone().constant(Tensor::i64(&shape, &long)).run();
        assert_same(&known, &test.input(Tensor::i32(&shape, multiples)).run());
        known.map(|mut y| y.remove(0))
    }

    #[test]
    fn copies() {
        for (shape, multiples, want, elements) in [
            (&[2][..], &[3][..], &[6][..], &[0, 1, 0, 1, 0, 1][..]),
            (&[2, 2], &[1, 2], &[2, 4], &[0, 1, 0, 1, 2, 3, 2, 3]),
            (&[2, 2], &[2, 1], &[4, 2], &[0, 1, 2, 3, 0, 1, 2, 3]),
            (&[2, 1], &[2, 3], &[4, 3], &[0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1]),
            (&[1, 1], &[2, 3], &[2, 3], &[0; 6]),
            (&[2, 2], &[2, 0], &[4, 0], &[]),
            (&[0, 2], &[i32::MAX, 1], &[0, 2], &[]),
            (&[], &[], &[], &[0]),
        ] {
            let x: Vec<u16> = (0..shape.iter().product::<i32>()).map(|i| i as u16).collect();
            let y = run(Tensor::u16(shape, &x), multiples).unwrap();
            assert_eq!((y.shape(), y.as_u16()), (want, elements.to_vec()), "{shape:?} by {multiples:?}");
        }
        let y = run(Tensor::strings(&[2, 2], &["a", "b", "", "cd"]), &[2, 2]).unwrap();
        assert_eq!(y.shape(), [4, 4]);
        let half = ["a", "b", "a", "b", "", "cd", "", "cd"];
        assert_eq!(y.as_strings(), [half, half].concat());
        assert_eq!(run(Tensor::strings(&[1], &["x"]), &[2]).unwrap().as_strings(), ["x", "x"]);
        assert_eq!(run(Tensor::i4(&[3], &[1, 2, 3]), &[3]).unwrap().as_i4(), [1, 2, 3, 1, 2, 3, 1, 2, 3]);
        let wide = Tensor::complex128(&[1], &[Complex64 { re: 1.0, im: 2.0 }]);
        assert_eq!(run(wide, &[2]).unwrap().as_complex128(), [Complex64 { re: 1.0, im: 2.0 }; 2]);
    }

    #[test]
    fn eight_axes_at_once() {
        let x: Vec<i16> = (0..256).collect();
        let y = run(Tensor::i16(&[2; 8], &x), &[2; 8]).unwrap();
        assert_eq!(y.shape(), [4; 8]);
        // Bit `2 × axis` of an output position is the element's position on that axis, the next bit is the number of
        // the copy.
        let from = |at: usize| (0..8).map(|axis| (at >> (2 * axis) & 1) << axis).sum::<usize>();
        for (at, element) in y.as_i16().into_iter().enumerate() {
            assert_eq!(element as usize, from(at), "at {at}");
        }
    }
}
