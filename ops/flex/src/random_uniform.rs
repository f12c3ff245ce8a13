//! RandomUniform: random numbers, uniform in `0..1`. F16, BF16, F32, F64. Input: shape. With given seeds the numbers
//! equal TensorFlow's.
//! Defined by: tensorflow/core/kernels/random_op.cc.

use crate::kit::drawn::{Drawn, Member};
use crate::kit::kernel::Node;
use crate::kit::random::Distribution;

/// The `FlexRandomUniform` op.
pub type RandomUniform = Node<Drawn<Definition>>;

/// Shape function and kernel of `FlexRandomUniform`.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexRandomUniform";
    const DISTRIBUTION: Distribution = Distribution::Uniform;
}

#[cfg(test)]
mod tests {
    use super::RandomUniform;
    use crate::kit::testing::cases::*;
    use crate::kit::testing::node;

    #[test]
    fn values() {
        // TensorFlow's numbers for these seeds.
        let seeds = [("seed", Int(42)), ("seed2", Int(7))];
        for (ty, want) in [
            (F32, [0.862_767_7, 0.656_762_6, 0.990_545_9, 0.903_101_3, 0.733_680_7]),
            (
                F64,
                [
                    0.902_142_425_359_715_9,
                    0.924_367_269_320_602_2,
                    0.869_446_158_632_944_5,
                    0.873_276_876_501_689_8,
                    0.811_629_235_754_185_2,
                ],
            ),
            (F16, [0.792_968_75, 0.199_218_75, 0.551_757_8, 0.206_054_69, 0.312_5]),
            (BF16, [0.343_75, 0.593_75, 0.414_062_5, 0.648_437_5, 0.5]),
        ] {
            gives::<RandomUniform>(&seeds, &[list(&[5])], &[of(ty, &[5], &want)]);
            gives::<RandomUniform>(&seeds, &[Tensor::i64(&[2], &[1, 3])], &[of(ty, &[1, 3], &want[..3])]);
        }
        gives::<RandomUniform>(&seeds, &[list(&[2, 0])], &[of(F32, &[2, 0], &[])]);
        gives::<RandomUniform>(&seeds, &[list(&[])], &[of(F32, &[], &[0.862_767_7])]);
        // The next invocation continues the sequence.
        let steps = node::<RandomUniform>(&seeds, &[list(&[5])], &[F32]);
        let outputs = steps.run_steps(&[&[list(&[5])], &[list(&[5])]]).unwrap();
        assert_ne!(outputs[0], outputs[1]);
        // Without seeds, each node draws its own numbers.
        let own = || node::<RandomUniform>(&[], &[list(&[5])], &[F32]).run().unwrap();
        assert_ne!(own(), own());
    }

    #[test]
    fn refusals() {
        let refused = |shape: Tensor, ty: ElementType, message: &str| {
            refuses::<RandomUniform>(&[("seed", Int(1))], &[shape], &[ty], message);
        };
        let message =
            "[-1] is not a valid shape; sizes must not be negative, and at most 8 axes are supported";
        refused(list(&[-1]), F32, message);
        refused(int(1), F32, "'in0' is []; it must have 1 axes");
        refused(Tensor::i32(&[1, 1], &[1]), F32, "'in0' is [1, 1]; it must have 1 axes");
        refused(list(&[1]), I32, "INT32 is not an element type of this op");
    }
}
