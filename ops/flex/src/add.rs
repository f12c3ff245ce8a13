//! Add: `y = a + b`. Inputs broadcast. Reals, integers, complex numbers; strings are joined. May run in
//! place.
//! Defined by: tensorflow/core/kernels/cwise_op_add_1.cc.

use crate::kit::binary::{Binary, Function, Functions};
use crate::kit::complex;

/// The op.
pub type Add = Binary<Definition>;

/// What it computes.
pub enum Definition {}

impl Function for Definition {
    const NAME: &'static str = "FlexAdd";
    const FUNCTIONS: Functions = Functions {
        float: Some(|a, b| a + b),
        int: Some(|a, b, _| Some(a.wrapping_add(b))),
        complex: Some(complex::add),
        joins: true,
        ..Functions::NONE
    };
}

#[cfg(test)]
mod tests {
    use super::Add;
    use crate::kit::testing::*;
    use arenite_abi::prelude::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        real_pairs::<Add>(&[(1.5, 2.0, 3.5), (-1.0, 1.0, 0.0), (INF, -INF, NAN), (NAN, 1.0, NAN)]);
        whole_pairs::<Add>(&[(5, 7, 12), (0, 3, 3)]);
        exact_pairs::<Add, i8>(&[(127, 1, -128), (-5, 3, -2)]);
        exact_pairs::<Add, u8>(&[(255, 2, 1)]);
        complex_pairs::<Add>(&[((1.0, 2.0), (-3.0, 0.5), (-2.0, 2.5))]);
    }

    #[test]
    fn strings() {
        let (a, b) = (Tensor::strings(&[2, 1], &["a", "bc"]), Tensor::strings(&[3], &["x", "", "yz"]));
        let joined = one::<Add>(&[], &[a.clone(), b.clone()], ElementType::String);
        assert_eq!(joined.shape(), [2, 3]);
        assert_eq!(joined.as_strings(), ["ax", "a", "ayz", "bcx", "bc", "bcyz"]);
        let none = one::<Add>(&[], &[a, Tensor::strings::<&str>(&[0], &[])], ElementType::String);
        assert_eq!(none.shape(), [2, 0]);
    }

    #[test]
    fn refusals() {
        takes::<Add>(2);
        refuses_pair::<Add>(Tensor::bool(&[], &[true]), "inputs are BOOL, which this op does not serve");
    }
}
