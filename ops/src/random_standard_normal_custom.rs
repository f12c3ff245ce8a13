//! The custom op `RandomStandardNormal`: normally distributed numbers with mean 0 and variance 1; the input is the
//! shape. f32, f64.
//! Defined by: tflite/kernels/random_standard_normal_custom.cc, built with GNU libstdc++: see
//! [`minstd`](crate::kit::minstd).

use arenite_abi::prelude::*;

use crate::kit::arguments::expect_type;
use crate::kit::minstd::Engine;
use crate::kit::random;

plain! {
    /// A prepared `RandomStandardNormal` node: the engine, whose state each evaluation advances.
    pub struct RandomStandardNormalCustom(Engine);
}

impl Op for RandomStandardNormalCustom {
    const CODE: OpCode = OpCode::Custom("RandomStandardNormal");
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);
    const STATEFUL: bool = true;

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (_, y) = node.unary()?;
        expect_type(&y, &[F32, F64])?;
        random::declare(node, cx, &[I32])?;
        Engine::new(cx).map(RandomStandardNormalCustom)
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let y = random::output(cx)?;
        match y.ty() {
            F32 => {
                let y = y.into_slice()?;
                self.0.draw(cx, |engine| engine.fill_normal_f32(y))
            }
            _ => {
                let y = y.into_slice()?;
                self.0.draw(cx, |engine| engine.fill_normal_f64(y))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn node(ty: ElementType) -> OpTest<RandomStandardNormalCustom> {
        OpTest::new().output(Spec::of(ty))
    }

    #[test]
    fn values() {
        // GNU libstdc++'s numbers.
        let y = node(F32).constant(Tensor::i32(&[1], &[3])).run().unwrap()[0].as_f32();
        let want = [-0.259_093_2, 1.601_592, -1.498_961_2];
        assert!(y.iter().zip(want).all(|(y, want)| (y - want).abs() < 1e-6), "{y:?}");
        let y = node(F64).input(Tensor::i32(&[1], &[3])).run().unwrap()[0].as_f64();
        let want = [-0.121_965_784_141_596_91, -1.086_818_044_261_357_3, 0.684_289_943_796_554_8];
        assert!(y.iter().zip(want).all(|(y, want)| (y - want).abs() < 1e-15), "{y:?}");
    }
}
