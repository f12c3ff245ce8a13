//! CUMSUM: cumulative sums along an axis, without the element itself if `exclusive`, from the end if `reverse`. f32;
//! i32 and i64, which wrap. Supports in-place operation.
//! Defined by: tflite/kernels/cumsum.cc, tflite/kernels/internal/reference/cumsum.h.

use core::cell::Cell;

use arenite_abi::prelude::*;
use arenite_abi::schema::CumsumOptions;

use crate::kit::arguments::{Integers, expect_type, saturated};
use crate::kit::blocks::{self, BLOCK};
use crate::kit::indexing::{Dims, normalize_axis};
use crate::kit::node;
use crate::kit::number::Number;

plain! {
    /// A prepared `CUMSUM` node.
    pub struct Cumsum {
        dims: Dims,
        direction: Direction,
        own: OwnElement,
    }
}

plain! {
    #[derive(Clone, Copy)]
    enum Direction {
        Forward,
        Reverse,
    }
}

plain! {
    /// Whether the sum of an element includes the element itself.
    #[derive(Clone, Copy)]
    enum OwnElement {
        Included,
        LeftOut,
    }
}

impl Op for Cumsum {
    const CODE: OpCode = OpCode::Builtin(op::CUMSUM);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I32, I64]);
    const SHARING: Sharing = Sharing::InPlace;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, axis, y) = node.binary()?;
        node::same_type(&x, &y)?;
        expect_type(&axis, &[I32])?;
        ensure!(axis.len() == 1, "axis {axis} is {:?}; it must hold one number", axis.shape);
        ensure!(x.rank() >= 1, "input {x} is a scalar; it needs an axis");
        let dims = node::dims(&x)?;
        if axis.is_constant() {
            axis_of(&axis, &dims)?;
        }
        let options = node.options()?;
        cx.set_output_shape(0, x.shape)?;
        cx.allow_in_place(0, 0)?;
        Ok(Cumsum {
            dims,
            direction: if options.get(CumsumOptions::REVERSE)? {
                Direction::Reverse
            } else {
                Direction::Forward
            },
            own: if options.get(CumsumOptions::EXCLUSIVE)? {
                OwnElement::LeftOut
            } else {
                OwnElement::Included
            },
        })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        match cx.node().output(0)?.ty {
            F32 => self.sum::<f32>(cx),
            I32 => self.sum::<i32>(cx),
            _ => self.sum::<i64>(cx),
        }
    }
}

fn axis_of(axis: &TensorView<'_>, dims: &Dims) -> Result<usize> {
    let wanted = Integers::scalar(axis)?;
    normalize_axis(saturated(wanted), dims.rank())
        .ok_or_else(|| invalid!("axis {wanted} does not exist: the input is {:?}", dims.as_slice()))
}

impl Cumsum {
    fn sum<T: Number>(&self, cx: &EvalContext<'_>) -> Result<()> {
        let (outer, size, inner) = self.dims.split_at(axis_of(&cx.input(1)?, &self.dims)?);
        let (x, y) = (cx.input_cells::<T>(0)?, cx.output_cells::<T>(0)?);
        if inner == 1 {
            (0..outer).for_each(|row| self.sum_row(x.range(row * size..(row + 1) * size), &y[row * size..]));
            return Ok(());
        }
        let mut block = [T::zeroed(); BLOCK];
        for plane in 0..outer {
            for begin in (0..inner).step_by(BLOCK) {
                let count = BLOCK.min(inner - begin);
                let (mut sums, block) = ([T::ZERO; BLOCK], &mut block[..count]);
                for step in 0..size {
                    let position = match self.direction {
                        Direction::Forward => step,
                        Direction::Reverse => size - 1 - step,
                    };
                    let at = (plane * size + position) * inner + begin;
                    x.range(at..at + count).load(block);
                    self.next(&mut sums[..count], block, &y[at..at + count]);
                }
            }
        }
        Ok(())
    }

    /// Sums along consecutive elements.
    fn sum_row<T: Number>(&self, x: ReadCells<'_, T>, y: &[Cell<T>]) {
        let mut sum = T::ZERO;
        let next = |i: usize| {
            let with = sum.plus(x.get(i));
            y[i].set(match self.own {
                OwnElement::Included => with,
                OwnElement::LeftOut => sum,
            });
            sum = with;
        };
        match self.direction {
            Direction::Forward => (0..x.len()).for_each(next),
            Direction::Reverse => (0..x.len()).rev().for_each(next),
        }
    }

    /// Adds a block to the sums, and writes them as they are with or without it.
    #[inline]
    fn next<T: Number>(&self, sums: &mut [T], block: &[T], y: &[Cell<T>]) {
        let add = |sums: &mut [T]| sums.iter_mut().zip(block).for_each(|(sum, &x)| *sum = sum.plus(x));
        match self.own {
            OwnElement::Included => {
                add(sums);
                blocks::write(y, sums);
            }
            OwnElement::LeftOut => {
                blocks::write(y, sums);
                add(sums);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn run(x: Tensor, axis: i32, exclusive: bool, reverse: bool) -> Result<Tensor> {
        let test = OpTest::<Cumsum>::new()
            .options(|o| o.set(CumsumOptions::EXCLUSIVE, exclusive).set(CumsumOptions::REVERSE, reverse));
        let test = test.output(Spec::of(x.ty())).input(x);
        let known = test.clone().constant(Tensor::i32(&[], &[axis])).run();
        crate::kit::assert_same(&known, &test.input(Tensor::i32(&[1], &[axis])).run());
        known.map(|mut y| y.remove(0))
    }

    #[test]
    fn sums() {
        let x = || Tensor::f32(&[2, 3], &[1., 2., 3., 4., 5., 6.]);
        for (axis, exclusive, reverse, want) in [
            (1, false, false, [1., 3., 6., 4., 9., 15.]),
            (-1, true, false, [0., 1., 3., 0., 4., 9.]),
            (1, false, true, [6., 5., 3., 15., 11., 6.]),
            (1, true, true, [5., 3., 0., 11., 6., 0.]),
            (0, false, false, [1., 2., 3., 5., 7., 9.]),
            (-2, true, true, [4., 5., 6., 0., 0., 0.]),
        ] {
            let y = run(x(), axis, exclusive, reverse).unwrap();
            assert_eq!((y.shape(), y.as_f32()), (&[2, 3][..], want.to_vec()));
        }
        let y = run(Tensor::i32(&[3], &[i32::MAX, 1, 1]), 0, false, false).unwrap();
        assert_eq!(y.as_i32(), [i32::MAX, i32::MIN, i32::MIN + 1]);
        let y = run(Tensor::i64(&[2, 1, 2], &[1 << 40, 1, 2, 3]), 0, false, false).unwrap();
        assert_eq!(y.as_i64(), [1 << 40, 1, (1 << 40) + 2, 4]);
        assert!(run(Tensor::f32(&[2, 0], &[]), 0, false, false).unwrap().as_f32().is_empty());
    }

    #[test]
    fn works_in_place() {
        let test = OpTest::<Cumsum>::new().input(Tensor::i32(&[2], &[1, 2])).constant(Tensor::i32(&[], &[0]));
        let test = test.options(|o| o.set(CumsumOptions::EXCLUSIVE, true)).output(Spec::i32()).in_place();
        assert_eq!(test.run().unwrap()[0].as_i32(), [0, 1]);
    }
}
