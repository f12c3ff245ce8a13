//! NON_MAX_SUPPRESSION_V4: the best boxes that do not overlap a better one: [`NonMaxSuppression`].
//! Defined by: tflite/kernels/non_max_suppression.cc.

use crate::kit::non_max_suppression::NonMaxSuppression;

/// A prepared `NON_MAX_SUPPRESSION_V4` node.
pub type NonMaxSuppressionV4 = NonMaxSuppression<120>;

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn case(boxes: Tensor) -> OpTest<NonMaxSuppressionV4> {
        let number = |x: f32| Tensor::f32(&[], &[x]);
        let case = OpTest::new().input(boxes).input(Tensor::f32(&[2], &[0.25, 0.75]));
        let case = case.constant(Tensor::i32(&[], &[2])).constant(number(0.5)).constant(number(0.0));
        case.output(Spec::i32()).output(Spec::i32())
    }

    #[test]
    fn overlapping_boxes_are_dropped() {
        let same = Tensor::f32(&[2, 4], &[0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 1.0]);
        let y = case(same).run().unwrap();
        assert_eq!((y[0].as_i32(), y[1].as_i32()), (vec![1, 0], vec![1]));
    }
}
