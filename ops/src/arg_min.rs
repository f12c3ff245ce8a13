//! ARG_MIN: the index of the first smallest element along an axis. f32, u8, i8, i32, BOOL.
//! Defined by: tflite/kernels/arg_min_max.cc.

use arenite_abi::prelude::*;
use arenite_abi::schema::{ArgMinOptions, Field};

use crate::kit::arg::{Arg, Best};

/// A prepared `ARG_MIN` node.
pub type ArgMin = Arg<Smallest>;

/// Prefers the smallest element.
pub struct Smallest;

impl Best for Smallest {
    const CODE: OpCode = OpCode::Builtin(op::ARG_MIN);
    type Options = ArgMinOptions;
    const OUTPUT_TYPE: Field<ArgMinOptions, i8> = ArgMinOptions::OUTPUT_TYPE;

    fn is_better<T: PartialOrd>(a: T, b: T) -> bool {
        a < b
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::arg::tests::run;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        let x = Tensor::f32(&[2, 5], &[1., 7., 0., 0., 3., -4., -5., -9., 1., -9.5]);
        assert_eq!(run::<Smallest>(&x, 1).unwrap(), (vec![2], vec![2, 4]));
        assert_eq!(run::<Smallest>(&x, 0).unwrap(), (vec![5], vec![1, 1, 1, 0, 1]));
        let x = Tensor::u8(&[2, 2, 2], &[1, 200, 3, 4, 9, 9, 8, 10]);
        assert_eq!(run::<Smallest>(&x, 1).unwrap(), (vec![2, 2], vec![0, 1, 1, 0]));
        let x = Tensor::i8(&[4], &[-127, -1, -128, -7]);
        assert_eq!(run::<Smallest>(&x, 0).unwrap(), (vec![], vec![2]));
        let x = Tensor::i32(&[1, 2], &[i32::MAX, i32::MIN]);
        assert_eq!(run::<Smallest>(&x, -1).unwrap(), (vec![1], vec![1]));
        let x = Tensor::bool(&[3], &[true, false, false]);
        assert_eq!(run::<Smallest>(&x, 0).unwrap(), (vec![], vec![1]));
    }

    #[test]
    fn nan_loses() {
        let nan = f32::NAN;
        for (x, want) in [
            (&[nan, 1.0, 2.0][..], 1),
            (&[1.0, nan, 0.5], 2),
            (&[nan; 5], 0),
            // A lane of NaN hides the other lane of its pair, or the other pair.
            (&[nan, -1.0, nan, -1.0, 3.0, nan], 4),
            (&[2.0, 3.0, 0.0, nan, nan, 2.0], 2),
            (&[2.0, nan, nan, nan, 3.0], 0),
            (&[nan, nan, 0.0, nan, nan, nan, 2.0, -1.0], 0),
        ] {
            let count = x.len() as i32;
            assert_eq!(run::<Smallest>(&Tensor::f32(&[count], x), 0).unwrap().1, [want], "{x:?}");
        }
    }
}
