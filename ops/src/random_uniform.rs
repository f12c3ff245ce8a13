//! RANDOM_UNIFORM: numbers uniform in `0..1`, with 23 random bits each; the input is the shape. f32.
//! Defined by: tflite/kernels/random_ops.cc.

use arenite_abi::prelude::*;

use crate::kit::arguments::expect_type;
use crate::kit::random::{self, Generator, unit_f32};

plain! {
    /// A prepared `RANDOM_UNIFORM` node: the generator, whose position each evaluation advances.
    pub struct RandomUniform(Generator);
}

impl Op for RandomUniform {
    const CODE: OpCode = OpCode::Builtin(op::RANDOM_UNIFORM);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I32]);
    const STATEFUL: bool = true;

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (_, y) = node.unary()?;
        expect_type(&y, &[F32])?;
        random::declare(node, cx, &[I32])?;
        Generator::read(node, cx).map(RandomUniform)
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        self.0.fill(cx, random::output(cx)?.into_slice()?, |block| block.map(unit_f32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::random::Sequence;
    use arenite_abi::schema::RandomOptions;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn node(seeds: [i64; 2]) -> OpTest<RandomUniform> {
        let options = move |o: arenite_abi::testing::OptionsBuilder<RandomOptions>| {
            o.set(RandomOptions::SEED, seeds[0]).set(RandomOptions::SEED2, seeds[1])
        };
        OpTest::new().options(options).output(Spec::f32())
    }

    #[test]
    fn seeds_decide() {
        let shape = || Tensor::i32(&[2], &[2, 3]);
        let known = node([1, 2]).constant(shape()).run().unwrap().remove(0);
        assert_eq!(known.shape(), [2, 3]);
        let sequence = Sequence::new([1, 2]);
        let want: Vec<f32> = (0..2).flat_map(|n| sequence.block(n).map(unit_f32)).take(6).collect();
        assert_eq!(known.as_f32(), want);
        let late = node([1, 2]).input(shape()).run().unwrap().remove(0);
        assert_eq!((late.shape(), late.as_f32()), (&[2, 3][..], want));
        let other = || node([0, 0]).constant(shape()).run().unwrap().remove(0).as_f32();
        assert_ne!(other(), other());
    }
}
