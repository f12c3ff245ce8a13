//! SIGN: `y` is -1, 0 or 1 if `x` is negative, zero or positive; NaN stays NaN. f32, f64, i32. Supports in-place
//! operation.
//! Defined by: tflite/kernels/sign.cc.

use arenite_abi::prelude::*;

use crate::kit::unary;

plain! {
    /// A prepared `SIGN` node.
    pub struct Sign;
}

impl Op for Sign {
    const CODE: OpCode = OpCode::Builtin(op::SIGN);
    const VERSIONS: RangeInclusive<i32> = 1..=2;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, F64, I32]);
    const SHARING: Sharing = Sharing::InPlace;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, _) = unary::prepare(node, cx)?;
        match x.ty {
            F32 | F64 | I32 => Ok(Sign),
            ty => Err(Error::unsupported("SIGN", ty)),
        }
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        match cx.node().output(0)?.ty {
            F32 => unary::map(cx, |x: f32| if x == 0.0 || x.is_nan() { x + 0.0 } else { x.signum() }),
            F64 => unary::map(cx, |x: f64| if x == 0.0 || x.is_nan() { x + 0.0 } else { x.signum() }),
            _ => unary::map(cx, i32::signum),
        }
    }
}

/// Cases that the custom op of the same name must pass too.
#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    pub(crate) fn expect_floats<O: Op>() {
        let run = |x: Tensor| {
            let y = Spec::of(x.ty());
            OpTest::<O>::new().input(x).output(y).in_place().run().unwrap().remove(0)
        };
        let y = run(Tensor::f32(&[5], &[-0.25, 0.0, -0.0, f32::INFINITY, f32::NAN])).as_f32();
        assert_eq!(y[..4].iter().map(|y| y.to_bits()).collect::<Vec<_>>(), [0xbf80_0000, 0, 0, 0x3f80_0000]);
        assert!(y[4].is_nan());
        let y = run(Tensor::f64(&[4], &[-1e-300, -0.0, 7.0, f64::NAN])).as_f64();
        assert_eq!(
            y[..3].iter().map(|y| y.to_bits()).collect::<Vec<_>>(),
            [(-1f64).to_bits(), 0, 1f64.to_bits()]
        );
        assert!(y[3].is_nan());
    }

    #[test]
    fn values() {
        expect_floats::<Sign>();
        let test = OpTest::<Sign>::new().input(Tensor::i32(&[3], &[i32::MIN, 0, 9])).output(Spec::i32());
        assert_eq!(test.in_place().run().unwrap()[0].as_i32(), [-1, 0, 1]);
    }
}
