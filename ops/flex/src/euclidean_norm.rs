//! EuclideanNorm: the root of the sum of squares, along axes. Reals, integers, complex numbers.
//! Defined by: tensorflow/core/kernels/reduction_ops_euclidean.cc.

use crate::kit::kernel::Node;
use crate::kit::reduce::{Kind, Member, Reduce};

/// The op.
pub type EuclideanNorm = Node<Reduce<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexEuclideanNorm";
    const KIND: Kind = Kind::Norm;
}

#[cfg(test)]
mod tests {
    use super::EuclideanNorm;
    use crate::kit::testing::*;
    use crate::kit::write::Attribute;
    use arenite_abi::prelude::*;
    use arenite_abi::testing::Tensor;
    use core::slice::from_ref;

    #[test]
    fn along_axes() {
        let x = of(F32, &[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.5]);
        let keep_dims = [("keep_dims", Attribute::Bool(true))];
        gives::<EuclideanNorm>(
            &[],
            &[x.clone(), axes(&[-1])],
            of(F32, &[2], &[3.741_657_386_773_941_3, 9.124_143_795_447_33]),
        );
        gives::<EuclideanNorm>(
            &[],
            &[x.clone(), axes(&[0])],
            of(F32, &[3], &[4.123_105_625_617_661, 5.385_164_807_134_504, 7.158_910_531_638_177]),
        );
        gives::<EuclideanNorm>(&[], &[x.clone(), axes(&[1, 0])], of(F32, &[], &[9.861_541_461_658_01]));
        gives::<EuclideanNorm>(&[], &[x.clone(), axes(&[])], x.clone());
        gives::<EuclideanNorm>(
            &[],
            &[x.clone(), Tensor::i64(&[], &[-1])],
            of(F32, &[2], &[3.741_657_386_773_941_3, 9.124_143_795_447_33]),
        );
        gives::<EuclideanNorm>(
            &keep_dims,
            &[x.clone(), axes(&[1])],
            of(F32, &[2, 1], &[3.741_657_386_773_941_3, 9.124_143_795_447_33]),
        );
        gives::<EuclideanNorm>(
            &keep_dims,
            &[x.clone(), axes(&[0, 1])],
            of(F32, &[1, 1], &[9.861_541_461_658_01]),
        );
        gives::<EuclideanNorm>(&[], &[of(F32, &[2, 0], &[]), axes(&[0])], of(F32, &[0], &[]));
    }

    #[test]
    fn of_every_type() {
        for ty in [F16, BF16, F64, I8, I16, I32, I64, U8, U16, U32, U64] {
            gives::<EuclideanNorm>(&[], &[of(ty, &[3], &[1.0, 2.0, 2.0]), axes(&[0])], of(ty, &[], &[3.0]));
        }
        gives::<EuclideanNorm>(&[], &[axes(&[2, 2]), axes(&[0])], axis(2));
        gives::<EuclideanNorm>(&[], &[Tensor::u8(&[2], &[16, 3]), axes(&[0])], Tensor::u8(&[], &[3]));
        gives::<EuclideanNorm>(
            &[],
            &[complex_of(C64, &[2], &[(0.0, 3.0), (4.0, 0.0)]), axes(&[0])],
            complex_of(C64, &[], &[(5.0, 0.0)]),
        );
    }

    #[test]
    fn edges() {
        gives::<EuclideanNorm>(&[], &[of(F32, &[3], &[1.0, NAN, 2.0]), axes(&[0])], of(F32, &[], &[NAN]));
        gives::<EuclideanNorm>(&[], &[of(F32, &[2], &[-INF, 1.0]), axes(&[0])], of(F32, &[], &[INF]));
        gives::<EuclideanNorm>(&[], &[of(F32, &[0, 2], &[]), axes(&[0])], of(F32, &[2], &[0.0, 0.0]));
    }

    #[test]
    fn refusals() {
        let x = of(F32, &[2, 3], &[1.0, 0.0, 1.0, 1.0, 0.0, 1.0]);
        denies::<EuclideanNorm>(&[x.clone(), axes(&[2])], F32, "axes [2] do not exist in [2, 3]");
        denies::<EuclideanNorm>(&[x.clone(), axes(&[0, -3])], F32, "axes [0, -3] do not exist in [2, 3]");
        denies::<EuclideanNorm>(
            &[x.clone(), axes(&[0, -2])],
            F32,
            "axes [0, -2] name an axis of [2, 3] twice",
        );
        denies::<EuclideanNorm>(&[of(F32, &[], &[1.0]), axes(&[0])], F32, "axes [0] do not exist in []");
        denies::<EuclideanNorm>(
            &[x.clone(), of(F32, &[1], &[0.0])],
            F32,
            "'in1' is FLOAT32; integers are needed",
        );
        denies::<EuclideanNorm>(from_ref(&x), F32, "it has 1 inputs, this op takes 2 to 2");
        denies::<EuclideanNorm>(
            &[Tensor::bool(&[1], &[true]), axes(&[0])],
            ElementType::Bool,
            "input 'in0' is BOOL, which this op does not serve",
        );
        denies::<EuclideanNorm>(
            &[Tensor::strings(&[1], &["a"]), axes(&[0])],
            ElementType::String,
            "input 'in0' is STRING, which this op does not serve",
        );
        denies::<EuclideanNorm>(
            &[x.clone(), axes(&[0])],
            I32,
            "input 'in0' is FLOAT32, output is INT32; they must agree",
        );
    }
}
