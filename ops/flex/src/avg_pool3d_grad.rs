//! AvgPool3DGrad: the gradient of means of windows of three axes; inputs: shape, gradient. Reals.
//! Defined by: tensorflow/core/kernels/pooling_ops_3d.cc.

use crate::kit::kernel::Node;
use crate::kit::pool::{Kind, Member, Pool};

/// The op.
pub type AvgPool3DGrad = Node<Pool<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexAvgPool3DGrad";
    const AXES: usize = 3;
    const KIND: Kind = Kind::AverageGradient;
}

#[cfg(test)]
mod tests {
    use super::AvgPool3DGrad;
    use crate::kit::testing::cases::*;

    const WINDOWS: [(&str, Attribute<'_>); 2] =
        [("ksize", Ints(&[1, 2, 1, 1, 1])), ("strides", Ints(&[1, 1, 1, 1, 1]))];

    #[test]
    fn values() {
        for &ty in REALS {
            let dy = of(ty, &[1, 1, 1, 2, 1], &[4.0, 6.0]);
            let want = of(ty, &[1, 2, 1, 2, 1], &[2.0, 3.0, 2.0, 3.0]);
            gives::<AvgPool3DGrad>(&WINDOWS, &[list(&[1, 2, 1, 2, 1]), dy], &[want]);
        }
    }

    #[test]
    fn refusals() {
        let refused = |ksize: &'static [i64], strides: &'static [i64], message: &str| {
            let x = of(F32, &[1, 1, 1, 1, 1], &[1.0]);
            let inputs = [list(&[1; 5]), x];
            refuses::<AvgPool3DGrad>(
                &[("ksize", Ints(ksize)), ("strides", Ints(strides))],
                &inputs,
                &[F32],
                message,
            );
        };
        refused(&[1, 1, 1, 1, 1], &[1, 0, 1, 1, 1], "axis 1 has stride 0; it must be positive");
        refused(&[1, 0, 1, 1, 1], &[1, 1, 1, 1, 1], "axis 1 has filter size 0; it must be positive");
        refused(
            &[1, 1, 1, 1, 1],
            &[2, 1, 1, 1, 1],
            "strides are [2, 1, 1, 1, 1]; along batch and channels they must be 1",
        );
        refused(&[], &[1, 1, 1, 1, 1], "sizes of windows are []; 5 numbers are needed");
        refused(&[1, 3, 1, 1, 1], &[1, 1, 1, 1, 1], "axis 1 has 1 elements, a window 3; it does not fit");
        let message = "input 1 is [1, 1, 1, 1, 1]; windows over [2, 2, 1, 1, 1] give [2, 1, 1, 1, 1]";
        let inputs = [list(&[2, 2, 1, 1, 1]), of(F32, &[1; 5], &[0.0])];
        refuses::<AvgPool3DGrad>(&WINDOWS, &inputs, &[F32], message);
    }
}
