//! TruncatedNormal: normally distributed random numbers within two standard deviations. F16, BF16, F32, F64. Input:
//! shape. With given seeds the numbers equal TensorFlow's.
//! Defined by: tensorflow/core/kernels/random_op.cc.

use crate::kit::drawn::{Member, RandomDraw};
use crate::kit::kernel::Node;
use crate::kit::random::Distribution;

/// The `FlexTruncatedNormal` op.
pub type TruncatedNormal = Node<RandomDraw<Definition>>;

/// Shape function and kernel of `FlexTruncatedNormal`.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexTruncatedNormal";
    const DISTRIBUTION: Distribution = Distribution::TruncatedNormal;
}
