//! Min: the smallest elements, along axes. Reals, integers.
//! Defined by: tensorflow/core/kernels/reduction_ops_min.cc.

use crate::kit::kernel::Node;
use crate::kit::reduce::{Kind, Member, Reduce};

/// The op.
pub type Min = Node<Reduce<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexMin";
    const KIND: Kind = Kind::Min;
}

#[cfg(test)]
mod tests {
    use super::Min;
    use crate::kit::testing::*;
    use crate::kit::write::Attribute;
    use arenite_abi::prelude::*;
    use arenite_abi::testing::Tensor;
    use core::slice::from_ref;

    #[test]
    fn along_axes() {
        let x = of(F32, &[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.5]);
        let keep_dims = [("keep_dims", Attribute::Bool(true))];
        gives::<Min>(&[], &[x.clone(), axes(&[-1])], of(F32, &[2], &[1.0, 4.0]));
        gives::<Min>(&[], &[x.clone(), axes(&[0])], of(F32, &[3], &[1.0, 2.0, 3.0]));
        gives::<Min>(&[], &[x.clone(), axes(&[1, 0])], of(F32, &[], &[1.0]));
        gives::<Min>(&[], &[x.clone(), axes(&[])], x.clone());
        gives::<Min>(&[], &[x.clone(), Tensor::i64(&[], &[-1])], of(F32, &[2], &[1.0, 4.0]));
        gives::<Min>(&keep_dims, &[x.clone(), axes(&[1])], of(F32, &[2, 1], &[1.0, 4.0]));
        gives::<Min>(&keep_dims, &[x.clone(), axes(&[0, 1])], of(F32, &[1, 1], &[1.0]));
        gives::<Min>(&[], &[of(F32, &[2, 0], &[]), axes(&[0])], of(F32, &[0], &[]));
    }

    #[test]
    fn of_every_type() {
        for ty in [F16, BF16, F64, I8, I16, I32, I64, U8, U16, U32, U64] {
            gives::<Min>(&[], &[of(ty, &[3], &[6.0, 1.0, 2.0]), axes(&[0])], of(ty, &[], &[1.0]));
        }
        gives::<Min>(&[], &[Tensor::i8(&[2], &[127, -3]), axes(&[0])], Tensor::i8(&[], &[-3]));
    }

    #[test]
    fn edges() {
        gives::<Min>(&[], &[of(F32, &[3], &[1.0, NAN, 2.0]), axes(&[0])], of(F32, &[], &[NAN]));
        gives::<Min>(&[], &[of(F32, &[2], &[INF, -1.0]), axes(&[0])], of(F32, &[], &[-1.0]));
        gives::<Min>(&[], &[of(F32, &[0], &[]), axes(&[0])], of(F32, &[], &[INF]));
        gives::<Min>(&[], &[Tensor::i8(&[0], &[]), axes(&[0])], Tensor::i8(&[], &[127]));
        gives::<Min>(&[], &[Tensor::u8(&[0], &[]), axes(&[0])], Tensor::u8(&[], &[255]));
    }

    #[test]
    fn refusals() {
        let x = of(F32, &[2, 3], &[1.0, 0.0, 1.0, 1.0, 0.0, 1.0]);
        denies::<Min>(&[x.clone(), axes(&[2])], F32, "axes [2] do not exist in [2, 3]");
        denies::<Min>(&[x.clone(), axes(&[0, -3])], F32, "axes [0, -3] do not exist in [2, 3]");
        denies::<Min>(&[x.clone(), axes(&[0, -2])], F32, "axes [0, -2] name an axis of [2, 3] twice");
        denies::<Min>(&[of(F32, &[], &[1.0]), axes(&[0])], F32, "axes [0] do not exist in []");
        denies::<Min>(&[x.clone(), of(F32, &[1], &[0.0])], F32, "'in1' is FLOAT32; integers are needed");
        denies::<Min>(from_ref(&x), F32, "it has 1 inputs, this op takes 2 to 2");
        denies::<Min>(
            &[Tensor::bool(&[1], &[true]), axes(&[0])],
            ElementType::Bool,
            "input 'in0' is BOOL, which this op does not serve",
        );
        denies::<Min>(
            &[Tensor::strings(&[1], &["a"]), axes(&[0])],
            ElementType::String,
            "input 'in0' is STRING, which this op does not serve",
        );
        denies::<Min>(
            &[complex_of(C64, &[1], &[(1.0, 0.0)]), axes(&[0])],
            C64,
            "input 'in0' is COMPLEX64, which this op does not serve",
        );
        denies::<Min>(
            &[x.clone(), axes(&[0])],
            I32,
            "input 'in0' is FLOAT32, output is INT32; they must agree",
        );
    }
}
