//! AdjustHue: the hue moved on by a part of the circle. Reals, three colors on the last axis.
//! Defined by: tensorflow/core/kernels/image/adjust_hue_op.cc.

use crate::kit::color::{Color, Member, hsv, rgb};
use crate::kit::kernel::Node;

/// The op.
pub type AdjustHue = Node<Color<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexAdjustHue";
    const INPUTS: usize = 2;

    fn color(color: [f64; 3], by: f64) -> [f64; 3] {
        let [hue, saturation, value] = hsv(color);
        let moved = hue + by;
        rgb([moved - libm::floor(moved), saturation, value])
    }
}
