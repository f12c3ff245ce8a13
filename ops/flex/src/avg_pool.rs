//! AvgPool: the mean of each window. Reals.
//! Defined by: tensorflow/core/kernels/avgpooling_op.cc.

use crate::kit::kernel::Node;
use crate::kit::pool::{Kind, Member, Pool};

/// The op.
pub type AvgPool = Node<Pool<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexAvgPool";
    const AXES: usize = 2;
    const KIND: Kind = Kind::Average;
}

#[cfg(test)]
mod tests {
    use super::AvgPool;
    use crate::kit::testing::cases::*;

    const WINDOWS: [(&str, Attribute<'_>); 2] =
        [("ksize", Ints(&[1, 2, 2, 1])), ("strides", Ints(&[1, 2, 2, 1]))];

    #[test]
    fn values() {
        let x = (&[1, 3, 3, 1][..], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0][..]);
        let same = [WINDOWS[0], WINDOWS[1], ("padding", Text("SAME"))];
        each::<AvgPool>(REALS, &WINDOWS, &[x], (&[1, 1, 1, 1], &[3.0]));
        // Only what is in the image counts.
        each::<AvgPool>(REALS, &same, &[x], (&[1, 2, 2, 1], &[3.0, 4.5, 7.5, 9.0]));
        let first =
            [("ksize", Ints(&[1, 1, 1, 2])), ("strides", Ints(&[1, 1, 1, 1])), ("data_format", Text("NCHW"))];
        each::<AvgPool>(
            &[F32],
            &first,
            &[(&[1, 2, 1, 2], &[1.0, 3.0, 5.0, 9.0])],
            (&[1, 2, 1, 1], &[2.0, 7.0]),
        );
        each::<AvgPool>(&[F32], &WINDOWS, &[(&[0, 3, 3, 1], &[])], (&[0, 1, 1, 1], &[]));
        let x = [1.0, f64::NAN, 2.0, 3.0];
        each::<AvgPool>(&[F32], &WINDOWS, &[(&[1, 2, 2, 1], &x)], (&[1, 1, 1, 1], &[f64::NAN]));
    }

    #[test]
    fn refusals() {
        let refused = |ksize: &'static [i64], strides: &'static [i64], message: &str| {
            let x = of(F32, &[1, 1, 1, 1], &[1.0]);
            let inputs = [x];
            refuses::<AvgPool>(
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
        let message = "input 'in0' is INT32, which this op does not serve";
        refuses::<AvgPool>(&WINDOWS, &[of(I32, &[1, 2, 2, 1], &[0.0; 4])], &[I32], message);
        let message = "the input is [2, 2, 1]; it must have 4 axes";
        refuses::<AvgPool>(&WINDOWS, &[of(F32, &[2, 2, 1], &[0.0; 4])], &[F32], message);
    }
}
