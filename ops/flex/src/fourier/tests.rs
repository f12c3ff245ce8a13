//! Tests the results and the errors of the ops.

mod fft {
    use crate::fourier::Fft;
    use crate::kit::testing::cases::*;
    use core::slice::from_ref;

    #[test]
    fn values() {
        for &ty in COMPLEX {
            let (x, y) = (
                complex(ty, &[4], &[(1.0, 0.0), (2.0, 0.0), (3.0, 0.0), (4.0, 0.0)]),
                complex(ty, &[4], &[(10.0, 0.0), (-2.0, 2.0), (-2.0, 0.0), (-2.0, -2.0)]),
            );
            gives::<Fft>(&[], &[x], &[y]);
            // A length that is not a power of two.
            let (x, y) = (
                complex(ty, &[3], &[(1.0, 0.0), (2.0, 0.0), (3.0, 0.0)]),
                complex(
                    ty,
                    &[3],
                    &[(6.0, 0.0), (-1.5, 0.866_025_403_784_438_6), (-1.5, -0.866_025_403_784_438_6)],
                ),
            );
            gives::<Fft>(&[], &[x], &[y]);
        }
        // Rows are transformed separately; a row of length 1 does not change.
        let x = complex(C64, &[2, 1], &[(5.0, 0.0), (0.0, 1.0)]);
        gives::<Fft>(&[], from_ref(&x), from_ref(&x));
        gives::<Fft>(&[], &[of(C64, &[2, 0], &[])], &[of(C64, &[2, 0], &[])]);
    }

    #[test]
    fn refusals() {
        let message = "'in0' is []; its rank must be at least 1";
        refuses::<Fft>(&[], &[of(C64, &[], &[1.0])], &[C64], message);
        let message =
            "input 'in0' is FLOAT32, output 'out0' is FLOAT32; one type of complex numbers is needed";
        refuses::<Fft>(&[], &[of(F32, &[1], &[1.0])], &[F32], message);
    }
}

mod fft2d {
    use crate::fourier::Fft2D;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        // Sums and differences along both axes of [[1, 2], [3, 4]].
        each::<Fft2D>(COMPLEX, &[], &[(&[2, 2], &[1.0, 2.0, 3.0, 4.0])], (&[2, 2], &[10.0, -2.0, -4.0, 0.0]));
        let (x, y) = (
            complex(C64, &[1, 3], &[(1.0, 0.0), (2.0, 0.0), (3.0, 0.0)]),
            complex(
                C64,
                &[1, 3],
                &[(6.0, 0.0), (-1.5, 0.866_025_403_784_438_6), (-1.5, -0.866_025_403_784_438_6)],
            ),
        );
        gives::<Fft2D>(&[], &[x], &[y]);
        each::<Fft2D>(&[C64], &[], &[(&[2, 1, 1], &[5.0, 7.0])], (&[2, 1, 1], &[5.0, 7.0]));
        each::<Fft2D>(&[C64], &[], &[(&[3, 0], &[])], (&[3, 0], &[]));
    }

    #[test]
    fn refusals() {
        let message = "'in0' is [3]; its rank must be at least 2";
        refuses::<Fft2D>(&[], &[of(C64, &[3], &[1.0; 3])], &[C64], message);
    }
}

mod fft3d {
    use crate::fourier::Fft3D;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        each::<Fft3D>(
            COMPLEX,
            &[],
            &[(&[2, 2, 2], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0])],
            (&[2, 2, 2], &[36.0, -4.0, -8.0, 0.0, -16.0, 0.0, 0.0, 0.0]),
        );
        let (x, y) = (
            complex(C128, &[1, 1, 3], &[(1.0, 0.0), (2.0, 0.0), (3.0, 0.0)]),
            complex(
                C128,
                &[1, 1, 3],
                &[(6.0, 0.0), (-1.5, 0.866_025_403_784_438_6), (-1.5, -0.866_025_403_784_438_6)],
            ),
        );
        gives::<Fft3D>(&[], &[x], &[y]);
        each::<Fft3D>(&[C64], &[], &[(&[0, 2, 2], &[])], (&[0, 2, 2], &[]));
    }

    #[test]
    fn refusals() {
        let message = "'in0' is [1, 1]; its rank must be at least 3";
        refuses::<Fft3D>(&[], &[of(C64, &[1, 1], &[1.0])], &[C64], message);
    }
}

mod ifft {
    use crate::fourier::Ifft;
    use crate::kit::testing::cases::*;
    use core::slice::from_ref;

    #[test]
    fn values() {
        for &ty in COMPLEX {
            let (x, y) = (
                complex(ty, &[4], &[(10.0, 0.0), (-2.0, 2.0), (-2.0, 0.0), (-2.0, -2.0)]),
                complex(ty, &[4], &[(1.0, 0.0), (2.0, 0.0), (3.0, 0.0), (4.0, 0.0)]),
            );
            gives::<Ifft>(&[], &[x], &[y]);
            // A length that is not a power of two.
            let (x, y) = (
                complex(
                    ty,
                    &[3],
                    &[(6.0, 0.0), (-1.5, 0.866_025_403_784_438_6), (-1.5, -0.866_025_403_784_438_6)],
                ),
                complex(ty, &[3], &[(1.0, 0.0), (2.0, 0.0), (3.0, 0.0)]),
            );
            gives::<Ifft>(&[], &[x], &[y]);
        }
        // Rows are transformed separately; a row of length 1 does not change.
        let x = complex(C64, &[2, 1], &[(5.0, 0.0), (0.0, 1.0)]);
        gives::<Ifft>(&[], from_ref(&x), from_ref(&x));
        gives::<Ifft>(&[], &[of(C64, &[2, 0], &[])], &[of(C64, &[2, 0], &[])]);
    }

    #[test]
    fn refusals() {
        let message = "'in0' is []; its rank must be at least 1";
        refuses::<Ifft>(&[], &[of(C64, &[], &[1.0])], &[C64], message);
        let message =
            "input 'in0' is FLOAT32, output 'out0' is FLOAT32; one type of complex numbers is needed";
        refuses::<Ifft>(&[], &[of(F32, &[1], &[1.0])], &[F32], message);
    }
}

mod ifft2d {
    use crate::fourier::Ifft2D;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        // [[10, −2], [−4, 0]] is the spectrum of [[1, 2], [3, 4]].
        each::<Ifft2D>(
            COMPLEX,
            &[],
            &[(&[2, 2], &[10.0, -2.0, -4.0, 0.0])],
            (&[2, 2], &[1.0, 2.0, 3.0, 4.0]),
        );
        let (x, y) = (
            complex(
                C64,
                &[1, 3],
                &[(6.0, 0.0), (-1.5, 0.866_025_403_784_438_6), (-1.5, -0.866_025_403_784_438_6)],
            ),
            complex(C64, &[1, 3], &[(1.0, 0.0), (2.0, 0.0), (3.0, 0.0)]),
        );
        gives::<Ifft2D>(&[], &[x], &[y]);
        each::<Ifft2D>(&[C64], &[], &[(&[2, 1, 1], &[5.0, 7.0])], (&[2, 1, 1], &[5.0, 7.0]));
        each::<Ifft2D>(&[C64], &[], &[(&[3, 0], &[])], (&[3, 0], &[]));
    }

    #[test]
    fn refusals() {
        let message = "'in0' is [3]; its rank must be at least 2";
        refuses::<Ifft2D>(&[], &[of(C64, &[3], &[1.0; 3])], &[C64], message);
    }
}

mod ifft3d {
    use crate::fourier::Ifft3D;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        each::<Ifft3D>(
            COMPLEX,
            &[],
            &[(&[2, 2, 2], &[36.0, -4.0, -8.0, 0.0, -16.0, 0.0, 0.0, 0.0])],
            (&[2, 2, 2], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]),
        );
        let (x, y) = (
            complex(
                C128,
                &[1, 1, 3],
                &[(6.0, 0.0), (-1.5, 0.866_025_403_784_438_6), (-1.5, -0.866_025_403_784_438_6)],
            ),
            complex(C128, &[1, 1, 3], &[(1.0, 0.0), (2.0, 0.0), (3.0, 0.0)]),
        );
        gives::<Ifft3D>(&[], &[x], &[y]);
        each::<Ifft3D>(&[C64], &[], &[(&[0, 2, 2], &[])], (&[0, 2, 2], &[]));
    }

    #[test]
    fn refusals() {
        let message = "'in0' is [1, 1]; its rank must be at least 3";
        refuses::<Ifft3D>(&[], &[of(C64, &[1, 1], &[1.0])], &[C64], message);
    }
}

mod irfft {
    use crate::fourier::Irfft;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        for (ty, to) in [(C64, F32), (C128, F64)] {
            // The imaginary parts of the first and the last element are ignored.
            let x = complex(ty, &[3], &[(10.0, 5.0), (-2.0, 2.0), (-2.0, 7.0)]);
            let y = of(to, &[4], &[1.0, 2.0, 3.0, 4.0]);
            gives::<Irfft>(&[], &[x, list(&[4])], &[y]);
            let x = complex(ty, &[2], &[(6.0, 0.0), (-1.5, 0.866_025_403_784_438_6)]);
            gives::<Irfft>(&[], &[x, list(&[3])], &[of(to, &[3], &[1.0, 2.0, 3.0])]);
        }
        let x =
            complex(C64, &[2, 3], &[(5.0, 0.0), (9.0, 9.0), (9.0, 9.0), (7.0, 0.0), (9.0, 9.0), (9.0, 9.0)]);
        gives::<Irfft>(&[], &[x, list(&[1])], &[of(F32, &[2, 1], &[5.0, 7.0])]);
        gives::<Irfft>(&[], &[of(C64, &[0, 2], &[]), list(&[2])], &[of(F32, &[0, 2], &[])]);
    }

    #[test]
    fn refusals() {
        let refused = |length: Tensor, message: &str| {
            refuses::<Irfft>(&[], &[of(C64, &[2], &[1.0; 2]), length], &[F32], message);
        };
        refused(list(&[4]), "axis 0 of 'in0' has 2 elements, the transform needs 3");
        refused(int(2), "fft_length is [2] of rank 0; a list of 1 lengths is needed");
        let message = "input 'in0' is FLOAT32, output 'out0' is FLOAT32; complex numbers to reals are needed";
        refuses::<Irfft>(&[], &[of(F32, &[4], &[1.0; 4]), list(&[4])], &[F32], message);
    }
}

mod irfft2d {
    use crate::fourier::Irfft2D;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        for (ty, to) in [(C64, F32), (C128, F64)] {
            let x = of(ty, &[2, 2], &[10.0, -2.0, -4.0, 0.0]);
            gives::<Irfft2D>(&[], &[x, list(&[2, 2])], &[of(to, &[2, 2], &[1.0, 2.0, 3.0, 4.0])]);
            let x = complex(
                ty,
                &[2, 2],
                &[(21.0, 0.0), (-3.0, 2.0 * 0.866_025_403_784_438_6), (-9.0, 0.0), (0.0, 0.0)],
            );
            let y = of(to, &[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
            gives::<Irfft2D>(&[], &[x, list(&[2, 3])], &[y]);
        }
    }

    #[test]
    fn refusals() {
        let message = "axis 1 of 'in0' has 2 elements, the transform needs 3";
        refuses::<Irfft2D>(&[], &[of(C64, &[2, 2], &[1.0; 4]), list(&[2, 4])], &[F32], message);
        let message = "'in0' is [2]; its rank must be at least 2";
        refuses::<Irfft2D>(&[], &[of(C64, &[2], &[1.0; 2]), list(&[1, 2])], &[F32], message);
    }
}

mod irfft3d {
    use crate::fourier::Irfft3D;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        for (ty, to) in [(C64, F32), (C128, F64)] {
            let (x, y) = (
                of(ty, &[2, 2, 2], &[36.0, -4.0, -8.0, 0.0, -16.0, 0.0, 0.0, 0.0]),
                of(to, &[2, 2, 2], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]),
            );
            gives::<Irfft3D>(&[], &[x, list(&[2, 2, 2])], &[y]);
            let x = complex(ty, &[1, 1, 2], &[(6.0, 0.0), (-1.5, 0.866_025_403_784_438_6)]);
            gives::<Irfft3D>(&[], &[x, list(&[1, 1, 3])], &[of(to, &[1, 1, 3], &[1.0, 2.0, 3.0])]);
        }
    }

    #[test]
    fn refusals() {
        let message = "axis 2 of 'in0' has 1 elements, the transform needs 2";
        refuses::<Irfft3D>(&[], &[of(C64, &[1, 1, 1], &[1.0]), list(&[1, 1, 2])], &[F32], message);
        let message = "'in0' is [1, 1]; its rank must be at least 3";
        refuses::<Irfft3D>(&[], &[of(C64, &[1, 1], &[1.0]), list(&[1, 1, 1])], &[F32], message);
    }
}

mod rfft {
    use crate::fourier::Rfft;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        for (ty, to) in [(F32, C64), (F64, C128)] {
            let x = of(ty, &[4], &[1.0, 2.0, 3.0, 4.0]);
            let y = complex(to, &[3], &[(10.0, 0.0), (-2.0, 2.0), (-2.0, 0.0)]);
            gives::<Rfft>(&[], &[x.clone(), list(&[4])], &[y]);
            // Only the first three elements are transformed.
            let y = complex(to, &[2], &[(6.0, 0.0), (-1.5, 0.866_025_403_784_438_6)]);
            gives::<Rfft>(&[], &[x, list(&[3])], &[y]);
        }
        let x = of(F32, &[2, 1], &[5.0, 7.0]);
        gives::<Rfft>(&[], &[x, list(&[1])], &[of(C64, &[2, 1], &[5.0, 7.0])]);
        gives::<Rfft>(&[], &[of(F32, &[0, 2], &[]), list(&[2])], &[of(C64, &[0, 2], &[])]);
    }

    #[test]
    fn refusals() {
        let refused = |length: Tensor, message: &str| {
            refuses::<Rfft>(&[], &[of(F32, &[4], &[1.0; 4]), length], &[C64], message);
        };
        refused(list(&[5]), "axis 0 of 'in0' has 4 elements, the transform needs 5");
        refused(
            list(&[-1]),
            "[-1] is not a valid shape; sizes must not be negative, and at most 8 axes are supported",
        );
        refused(list(&[4, 4]), "fft_length is [4, 4] of rank 1; a list of 1 lengths is needed");
        refused(int(4), "fft_length is [4] of rank 0; a list of 1 lengths is needed");
        let message =
            "input 'in0' is COMPLEX64, output 'out0' is COMPLEX64; reals to complex numbers are needed";
        refuses::<Rfft>(&[], &[of(C64, &[4], &[1.0; 4]), list(&[4])], &[C64], message);
    }
}

mod rfft2d {
    use crate::fourier::Rfft2D;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        for (ty, to) in [(F32, C64), (F64, C128)] {
            let x = of(ty, &[2, 2], &[1.0, 2.0, 3.0, 4.0]);
            let y = of(to, &[2, 2], &[10.0, -2.0, -4.0, 0.0]);
            gives::<Rfft2D>(&[], &[x, list(&[2, 2])], &[y]);
            // The rows have the spectra [6, −1.5 + 0.87i, …] and [15, −1.5 + 0.87i, …].
            let x = of(ty, &[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
            let y = complex(
                to,
                &[2, 2],
                &[(21.0, 0.0), (-3.0, 2.0 * 0.866_025_403_784_438_6), (-9.0, 0.0), (0.0, 0.0)],
            );
            gives::<Rfft2D>(&[], &[x.clone(), list(&[2, 3])], &[y]);
            // Only the first two elements of the first row are transformed.
            gives::<Rfft2D>(&[], &[x, list(&[1, 2])], &[of(to, &[1, 2], &[3.0, -1.0])]);
        }
    }

    #[test]
    fn refusals() {
        let message = "axis 0 of 'in0' has 2 elements, the transform needs 3";
        refuses::<Rfft2D>(&[], &[of(F32, &[2, 2], &[1.0; 4]), list(&[3, 2])], &[C64], message);
        let message = "'in0' is [2]; its rank must be at least 2";
        refuses::<Rfft2D>(&[], &[of(F32, &[2], &[1.0; 2]), list(&[1, 2])], &[C64], message);
        let message = "fft_length is [2] of rank 1; a list of 2 lengths is needed";
        refuses::<Rfft2D>(&[], &[of(F32, &[2, 2], &[1.0; 4]), list(&[2])], &[C64], message);
    }
}

mod rfft3d {
    use crate::fourier::Rfft3D;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        for (ty, to) in [(F32, C64), (F64, C128)] {
            let (x, y) = (
                of(ty, &[2, 2, 2], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]),
                of(to, &[2, 2, 2], &[36.0, -4.0, -8.0, 0.0, -16.0, 0.0, 0.0, 0.0]),
            );
            gives::<Rfft3D>(&[], &[x, list(&[2, 2, 2])], &[y]);
            let y = complex(to, &[1, 1, 2], &[(6.0, 0.0), (-1.5, 0.866_025_403_784_438_6)]);
            gives::<Rfft3D>(&[], &[of(ty, &[1, 1, 3], &[1.0, 2.0, 3.0]), list(&[1, 1, 3])], &[y]);
        }
    }

    #[test]
    fn refusals() {
        let message = "axis 2 of 'in0' has 1 elements, the transform needs 2";
        refuses::<Rfft3D>(&[], &[of(F32, &[1, 1, 1], &[1.0]), list(&[1, 1, 2])], &[C64], message);
        let message = "'in0' is [1, 1]; its rank must be at least 3";
        refuses::<Rfft3D>(&[], &[of(F32, &[1, 1], &[1.0]), list(&[1, 1, 1])], &[C64], message);
    }
}
