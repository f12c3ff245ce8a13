//! RgbToHsv: hue, saturation and value of a color. Reals, three colors on the last axis.
//! Defined by: tensorflow/core/kernels/image/colorspace_op.h.

use crate::kit::color::{Color, Member, hsv};
use crate::kit::kernel::Node;

/// The op.
pub type RgbToHsv = Node<Color<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexRGBToHSV";
    const INPUTS: usize = 1;

    fn color(color: [f64; 3], _: f64) -> [f64; 3] {
        hsv(color)
    }
}
