//! MatrixDiagPartV2: diagonals, aligned to the left of matrices. Any type.
//! Defined by: tensorflow/core/kernels/linalg/matrix_diag_op.cc.

use crate::kit::diagonal::{Diagonal, Kind, Member};
use crate::kit::kernel::Node;

/// The op.
pub type MatrixDiagPartV2 = Node<Diagonal<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexMatrixDiagPartV2";
    const KIND: Kind = Kind::Part;
    const LEFT: bool = true;
}

#[cfg(test)]
mod tests {
    use super::MatrixDiagPartV2;
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
        refused(&[2, 3], int(3), "diagonals 3..=3 do not lie in a matrix of 2 by 3");
        refused(&[2, 3], list(&[-2, 0]), "diagonals -2..=0 do not lie in a matrix of 2 by 3");
        let message = "diagonals are [1, 0]; one or two in ascending order are needed";
        refused(&[2, 3], list(&[1, 0]), message);
        refused(&[3], int(0), "the matrix is [3]; two axes are needed");
    }
}
