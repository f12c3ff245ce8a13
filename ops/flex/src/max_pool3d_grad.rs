//! MaxPool3DGrad: the gradient of maxima of windows of three axes; inputs: input, maxima, gradient. Reals.
//! Defined by: tensorflow/core/kernels/pooling_ops_3d.cc.

use crate::kit::kernel::Node;
use crate::kit::pool::{Kind, Member, Pool};

/// The op.
pub type MaxPool3DGrad = Node<Pool<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexMaxPool3DGrad";
    const AXES: usize = 3;
    const KIND: Kind = Kind::MaximumGradient;
}

#[cfg(test)]
mod tests {
    use super::MaxPool3DGrad;
    use crate::kit::testing::cases::*;

    const WINDOWS: [(&str, Attribute<'_>); 2] =
        [("ksize", Ints(&[1, 2, 1, 1, 1])), ("strides", Ints(&[1, 1, 1, 1, 1]))];

    #[test]
    fn values() {
        let (x, y) =
            ((&[1, 2, 1, 2, 1][..], &[1.0, 4.0, 3.0, 4.0][..]), (&[1, 1, 1, 2, 1][..], &[3.0, 4.0][..]));
        let dy = (&[1, 1, 1, 2, 1][..], &[5.0, 6.0][..]);
        // The largest elements of a window all have the whole gradient.
        let want = (&[1, 2, 1, 2, 1][..], &[0.0, 6.0, 5.0, 6.0][..]);
        each::<MaxPool3DGrad>(REALS, &WINDOWS, &[x, y, dy], want);
    }

    #[test]
    fn refusals() {
        let refused = |ksize: &'static [i64], strides: &'static [i64], message: &str| {
            let x = of(F32, &[1, 1, 1, 1, 1], &[1.0]);
            let inputs = [x.clone(), x.clone(), x];
            refuses::<MaxPool3DGrad>(
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
        let one = of(F32, &[1; 5], &[0.0]);
        let inputs = [of(F32, &[1, 3, 1, 1, 1], &[0.0; 3]), one.clone(), one];
        let message = "input 1 is [1, 1, 1, 1, 1]; windows over [1, 3, 1, 1, 1] give [1, 2, 1, 1, 1]";
        refuses::<MaxPool3DGrad>(&WINDOWS, &inputs, &[F32], message);
    }
}
