//! Mean: means, along axes. Reals, integers, complex numbers.
//! Defined by: tensorflow/core/kernels/reduction_ops_mean.cc.

use crate::kit::kernel::Node;
use crate::kit::reduce::{Kind, Member, Reduce};

/// The op.
pub type Mean = Node<Reduce<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexMean";
    const KIND: Kind = Kind::Mean;
}

#[cfg(test)]
mod tests {
    use super::Mean;
    use crate::kit::testing::*;
    use crate::kit::write::Attribute;
    use arenite_abi::prelude::*;
    use arenite_abi::testing::Tensor;
    use core::slice::from_ref;

    #[test]
    fn along_axes() {
        let x = of(F32, &[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.5]);
        let keep_dims = [("keep_dims", Attribute::Bool(true))];
        gives::<Mean>(&[], &[x.clone(), axes(&[-1])], of(F32, &[2], &[2.0, 5.166_666_666_666_667]));
        gives::<Mean>(&[], &[x.clone(), axes(&[0])], of(F32, &[3], &[2.5, 3.5, 4.75]));
        gives::<Mean>(&[], &[x.clone(), axes(&[1, 0])], of(F32, &[], &[3.583_333_333_333_333_5]));
        gives::<Mean>(&[], &[x.clone(), axes(&[])], x.clone());
        gives::<Mean>(
            &[],
            &[x.clone(), Tensor::i64(&[], &[-1])],
            of(F32, &[2], &[2.0, 5.166_666_666_666_667]),
        );
        gives::<Mean>(&keep_dims, &[x.clone(), axes(&[1])], of(F32, &[2, 1], &[2.0, 5.166_666_666_666_667]));
        gives::<Mean>(&keep_dims, &[x.clone(), axes(&[0, 1])], of(F32, &[1, 1], &[3.583_333_333_333_333_5]));
        gives::<Mean>(&[], &[of(F32, &[2, 0], &[]), axes(&[0])], of(F32, &[0], &[]));
    }

    #[test]
    fn of_every_type() {
        for ty in [F16, BF16, F64, I8, I16, I32, I64, U8, U16, U32, U64] {
            gives::<Mean>(&[], &[of(ty, &[3], &[1.0, 2.0, 6.0]), axes(&[0])], of(ty, &[], &[3.0]));
        }
        gives::<Mean>(&[], &[Tensor::i8(&[2], &[100, 100]), axes(&[0])], Tensor::i8(&[], &[100]));
        gives::<Mean>(&[], &[axes(&[-1, -2]), axes(&[0])], axis(-1));
        gives::<Mean>(
            &[],
            &[Tensor::i64(&[2], &[9223372036854775807, 9223372036854775807]), axes(&[0])],
            Tensor::i64(&[], &[-1]),
        );
        gives::<Mean>(
            &[],
            &[Tensor::u64(&[2], &[18446744073709551615, 18446744073709551615]), axes(&[0])],
            Tensor::u64(&[], &[9223372036854775807]),
        );
        gives::<Mean>(
            &[],
            &[complex_of(C64, &[2], &[(1.0, 2.0), (-3.0, 1.0)]), axes(&[0])],
            complex_of(C64, &[], &[(-1.0, 1.5)]),
        );
    }

    #[test]
    fn edges() {
        gives::<Mean>(&[], &[of(F32, &[3], &[1.0, NAN, 2.0]), axes(&[0])], of(F32, &[], &[NAN]));
        gives::<Mean>(&[], &[of(F32, &[2], &[INF, 1.0]), axes(&[0])], of(F32, &[], &[INF]));
        gives::<Mean>(&[], &[of(F32, &[0, 2], &[]), axes(&[0])], of(F32, &[2], &[NAN, NAN]));
        gives::<Mean>(&[], &[axes(&[]), axes(&[0])], axis(0));
        gives::<Mean>(&[], &[complex_of(C64, &[0], &[]), axes(&[0])], complex_of(C64, &[], &[(0.0, 0.0)]));
    }

    #[test]
    fn refusals() {
        let x = of(F32, &[2, 3], &[1.0, 0.0, 1.0, 1.0, 0.0, 1.0]);
        denies::<Mean>(&[x.clone(), axes(&[2])], F32, "axes [2] do not exist in [2, 3]");
        denies::<Mean>(&[x.clone(), axes(&[0, -3])], F32, "axes [0, -3] do not exist in [2, 3]");
        denies::<Mean>(&[x.clone(), axes(&[0, -2])], F32, "axes [0, -2] name an axis of [2, 3] twice");
        denies::<Mean>(&[of(F32, &[], &[1.0]), axes(&[0])], F32, "axes [0] do not exist in []");
        denies::<Mean>(&[x.clone(), of(F32, &[1], &[0.0])], F32, "'in1' is FLOAT32; integers are needed");
        denies::<Mean>(from_ref(&x), F32, "it has 1 inputs, this op takes 2 to 2");
        denies::<Mean>(
            &[Tensor::bool(&[1], &[true]), axes(&[0])],
            ElementType::Bool,
            "input 'in0' is BOOL, which this op does not serve",
        );
        denies::<Mean>(
            &[Tensor::strings(&[1], &["a"]), axes(&[0])],
            ElementType::String,
            "input 'in0' is STRING, which this op does not serve",
        );
        denies::<Mean>(
            &[x.clone(), axes(&[0])],
            I32,
            "input 'in0' is FLOAT32, output is INT32; they must agree",
        );
    }
}
