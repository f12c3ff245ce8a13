//! MatrixDiagV3: matrices of diagonals. Any type.
//! Defined by: tensorflow/core/kernels/linalg/matrix_diag_op.cc.

use crate::kit::diagonal::{Diagonal, Kind, Member};
use crate::kit::kernel::Node;

/// The op.
pub type MatrixDiagV3 = Node<Diagonal<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexMatrixDiagV3";
    const KIND: Kind = Kind::Matrix;
}

#[cfg(test)]
mod tests {
    use super::MatrixDiagV3;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        // The input, the diagonals, rows and columns, what else is 9.
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
        // Of the upper diagonal 7, 8 the last one or the first one counts.
        let band = (&[2, 2][..], &[7.0, 8.0, 1.0, 2.0][..]);
        for (align, upper) in
            [("RIGHT_LEFT", 8.0), ("RIGHT_RIGHT", 8.0), ("LEFT_RIGHT", 7.0), ("LEFT_LEFT", 7.0)]
        {
            made(&[("align", Text(align))], band, &[0, 1], [-1, -1], (&[2, 2], &[1.0, upper, 9.0, 2.0]));
        }
        // Of the lower one 3, 4.
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
