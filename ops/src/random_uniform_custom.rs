//! The custom op `RandomUniform`: numbers uniform in `0..1`; the first input is the shape. f32, f64.
//! Defined by: tflite/kernels/random_uniform_custom.cc, built with GNU libstdc++: see [`minstd`](crate::kit::minstd).

use arenite_abi::prelude::*;

use crate::kit::arguments::expect_type;
use crate::kit::minstd::Engine;
use crate::kit::random;

plain! {
    /// A prepared `RandomUniform` node: the engine, whose state each evaluation advances.
    pub struct RandomUniformCustom(Engine);
}

impl Op for RandomUniformCustom {
    const CODE: OpCode = OpCode::Custom("RandomUniform");
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);
    const STATEFUL: bool = true;

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        node.expect(1..=usize::MAX, 1..=1)?;
        expect_type(&node.output(0)?, &[F32, F64])?;
        random::declare(node, cx, &[I32, I64])?;
        Engine::new(cx).map(RandomUniformCustom)
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let y = random::output(cx)?;
        match y.ty() {
            F32 => {
                let y = y.into_slice::<f32>()?;
                self.0.draw(cx, |engine| y.fill_with(|| engine.unit_f32()))
            }
            _ => {
                let y = y.into_slice::<f64>()?;
                self.0.draw(cx, |engine| y.fill_with(|| engine.unit_f64()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn node(ty: ElementType) -> OpTest<RandomUniformCustom> {
        OpTest::new().output(Spec::of(ty))
    }

    #[test]
    fn shapes_and_values() {
        let y = node(F32).constant(Tensor::i64(&[2], &[2, 1])).run().unwrap().remove(0);
        assert_eq!((y.shape(), y.as_f32()[0]), (&[2, 1][..], 16_806.0 / 2_147_483_648.0));
        // GNU libstdc++'s numbers.
        let y = node(F64).input(Tensor::i32(&[1], &[2])).run().unwrap().remove(0);
        assert_eq!(y.as_f64(), [0.131_537_787_738_760_65, 0.458_650_132_023_219_8]);
    }
}
