//! REDUCE_ALL: whether all elements along the axes are true; true for an empty group. BOOL.
//! Defined by: tflite/kernels/reduce.cc, tflite/kernels/internal/optimized/reduce.h.

use arenite_abi::prelude::*;

use crate::kit::reduce::{Quantified, Quantifier, Reducer};

/// A prepared `REDUCE_ALL` node.
pub type ReduceAll = Reducer<Quantified<UniversalQuantifier>>;

/// Decided by the first element that is false.
pub struct UniversalQuantifier;

impl Quantifier for UniversalQuantifier {
    const CODE: OpCode = OpCode::Builtin(op::REDUCE_ALL);
    const DECIDES: bool = false;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::reduce::tests::{expect_refusals, run};
    use arenite_abi::testing::{Spec, Tensor};

    #[test]
    fn booleans() {
        let x = Tensor::bool(&[2, 2], &[true, false, false, false]);
        type Case = (&'static [i32], bool, &'static [i32], &'static [bool]);
        let cases: [Case; 4] = [
            (&[1], false, &[2], &[false, false]),
            (&[0, -2], true, &[1, 2], &[false, false]),
            (&[1, 0], false, &[], &[false]),
            (&[], false, &[2, 2], &[true, false, false, false]),
        ];
        for (axes, keep_dims, shape, want) in cases {
            let y = run::<ReduceAll>(&x, axes, keep_dims, Spec::bool()).unwrap();
            assert_eq!((y.shape(), y.as_bool()), (shape, want.to_vec()), "{axes:?}");
        }
        let x = Tensor::bool(&[2, 3], &[true, true, true, false, false, false]);
        let y = run::<ReduceAll>(&x, &[1], false, Spec::bool()).unwrap();
        assert_eq!(y.as_bool(), [true, false]);
    }

    #[test]
    fn empty_groups() {
        let y = run::<ReduceAll>(&Tensor::bool(&[0, 2], &[]), &[0], false, Spec::bool()).unwrap();
        assert_eq!(y.as_bool(), [true; 2]);
    }

    #[test]
    fn refusals() {
        expect_refusals::<ReduceAll>(&Tensor::bool(&[2, 2], &[true; 4]), Spec::bool());
    }
}
