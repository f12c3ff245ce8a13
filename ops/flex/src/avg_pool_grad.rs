//! AvgPoolGrad: the gradient of means of windows; inputs: shape, gradient. Reals.
//! Defined by: tensorflow/core/kernels/avgpooling_op.cc.

use crate::kit::kernel::Node;
use crate::kit::pool::{Kind, Member, Pool};

/// The op.
pub type AvgPoolGrad = Node<Pool<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexAvgPoolGrad";
    const AXES: usize = 2;
    const KIND: Kind = Kind::AverageGradient;
}

#[cfg(test)]
mod tests {
    use super::AvgPoolGrad;
    use crate::kit::testing::cases::*;

    const WINDOWS: [(&str, Attribute<'_>); 2] =
        [("ksize", Ints(&[1, 2, 2, 1])), ("strides", Ints(&[1, 2, 2, 1]))];

    #[test]
    fn values() {
        let windows = [WINDOWS[0], WINDOWS[1], ("padding", Text("SAME"))];
        for &ty in REALS {
            let dy = of(ty, &[1, 2, 2, 1], &[4.0, 2.0, 6.0, 1.0]);
            // A quarter of 4, halves of 2 and 6, all of 1.
            let want = of(ty, &[1, 3, 3, 1], &[1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 3.0, 3.0, 1.0]);
            gives::<AvgPoolGrad>(&windows, &[list(&[1, 3, 3, 1]), dy], &[want]);
        }
        // Windows that overlap.
        let row = [("ksize", Ints(&[1, 1, 2, 1])), ("strides", Ints(&[1, 1, 1, 1]))];
        let dy = of(F32, &[1, 1, 2, 1], &[2.0, 4.0]);
        gives::<AvgPoolGrad>(&row, &[list(&[1, 1, 3, 1]), dy], &[of(F32, &[1, 1, 3, 1], &[1.0, 3.0, 2.0])]);
    }

    #[test]
    fn refusals() {
        let refused = |ksize: &'static [i64], strides: &'static [i64], message: &str| {
            let x = of(F32, &[1, 1, 1, 1], &[1.0]);
            let inputs = [list(&[1, 1, 1, 1]), x];
            refuses::<AvgPoolGrad>(
                &[("ksize", Ints(ksize)), ("strides", Ints(strides))],
                &inputs,
                &[F32],
                message,
            );
        };
        refused(&[1, 1, 1, 1], &[1, 0, 1, 1], "axis 1 has stride 0; it must be positive");
        refused(&[1, 0, 1, 1], &[1, 1, 1, 1], "axis 1 has filter size 0; it must be positive");
        refused(
            &[1, 1, 1, 1],
            &[2, 1, 1, 1],
            "strides are [2, 1, 1, 1]; along batch and channels they must be 1",
        );
        refused(&[], &[1, 1, 1, 1], "sizes of windows are []; 4 numbers are needed");
        refused(&[1, 3, 1, 1], &[1, 1, 1, 1], "axis 1 has 1 elements, a window 3; it does not fit");
        let refused = |size: &[i32], message: &str| {
            refuses::<AvgPoolGrad>(&WINDOWS, &[list(size), of(F32, &[1, 1, 1, 1], &[0.0])], &[F32], message);
        };
        let message = "input 1 is [1, 1, 1, 1]; windows over [2, 2, 2, 1] give [2, 1, 1, 1]";
        refused(&[2, 2, 2, 1], message);
        refused(&[2, 2, 1], "the input is [2, 2, 1]; it must have 4 axes");
    }
}
