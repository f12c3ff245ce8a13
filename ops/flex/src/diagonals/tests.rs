//! Tests the results and the errors of the ops.

mod matrix_diag {
    use crate::diagonals::MatrixDiag;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        each::<MatrixDiag>(
            &[U8, I32, I64, F16, F32, F64, C64],
            &[],
            &[(&[2], &[7.0, 8.0])],
            (&[2, 2], &[7.0, 0.0, 0.0, 8.0]),
        );
        each::<MatrixDiag>(&[F32], &[], &[(&[2, 1], &[7.0, 8.0])], (&[2, 1, 1], &[7.0, 8.0]));
        each::<MatrixDiag>(&[F32], &[], &[(&[2, 0], &[])], (&[2, 0, 0], &[]));
    }

    #[test]
    fn refusals() {
        refuses::<MatrixDiag>(&[], &[real(1.0)], &[F32], "diagonals are []; 1 axes are needed");
    }
}

mod matrix_diag_part {
    use crate::diagonals::MatrixDiagPart;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        let x = (&[2, 3][..], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0][..]);
        each::<MatrixDiagPart>(&[U8, I32, I64, F16, F32, F64, C64], &[], &[x], (&[2], &[1.0, 5.0]));
        each::<MatrixDiagPart>(&[F32], &[], &[(&[2, 2, 1], &[1.0, 2.0, 3.0, 4.0])], (&[2, 1], &[1.0, 3.0]));
        each::<MatrixDiagPart>(&[F32], &[], &[(&[0, 3], &[])], (&[0], &[]));
    }

    #[test]
    fn refusals() {
        refuses::<MatrixDiagPart>(&[], &[list(&[1])], &[I32], "the matrix is [1]; two axes are needed");
    }
}

mod matrix_diag_part_v2 {
    use crate::diagonals::MatrixDiagPartV2;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        let x = (&[3, 3][..], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0][..]);
        let part = |attributes: &[_], x: (&[i32], &[f64]), k: &[i32], want: (&[i32], &[f64])| {
            for &ty in &[U8, I32, I64, F16, F32, F64, C64] {
                let inputs = [of(ty, x.0, x.1), list(k), of(ty, &[], &[0.0])];
                gives::<MatrixDiagPartV2>(attributes, &inputs, &[of(ty, want.0, want.1)]);
            }
        };
        part(&[], x, &[0], (&[3], &[1.0, 5.0, 9.0]));
        part(&[], x, &[-2], (&[1], &[7.0]));
        part(&[], x, &[1, 1], (&[2], &[2.0, 6.0]));
        part(&[], (&[2, 1, 2], &[1.0, 2.0, 3.0, 4.0]), &[1], (&[2, 1], &[2.0, 4.0]));
        part(&[], (&[0, 3], &[]), &[0], (&[0], &[]));
        part(&[], x, &[1, 2], (&[2, 2], &[3.0, 0.0, 2.0, 6.0]));
        part(&[], x, &[-2, -1], (&[2, 2], &[4.0, 8.0, 7.0, 0.0]));
    }

    #[test]
    fn refusals() {
        let refused = |shape: &[i32], k: Tensor, message: &str| {
            let x = of(F32, shape, &vec![0.0; shape.iter().product::<i32>() as usize]);
            refuses::<MatrixDiagPartV2>(&[], &[x, k, real(0.0)], &[F32], message);
        };
        refused(&[2, 3], int(3), "diagonals 3..=3 exceed a matrix of 2 by 3");
        refused(&[2, 3], list(&[-2, 0]), "diagonals -2..=0 exceed a matrix of 2 by 3");
        let message = "diagonals are [1, 0]; one or two in ascending order are needed";
        refused(&[2, 3], list(&[1, 0]), message);
        refused(&[3], int(0), "the matrix is [3]; two axes are needed");
    }
}

mod matrix_diag_part_v3 {
    use crate::diagonals::MatrixDiagPartV3;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        let x = (&[3, 3][..], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0][..]);
        let part = |attributes: &[_], x: (&[i32], &[f64]), k: &[i32], want: (&[i32], &[f64])| {
            for &ty in &[U8, I32, I64, F16, F32, F64, C64] {
                let inputs = [of(ty, x.0, x.1), list(k), of(ty, &[], &[0.0])];
                gives::<MatrixDiagPartV3>(attributes, &inputs, &[of(ty, want.0, want.1)]);
            }
        };
        part(&[], x, &[0], (&[3], &[1.0, 5.0, 9.0]));
        part(&[], x, &[-2], (&[1], &[7.0]));
        part(&[], x, &[1, 1], (&[2], &[2.0, 6.0]));
        part(&[], (&[2, 1, 2], &[1.0, 2.0, 3.0, 4.0]), &[1], (&[2, 1], &[2.0, 4.0]));
        part(&[], (&[0, 3], &[]), &[0], (&[0], &[]));
        // The diagonals above the main one, and the ones below; each pair ends at its row's end.
        for (align, above, below) in [
            ("RIGHT_LEFT", [0.0, 3.0], [7.0, 0.0]),
            ("RIGHT_RIGHT", [0.0, 3.0], [0.0, 7.0]),
            ("LEFT_RIGHT", [3.0, 0.0], [0.0, 7.0]),
            ("LEFT_LEFT", [3.0, 0.0], [7.0, 0.0]),
        ] {
            let align = &[("align", Text(align))];
            part(align, x, &[1, 2], (&[2, 2], &[above[0], above[1], 2.0, 6.0]));
            part(align, x, &[-2, -1], (&[2, 2], &[4.0, 8.0, below[0], below[1]]));
        }
    }

    #[test]
    fn refusals() {
        let refused = |shape: &[i32], k: Tensor, message: &str| {
            let x = of(F32, shape, &vec![0.0; shape.iter().product::<i32>() as usize]);
            refuses::<MatrixDiagPartV3>(&[], &[x, k, real(0.0)], &[F32], message);
        };
        refused(&[2, 3], int(3), "diagonals 3..=3 exceed a matrix of 2 by 3");
        refused(&[2, 3], list(&[-2, 0]), "diagonals -2..=0 exceed a matrix of 2 by 3");
        let message = "diagonals are [1, 0]; one or two in ascending order are needed";
        refused(&[2, 3], list(&[1, 0]), message);
        refused(&[3], int(0), "the matrix is [3]; two axes are needed");
        let message = "attribute 'align' is 'UP'; it may be RIGHT_LEFT, LEFT_RIGHT, RIGHT_RIGHT, LEFT_LEFT";
        let inputs = [of(F32, &[1, 1], &[0.0]), int(0), real(0.0)];
        refuses::<MatrixDiagPartV3>(&[("align", Text("UP"))], &inputs, &[F32], message);
    }
}

mod matrix_diag_v2 {
    use crate::diagonals::MatrixDiagV2;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        // The input, the diagonals, rows and columns; the remaining elements are 9.
        let made =
            |attributes: &[_], x: (&[i32], &[f64]), k: &[i32], size: [i32; 2], want: (&[i32], &[f64])| {
                for &ty in &[U8, I32, I64, F16, F32, F64, C64] {
                    let inputs = [of(ty, x.0, x.1), list(k), int(size[0]), int(size[1]), of(ty, &[], &[9.0])];
                    gives::<MatrixDiagV2>(attributes, &inputs, &[of(ty, want.0, want.1)]);
                }
            };
        let two = (&[2][..], &[1.0, 2.0][..]);
        made(&[], two, &[0], [-1, -1], (&[2, 2], &[1.0, 9.0, 9.0, 2.0]));
        made(&[], two, &[1], [-1, -1], (&[3, 3], &[9.0, 1.0, 9.0, 9.0, 9.0, 2.0, 9.0, 9.0, 9.0]));
        made(&[], two, &[-1], [-1, 2], (&[3, 2], &[9.0, 9.0, 1.0, 9.0, 9.0, 2.0]));
        made(&[], two, &[0], [2, 3], (&[2, 3], &[1.0, 9.0, 9.0, 9.0, 2.0, 9.0]));
        made(&[], (&[2, 0], &[]), &[0], [-1, -1], (&[2, 0, 0], &[]));
        // The upper diagonal is 7; the 8 is padding.
        let band = (&[2, 2][..], &[7.0, 8.0, 1.0, 2.0][..]);
        made(&[], band, &[0, 1], [-1, -1], (&[2, 2], &[1.0, 7.0, 9.0, 2.0]));
    }

    #[test]
    fn refusals() {
        let refused = |x: &[i32], k: Tensor, rows: i32, columns: i32, message: &str| {
            let x = of(F32, x, &vec![0.0; x.iter().product::<i32>() as usize]);
            refuses::<MatrixDiagV2>(&[], &[x, k, int(rows), int(columns), real(0.0)], &[F32], message);
        };
        let message = "1 rows and 2 columns are too few; the diagonals need 2 by 2";
        refused(&[2], int(0), 1, 2, message);
        let message = "5 rows and 6 columns are too many; the diagonals need 2 rows or 3 columns";
        refused(&[2], int(1), 5, 6, message);
        let message = "diagonals are [1, 0]; one or two in ascending order are needed";
        refused(&[2, 2], list(&[1, 0]), -1, -1, message);
        refused(&[2], list(&[0, 1]), -1, -1, "diagonals are [2]; 2 axes are needed");
        refused(&[3, 2], list(&[0, 1]), -1, -1, "diagonals are [3, 2]; a matrix of 2 by 2 needs [2, 2]");
        refused(&[], int(0), -1, -1, "diagonals are []; 1 axes are needed");
    }
}

mod matrix_diag_v3 {
    use crate::diagonals::MatrixDiagV3;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        // The input, the diagonals, rows and columns; the remaining elements are 9.
        let made =
            |attributes: &[_], x: (&[i32], &[f64]), k: &[i32], size: [i32; 2], want: (&[i32], &[f64])| {
                for &ty in &[U8, I32, I64, F16, F32, F64, C64] {
                    let inputs = [of(ty, x.0, x.1), list(k), int(size[0]), int(size[1]), of(ty, &[], &[9.0])];
                    gives::<MatrixDiagV3>(attributes, &inputs, &[of(ty, want.0, want.1)]);
                }
            };
        let two = (&[2][..], &[1.0, 2.0][..]);
        made(&[], two, &[0], [-1, -1], (&[2, 2], &[1.0, 9.0, 9.0, 2.0]));
        made(&[], two, &[1], [-1, -1], (&[3, 3], &[9.0, 1.0, 9.0, 9.0, 9.0, 2.0, 9.0, 9.0, 9.0]));
        made(&[], two, &[-1], [-1, 2], (&[3, 2], &[9.0, 9.0, 1.0, 9.0, 9.0, 2.0]));
        made(&[], two, &[0], [2, 3], (&[2, 3], &[1.0, 9.0, 9.0, 9.0, 2.0, 9.0]));
        made(&[], (&[2, 0], &[]), &[0], [-1, -1], (&[2, 0, 0], &[]));
        // The upper diagonal is 7 or 8, depending on the alignment.
        let band = (&[2, 2][..], &[7.0, 8.0, 1.0, 2.0][..]);
        for (align, upper) in
            [("RIGHT_LEFT", 8.0), ("RIGHT_RIGHT", 8.0), ("LEFT_RIGHT", 7.0), ("LEFT_LEFT", 7.0)]
        {
            made(&[("align", Text(align))], band, &[0, 1], [-1, -1], (&[2, 2], &[1.0, upper, 9.0, 2.0]));
        }
        // The lower diagonal is 3 or 4.
        let band = (&[2, 2][..], &[1.0, 2.0, 3.0, 4.0][..]);
        for (align, lower) in
            [("RIGHT_LEFT", 3.0), ("RIGHT_RIGHT", 4.0), ("LEFT_RIGHT", 4.0), ("LEFT_LEFT", 3.0)]
        {
            made(&[("align", Text(align))], band, &[-1, 0], [-1, -1], (&[2, 2], &[1.0, 9.0, lower, 2.0]));
        }
    }

    #[test]
    fn refusals() {
        let refused = |x: &[i32], k: Tensor, rows: i32, columns: i32, message: &str| {
            let x = of(F32, x, &vec![0.0; x.iter().product::<i32>() as usize]);
            refuses::<MatrixDiagV3>(&[], &[x, k, int(rows), int(columns), real(0.0)], &[F32], message);
        };
        let message = "1 rows and 2 columns are too few; the diagonals need 2 by 2";
        refused(&[2], int(0), 1, 2, message);
        let message = "5 rows and 6 columns are too many; the diagonals need 2 rows or 3 columns";
        refused(&[2], int(1), 5, 6, message);
        let message = "diagonals are [1, 0]; one or two in ascending order are needed";
        refused(&[2, 2], list(&[1, 0]), -1, -1, message);
        refused(&[2], list(&[0, 1]), -1, -1, "diagonals are [2]; 2 axes are needed");
        refused(&[3, 2], list(&[0, 1]), -1, -1, "diagonals are [3, 2]; a matrix of 2 by 2 needs [2, 2]");
        refused(&[], int(0), -1, -1, "diagonals are []; 1 axes are needed");
        let message = "attribute 'align' is 'UP'; it may be RIGHT_LEFT, LEFT_RIGHT, RIGHT_RIGHT, LEFT_LEFT";
        let inputs = [real(0.0), int(0), int(-1), int(-1), real(0.0)];
        refuses::<MatrixDiagV3>(&[("align", Text("UP"))], &inputs, &[F32], message);
    }
}

mod matrix_set_diag {
    use crate::diagonals::MatrixSetDiag;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        let x = (&[2, 3][..], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0][..]);
        each::<MatrixSetDiag>(
            &[U8, I32, I64, F16, F32, F64, C64],
            &[],
            &[x, (&[2], &[8.0, 9.0])],
            (&[2, 3], &[8.0, 2.0, 3.0, 4.0, 9.0, 6.0]),
        );
        let stack = [(&[2, 1, 1][..], &[1.0, 2.0][..]), (&[2, 1], &[8.0, 9.0])];
        each::<MatrixSetDiag>(&[F32], &[], &stack, (&[2, 1, 1], &[8.0, 9.0]));
        each::<MatrixSetDiag>(&[F32], &[], &[(&[0, 3], &[]), (&[0], &[])], (&[0, 3], &[]));
    }

    #[test]
    fn refusals() {
        let message = "diagonals are [1]; a matrix of 2 by 2 needs [2]";
        refuses::<MatrixSetDiag>(&[], &[of(F32, &[2, 2], &[0.0; 4]), of(F32, &[1], &[1.0])], &[F32], message);
        let message = "the matrix is [2]; two axes are needed";
        refuses::<MatrixSetDiag>(&[], &[of(F32, &[2], &[0.0; 2]), of(F32, &[1], &[1.0])], &[F32], message);
        let message = "'in1' is INT32, the output is FLOAT32; they must agree";
        refuses::<MatrixSetDiag>(&[], &[of(F32, &[1, 1], &[0.0]), list(&[1])], &[F32], message);
    }
}

mod matrix_set_diag_v2 {
    use crate::diagonals::MatrixSetDiagV2;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        let x = (&[2, 3][..], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0][..]);
        let set = |attributes: &[_], x: (&[i32], &[f64]), band: (&[i32], &[f64]), k: &[i32], want: &[f64]| {
            for &ty in &[U8, I32, I64, F16, F32, F64, C64] {
                let inputs = [of(ty, x.0, x.1), of(ty, band.0, band.1), list(k)];
                gives::<MatrixSetDiagV2>(attributes, &inputs, &[of(ty, x.0, want)]);
            }
        };
        set(&[], x, (&[2], &[8.0, 9.0]), &[0], &[8.0, 2.0, 3.0, 4.0, 9.0, 6.0]);
        set(&[], x, (&[2], &[8.0, 9.0]), &[1], &[1.0, 8.0, 3.0, 4.0, 5.0, 9.0]);
        set(&[], x, (&[1], &[8.0]), &[-1], &[1.0, 2.0, 3.0, 8.0, 5.0, 6.0]);
        set(&[], (&[2, 1, 1], &[1.0, 2.0]), (&[2, 1], &[8.0, 9.0]), &[0], &[8.0, 9.0]);
        set(&[], (&[0, 3], &[]), (&[0], &[]), &[0], &[]);
        // The lower diagonal is 7; the 8 is padding.
        set(&[], x, (&[2, 2], &[5.0, 6.0, 7.0, 8.0]), &[-1, 0], &[5.0, 2.0, 3.0, 7.0, 6.0, 6.0]);
    }

    #[test]
    fn refusals() {
        let refused = |band: &[i32], k: Tensor, message: &str| {
            let zeros = |shape: &[i32]| of(F32, shape, &vec![0.0; shape.iter().product::<i32>() as usize]);
            refuses::<MatrixSetDiagV2>(&[], &[zeros(&[2, 3]), zeros(band), k], &[F32], message);
        };
        refused(&[3], int(0), "diagonals are [3]; a matrix of 2 by 3 needs [2]");
        refused(&[2], list(&[0, 1]), "diagonals are [2]; a matrix of 2 by 3 needs [2, 2]");
        refused(&[1], int(3), "diagonals 3..=3 exceed a matrix of 2 by 3");
        refused(&[2], list(&[]), "diagonals are []; one or two in ascending order are needed");
    }
}

mod matrix_set_diag_v3 {
    use crate::diagonals::MatrixSetDiagV3;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        let x = (&[2, 3][..], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0][..]);
        let set = |attributes: &[_], x: (&[i32], &[f64]), band: (&[i32], &[f64]), k: &[i32], want: &[f64]| {
            for &ty in &[U8, I32, I64, F16, F32, F64, C64] {
                let inputs = [of(ty, x.0, x.1), of(ty, band.0, band.1), list(k)];
                gives::<MatrixSetDiagV3>(attributes, &inputs, &[of(ty, x.0, want)]);
            }
        };
        set(&[], x, (&[2], &[8.0, 9.0]), &[0], &[8.0, 2.0, 3.0, 4.0, 9.0, 6.0]);
        set(&[], x, (&[2], &[8.0, 9.0]), &[1], &[1.0, 8.0, 3.0, 4.0, 5.0, 9.0]);
        set(&[], x, (&[1], &[8.0]), &[-1], &[1.0, 2.0, 3.0, 8.0, 5.0, 6.0]);
        set(&[], (&[2, 1, 1], &[1.0, 2.0]), (&[2, 1], &[8.0, 9.0]), &[0], &[8.0, 9.0]);
        set(&[], (&[0, 3], &[]), (&[0], &[]), &[0], &[]);
        // The lower diagonal is 7 or 8, depending on the alignment.
        let band = (&[2, 2][..], &[5.0, 6.0, 7.0, 8.0][..]);
        for (align, lower) in
            [("RIGHT_LEFT", 7.0), ("RIGHT_RIGHT", 8.0), ("LEFT_RIGHT", 8.0), ("LEFT_LEFT", 7.0)]
        {
            let want = [5.0, 2.0, 3.0, lower, 6.0, 6.0];
            set(&[("align", Text(align))], x, band, &[-1, 0], &want);
        }
        // The same for the upper diagonal.
        for (align, upper) in
            [("RIGHT_LEFT", 8.0), ("RIGHT_RIGHT", 8.0), ("LEFT_RIGHT", 7.0), ("LEFT_LEFT", 7.0)]
        {
            let band = (&[2, 2][..], &[7.0, 8.0, 5.0, 6.0][..]);
            let want = [1.0, 5.0, upper, 4.0, 5.0, 6.0];
            set(&[("align", Text(align))], x, band, &[1, 2], &want);
        }
    }

    #[test]
    fn refusals() {
        let refused = |band: &[i32], k: Tensor, message: &str| {
            let zeros = |shape: &[i32]| of(F32, shape, &vec![0.0; shape.iter().product::<i32>() as usize]);
            refuses::<MatrixSetDiagV3>(&[], &[zeros(&[2, 3]), zeros(band), k], &[F32], message);
        };
        refused(&[3], int(0), "diagonals are [3]; a matrix of 2 by 3 needs [2]");
        refused(&[2], list(&[0, 1]), "diagonals are [2]; a matrix of 2 by 3 needs [2, 2]");
        refused(&[1], int(3), "diagonals 3..=3 exceed a matrix of 2 by 3");
        refused(&[2], list(&[]), "diagonals are []; one or two in ascending order are needed");
    }
}
