//! RandomUniform: random numbers, uniform in `0..1`. F16, BF16, F32, F64. Input: shape. With given seeds the numbers
//! equal TensorFlow's.
//! Defined by: tensorflow/core/kernels/random_op.cc.

use crate::kit::drawn::{Member, RandomDraw};
use crate::kit::kernel::Node;
use crate::kit::random::Distribution;

/// The `FlexRandomUniform` op.
pub type RandomUniform = Node<RandomDraw<Definition>>;

/// Shape function and kernel of `FlexRandomUniform`.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexRandomUniform";
    const DISTRIBUTION: Distribution = Distribution::Uniform;
}
