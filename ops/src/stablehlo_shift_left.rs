//! STABLEHLO_SHIFT_LEFT: `y = a << b`, where each element of `a` is paired with the element of `b` at the same flat
//! index, whatever the shape of `b`. i8, i16, i32; bits beyond the type are lost. Supports in-place operation.
//!
//! Shifts should be below 32; others are taken modulo 32, like TFLite's scalar code on x86.
//! Defined by: tflite/kernels/stablehlo_shift_left.cc.

use crate::kit::node;
use arenite_abi::prelude::*;

plain! {
    /// A prepared `STABLEHLO_SHIFT_LEFT` node.
    pub struct StablehloShiftLeft;
}

impl Op for StablehloShiftLeft {
    const CODE: OpCode = OpCode::Builtin(op::STABLEHLO_SHIFT_LEFT);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[I8, I16, I32]);
    const OUTPUT_TYPE: OutputType = OutputType::Input(0);
    const SHARING: Sharing = Sharing::InPlace;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (a, b, y) = node.binary()?;
        for x in [&b, &y] {
            node::same_type(&a, x)?;
        }
        ensure!(
            b.len() >= a.len(),
            "{b} {:?} has fewer elements than {a} {:?}, one for each is needed",
            b.shape,
            a.shape
        );
        cx.set_output_shape(0, a.shape)?;
        cx.allow_in_place(0, 0)?;
        if a.shape == b.shape {
            cx.allow_in_place(0, 1)?;
        }
        Ok(StablehloShiftLeft)
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        match cx.node().output(0)?.ty {
            I8 => map(cx, |a: i8, b| i32::from(a).wrapping_shl(b as u32) as i8),
            I16 => map(cx, |a: i16, b| i32::from(a).wrapping_shl(b as u32) as i16),
            I32 => map(cx, |a: i32, b| a.wrapping_shl(b as u32)),
            ty => Err(Error::unsupported("STABLEHLO_SHIFT_LEFT", ty)),
        }
    }
}

fn map<T: Element>(cx: &EvalContext<'_>, shift: impl Fn(T, T) -> T) -> Result<()> {
    let (a, b, y) = (cx.input_cells::<T>(0)?, cx.input_cells::<T>(1)?, cx.output_cells::<T>(0)?);
    for ((a, b), y) in a.iter().zip(b.iter()).zip(y) {
        y.set(shift(a, b));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn run(a: Tensor, b: Tensor) -> Result<Tensor> {
        let y = Spec::of(a.ty());
        OpTest::<StablehloShiftLeft>::new()
            .input(a)
            .input(b)
            .output(y)
            .in_place()
            .run()
            .map(|mut y| y.remove(0))
    }

    #[test]
    fn values() {
        let y = run(Tensor::i8(&[5], &[1, -1, 3, 77, 5]), Tensor::i8(&[5], &[7, 1, 0, 1, 8])).unwrap();
        assert_eq!(y.as_i8(), [-128, -2, 3, -102, 0]);
        let y = run(Tensor::i16(&[2, 1], &[1, -3]), Tensor::i16(&[2, 1], &[15, 2])).unwrap();
        assert_eq!((y.shape(), y.as_i16()), (&[2, 1][..], vec![i16::MIN, -12]));
        let y = run(Tensor::i32(&[4], &[1, 1, 3, 3]), Tensor::i32(&[4], &[31, 32, 33, -1])).unwrap();
        assert_eq!(y.as_i32(), [i32::MIN, 1, 6, i32::MIN]);
    }

    #[test]
    fn elements_are_paired_by_position() {
        let y = run(Tensor::i32(&[3], &[1, 2, 3]), Tensor::i32(&[2, 2], &[1, 2, 3, 4])).unwrap();
        assert_eq!((y.shape(), y.as_i32()), (&[3][..], vec![2, 8, 24]));
    }

    #[test]
    fn refusals() {
        let i = |n: i32| Tensor::i32(&[n], &vec![0; n as usize]);
        assert_eq!(
            run(i(2), i(1)).unwrap_err().message(),
            "'in1' [1] has fewer elements than 'in0' [2], one for each is needed"
        );
        let long = Tensor::i64(&[1], &[0]);
        assert_eq!(run(long.clone(), long).unwrap_err().status(), Status::Unsupported);
    }
}
