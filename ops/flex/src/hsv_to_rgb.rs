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

#[cfg(test)]
mod tests {
    use super::HsvToRgb;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        for &ty in REALS {
            for (x, want) in [
                ([0.0, 1.0, 1.0], [1.0, 0.0, 0.0]),
                ([1.0 / 3.0, 1.0, 1.0], [0.0, 1.0, 0.0]),
                ([2.0 / 3.0, 1.0, 1.0], [0.0, 0.0, 1.0]),
                ([1.0 / 6.0, 1.0, 1.0], [1.0, 1.0, 0.0]),
                ([5.0 / 6.0, 1.0, 1.0], [1.0, 0.0, 1.0]),
                ([0.0, 0.5, 1.0], [1.0, 0.5, 0.5]),
                ([0.0, 0.0, 0.5], [0.5, 0.5, 0.5]),
                ([0.0, 0.0, 0.0], [0.0, 0.0, 0.0]),
                // A whole turn gives red again.
                ([1.0, 1.0, 1.0], [1.0, 0.0, 0.0]),
            ] {
                gives::<HsvToRgb>(&[], &[of(ty, &[3], &x)], &[of(ty, &[3], &want)]);
            }
        }
        let pixels = |x: [f64; 6]| of(F32, &[2, 1, 3], &x);
        let inputs = [pixels([0.0, 1.0, 1.0, 0.5, 0.5, 0.5])];
        gives::<HsvToRgb>(&[], &inputs, &[pixels([1.0, 0.0, 0.0, 0.25, 0.5, 0.5])]);
        gives::<HsvToRgb>(&[], &[of(F32, &[0, 3], &[])], &[of(F32, &[0, 3], &[])]);
    }

    #[test]
    fn refusals() {
        let refused = |x: Tensor, message: &str| {
            let ty = x.ty();
            refuses::<HsvToRgb>(&[], &[x], &[ty], message);
        };
        let message = "the image is [2]; 1 or more axes are needed, the last one of size 3";
        refused(of(F32, &[2], &[0.0; 2]), message);
        refused(real(0.0), "the image is []; 1 or more axes are needed, the last one of size 3");
        let message = "input 'in0' is INT32, which this op does not support";
        refused(list(&[0, 0, 0]), message);
    }
}
