//! RandomStandardNormal: normally distributed random numbers. F16, BF16, F32, F64. Input: shape. With given seeds the
//! numbers equal TensorFlow's.
//! Defined by: tensorflow/core/kernels/random_op.cc.

use crate::kit::drawn::{Member, RandomDraw};
use crate::kit::kernel::Node;
use crate::kit::random::Distribution;

/// The `FlexRandomStandardNormal` op.
pub type RandomStandardNormal = Node<RandomDraw<Definition>>;

/// Shape function and kernel of `FlexRandomStandardNormal`.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexRandomStandardNormal";
    const DISTRIBUTION: Distribution = Distribution::Normal;
}
