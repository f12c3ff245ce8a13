//! AdjustSaturation: the saturation times a number, at most 1. Reals, three colors on the last axis.
//! Defined by: tensorflow/core/kernels/image/adjust_saturation_op.cc.

use crate::kit::color::{Color, Member, hsv, rgb};
use crate::kit::kernel::Node;

/// The op.
pub type AdjustSaturation = Node<Color<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexAdjustSaturation";
    const INPUTS: usize = 2;

    fn color(color: [f64; 3], by: f64) -> [f64; 3] {
        let [hue, saturation, value] = hsv(color);
        rgb([hue, (saturation * by).clamp(0.0, 1.0), value])
    }
}
