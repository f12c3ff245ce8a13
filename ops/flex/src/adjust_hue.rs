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

#[cfg(test)]
mod tests {
    use super::AdjustHue;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        let hue = |x: &[f64], by: f32, want: &[f64]| {
            let shape = [1, x.len() as i32 / 3, 3];
            for ty in [F16, F32] {
                gives::<AdjustHue>(&[], &[of(ty, &shape, x), real(by)], &[of(ty, &shape, want)]);
            }
        };
        let (red, green, blue) = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
        hue(&red, 1.0 / 3.0, &green);
        hue(&red, -1.0 / 3.0, &blue);
        hue(&[1.0, 0.0, 0.0, 0.0, 1.0, 0.0], 0.5, &[0.0, 1.0, 1.0, 1.0, 0.0, 1.0]);
        // Gray has no hue, and a whole turn changes nothing.
        hue(&[0.5, 0.5, 0.5], 0.3, &[0.5, 0.5, 0.5]);
        hue(&[1.0, 0.5, 0.25], 2.0, &[1.0, 0.5, 0.25]);
        hue(&[], 0.5, &[]);
    }

    #[test]
    fn refusals() {
        let refused = |x: Tensor, by: Tensor, message: &str| {
            let ty = x.ty();
            refuses::<AdjustHue>(&[], &[x, by], &[ty], message);
        };
        let message = "the image is [1, 1, 4]; 3 or more axes are needed, the last one of size 3";
        refused(of(F32, &[1, 1, 4], &[0.0; 4]), real(0.0), message);
        let message = "the image is [1, 3]; 3 or more axes are needed, the last one of size 3";
        refused(of(F32, &[1, 3], &[0.0; 3]), real(0.0), message);
        refused(
            of(F32, &[1, 1, 3], &[0.0; 3]),
            Tensor::f32(&[1], &[0.0]),
            "'in1' is [1]; it must have 0 axes",
        );
        let message = "input 'in0' is FLOAT64, which this op does not support";
        refused(of(F64, &[1, 1, 3], &[0.0; 3]), real(0.0), message);
    }
}
