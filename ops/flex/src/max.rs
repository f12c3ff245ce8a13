//! Max: the largest elements, along axes. Reals, integers.
//! Defined by: tensorflow/core/kernels/reduction_ops_max.cc.

use crate::kit::kernel::Node;
use crate::kit::reduce::{Kind, Member, Reduce};

/// The op.
pub type Max = Node<Reduce<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexMax";
    const KIND: Kind = Kind::Max;
}

#[cfg(test)]
mod tests {
    use super::Max;
    use crate::kit::testing::*;
    use crate::kit::write::Attribute;
    use arenite_abi::prelude::*;
    use arenite_abi::testing::Tensor;
    use core::slice::from_ref;

    #[test]
    fn along_axes() {
        let x = of(F32, &[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.5]);
        let keep_dims = [("keep_dims", Attribute::Bool(true))];
        gives::<Max>(&[], &[x.clone(), axes(&[-1])], of(F32, &[2], &[3.0, 6.5]));
        gives::<Max>(&[], &[x.clone(), axes(&[0])], of(F32, &[3], &[4.0, 5.0, 6.5]));
        gives::<Max>(&[], &[x.clone(), axes(&[1, 0])], of(F32, &[], &[6.5]));
        gives::<Max>(&[], &[x.clone(), axes(&[])], x.clone());
        gives::<Max>(&[], &[x.clone(), Tensor::i64(&[], &[-1])], of(F32, &[2], &[3.0, 6.5]));
        gives::<Max>(&keep_dims, &[x.clone(), axes(&[1])], of(F32, &[2, 1], &[3.0, 6.5]));
        gives::<Max>(&keep_dims, &[x.clone(), axes(&[0, 1])], of(F32, &[1, 1], &[6.5]));
        gives::<Max>(&[], &[of(F32, &[2, 0], &[]), axes(&[0])], of(F32, &[0], &[]));
    }

    #[test]
    fn of_every_type() {
        for ty in [F16, BF16, F64, I8, I16, I32, I64, U8, U16, U32, U64] {
            gives::<Max>(&[], &[of(ty, &[3], &[1.0, 6.0, 2.0]), axes(&[0])], of(ty, &[], &[6.0]));
        }
        gives::<Max>(&[], &[Tensor::i8(&[2], &[-128, -3]), axes(&[0])], Tensor::i8(&[], &[-3]));
    }

    #[test]
    fn edges() {
        gives::<Max>(&[], &[of(F32, &[3], &[1.0, NAN, 2.0]), axes(&[0])], of(F32, &[], &[NAN]));
        gives::<Max>(&[], &[of(F32, &[2], &[-INF, -1.0]), axes(&[0])], of(F32, &[], &[-1.0]));
        gives::<Max>(&[], &[of(F32, &[0], &[]), axes(&[0])], of(F32, &[], &[-INF]));
        gives::<Max>(&[], &[Tensor::i8(&[0], &[]), axes(&[0])], Tensor::i8(&[], &[-128]));
        gives::<Max>(&[], &[Tensor::u8(&[0], &[]), axes(&[0])], Tensor::u8(&[], &[0]));
    }

    #[test]
    fn refusals() {
        let x = of(F32, &[2, 3], &[1.0, 0.0, 1.0, 1.0, 0.0, 1.0]);
        denies::<Max>(&[x.clone(), axes(&[2])], F32, "axes [2] do not exist in [2, 3]");
        denies::<Max>(&[x.clone(), axes(&[0, -3])], F32, "axes [0, -3] do not exist in [2, 3]");
        denies::<Max>(&[x.clone(), axes(&[0, -2])], F32, "axes [0, -2] name an axis of [2, 3] twice");
        denies::<Max>(&[of(F32, &[], &[1.0]), axes(&[0])], F32, "axes [0] do not exist in []");
        denies::<Max>(&[x.clone(), of(F32, &[1], &[0.0])], F32, "'in1' is FLOAT32; integers are needed");
        denies::<Max>(from_ref(&x), F32, "it has 1 inputs, this op takes 2 to 2");
        denies::<Max>(
            &[Tensor::bool(&[1], &[true]), axes(&[0])],
            ElementType::Bool,
            "input 'in0' is BOOL, which this op does not serve",
        );
        denies::<Max>(
            &[Tensor::strings(&[1], &["a"]), axes(&[0])],
            ElementType::String,
            "input 'in0' is STRING, which this op does not serve",
        );
        denies::<Max>(
            &[complex_of(C64, &[1], &[(1.0, 0.0)]), axes(&[0])],
            C64,
            "input 'in0' is COMPLEX64, which this op does not serve",
        );
        denies::<Max>(
            &[x.clone(), axes(&[0])],
            I32,
            "input 'in0' is FLOAT32, output is INT32; they must agree",
        );
    }
}
