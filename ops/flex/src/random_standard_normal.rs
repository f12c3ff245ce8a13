//! RandomStandardNormal: normally distributed random numbers. F16, BF16, F32, F64. Input: shape. With given seeds the
//! numbers equal TensorFlow's.
//! Defined by: tensorflow/core/kernels/random_op.cc.

use crate::kit::drawn::{Drawn, Member};
use crate::kit::kernel::Node;
use crate::kit::random::Distribution;

/// The `FlexRandomStandardNormal` op.
pub type RandomStandardNormal = Node<Drawn<Definition>>;

/// Shape function and kernel of `FlexRandomStandardNormal`.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexRandomStandardNormal";
    const DISTRIBUTION: Distribution = Distribution::Normal;
}

#[cfg(test)]
mod tests {
    use super::RandomStandardNormal;
    use crate::kit::testing::cases::*;
    use crate::kit::testing::node;

    #[test]
    fn values() {
        // TensorFlow's numbers for these seeds.
        let seeds = [("seed", Int(42)), ("seed2", Int(7))];
        for (ty, want) in [
            (F32, [-0.452_741_56, -0.300_407_53, -0.078_828_62, 0.113_067_49, 0.539_332_4]),
            (
                F64,
                [
                    -0.207_642_511_016_618_57,
                    0.403_547_186_043_480_67,
                    -0.378_058_090_732_696_25,
                    0.369_959_212_176_459_1,
                    -0.507_466_282_232_308_6,
                ],
            ),
            (F16, [-0.452_636_72, -0.300_292_97, -0.078_857_42, 0.113_037_11, 0.539_550_8]),
            (BF16, [-0.453_125, -0.300_781_25, -0.078_613_28, 0.113_281_25, 0.539_062_5]),
        ] {
            gives::<RandomStandardNormal>(&seeds, &[list(&[5])], &[of(ty, &[5], &want)]);
            gives::<RandomStandardNormal>(
                &seeds,
                &[Tensor::i64(&[2], &[1, 3])],
                &[of(ty, &[1, 3], &want[..3])],
            );
        }
        gives::<RandomStandardNormal>(&seeds, &[list(&[2, 0])], &[of(F32, &[2, 0], &[])]);
        gives::<RandomStandardNormal>(&seeds, &[list(&[])], &[of(F32, &[], &[-0.452_741_56])]);
        // The next invocation continues the sequence.
        let steps = node::<RandomStandardNormal>(&seeds, &[list(&[5])], &[F32]);
        let outputs = steps.run_steps(&[&[list(&[5])], &[list(&[5])]]).unwrap();
        assert_ne!(outputs[0], outputs[1]);
        // Without seeds, each node draws its own numbers.
        let own = || node::<RandomStandardNormal>(&[], &[list(&[5])], &[F32]).run().unwrap();
        assert_ne!(own(), own());
    }

    #[test]
    fn refusals() {
        let refused = |shape: Tensor, ty: ElementType, message: &str| {
            refuses::<RandomStandardNormal>(&[("seed", Int(1))], &[shape], &[ty], message);
        };
        let message =
            "[-1] is not a valid shape; sizes must not be negative, and at most 8 axes are supported";
        refused(list(&[-1]), F32, message);
        refused(int(1), F32, "'in0' is []; it must have 1 axes");
        refused(Tensor::i32(&[1, 1], &[1]), F32, "'in0' is [1, 1]; it must have 1 axes");
        refused(list(&[1]), I32, "INT32 is not an element type of this op");
    }
}
