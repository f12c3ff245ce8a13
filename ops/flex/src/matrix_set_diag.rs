//! MatrixSetDiag: matrices with other elements in the main diagonal. Any type.
//! Defined by: tensorflow/core/kernels/linalg/matrix_set_diag_op.cc.

use crate::kit::diagonal::{Diagonal, Kind, Member};
use crate::kit::kernel::Node;

/// The op.
pub type MatrixSetDiag = Node<Diagonal<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexMatrixSetDiag";
    const KIND: Kind = Kind::Set;
    const MAIN: bool = true;
}

#[cfg(test)]
mod tests {
    use super::MatrixSetDiag;
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
