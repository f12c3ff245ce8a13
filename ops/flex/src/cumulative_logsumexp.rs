//! CumulativeLogsumexp: running logarithms of sums of exponentials along an axis. Reals.
//! Defined by: tensorflow/core/kernels/scan_ops.cc.

use crate::kit::kernel::Node;
use crate::kit::scan::{Kind, Member, Scan};

/// The op.
pub type CumulativeLogsumexp = Node<Scan<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexCumulativeLogsumexp";
    const KIND: Kind = Kind::LogSumExp;
}

#[cfg(test)]
mod tests {
    use super::CumulativeLogsumexp;
    use crate::kit::testing::*;
    use crate::kit::write::Attribute;
    use arenite_abi::prelude::*;
    use arenite_abi::testing::Tensor;
    use core::f64::consts::LN_2;
    use core::slice::from_ref;

    #[test]
    fn values() {
        gives::<CumulativeLogsumexp>(
            &[],
            &[of(F32, &[2, 2], &[0.0, 0.0, 1.0, -1.0]), axis(-1)],
            of(F32, &[2, 2], &[0.0, LN_2, 1.0, 1.126_928_011_042_972_5]),
        );
        gives::<CumulativeLogsumexp>(
            &[],
            &[of(F32, &[2, 2], &[0.0, 0.0, 1.0, -1.0]), axis(0)],
            of(F32, &[2, 2], &[0.0, 0.0, 1.313_261_687_518_222_8, 0.313_261_687_518_222_86]),
        );
        gives::<CumulativeLogsumexp>(
            &[("exclusive", Attribute::Bool(true))],
            &[of(F32, &[2], &[0.0, 0.0]), axis(0)],
            of(F32, &[2], &[-INF, 0.0]),
        );
        gives::<CumulativeLogsumexp>(
            &[("reverse", Attribute::Bool(true))],
            &[of(F32, &[3], &[0.0, 0.0, 0.0]), axis(0)],
            of(F32, &[3], &[1.098_612_288_668_109_8, LN_2, 0.0]),
        );
        gives::<CumulativeLogsumexp>(
            &[("exclusive", Attribute::Bool(true)), ("reverse", Attribute::Bool(true))],
            &[of(F32, &[3], &[0.0, 0.0, 0.0]), axis(0)],
            of(F32, &[3], &[LN_2, 0.0, -INF]),
        );
    }

    #[test]
    fn of_every_type() {
        for ty in [F16, BF16, F64] {
            gives::<CumulativeLogsumexp>(
                &[],
                &[of(ty, &[3], &[0.0, 0.0, 0.0]), axis(0)],
                of(ty, &[3], &[0.0, LN_2, 1.098_612_288_668_109_8]),
            );
        }
    }

    #[test]
    fn edges() {
        gives::<CumulativeLogsumexp>(
            &[],
            &[of(F32, &[2], &[-INF, -INF]), axis(0)],
            of(F32, &[2], &[-INF, -INF]),
        );
        gives::<CumulativeLogsumexp>(
            &[],
            &[of(F32, &[2], &[1000.0, 1000.0]), axis(0)],
            of(F32, &[2], &[1000.0, 1_000.693_147_180_559_9]),
        );
        gives::<CumulativeLogsumexp>(&[], &[of(F32, &[0], &[]), axis(0)], of(F32, &[0], &[]));
    }

    #[test]
    fn refusals() {
        let x = of(F32, &[2], &[1.0, 2.0]);
        denies::<CumulativeLogsumexp>(
            &[x.clone(), axis(1)],
            F32,
            "axis 1 does not exist in a tensor of rank 1",
        );
        denies::<CumulativeLogsumexp>(
            &[x.clone(), axis(-2)],
            F32,
            "axis -2 does not exist in a tensor of rank 1",
        );
        denies::<CumulativeLogsumexp>(
            &[of(F32, &[], &[1.0]), axis(0)],
            F32,
            "axis 0 does not exist in a tensor of rank 0",
        );
        denies::<CumulativeLogsumexp>(&[x.clone(), axes(&[0])], F32, "'in1' is [1]; a scalar is needed");
        denies::<CumulativeLogsumexp>(
            &[x.clone(), of(F32, &[], &[0.0])],
            F32,
            "'in1' is FLOAT32; integers are needed",
        );
        denies::<CumulativeLogsumexp>(from_ref(&x), F32, "it has 1 inputs, this op takes 2 to 2");
        denies::<CumulativeLogsumexp>(
            &[Tensor::bool(&[1], &[true]), axis(0)],
            ElementType::Bool,
            "input 'in0' is BOOL, which this op does not serve",
        );
        denies::<CumulativeLogsumexp>(
            &[axes(&[1]), axis(0)],
            I32,
            "input 'in0' is INT32, which this op does not serve",
        );
        denies::<CumulativeLogsumexp>(
            &[complex_of(C64, &[1], &[(1.0, 0.0)]), axis(0)],
            C64,
            "input 'in0' is COMPLEX64, which this op does not serve",
        );
        denies::<CumulativeLogsumexp>(
            &[x.clone(), axis(0)],
            I32,
            "input 'in0' is FLOAT32, output is INT32; they must agree",
        );
    }
}
