//! BITCAST: reinterprets the bytes as another type. Types of whole bytes. The output may be a view of the input.
//! Defined by: tflite/kernels/bitcast.cc.
//!
//! A type that is `k` times smaller adds an axis of `k` elements; one that is `k` times larger removes such an axis.

use arenite_abi::prelude::*;

use crate::kit::indexing::Dims;
use crate::kit::view::View;

plain! {
    /// A prepared `BITCAST` node.
    pub struct Bitcast {
        view: View,
        output: Dims,
    }
}

impl Op for Bitcast {
    const CODE: OpCode = OpCode::Builtin(op::BITCAST);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const SHARING: Sharing = Sharing::View;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, y) = node.unary()?;
        let (from, to) = (x.ty.bits() as i32, y.ty.bits() as i32);
        if from == 0 || to == 0 || from != to && from.min(to) < 8 {
            return Err(unsupported!("the bytes of {} cannot be reinterpreted as {}", x.ty, y.ty));
        }
        let output = if from >= to {
            let added = (from > to).then_some(from / to);
            Dims::from_sizes(x.shape.iter().copied().chain(added))
        } else {
            match x.shape.split_last() {
                Some((&size, rest)) if size == to / from => Dims::new(rest),
                _ => {
                    return Err(invalid!(
                        "input {x} is {} {:?}; its last axis must be the {} elements of one {}",
                        x.ty,
                        x.shape,
                        to / from,
                        y.ty
                    ));
                }
            }
        };
        let output = output.ok_or_else(|| invalid!("input {x} is {:?}: too large as {}", x.shape, y.ty))?;
        Ok(Bitcast { view: View::declare(Some(output), cx, y.ty)?, output })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        self.view.eval(cx, || Ok(self.output))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn run(x: Tensor, to: ElementType) -> Result<Tensor> {
        OpTest::<Bitcast>::new().input(x).output(Spec::of(to)).run().map(|mut y| y.remove(0))
    }

    #[test]
    fn the_same_bytes() {
        let y = run(Tensor::f32(&[2], &[1.0, -0.0]), I32).unwrap();
        assert_eq!((y.shape(), y.as_i32()), (&[2][..], vec![0x3f80_0000, i32::MIN]));
        let y = run(Tensor::u32(&[1, 2], &[0x0403_0201, 5]), U8).unwrap();
        assert_eq!((y.shape(), y.as_u8()), (&[1, 2, 4][..], vec![1, 2, 3, 4, 5, 0, 0, 0]));
        let y = run(Tensor::i16(&[2, 2], &[1, 2, -1, 0]), U32).unwrap();
        assert_eq!((y.shape(), y.as_u32()), (&[2][..], vec![0x0002_0001, 0xffff]));
        let y = run(Tensor::u8(&[8], &[1, 0, 0, 0, 0, 0, 0, 128]), I64).unwrap();
        assert_eq!((y.shape(), y.as_i64()), (&[][..], vec![i64::MIN + 1]));
        assert_eq!(run(Tensor::f32(&[0], &[]), I16).unwrap().shape(), [0, 2]);
        assert_eq!(run(Tensor::i4(&[3], &[1, 2, 3]), I4).unwrap().as_i4(), [1, 2, 3]);
        let view = OpTest::<Bitcast>::new().input(Tensor::f32(&[1], &[1.0])).output(Spec::of(U32));
        assert_eq!(view.in_place().run().unwrap()[0].as_u32(), [0x3f80_0000]);
    }

    #[test]
    fn refusals() {
        for shape in [&[3][..], &[4, 1], &[]] {
            let x = vec![0; shape.iter().product::<i32>() as usize];
            assert_eq!(
                run(Tensor::i16(shape, &x), F32).unwrap_err().message(),
                format!(
                    "input 'in0' is INT16 {shape:?}; its last axis must be the 2 elements of one FLOAT32"
                )
            );
        }
        assert_eq!(
            run(Tensor::f32(&[1; 8], &[0.0]), U8).unwrap_err().message(),
            "input 'in0' is [1, 1, 1, 1, 1, 1, 1, 1]: too large as UINT8"
        );
        for (x, to) in [(Tensor::i4(&[2], &[0; 2]), U8), (Tensor::strings(&[1], &["a"]), I32)] {
            assert_eq!(run(x, to).unwrap_err().status(), Status::Unsupported);
        }
    }
}
