//! BROADCAST_ARGS: the shape that two shapes broadcast to; all three are vectors. i32, i64. With constant inputs the
//! output is constant.
//! Defined by: tflite/kernels/broadcast_args.cc and reference/broadcast_args.h.

use arenite_abi::prelude::*;

use crate::kit::arguments::{Integers, MAX_INTEGERS, expect_type, expect_vector};
use crate::kit::node;

plain! {
    /// A prepared `BROADCAST_ARGS` node.
    pub struct BroadcastArgs {
        /// Whether `prepare` already computed the output.
        constant: bool,
    }
}

impl Op for BroadcastArgs {
    const CODE: OpCode = OpCode::Builtin(op::BROADCAST_ARGS);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[I32, I64]);
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (a, b, y) = node.binary()?;
        expect_type(&a, &[I32, I64])?;
        for x in [&b, &y] {
            node::same_type(&a, x)?;
        }
        let count = expect_vector(&a)?.max(expect_vector(&b)?);
        cx.set_output_shape(0, &[count as i32])?;
        let constant = a.is_constant() && b.is_constant() && count <= MAX_INTEGERS;
        if constant {
            let (a, b) = (Integers::of(&a)?, Integers::of(&b)?);
            match y.ty {
                I32 => set_constant(cx, count, |i| size(&a, &b, count, i).map(|size| size as i32))?,
                _ => set_constant(cx, count, |i| size(&a, &b, count, i))?,
            }
        }
        Ok(BroadcastArgs { constant })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        if self.constant {
            return Ok(());
        }
        match cx.node().output(0)?.ty {
            I32 => write(cx, |size| size as i32),
            _ => write(cx, |size| size),
        }
    }
}

fn set_constant<T: Element>(
    cx: &mut PrepareContext<'_>,
    count: usize,
    size: impl Fn(usize) -> Result<T>,
) -> Result<()> {
    let mut sizes = [T::zeroed(); MAX_INTEGERS];
    for (i, to) in sizes.iter_mut().take(count).enumerate() {
        *to = size(i)?;
    }
    cx.set_output_constant(0, &sizes[..count])
}

fn write<T: Element + Into<i64>>(cx: &EvalContext<'_>, from: impl Fn(i64) -> T) -> Result<()> {
    let (a, b) = (cx.input_slice::<T>(0)?, cx.input_slice::<T>(1)?);
    let y = cx.output_slice::<T>(0)?;
    let count = y.len();
    for (i, y) in y.iter_mut().enumerate() {
        *y = from(size(a, b, count, i)?);
    }
    Ok(())
}

/// Size `i` of `count`. Sizes are read as i32, as in TFLite; missing leading sizes are 1.
fn size<T: Copy + Into<i64>>(a: &[T], b: &[T], count: usize, i: usize) -> Result<i64> {
    let of = |list: &[T]| {
        let at = (i + list.len()).checked_sub(count)?;
        list.get(at).map(|&size| size.into() as i32)
    };
    let (a, b) = (of(a).unwrap_or(1), of(b).unwrap_or(1));
    ensure!(
        a == b || a == 1 || b == 1,
        "sizes {a} and {b} of axis {i} do not broadcast; they must be equal or 1"
    );
    Ok(if a == 1 { b } else { a }.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::assert_same;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn run(a: &[i32], b: &[i32]) -> Result<Vec<i64>> {
        let short = |list: &[i32]| Tensor::i32(&[list.len() as i32], list);
        let long = |list: &[i32]| {
            Tensor::i64(&[list.len() as i32], &list.iter().map(|&x| x.into()).collect::<Vec<_>>())
        };
        let test = |y| OpTest::<BroadcastArgs>::new().output(y);
        let known = test(Spec::i32()).constant(short(a)).constant(short(b)).run();
        assert_same(&known, &test(Spec::i32()).input(short(a)).constant(short(b)).run());
        let longs = test(Spec::i64()).constant(long(a)).constant(long(b)).run();
        assert_same(&longs, &test(Spec::i64()).input(long(a)).input(long(b)).run());
        known.map(|y| {
            let y = y[0].as_i32().into_iter().map(i64::from).collect::<Vec<_>>();
            assert_eq!(longs.unwrap()[0].as_i64(), y);
            y
        })
    }

    #[test]
    fn shapes() {
        for (a, b, want) in [
            (&[2, 1, 3][..], &[5, 1][..], &[2, 5, 3][..]),
            (&[], &[4], &[4]),
            (&[], &[], &[]),
            (&[0, 3], &[1, 3], &[0, 3]),
            (&[7], &[7], &[7]),
            (&[1], &[0], &[0]),
        ] {
            let want: Vec<i64> = want.iter().map(|&x| x.into()).collect();
            assert_eq!(run(a, b).unwrap(), want, "{a:?} {b:?}");
            assert_eq!(run(b, a).unwrap(), want, "{b:?} {a:?}");
        }
        assert_eq!(run(&[1; 40], &[3]).unwrap(), [[1; 39].as_slice(), &[3]].concat());
    }

    #[test]
    fn sizes_count_as_i32() {
        let (a, b) = (Tensor::i64(&[2], &[3, 1]), Tensor::i64(&[1], &[(1 << 33) + 1]));
        let y = OpTest::<BroadcastArgs>::new().input(a).input(b).output(Spec::i64()).run().unwrap();
        assert_eq!(y[0].as_i64(), [3, 1]);
    }
}
