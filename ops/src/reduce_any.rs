//! REDUCE_ANY: whether any element along the axes is true; false for an empty group. BOOL.
//! Defined by: tflite/kernels/reduce.cc, tflite/kernels/internal/optimized/reduce.h.

use arenite_abi::prelude::*;

use crate::kit::reduce::{Quantified, Quantifier, Reducer};

/// A prepared `REDUCE_ANY` node.
pub type ReduceAny = Reducer<Quantified<ExistentialQuantifier>>;

/// Decided by the first element that is true.
pub struct ExistentialQuantifier;

impl Quantifier for ExistentialQuantifier {
    const CODE: OpCode = OpCode::Builtin(op::REDUCE_ANY);
    const DECIDES: bool = true;
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
            (&[1], false, &[2], &[true, false]),
            (&[0, -2], true, &[1, 2], &[true, false]),
            (&[0, 1], false, &[], &[true]),
            (&[], false, &[2, 2], &[true, false, false, false]),
        ];
        for (axes, keep_dims, shape, want) in cases {
            let y = run::<ReduceAny>(&x, axes, keep_dims, Spec::bool()).unwrap();
            assert_eq!((y.shape(), y.as_bool()), (shape, want.to_vec()), "{axes:?}");
        }
        let x = Tensor::bool(&[2, 3], &[true, true, true, false, false, false]);
        let y = run::<ReduceAny>(&x, &[1], false, Spec::bool()).unwrap();
        assert_eq!(y.as_bool(), [true, false]);
    }

    #[test]
    fn empty_groups() {
        let y = run::<ReduceAny>(&Tensor::bool(&[0, 2], &[]), &[0], false, Spec::bool()).unwrap();
        assert_eq!(y.as_bool(), [false; 2]);
    }

    #[test]
    fn refusals() {
        expect_refusals::<ReduceAny>(&Tensor::bool(&[2, 2], &[true; 4]), Spec::bool());
    }
}
