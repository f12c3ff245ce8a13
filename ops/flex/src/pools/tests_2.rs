//! What the ops make, what they refuse.

mod max_pool_grad {
    use crate::kit::testing::cases::*;
    use crate::pools::MaxPoolGrad;

    const WINDOWS: [(&str, Attribute<'_>); 2] =
        [("ksize", Ints(&[1, 2, 2, 1])), ("strides", Ints(&[1, 2, 2, 1]))];

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
        // Of equal elements the first one; what is no number does not count.
        for x in [[7.0, 7.0, 7.0, 7.0], [7.0, f64::NAN, 7.0, 1.0]] {
            let (x, y, dy) =
                ((&[1, 2, 2, 1][..], &x[..]), (&[1; 4][..], &[7.0][..]), (&[1; 4][..], &[3.0][..]));
            each::<MaxPoolGrad>(&[F32], &windows, &[x, y, dy], (&[1, 2, 2, 1], &[3.0, 0.0, 0.0, 0.0]));
        }
    }

    #[test]
    fn refusals() {
        let refused = |ksize: &'static [i64], strides: &'static [i64], message: &str| {
            let x = of(F32, &[1, 1, 1, 1], &[1.0]);
            let inputs = [x.clone(), x.clone(), x];
            refuses::<MaxPoolGrad>(
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
        let refused = |y: Tensor, dy: Tensor, message: &str| {
            refuses::<MaxPoolGrad>(&WINDOWS, &[of(F32, &[1, 2, 2, 1], &[0.0; 4]), y, dy], &[F32], message);
        };
        let one = of(F32, &[1; 4], &[0.0]);
        let message = "input 1 is [2, 1, 1, 1]; windows over [1, 2, 2, 1] give [1, 1, 1, 1]";
        refused(of(F32, &[2, 1, 1, 1], &[0.0; 2]), one.clone(), message);
        let message = "input 2 is [2, 1, 1, 1]; windows over [1, 2, 2, 1] give [1, 1, 1, 1]";
        refused(one.clone(), of(F32, &[2, 1, 1, 1], &[0.0; 2]), message);
        refused(one, of(F64, &[1; 4], &[0.0]), "input 'in2' is FLOAT64, which this op does not serve");
    }
}
