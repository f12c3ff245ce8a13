//! MatrixDiag: matrices of the main diagonal. Any type.
//! Defined by: tensorflow/core/kernels/linalg/matrix_diag_op.cc.

use crate::kit::diagonal::{Diagonal, Kind, Member};
use crate::kit::kernel::Node;

/// The op.
pub type MatrixDiag = Node<Diagonal<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexMatrixDiag";
    const KIND: Kind = Kind::Matrix;
    const MAIN: bool = true;
}

#[cfg(test)]
mod tests {
    use super::MatrixDiag;
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
        refuses::<MatrixDiag>(&[], &[list(&[1]), int(0)], &[I32], "it has 2 inputs, this op takes 1 to 1");
    }
}
