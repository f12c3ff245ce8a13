//! All: whether all are true, along axes. BOOL.
//! Defined by: tensorflow/core/kernels/reduction_ops_all.cc.

use crate::kit::kernel::Node;
use crate::kit::reduce::{Kind, Member, Reduce};

/// The op.
pub type All = Node<Reduce<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexAll";
    const KIND: Kind = Kind::All;
}

#[cfg(test)]
mod tests {
    use super::All;
    use crate::kit::testing::*;
    use crate::kit::write::Attribute;
    use arenite_abi::prelude::*;
    use arenite_abi::testing::Tensor;
    use core::slice::from_ref;

    #[test]
    fn values() {
        let x = Tensor::bool(&[2, 3], &[true, false, true, true, true, true]);
        gives::<All>(&[], &[x.clone(), axes(&[-1])], Tensor::bool(&[2], &[false, true]));
        gives::<All>(&[], &[x.clone(), axes(&[0])], Tensor::bool(&[3], &[true, false, true]));
        gives::<All>(&[], &[x.clone(), axes(&[0, 1])], Tensor::bool(&[], &[false]));
        gives::<All>(&[], &[x.clone(), axes(&[])], x.clone());
        gives::<All>(&[], &[x.clone(), Tensor::i64(&[], &[1])], Tensor::bool(&[2], &[false, true]));
        gives::<All>(
            &[("keep_dims", Attribute::Bool(true))],
            &[x.clone(), axes(&[1])],
            Tensor::bool(&[2, 1], &[false, true]),
        );
        gives::<All>(&[], &[Tensor::bool(&[0, 2], &[]), axes(&[0])], Tensor::bool(&[2], &[true, true]));
    }

    #[test]
    fn refusals() {
        let x = Tensor::bool(&[2, 3], &[true, false, true, true, false, true]);
        denies::<All>(&[x.clone(), axes(&[2])], ElementType::Bool, "axes [2] do not exist in [2, 3]");
        denies::<All>(&[x.clone(), axes(&[0, -3])], ElementType::Bool, "axes [0, -3] do not exist in [2, 3]");
        denies::<All>(
            &[x.clone(), axes(&[0, -2])],
            ElementType::Bool,
            "axes [0, -2] name an axis of [2, 3] twice",
        );
        denies::<All>(
            &[Tensor::bool(&[], &[true]), axes(&[0])],
            ElementType::Bool,
            "axes [0] do not exist in []",
        );
        denies::<All>(
            &[x.clone(), of(F32, &[1], &[0.0])],
            ElementType::Bool,
            "'in1' is FLOAT32; integers are needed",
        );
        denies::<All>(from_ref(&x), ElementType::Bool, "it has 1 inputs, this op takes 2 to 2");
        denies::<All>(
            &[of(F32, &[1], &[1.0]), axes(&[0])],
            F32,
            "input 'in0' is FLOAT32, which this op does not serve",
        );
        denies::<All>(&[axes(&[1]), axes(&[0])], I32, "input 'in0' is INT32, which this op does not serve");
        denies::<All>(
            &[x.clone(), axes(&[0])],
            F32,
            "input 'in0' is BOOL, output is FLOAT32; they must agree",
        );
    }
}
