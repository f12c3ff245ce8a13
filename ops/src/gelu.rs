//! GELU: `y = x × Φ(x)`, computed with erfc, or approximated with tanh. f32, f16; i8, u8, i16 quantized. Supports
//! in-place operation.
//! Defined by: tflite/kernels/activations.cc and reference/gelu.h.

use arenite_abi::prelude::*;
use arenite_abi::schema::GeluOptions;
use half::f16;

use crate::kit::float;
use crate::kit::table::FunctionTable;
use crate::kit::unary;

plain! {
    /// A prepared `GELU` node.
    pub struct Gelu {
        is_approximate: bool,
        table: Maybe<FunctionTable>,
    }
}

impl Op for Gelu {
    const CODE: OpCode = OpCode::Builtin(op::GELU);
    const VERSIONS: RangeInclusive<i32> = 1..=3;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, F16, I8, U8, I16]);
    const SHARING: Sharing = Sharing::InPlace;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let is_approximate = node.options()?.get(GeluOptions::APPROXIMATE)?;
        let (x, y) = unary::prepare(node, cx)?;
        let table = match x.ty {
            F32 | F16 => None,
            _ => Some(FunctionTable::prepare(&x, &y, cx, formula(is_approximate))?),
        };
        Ok(Gelu { is_approximate, table: table.into() })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let formula = formula(self.is_approximate);
        match (self.table.as_ref(), cx.node().output(0)?.ty) {
            (Some(table), _) => table.eval(cx),
            (None, F16) => unary::map(cx, |x: f16| f16::from_f32(formula(x.to_f32()))),
            (None, _) => unary::map(cx, formula),
        }
    }
}

fn formula(is_approximate: bool) -> fn(f32) -> f32 {
    if is_approximate { float::gelu_approximate } else { float::gelu }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::schema::{OptionsTable, SignOptions};
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn case(x: Tensor, y: Spec) -> OpTest<Gelu> {
        OpTest::new().input(x).output(y)
    }

    #[test]
    fn floats() {
        // x Φ(x) at -1, 0, 1, 3.
        let exact = [-0.158_655_25, 0.0, 0.841_344_7, 2.995_95];
        let approximate = [-0.158_808, 0.0, 0.841_192, 2.996_363];
        let x = Tensor::f32(&[4], &[-1.0, 0.0, 1.0, 3.0]);
        for (flag, want) in [(false, exact), (true, approximate)] {
            let test = case(x.clone(), Spec::f32()).options(|o| o.set(GeluOptions::APPROXIMATE, flag));
            for (y, want) in test.in_place().run().unwrap()[0].as_f32().iter().zip(want) {
                assert!((y - want).abs() <= 2e-6, "{y}, not {want}");
            }
        }
        let y = case(Tensor::f16(&[1], &[f16::ONE]), Spec::of(F16)).run().unwrap();
        assert_eq!(y[0].as_f16(), [f16::from_f32(0.841_344_7)]);
    }

    #[test]
    fn quantized() {
        // 0.8413 / 0.125 = 6.73; -0.1587 / 0.125 = -1.27.
        let x = Tensor::i8(&[3], &[-16, 0, 16]).quantized(0.0625, 0);
        assert_eq!(case(x, Spec::i8(0.125, 2)).in_place().run().unwrap()[0].as_i8(), [1, 2, 9]);
        let x = Tensor::u8(&[2], &[128, 144]).quantized(0.0625, 128);
        assert_eq!(case(x, Spec::u8(0.125, 128)).run().unwrap()[0].as_u8(), [128, 135]);
        let x = Tensor::i16(&[2], &[0, 8192]).quantized(1.0 / 8192.0, 0);
        let y = case(x, Spec::i16(1.0 / 8192.0, 0)).run().unwrap()[0].as_i16();
        assert!(y[0].abs() <= 1 && (y[1] - 6892).abs() <= 1, "{y:?}");
    }

    #[test]
    fn refusals() {
        let x = Tensor::i8(&[1], &[0]).quantized(1.0, 0);
        assert_eq!(
            case(x, Spec::i8(-1.0, 0)).run().unwrap_err().message(),
            "'out0' has scale -1; it must be above zero"
        );
        let x = Tensor::f32(&[1], &[0.0]);
        let error = case(x, Spec::f32()).options_table(SignOptions::INFO.tag, &[], 0).run().unwrap_err();
        assert_eq!(
            error.message(),
            "its options have union type 123, but this op expects GeluOptions, type 116"
        );
    }
}
