//! Equal: whether `a = b`. Inputs broadcast. Reals, integers, complex numbers, BOOL, STRING. May run in
//! place.
//! Defined by: tensorflow/core/kernels/cwise_op_equal.cc.

use crate::kit::binary::{Comparison, Predicate, Predicates};

/// The op.
pub type Equal = Comparison<Definition>;

/// What it tells.
pub enum Definition {}

impl Predicate for Definition {
    const NAME: &'static str = "FlexEqual";
    const PREDICATES: Predicates =
        Predicates { float: |a, b| a == b, int: |a, b| a == b, equality: Some(true) };
}

#[cfg(test)]
mod tests {
    use super::Equal;
    use crate::kit::testing::*;
    use crate::kit::write::Attribute;
    use arenite_abi::prelude::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        comparisons::<Equal>(&[
            (1.0, 2.0, false),
            (2.0, 1.0, false),
            (3.0, 3.0, true),
            (-1.0, 0.0, false),
            (0.0, -0.0, true),
            (-INF, INF, false),
            (NAN, NAN, false),
            (NAN, 1.0, false),
        ]);
    }

    #[test]
    fn what_has_no_order() {
        let tell = |a: Tensor, b: Tensor| one::<Equal>(&[], &[a, b], ElementType::Bool).as_bool();
        assert_eq!(tell(Tensor::bool(&[2], &[true, false]), Tensor::bool(&[], &[true])), [true, false]);
        let (a, b) = (Tensor::strings(&[3], &["a", "b", ""]), Tensor::strings(&[1], &["b"]));
        assert_eq!(tell(a, b), [false, true, false]);
        let z = [(1.0, 2.0), (1.0, -2.0), (f32::NAN, 0.0)].map(|(re, im)| Complex32 { re, im });
        assert_eq!(tell(Tensor::of(&[3], &z), Tensor::of(&[], &z[..1])), [true, false, false]);
        assert_eq!(tell(Tensor::of(&[], &z[2..]), Tensor::of(&[], &z[2..])), [false]);
    }

    #[test]
    fn shapes_that_do_not_broadcast() {
        let inputs = [Tensor::i32(&[2], &[1, 2]), Tensor::i32(&[3], &[1, 2, 3])];
        let lenient = [("incompatible_shape_error", Attribute::Bool(false))];
        let y = one::<Equal>(&lenient, &inputs, ElementType::Bool);
        assert_eq!((y.shape(), y.as_bool()), (&[][..], vec![false]));
        assert_eq!(
            refusal::<Equal>(&[], &inputs, &[ElementType::Bool]),
            "inputs 'in0' [2] and 'in1' [3] do not broadcast; sizes must be equal or 1"
        );
    }

    #[test]
    fn refusals() {
        takes::<Equal>(2);
    }
}
