//! What the ops make, what they refuse.

mod avg_pool {
    use crate::kit::testing::cases::*;
    use crate::pools::AvgPool;

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

mod avg_pool3d {
    use crate::kit::testing::cases::*;
    use crate::pools::AvgPool3D;

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

mod avg_pool3d_grad {
    use crate::kit::testing::cases::*;
    use crate::pools::AvgPool3DGrad;

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

mod avg_pool_grad {
    use crate::kit::testing::cases::*;
    use crate::pools::AvgPoolGrad;

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

mod max_pool {
    use crate::kit::testing::cases::*;
    use crate::pools::MaxPool;

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

mod max_pool3d {
    use crate::kit::testing::cases::*;
    use crate::pools::MaxPool3D;

    const WINDOWS: [(&str, Attribute<'_>); 2] =
        [("ksize", Ints(&[1, 2, 1, 1, 1])), ("strides", Ints(&[1, 1, 1, 1, 1]))];

    #[test]
    fn values() {
        let x = (&[1, 2, 1, 2, 1][..], &[1.0, 2.0, 3.0, 4.0][..]);
        let same = [WINDOWS[0], WINDOWS[1], ("padding", Text("SAME"))];
        // Over two planes; the last one has no other.
        each::<MaxPool3D>(REALS, &WINDOWS, &[x], (&[1, 1, 1, 2, 1], &[3.0, 4.0]));
        each::<MaxPool3D>(REALS, &same, &[x], (&[1, 2, 1, 2, 1], &[3.0, 4.0, 3.0, 4.0]));
        each::<MaxPool3D>(&[F32], &WINDOWS, &[(&[0, 2, 1, 1, 1], &[])], (&[0, 1, 1, 1, 1], &[]));
    }

    #[test]
    fn refusals() {
        let refused = |ksize: &'static [i64], strides: &'static [i64], message: &str| {
            let x = of(F32, &[1, 1, 1, 1, 1], &[1.0]);
            let inputs = [x];
            refuses::<MaxPool3D>(
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
        refuses::<MaxPool3D>(&WINDOWS, &[of(I32, &[1, 2, 1, 1, 1], &[0.0; 2])], &[I32], message);
        let message = "the input is [2, 1, 1, 1]; it must have 5 axes";
        refuses::<MaxPool3D>(&WINDOWS, &[of(F32, &[2, 1, 1, 1], &[0.0; 2])], &[F32], message);
    }
}

mod max_pool3d_grad {
    use crate::kit::testing::cases::*;
    use crate::pools::MaxPool3DGrad;

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
