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

#[cfg(test)]
mod tests {
    use super::AdjustSaturation;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        let saturation = |x: &[f64], by: f32, want: &[f64]| {
            let shape = [1, x.len() as i32 / 3, 3];
            for ty in [F16, F32] {
                gives::<AdjustSaturation>(&[], &[of(ty, &shape, x), real(by)], &[of(ty, &shape, want)]);
            }
        };
        let pale = [1.0, 0.5, 0.5];
        saturation(&pale, 1.0, &pale);
        saturation(&pale, 0.5, &[1.0, 0.75, 0.75]);
        saturation(&pale, 2.0, &[1.0, 0.0, 0.0]);
        // The saturation stays in 0..=1.
        saturation(&pale, 5.0, &[1.0, 0.0, 0.0]);
        saturation(&pale, -1.0, &[1.0, 1.0, 1.0]);
        saturation(&[0.0, 0.0, 0.0, 0.25, 0.25, 0.25], 3.0, &[0.0, 0.0, 0.0, 0.25, 0.25, 0.25]);
        saturation(&[], 0.5, &[]);
    }

    #[test]
    fn refusals() {
        let refused = |x: Tensor, by: Tensor, message: &str| {
            let ty = x.ty();
            refuses::<AdjustSaturation>(&[], &[x, by], &[ty], message);
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
