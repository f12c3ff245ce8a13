//! HsvToRgb: converts hue, saturation and value to red, green and blue. Reals; the last axis holds three colors.
//! Defined by: tensorflow/core/kernels/image/colorspace_op.h.

use arenite_abi::prelude::*;

use crate::kit::color::{Color, Member, rgb};
use crate::kit::kernel::Node;

/// The `FlexHSVToRGB` op.
pub type HsvToRgb = Node<Color<Definition>>;

/// Shape function and kernel of `FlexHSVToRGB`.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexHSVToRGB";
    const INPUTS: usize = 1;
    const RANK: usize = 1;
    const TYPES: &'static [ElementType] = &[F16, BF16, F32, F64];

    fn color(color: [f64; 3], _: f64) -> [f64; 3] {
        rgb(color)
    }
}
