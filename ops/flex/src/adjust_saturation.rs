//! AdjustSaturation: multiplies the saturation by a factor and clamps it to 1. F16, F32; the last axis holds three
//! colors.
//! Defined by: tensorflow/core/kernels/image/adjust_saturation_op.cc.

use arenite_abi::prelude::*;

use crate::kit::color::{Color, Member, hsv, rgb};
use crate::kit::kernel::Node;

/// The `FlexAdjustSaturation` op.
pub type AdjustSaturation = Node<Color<Definition>>;

/// Shape function and kernel of `FlexAdjustSaturation`.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexAdjustSaturation";
    const INPUTS: usize = 2;
    const RANK: usize = 3;
    const TYPES: &'static [ElementType] = &[F16, F32];

    fn color(color: [f64; 3], by: f64) -> [f64; 3] {
        let [hue, saturation, value] = hsv(color);
        let changed = saturation * by;
        rgb([hue, if changed > 0.0 { changed.min(1.0) } else { 0.0 }, value])
    }
}
