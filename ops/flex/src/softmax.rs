//! Softmax: `e^x / Σ e^x` along the last axis. Reals.
//! Defined by: tensorflow/core/kernels/softmax_op.cc.

use crate::kit::kernel::Node;
use crate::kit::rows::{Member, Rows, log_softmax};

/// The `FlexSoftmax` op.
pub type Softmax = Node<Rows<Definition>>;

/// Shape function and kernel of `FlexSoftmax`.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexSoftmax";

    fn change(row: &mut [f64]) {
        log_softmax(row);
        row.iter_mut().for_each(|x| *x = libm::exp(*x));
    }
}

#[cfg(test)]
mod tests {
    use super::Softmax;
    use crate::kit::testing::*;
    use arenite_abi::prelude::*;

    #[test]
    fn values() {
        gives::<Softmax>(
            &[],
            &[of(F32, &[2, 3], &[1.0, 2.0, 3.0, 0.0, 0.0, 0.0])],
            of(
                F32,
                &[2, 3],
                &[
                    0.090_030_573_170_380_46,
                    0.244_728_471_054_797_67,
                    0.665_240_955_774_821_9,
                    0.333_333_333_333_333_3,
                    0.333_333_333_333_333_3,
                    0.333_333_333_333_333_3,
                ],
            ),
        );
        for ty in [F16, BF16, F64] {
            gives::<Softmax>(
                &[],
                &[of(ty, &[2], &[1.0, 2.0])],
                of(ty, &[2], &[0.268_941_421_369_995_1, 0.731_058_578_630_004_9]),
            );
        }
    }

    #[test]
    fn edges() {
        gives::<Softmax>(&[], &[of(F32, &[3], &[1000.0, 1000.0, -1000.0])], of(F32, &[3], &[0.5, 0.5, 0.0]));
        gives::<Softmax>(&[], &[of(F32, &[2], &[-INF, 1.0])], of(F32, &[2], &[0.0, 1.0]));
        gives::<Softmax>(&[], &[of(F32, &[2], &[-INF, -INF])], of(F32, &[2], &[NAN, NAN]));
        gives::<Softmax>(&[], &[of(F32, &[1], &[7.0])], of(F32, &[1], &[1.0]));
        gives::<Softmax>(&[], &[of(F32, &[0, 3], &[])], of(F32, &[0, 3], &[]));
        gives::<Softmax>(&[], &[of(F32, &[2, 0], &[])], of(F32, &[2, 0], &[]));
    }

    #[test]
    fn refusals() {
        denies::<Softmax>(&[of(F32, &[], &[1.0])], F32, "'in0' is a scalar; rows are needed");
        denies::<Softmax>(
            &[of(F32, &[1], &[1.0])],
            F64,
            "input 'in0' is FLOAT32, output 'out0' is FLOAT64; they must agree",
        );
    }
}
