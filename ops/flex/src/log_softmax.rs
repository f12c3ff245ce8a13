//! LogSoftmax: the logarithm of the softmax along the last axis. Reals.
//! Defined by: tensorflow/core/kernels/softmax_op.cc.

use crate::kit::kernel::Node;
use crate::kit::rows::{Member, Rows, log_softmax};

/// The `FlexLogSoftmax` op.
pub type LogSoftmax = Node<Rows<Definition>>;

/// Shape function and kernel of `FlexLogSoftmax`.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexLogSoftmax";

    fn change(row: &mut [f64]) {
        log_softmax(row);
    }
}

#[cfg(test)]
mod tests {
    use super::LogSoftmax;
    use crate::kit::testing::*;
    use arenite_abi::prelude::*;
    use core::f64::consts::LN_2;

    #[test]
    fn values() {
        gives::<LogSoftmax>(
            &[],
            &[of(F32, &[2, 3], &[1.0, 2.0, 3.0, 0.0, 0.0, 0.0])],
            of(
                F32,
                &[2, 3],
                &[
                    -2.407_605_964_444_38,
                    -1.407_605_964_444_380_1,
                    -0.407_605_964_444_380_13,
                    -1.098_612_288_668_109_8,
                    -1.098_612_288_668_109_8,
                    -1.098_612_288_668_109_8,
                ],
            ),
        );
        for ty in [F16, BF16, F64] {
            gives::<LogSoftmax>(
                &[],
                &[of(ty, &[2], &[1.0, 2.0])],
                of(ty, &[2], &[-1.313_261_687_518_222_6, -0.313_261_687_518_222_6]),
            );
        }
    }

    #[test]
    fn edges() {
        gives::<LogSoftmax>(
            &[],
            &[of(F32, &[3], &[1000.0, 1000.0, -1000.0])],
            of(F32, &[3], &[-LN_2, -LN_2, -2_000.693_147_180_56]),
        );
        gives::<LogSoftmax>(&[], &[of(F32, &[2], &[-INF, 1.0])], of(F32, &[2], &[-INF, 0.0]));
        gives::<LogSoftmax>(&[], &[of(F32, &[3], &[1.0, NAN, 2.0])], of(F32, &[3], &[NAN, NAN, NAN]));
        gives::<LogSoftmax>(&[], &[of(F32, &[1], &[7.0])], of(F32, &[1], &[0.0]));
        gives::<LogSoftmax>(&[], &[of(F32, &[0, 3], &[])], of(F32, &[0, 3], &[]));
        gives::<LogSoftmax>(&[], &[of(F32, &[2, 0], &[])], of(F32, &[2, 0], &[]));
    }

    #[test]
    fn refusals() {
        denies::<LogSoftmax>(&[of(F32, &[], &[1.0])], F32, "'in0' is a scalar; rows are needed");
        denies::<LogSoftmax>(
            &[of(F32, &[1], &[1.0])],
            F64,
            "input 'in0' is FLOAT32, output 'out0' is FLOAT64; they must agree",
        );
    }
}
