//! FLOOR_MOD: `y = a - floor(a / b) b`, the remainder with the sign of the divisor, with broadcasting. f32, i8, i16,
//! i32, i64. Supports in-place operation.
//!
//! A zero divisor is an error with integers, and gives NaN with f32.
//! Defined by: tflite/kernels/floor_mod.cc and reference/floor_mod.h.

use arenite_abi::prelude::*;

use crate::kit::binary;
use crate::kit::broadcast::Broadcast;
use crate::kit::float::fmod;

plain! {
    /// A prepared `FLOOR_MOD` node.
    pub struct FloorMod {
        broadcast: Broadcast<2>,
    }
}

impl Op for FloorMod {
    const CODE: OpCode = OpCode::Builtin(op::FLOOR_MOD);
    const VERSIONS: RangeInclusive<i32> = 1..=2;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I8, I16, I32, I64]);
    const OUTPUT_TYPE: OutputType = OutputType::Input(0);
    const SHARING: Sharing = Sharing::InPlace;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let operands = binary::prepare(node, cx)?;
        binary::same_type(&operands)?;
        if !Self::TYPES.contains(operands.a.ty) {
            return Err(Error::unsupported("FLOOR_MOD", operands.a.ty));
        }
        Ok(FloorMod { broadcast: operands.broadcast()? })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        macro_rules! integers {
            ($ty:ty) => {{
                binary::nonzero::<$ty>(cx, 0)?;
                binary::map(cx, &self.broadcast, |a: $ty, b: $ty| {
                    let rest = a.wrapping_rem(b);
                    if rest != 0 && (b < 0) != (rest < 0) { rest.wrapping_add(b) } else { rest }
                })
            }};
        }
        match cx.node().output(0)?.ty {
            I8 => integers!(i8),
            I16 => integers!(i16),
            I32 => integers!(i32),
            I64 => integers!(i64),
            _ => binary::map(cx, &self.broadcast, |a: f32, b: f32| {
                let rest = fmod(a, b);
                if rest != 0.0 && (b < 0.0) != (rest < 0.0) { rest + b } else { rest }
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn run(a: Tensor, b: Tensor) -> Result<Tensor> {
        let y = Spec::of(a.ty());
        OpTest::<FloorMod>::new().input(a).input(b).output(y).in_place().run().map(|mut y| y.remove(0))
    }

    #[test]
    fn the_remainder_has_the_sign_of_the_divisor() {
        let y =
            run(Tensor::i8(&[2, 4], &[7, -7, 6, -6, 7, -7, 6, -6]), Tensor::i8(&[2, 1], &[3, -3])).unwrap();
        assert_eq!(y.as_i8(), [1, 2, 0, 0, -2, -1, 0, 0]);
        let y = run(Tensor::i16(&[2], &[i16::MIN; 2]), Tensor::i16(&[2], &[-1, i16::MAX])).unwrap();
        assert_eq!(y.as_i16(), [0, 32766]);
        let y =
            run(Tensor::i32(&[3], &[i32::MIN, 5, -5]), Tensor::i32(&[3], &[-1, i32::MAX, i32::MAX])).unwrap();
        assert_eq!(y.as_i32(), [0, 5, i32::MAX - 5]);
        let y = run(Tensor::i64(&[2], &[i64::MIN, 1 << 40]), Tensor::i64(&[2], &[-1, -3])).unwrap();
        assert_eq!(y.as_i64(), [0, -2]);
        let y = run(Tensor::f32(&[4], &[5.5, -5.5, 5.5, -5.5]), Tensor::f32(&[4], &[2.0, 2.0, -2.0, -2.0]));
        assert_eq!(y.unwrap().as_f32(), [1.5, 0.5, -0.5, -1.5]);
    }

    #[test]
    fn floats_at_the_edge() {
        let inf = f32::INFINITY;
        let a = Tensor::f32(&[6], &[1.0, -1.0, -0.0, 5.0, inf, f32::NAN]);
        let y = run(a, Tensor::f32(&[6], &[inf, inf, 3.0, 0.0, 2.0, 1.0])).unwrap().as_f32();
        assert_eq!(y[..3], [1.0, inf, 0.0]);
        assert!(y[2].is_sign_negative() && y[3..].iter().all(|y| y.is_nan()));
    }

    #[test]
    fn refusals() {
        let message = |a, b| run(a, b).unwrap_err().message().to_owned();
        let i = |list: &[i64]| Tensor::i64(&[list.len() as i32], list);
        assert_eq!(message(i(&[1]), i(&[0])), "element 0 of 'in1' is a zero divisor");
        assert_eq!(
            message(i(&[1, 2]), i(&[1, 2, 3])),
            "inputs 'in0' [2] and 'in1' [3] do not broadcast; sizes must be equal or 1"
        );
        let u = Tensor::u8(&[1], &[1]);
        assert_eq!(run(u.clone(), u).unwrap_err().status(), Status::Unsupported);
    }
}
