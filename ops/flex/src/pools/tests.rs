//! Tests the results and the errors of the ops.

use crate::kit::testing::cases::*;

/// Attributes for windows of two elements along two axes of images, and along one axis of volumes.
const WINDOWS: [(&str, Attribute<'_>); 2] =
    [("ksize", Ints(&[1, 2, 2, 1])), ("strides", Ints(&[1, 2, 2, 1]))];
const WINDOWS_3D: [(&str, Attribute<'_>); 2] =
    [("ksize", Ints(&[1, 2, 1, 1, 1])), ("strides", Ints(&[1, 1, 1, 1, 1]))];

/// Checks the errors that every pool reports for its windows, over `inputs` with one element along each of `AXES`.
fn refuses_windows<T: Op, const AXES: usize>(inputs: &[Tensor]) {
    let with = |axis: usize, size: i64| {
        let mut sizes = [1; AXES];
        sizes[axis] = size;
        sizes
    };
    let refused = |ksize: &[i64], strides: &[i64], message: &str| {
        refuses::<T>(&[("ksize", Ints(ksize)), ("strides", Ints(strides))], inputs, &[F32], message);
    };
    let ones = [1; AXES];
    refused(&ones, &with(1, 0), "axis 1 has stride 0; it must be positive");
    refused(&with(1, 0), &ones, "axis 1 has filter size 0; it must be positive");
    let message = format!("strides are {:?}; along batch and channels they must be 1", with(0, 2));
    refused(&ones, &with(0, 2), &message);
    refused(&[], &ones, &format!("sizes of windows are []; {AXES} numbers are needed"));
    refused(&with(1, 3), &ones, "axis 1 has 1 elements; a window of 3 does not fit");
}

mod avg_pool {
    use super::*;
    use crate::pools::AvgPool;

    #[test]
    fn values() {
        let x = (&[1, 3, 3, 1][..], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0][..]);
        let same = [WINDOWS[0], WINDOWS[1], ("padding", Text("SAME"))];
        each::<AvgPool>(REALS, &WINDOWS, &[x], (&[1, 1, 1, 1], &[3.0]));
        // Only elements inside the image count.
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
        refuses_windows::<AvgPool, 4>(&[of(F32, &[1; 4], &[1.0])]);
        let message = "input 'in0' is INT32, which this op does not support";
        refuses::<AvgPool>(&WINDOWS, &[of(I32, &[1, 2, 2, 1], &[0.0; 4])], &[I32], message);
        let message = "the input is [2, 2, 1]; it must have 4 axes";
        refuses::<AvgPool>(&WINDOWS, &[of(F32, &[2, 2, 1], &[0.0; 4])], &[F32], message);
    }
}

mod avg_pool3d {
    use super::*;
    use crate::pools::AvgPool3D;

    #[test]
    fn values() {
        let x = (&[1, 2, 1, 2, 1][..], &[1.0, 2.0, 3.0, 4.0][..]);
        let same = [WINDOWS_3D[0], WINDOWS_3D[1], ("padding", Text("SAME"))];
        // The windows span two planes; the last one has only one.
        each::<AvgPool3D>(REALS, &WINDOWS_3D, &[x], (&[1, 1, 1, 2, 1], &[2.0, 3.0]));
        each::<AvgPool3D>(REALS, &same, &[x], (&[1, 2, 1, 2, 1], &[2.0, 3.0, 3.0, 4.0]));
        each::<AvgPool3D>(&[F32], &WINDOWS_3D, &[(&[0, 2, 1, 1, 1], &[])], (&[0, 1, 1, 1, 1], &[]));
    }

    #[test]
    fn refusals() {
        refuses_windows::<AvgPool3D, 5>(&[of(F32, &[1; 5], &[1.0])]);
        let message = "input 'in0' is INT32, which this op does not support";
        refuses::<AvgPool3D>(&WINDOWS_3D, &[of(I32, &[1, 2, 1, 1, 1], &[0.0; 2])], &[I32], message);
        let message = "the input is [2, 1, 1, 1]; it must have 5 axes";
        refuses::<AvgPool3D>(&WINDOWS_3D, &[of(F32, &[2, 1, 1, 1], &[0.0; 2])], &[F32], message);
    }
}

mod avg_pool3d_grad {
    use super::*;
    use crate::pools::AvgPool3DGrad;

    #[test]
    fn values() {
        for &ty in REALS {
            let dy = of(ty, &[1, 1, 1, 2, 1], &[4.0, 6.0]);
            let want = of(ty, &[1, 2, 1, 2, 1], &[2.0, 3.0, 2.0, 3.0]);
            gives::<AvgPool3DGrad>(&WINDOWS_3D, &[list(&[1, 2, 1, 2, 1]), dy], &[want]);
        }
    }

    #[test]
    fn refusals() {
        refuses_windows::<AvgPool3DGrad, 5>(&[list(&[1; 5]), of(F32, &[1; 5], &[1.0])]);
        let message = "input 1 is [1, 1, 1, 1, 1]; windows over [2, 2, 1, 1, 1] give [2, 1, 1, 1, 1]";
        let inputs = [list(&[2, 2, 1, 1, 1]), of(F32, &[1; 5], &[0.0])];
        refuses::<AvgPool3DGrad>(&WINDOWS_3D, &inputs, &[F32], message);
    }
}

mod avg_pool_grad {
    use super::*;
    use crate::pools::AvgPoolGrad;

    #[test]
    fn values() {
        let windows = [WINDOWS[0], WINDOWS[1], ("padding", Text("SAME"))];
        for &ty in REALS {
            let dy = of(ty, &[1, 2, 2, 1], &[4.0, 2.0, 6.0, 1.0]);
            // A quarter of 4, halves of 2 and 6, and all of 1.
            let want = of(ty, &[1, 3, 3, 1], &[1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 3.0, 3.0, 1.0]);
            gives::<AvgPoolGrad>(&windows, &[list(&[1, 3, 3, 1]), dy], &[want]);
        }
        // Overlapping windows.
        let row = [("ksize", Ints(&[1, 1, 2, 1])), ("strides", Ints(&[1, 1, 1, 1]))];
        let dy = of(F32, &[1, 1, 2, 1], &[2.0, 4.0]);
        gives::<AvgPoolGrad>(&row, &[list(&[1, 1, 3, 1]), dy], &[of(F32, &[1, 1, 3, 1], &[1.0, 3.0, 2.0])]);
    }

    #[test]
    fn refusals() {
        refuses_windows::<AvgPoolGrad, 4>(&[list(&[1; 4]), of(F32, &[1; 4], &[1.0])]);
        let refused = |size: &[i32], message: &str| {
            refuses::<AvgPoolGrad>(&WINDOWS, &[list(size), of(F32, &[1, 1, 1, 1], &[0.0])], &[F32], message);
        };
        let message = "input 1 is [1, 1, 1, 1]; windows over [2, 2, 2, 1] give [2, 1, 1, 1]";
        refused(&[2, 2, 2, 1], message);
        refused(&[2, 2, 1], "the input is [2, 2, 1]; it must have 4 axes");
    }
}

mod max_pool {
    use super::*;
    use crate::pools::MaxPool;

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
        // NaN is ignored; the result is at least the lowest finite number.
        let image = |x: &[f64]| of(F32, &[1, 2, 2, 1], x);
        let pooled = |y: f32| Tensor::f32(&[1, 1, 1, 1], &[y]);
        gives::<MaxPool>(&WINDOWS, &[image(&[1.0, f64::NAN, 3.0, -1.0])], &[pooled(3.0)]);
        gives::<MaxPool>(&WINDOWS, &[image(&[f64::NEG_INFINITY; 4])], &[pooled(f32::MIN)]);
    }

    #[test]
    fn refusals() {
        refuses_windows::<MaxPool, 4>(&[of(F32, &[1; 4], &[1.0])]);
        let message = "input 'in0' is COMPLEX64, which this op does not support";
        refuses::<MaxPool>(&WINDOWS, &[of(C64, &[1, 2, 2, 1], &[0.0; 4])], &[C64], message);
        let message = "the input is [2, 2, 1]; it must have 4 axes";
        refuses::<MaxPool>(&WINDOWS, &[of(F32, &[2, 2, 1], &[0.0; 4])], &[F32], message);
    }
}

mod max_pool3d {
    use super::*;
    use crate::pools::MaxPool3D;

    #[test]
    fn values() {
        let x = (&[1, 2, 1, 2, 1][..], &[1.0, 2.0, 3.0, 4.0][..]);
        let same = [WINDOWS_3D[0], WINDOWS_3D[1], ("padding", Text("SAME"))];
        // The windows span two planes; the last one has only one.
        each::<MaxPool3D>(REALS, &WINDOWS_3D, &[x], (&[1, 1, 1, 2, 1], &[3.0, 4.0]));
        each::<MaxPool3D>(REALS, &same, &[x], (&[1, 2, 1, 2, 1], &[3.0, 4.0, 3.0, 4.0]));
        each::<MaxPool3D>(&[F32], &WINDOWS_3D, &[(&[0, 2, 1, 1, 1], &[])], (&[0, 1, 1, 1, 1], &[]));
    }

    #[test]
    fn refusals() {
        refuses_windows::<MaxPool3D, 5>(&[of(F32, &[1; 5], &[1.0])]);
        let message = "input 'in0' is INT32, which this op does not support";
        refuses::<MaxPool3D>(&WINDOWS_3D, &[of(I32, &[1, 2, 1, 1, 1], &[0.0; 2])], &[I32], message);
        let message = "the input is [2, 1, 1, 1]; it must have 5 axes";
        refuses::<MaxPool3D>(&WINDOWS_3D, &[of(F32, &[2, 1, 1, 1], &[0.0; 2])], &[F32], message);
    }
}

mod max_pool3d_grad {
    use super::*;
    use crate::pools::MaxPool3DGrad;

    #[test]
    fn values() {
        let (x, y) =
            ((&[1, 2, 1, 2, 1][..], &[1.0, 4.0, 3.0, 4.0][..]), (&[1, 1, 1, 2, 1][..], &[3.0, 4.0][..]));
        let dy = (&[1, 1, 1, 2, 1][..], &[5.0, 6.0][..]);
        // Each of the largest elements of a window gets the whole gradient.
        let want = (&[1, 2, 1, 2, 1][..], &[0.0, 6.0, 5.0, 6.0][..]);
        each::<MaxPool3DGrad>(REALS, &WINDOWS_3D, &[x, y, dy], want);
    }

    #[test]
    fn refusals() {
        refuses_windows::<MaxPool3DGrad, 5>(&vec![of(F32, &[1; 5], &[1.0]); 3]);
        let one = of(F32, &[1; 5], &[0.0]);
        let inputs = [of(F32, &[1, 3, 1, 1, 1], &[0.0; 3]), one.clone(), one];
        let message = "input 1 is [1, 1, 1, 1, 1]; windows over [1, 3, 1, 1, 1] give [1, 2, 1, 1, 1]";
        refuses::<MaxPool3DGrad>(&WINDOWS_3D, &inputs, &[F32], message);
    }
}

mod max_pool_grad {
    use super::*;
    use crate::pools::MaxPoolGrad;

    #[test]
    fn values() {
        let windows = [WINDOWS[0], WINDOWS[1], ("padding", Text("SAME"))];
        let types = &[F16, BF16, F32, F64, I8, U8, I16, U16, I32, I64];
        let (x, y) = (
            (&[1, 3, 3, 1][..], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0][..]),
            (&[1, 2, 2, 1][..], &[5.0, 6.0, 8.0, 9.0][..]),
        );
        let dy = (&[1, 2, 2, 1][..], &[4.0, 2.0, 6.0, 1.0][..]);
        let want = (&[1, 3, 3, 1][..], &[0.0, 0.0, 0.0, 0.0, 4.0, 2.0, 0.0, 6.0, 1.0][..]);
        each::<MaxPoolGrad>(types, &windows, &[x, y, dy], want);
        // The first of equal elements gets the gradient; NaN is ignored.
        for x in [[7.0, 7.0, 7.0, 7.0], [7.0, f64::NAN, 7.0, 1.0]] {
            let (x, y, dy) =
                ((&[1, 2, 2, 1][..], &x[..]), (&[1; 4][..], &[7.0][..]), (&[1; 4][..], &[3.0][..]));
            each::<MaxPoolGrad>(&[F32], &windows, &[x, y, dy], (&[1, 2, 2, 1], &[3.0, 0.0, 0.0, 0.0]));
        }
    }

    #[test]
    fn refusals() {
        refuses_windows::<MaxPoolGrad, 4>(&vec![of(F32, &[1; 4], &[1.0]); 3]);
        let refused = |y: Tensor, dy: Tensor, message: &str| {
            refuses::<MaxPoolGrad>(&WINDOWS, &[of(F32, &[1, 2, 2, 1], &[0.0; 4]), y, dy], &[F32], message);
        };
        let one = of(F32, &[1; 4], &[0.0]);
        let message = "input 1 is [2, 1, 1, 1]; windows over [1, 2, 2, 1] give [1, 1, 1, 1]";
        refused(of(F32, &[2, 1, 1, 1], &[0.0; 2]), one.clone(), message);
        let message = "input 2 is [2, 1, 1, 1]; windows over [1, 2, 2, 1] give [1, 1, 1, 1]";
        refused(one.clone(), of(F32, &[2, 1, 1, 1], &[0.0; 2]), message);
        refused(one, of(F64, &[1; 4], &[0.0]), "input 'in2' is FLOAT64, which this op does not support");
    }
}
