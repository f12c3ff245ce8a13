//! AvgPool3D: the mean of each window, of three axes. Reals.
//! Defined by: tensorflow/core/kernels/pooling_ops_3d.cc.

use crate::kit::kernel::Node;
use crate::kit::pool::{Kind, Member, Pool};

/// The op.
pub type AvgPool3D = Node<Pool<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexAvgPool3D";
    const AXES: usize = 3;
    const KIND: Kind = Kind::Average;
}

#[cfg(test)]
mod tests {
    use super::AvgPool3D;
    use crate::kit::testing::cases::*;

    const WINDOWS: [(&str, Attribute<'_>); 2] =
        [("ksize", Ints(&[1, 2, 1, 1, 1])), ("strides", Ints(&[1, 1, 1, 1, 1]))];

    #[test]
    fn values() {
        let x = (&[1, 2, 1, 2, 1][..], &[1.0, 2.0, 3.0, 4.0][..]);
        let same = [WINDOWS[0], WINDOWS[1], ("padding", Text("SAME"))];
        // Over two planes; the last one has no other.
        each::<AvgPool3D>(REALS, &WINDOWS, &[x], (&[1, 1, 1, 2, 1], &[2.0, 3.0]));
        each::<AvgPool3D>(REALS, &same, &[x], (&[1, 2, 1, 2, 1], &[2.0, 3.0, 3.0, 4.0]));
        each::<AvgPool3D>(&[F32], &WINDOWS, &[(&[0, 2, 1, 1, 1], &[])], (&[0, 1, 1, 1, 1], &[]));
    }

    #[test]
    fn refusals() {
        let refused = |ksize: &'static [i64], strides: &'static [i64], message: &str| {
            let x = of(F32, &[1, 1, 1, 1, 1], &[1.0]);
            let inputs = [x];
            refuses::<AvgPool3D>(
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
        let message = "input 'in0' is INT32, which this op does not serve";
        refuses::<AvgPool3D>(&WINDOWS, &[of(I32, &[1, 2, 1, 1, 1], &[0.0; 2])], &[I32], message);
        let message = "the input is [2, 1, 1, 1]; it must have 5 axes";
        refuses::<AvgPool3D>(&WINDOWS, &[of(F32, &[2, 1, 1, 1], &[0.0; 2])], &[F32], message);
    }
}
