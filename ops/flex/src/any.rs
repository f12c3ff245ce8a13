//! Any: whether one is true, along axes. BOOL.
//! Defined by: tensorflow/core/kernels/reduction_ops_any.cc.

use crate::kit::kernel::Node;
use crate::kit::reduce::{Kind, Member, Reduce};

/// The op.
pub type Any = Node<Reduce<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexAny";
    const KIND: Kind = Kind::Any;
}

#[cfg(test)]
mod tests {
    use super::Any;
    use crate::kit::testing::*;
    use crate::kit::write::Attribute;
    use arenite_abi::prelude::*;
    use arenite_abi::testing::Tensor;
    use core::slice::from_ref;

    #[test]
    fn values() {
        let x = Tensor::bool(&[2, 3], &[false, false, false, false, true, false]);
        gives::<Any>(&[], &[x.clone(), axes(&[-1])], Tensor::bool(&[2], &[false, true]));
        gives::<Any>(&[], &[x.clone(), axes(&[0])], Tensor::bool(&[3], &[false, true, false]));
        gives::<Any>(&[], &[x.clone(), axes(&[0, 1])], Tensor::bool(&[], &[true]));
        gives::<Any>(&[], &[x.clone(), axes(&[])], x.clone());
        gives::<Any>(&[], &[x.clone(), Tensor::i64(&[], &[1])], Tensor::bool(&[2], &[false, true]));
        gives::<Any>(
            &[("keep_dims", Attribute::Bool(true))],
            &[x.clone(), axes(&[1])],
            Tensor::bool(&[2, 1], &[false, true]),
        );
        gives::<Any>(&[], &[Tensor::bool(&[0, 2], &[]), axes(&[0])], Tensor::bool(&[2], &[false, false]));
    }

    #[test]
    fn refusals() {
        let x = Tensor::bool(&[2, 3], &[true, false, true, true, false, true]);
        denies::<Any>(&[x.clone(), axes(&[2])], ElementType::Bool, "axes [2] do not exist in [2, 3]");
        denies::<Any>(&[x.clone(), axes(&[0, -3])], ElementType::Bool, "axes [0, -3] do not exist in [2, 3]");
        denies::<Any>(
            &[x.clone(), axes(&[0, -2])],
            ElementType::Bool,
            "axes [0, -2] name an axis of [2, 3] twice",
        );
        denies::<Any>(
            &[Tensor::bool(&[], &[true]), axes(&[0])],
            ElementType::Bool,
            "axes [0] do not exist in []",
        );
        denies::<Any>(
            &[x.clone(), of(F32, &[1], &[0.0])],
            ElementType::Bool,
            "'in1' is FLOAT32; integers are needed",
        );
        denies::<Any>(from_ref(&x), ElementType::Bool, "it has 1 inputs, this op takes 2 to 2");
        denies::<Any>(
            &[of(F32, &[1], &[1.0]), axes(&[0])],
            F32,
            "input 'in0' is FLOAT32, which this op does not serve",
        );
        denies::<Any>(&[axes(&[1]), axes(&[0])], I32, "input 'in0' is INT32, which this op does not serve");
        denies::<Any>(
            &[x.clone(), axes(&[0])],
            F32,
            "input 'in0' is BOOL, output is FLOAT32; they must agree",
        );
    }
}
