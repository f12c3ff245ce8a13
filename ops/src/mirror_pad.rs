//! MIRROR_PAD: pads the input with its own elements, mirrored at the borders. Any type of fixed size.
//! Defined by: tflite/kernels/mirror_pad.cc.
//!
//! ```text
//! REFLECT:   c b │ a b c d │ c b      the border element is not repeated
//! SYMMETRIC: b a │ a b c d │ d c
//! ```

use arenite_abi::prelude::*;
use arenite_abi::schema::{MirrorPadOptions, mirror_pad};
use arenite_abi::tensor::cells_of;
use core::cell::Cell;

use crate::kit::arguments::{Integers, expect_type};
use crate::kit::indexing::{Dims, MAX_RANK};
use crate::kit::moves::{Run, Width};
use crate::kit::node;
use crate::kit::rearrange::declare_shape;

plain! {
    /// A prepared `MIRROR_PAD` node.
    pub struct MirrorPad {
        plan: Maybe<Plan>,
    }
}

impl Op for MirrorPad {
    const CODE: OpCode = OpCode::Builtin(op::MIRROR_PAD);
    const VERSIONS: RangeInclusive<i32> = 1..=3;
    const SHARING: Sharing = Sharing::Behind;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, paddings, y) = node.binary()?;
        node::same_type(&x, &y)?;
        Width::of(x.ty)?;
        if matches!(x.ty, I8 | U8 | I16) {
            node::same_quantization(&x, &y)?;
        }
        if x.ty == I16 {
            node::no_zero_point(&x)?;
        }
        expect_type(&paddings, &[I32, I64])?;
        ensure!(
            paddings.shape == [x.rank() as i32, 2],
            "paddings {paddings} are {:?}, input {x} has {} axes: they must be [{}, 2]",
            paddings.shape,
            x.rank(),
            x.rank()
        );
        let border = border(node)?;
        let plan = if paddings.is_constant() { Some(Plan::new(&x, &paddings, border)?) } else { None };
        declare_shape(plan.as_ref().map(|plan| plan.output.as_slice()), cx, 0, x.ty)?;
        if let Some(plan) = &plan {
            plan.allow_behind(cx, x.ty.bits() as usize / 8)?;
        }
        Ok(MirrorPad { plan: plan.into() })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let x = cx.node().input(0)?;
        let (plan, to) = match self.plan.get() {
            Some(plan) => (plan, cx.output_byte_cells(0)?),
            None => {
                let plan = Plan::new(&x, &cx.input(1)?, border(&cx.node())?)?;
                (plan, cells_of(cx.resize_output(0, plan.output.as_slice())?.into_bytes()))
            }
        };
        plan.copy(Width::of(x.ty)?, cx.input_byte_cells(0)?, to)
    }
}

/// The number of elements at each border that are not repeated.
fn border(node: &NodeView<'_>) -> Result<usize> {
    match node.options()?.get(MirrorPadOptions::MODE)? {
        mirror_pad::REFLECT => Ok(1),
        mirror_pad::SYMMETRIC => Ok(0),
        mode => Err(invalid!("its mode is {mode}; 0 (REFLECT) and 1 (SYMMETRIC) are defined")),
    }
}

plain! {
    /// The sizes of the input, the padding and the output.
    #[derive(Clone, Copy)]
    struct Plan {
        input: Dims,
        output: Dims,
        /// The padding before each axis. The rest of the output's size is the padding after it.
        before: [usize; MAX_RANK],
        border: usize,
    }
}

impl Plan {
    fn new(x: &TensorView<'_>, paddings: &TensorView<'_>, border: usize) -> Result<Plan> {
        let (input, list) = (node::dims(x)?, Integers::of(paddings)?);
        let (mut before, mut sizes) = ([0; MAX_RANK], [1; MAX_RANK]);
        for (axis, pair) in list.chunks_exact(2).enumerate() {
            let size = input.size(axis) as i64;
            let most = size - border as i64;
            ensure!(
                pair.iter().all(|padding| (0..=most).contains(padding)),
                "paddings {} and {} of axis {axis}, whose size is {size}: only 0 to {most} can be mirrored",
                pair[0],
                pair[1]
            );
            let padded = i32::try_from(size + pair[0] + pair[1]);
            sizes[axis] = padded.map_err(|_| invalid!("axis {axis} of {:?} gets too large", x.shape))?;
            before[axis] = pair[0] as usize;
        }
        let output = Dims::new(&sizes[..input.rank()]);
        let output = output.ok_or_else(|| invalid!("the padded output of {:?} is too large", x.shape))?;
        Ok(Plan { input, output, before, border })
    }

    /// The input's coordinate for a coordinate of the output.
    fn mirrored(&self, axis: usize, coordinate: usize) -> usize {
        let (before, size) = (self.before[axis], self.input.size(axis));
        match coordinate {
            at if at < before => before - at - 1 + self.border,
            at if at < before + size => at - before,
            at => 2 * size + before - at - 1 - self.border,
        }
    }

    /// A row of the output is written after one row of the input was read. The distance from the start of the input row
    /// to the end of the output row is a sum of one term per axis.
    fn allow_behind(&self, cx: &mut PrepareContext<'_>, bytes: usize) -> Result<()> {
        let count = self.output.flat_size();
        if count == 0 || bytes == 0 {
            return Ok(());
        }
        let last = self.input.rank().saturating_sub(1);
        let (from, to) = (self.input.strides(), self.output.strides());
        let mut distance = self.output.size(last) as i128;
        for axis in 0..last {
            let ahead =
                |at| at as i128 * to[axis] as i128 - self.mirrored(axis, at) as i128 * from[axis] as i128;
            distance += (0..self.output.size(axis)).map(ahead).max().unwrap_or(0);
        }
        match usize::try_from(distance.max(0)) {
            Ok(distance) if distance < count => cx.allow_behind(0, 0, distance * bytes),
            _ => Ok(()),
        }
    }

    /// Each row of the output is a piece of one row of the input between two mirrored pieces.
    fn copy(&self, width: Width, from: ReadCells<'_, u8>, to: &[Cell<u8>]) -> Result<()> {
        if self.output.flat_size() == 0 {
            return Ok(());
        }
        width.clear_rest_cells(to);
        let last = self.input.rank().saturating_sub(1);
        let (padded, size, before) = (self.output.size(last), self.input.size(last), self.before[last]);
        let strides = self.input.strides();
        for row in 0..self.output.flat_size() / padded {
            let (mut rest, mut first) = (row, 0);
            for axis in (0..last).rev() {
                let coordinate = rest % self.output.size(axis);
                rest /= self.output.size(axis);
                first += self.mirrored(axis, coordinate) * strides[axis] as usize;
            }
            for (begin, end, step) in
                [(0, before, -1), (before, before + size, 1), (before + size, padded, -1)]
            {
                if begin < end {
                    let source = Run { first: first + self.mirrored(last, begin), step };
                    let target = Run::contiguous(row * padded + begin);
                    width.move_run(from, source, to, target, end - begin)?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::assert_same;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    const REFLECT: i8 = mirror_pad::REFLECT;
    const SYMMETRIC: i8 = mirror_pad::SYMMETRIC;

    fn run(x: Tensor, y: Spec, paddings: &[i32], mode: i8) -> Result<Tensor> {
        let shape = [paddings.len() as i32 / 2, 2];
        let long: Vec<i64> = paddings.iter().map(|&v| v.into()).collect();
        let test =
            OpTest::<MirrorPad>::new().input(x).output(y).options(|o| o.set(MirrorPadOptions::MODE, mode));
        let known = test.clone().constant(Tensor::i64(&shape, &long)).run();
        assert_same(&known, &test.input(Tensor::i32(&shape, paddings)).run());
        known.map(|mut y| y.remove(0))
    }

    #[test]
    fn borders() {
        for (shape, paddings, mode, want, elements) in [
            (&[3][..], &[2, 2][..], REFLECT, &[7][..], &[2, 1, 0, 1, 2, 1, 0][..]),
            (&[3], &[2, 3], SYMMETRIC, &[8], &[1, 0, 0, 1, 2, 2, 1, 0]),
            (&[3], &[0, 0], REFLECT, &[3], &[0, 1, 2]),
            (&[1], &[1, 1], SYMMETRIC, &[3], &[0, 0, 0]),
            (&[2, 2], &[1, 0, 0, 1], REFLECT, &[3, 3], &[2, 3, 2, 0, 1, 0, 2, 3, 2]),
            (&[2, 2], &[1, 0, 0, 1], SYMMETRIC, &[3, 3], &[0, 1, 1, 0, 1, 1, 2, 3, 3]),
            (&[2, 1], &[0, 2, 0, 0], SYMMETRIC, &[4, 1], &[0, 1, 1, 0]),
            (&[0, 2], &[0, 0, 1, 1], SYMMETRIC, &[0, 4], &[]),
            (&[2, 0], &[1, 1, 0, 0], SYMMETRIC, &[4, 0], &[]),
            (&[], &[], REFLECT, &[], &[0]),
        ] {
            let x: Vec<f64> = (0..shape.iter().product::<i32>()).map(f64::from).collect();
            let y = run(Tensor::f64(shape, &x), Spec::of(F64), paddings, mode).unwrap();
            let elements: Vec<f64> = elements.iter().map(|&v| f64::from(v)).collect();
            assert_eq!((y.shape(), y.as_f64()), (want, elements), "{shape:?} {paddings:?} {mode}");
        }
        let y = run(Tensor::u8(&[2], &[5, 6]).quantized(0.5, 3), Spec::u8(0.5, 3), &[1, 1], REFLECT).unwrap();
        assert_eq!(y.as_u8(), [6, 5, 6, 5]);
        let y = run(Tensor::i16(&[2], &[5, 6]), Spec::of(I16), &[0, 1], SYMMETRIC).unwrap();
        assert_eq!(y.as_i16(), [5, 6, 6]);
        let y = run(Tensor::i4(&[3], &[1, 2, 3]), Spec::of(I4), &[2, 0], REFLECT).unwrap();
        assert_eq!(y.as_i4(), [3, 2, 1, 2, 3]);
        let corner = run(
            Tensor::bool(&[1, 1, 1, 1, 1, 1, 1, 2], &[true, false]),
            Spec::bool(),
            &[[0; 14], [0; 14]].concat()[..16],
            REFLECT,
        );
        assert_eq!(corner.unwrap().as_bool(), [true, false]);
    }
}
