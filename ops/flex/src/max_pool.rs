//! MaxPool: the largest input of each window. Reals.
//! Defined by: tensorflow/core/kernels/maxpooling_op.cc.

use crate::kit::kernel::Node;
use crate::kit::pool::{Kind, Member, Pool};

/// The op.
pub type MaxPool = Node<Pool<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexMaxPool";
    const AXES: usize = 2;
    const KIND: Kind = Kind::Maximum;
}

#[cfg(test)]
mod tests {
    use super::MaxPool;
    use crate::kit::testing::cases::*;

    const WINDOWS: [(&str, Attribute<'_>); 2] =
        [("ksize", Ints(&[1, 2, 2, 1])), ("strides", Ints(&[1, 2, 2, 1]))];

    #[test]
    fn values() {
        let x = (&[1, 3, 3, 1][..], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0][..]);
        let types = &[F16, BF16, F32, F64, I8, U8, I16, U16, I32, I64];
        let same = [WINDOWS[0], WINDOWS[1], ("padding", Text("SAME"))];
        each::<MaxPool>(types, &WINDOWS, &[x], (&[1, 1, 1, 1], &[5.0]));
        each::<MaxPool>(types, &same, &[x], (&[1, 2, 2, 1], &[5.0, 6.0, 8.0, 9.0]));
        let around = ("explicit_paddings", Ints(&[0, 0, 1, 0, 1, 0, 0, 0]));
        let explicit = [WINDOWS[0], WINDOWS[1], ("padding", Text("EXPLICIT")), around];
        each::<MaxPool>(types, &explicit, &[x], (&[1, 2, 2, 1], &[1.0, 3.0, 7.0, 9.0]));
        each::<MaxPool>(types, &WINDOWS, &[(&[0, 3, 3, 1], &[])], (&[0, 1, 1, 1], &[]));
        // What is no number does not count; the result is at least the lowest finite number.
        let image = |x: &[f64]| of(F32, &[1, 2, 2, 1], x);
        let pooled = |y: f32| Tensor::f32(&[1, 1, 1, 1], &[y]);
        gives::<MaxPool>(&WINDOWS, &[image(&[1.0, f64::NAN, 3.0, -1.0])], &[pooled(3.0)]);
        gives::<MaxPool>(&WINDOWS, &[image(&[f64::NEG_INFINITY; 4])], &[pooled(f32::MIN)]);
    }

    #[test]
    fn refusals() {
        let refused = |ksize: &'static [i64], strides: &'static [i64], message: &str| {
            let x = of(F32, &[1, 1, 1, 1], &[1.0]);
            let inputs = [x];
            refuses::<MaxPool>(
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
        let message = "input 'in0' is COMPLEX64, which this op does not serve";
        refuses::<MaxPool>(&WINDOWS, &[of(C64, &[1, 2, 2, 1], &[0.0; 4])], &[C64], message);
        let message = "the input is [2, 2, 1]; it must have 4 axes";
        refuses::<MaxPool>(&WINDOWS, &[of(F32, &[2, 2, 1], &[0.0; 4])], &[F32], message);
    }
}
