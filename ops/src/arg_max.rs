//! ARG_MAX: the index of the first largest element along an axis. f32, u8, i8, i32, BOOL.
//! Defined by: tflite/kernels/arg_min_max.cc.

use arenite_abi::prelude::*;
use arenite_abi::schema::{ArgMaxOptions, Field};

use crate::kit::arg::{Arg, Best};

/// A prepared `ARG_MAX` node.
pub type ArgMax = Arg<Largest>;

/// Prefers the largest element.
pub struct Largest;

impl Best for Largest {
    const CODE: OpCode = OpCode::Builtin(op::ARG_MAX);
    type Options = ArgMaxOptions;
    const OUTPUT_TYPE: Field<ArgMaxOptions, i8> = ArgMaxOptions::OUTPUT_TYPE;

    fn is_better<T: PartialOrd>(a: T, b: T) -> bool {
        a > b
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::arg::tests::run;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        let x = Tensor::f32(&[2, 3], &[1., 7., 7., -4., -5., -9.]);
        assert_eq!(run::<Largest>(&x, 1).unwrap(), (vec![2], vec![1, 0]));
        assert_eq!(run::<Largest>(&x, -2).unwrap(), (vec![3], vec![0, 0, 0]));
        let x = Tensor::u8(&[2, 2, 2], &[1, 200, 3, 4, 9, 9, 8, 10]);
        assert_eq!(run::<Largest>(&x, 1).unwrap(), (vec![2, 2], vec![1, 0, 0, 1]));
        let x = Tensor::i8(&[4], &[-128, -1, 3, -7]);
        assert_eq!(run::<Largest>(&x, 0).unwrap(), (vec![], vec![2]));
        let x = Tensor::i32(&[1, 2], &[i32::MIN, i32::MAX]);
        assert_eq!(run::<Largest>(&x, -1).unwrap(), (vec![1], vec![1]));
        let x = Tensor::bool(&[3], &[false, true, true]);
        assert_eq!(run::<Largest>(&x, 0).unwrap(), (vec![], vec![1]));
        assert_eq!(run::<Largest>(&Tensor::f32(&[0, 2], &[]), 1).unwrap(), (vec![0], vec![]));
    }

    #[test]
    fn nan_loses() {
        let nan = f32::NAN;
        for (x, want) in [
            (&[nan, 1.0, 2.0][..], 2),
            (&[1.0, nan, 0.5], 0),
            (&[nan; 3], 0),
            (&[nan; 9], 0),
            (&[1.0, 2.0, nan, 2.0, 5.0, 3.0, nan, nan], 4),
            (&[0.0, nan, 1.0, nan, nan, nan, 4.0], 6),
            // The first lane holds only NaN, which hides the other lanes.
            (&[nan, 9.0, 9.0, 9.0, nan, 9.0, 9.0, 9.0], 0),
            (&[nan, 9.0, 9.0, 9.0, -1.0], 4),
        ] {
            let count = x.len() as i32;
            assert_eq!(run::<Largest>(&Tensor::f32(&[count], x), 0).unwrap().1, [want], "{x:?}");
        }
        // Lanes exist only along the innermost axis.
        let x = Tensor::f32(&[4, 2], &[nan, 9.0, 9.0, 9.0, 8.0, 1.0, nan, nan]);
        assert_eq!(run::<Largest>(&x, 0).unwrap().1, [1, 0]);
    }
}
