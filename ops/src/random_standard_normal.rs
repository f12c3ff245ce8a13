//! RANDOM_STANDARD_NORMAL: normally distributed numbers with mean 0 and variance 1; the input is the shape. f32.
//! Defined by: tflite/kernels/random_ops.cc; `BoxMullerFloat` of TensorFlow.
//!
//! ```text
//! pair of numbers (u, v) in 0..1:   r = √(−2 ln u)   y = r × sin 2πv, r × cos 2πv
//! ```

use arenite_abi::prelude::*;

use crate::kit::arguments::expect_type;
use crate::kit::float;
use crate::kit::random::{self, BLOCK, Generator, unit_f32};

plain! {
    /// A prepared `RANDOM_STANDARD_NORMAL` node: the generator, whose position each evaluation advances.
    pub struct RandomStandardNormal(Generator);
}

impl Op for RandomStandardNormal {
    const CODE: OpCode = OpCode::Builtin(op::RANDOM_STANDARD_NORMAL);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I32]);
    const STATEFUL: bool = true;

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (_, y) = node.unary()?;
        expect_type(&y, &[F32])?;
        random::declare(node, cx, &[I32])?;
        Generator::read(node, cx).map(RandomStandardNormal)
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        self.0.fill(cx, random::output(cx)?.into_slice()?, normal)
    }
}

fn normal([a, b, c, d]: [u32; BLOCK]) -> [f32; BLOCK] {
    let ([w, x], [y, z]) = (pair(a, b), pair(c, d));
    [w, x, y, z]
}

/// Box and Muller's transform. The logarithm is finite, because `u` is clamped to at least 10⁻⁷.
fn pair(u: u32, v: u32) -> [f32; 2] {
    let angle = (core::f64::consts::TAU * f64::from(unit_f32(v))) as f32;
    let radius = float::sqrt(-2.0 * float::log(unit_f32(u).max(1e-7)));
    [float::sin(angle) * radius, float::cos(angle) * radius]
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::schema::RandomOptions;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn node(shape: Tensor) -> OpTest<RandomStandardNormal> {
        let test = OpTest::new().options(|o| o.set(RandomOptions::SEED, 3).set(RandomOptions::SEED2, 4));
        test.constant(shape).output(Spec::f32())
    }

    #[test]
    fn pairs() {
        // u = 1/2, v = 1/4: √(2 ln 2), straight up.
        let [s, c] = pair(1 << 22, 1 << 21);
        assert!((s - 1.177_41).abs() < 1e-5 && c.abs() < 1e-6, "{s} {c}");
        assert!(pair(0, 0)[1] < 5.7);
    }

    #[test]
    fn moments() {
        let y = node(Tensor::i32(&[1], &[10_001])).run().unwrap()[0].as_f32();
        let mean = y.iter().sum::<f32>() / 1e4;
        let variance = y.iter().map(|y| y * y).sum::<f32>() / 1e4;
        assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.05, "{mean} {variance}");
    }
}
