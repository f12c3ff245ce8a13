//! AdjustHue: rotates the hue by a fraction of a full turn. F16, F32; the last axis holds three colors.
//! Defined by: tensorflow/core/kernels/image/adjust_hue_op.cc.

use arenite_abi::prelude::*;

use crate::kit::color::{Color, Member, hsv, rgb};
use crate::kit::kernel::Node;

/// The `FlexAdjustHue` op.
pub type AdjustHue = Node<Color<Definition>>;

/// Shape function and kernel of `FlexAdjustHue`.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexAdjustHue";
    const INPUTS: usize = 2;
    const RANK: usize = 3;
    const TYPES: &'static [ElementType] = &[F16, F32];

    fn color(color: [f64; 3], by: f64) -> [f64; 3] {
        let [hue, saturation, value] = hsv(color);
        let moved = hue + by;
        rgb([moved - libm::floor(moved), saturation, value])
    }
}
