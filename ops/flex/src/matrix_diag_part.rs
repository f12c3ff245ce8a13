//! MatrixDiagPart: the main diagonal of matrices. Any type.
//! Defined by: tensorflow/core/kernels/linalg/matrix_diag_op.cc.

use crate::kit::diagonal::{Diagonal, Kind, Member};
use crate::kit::kernel::Node;

/// The op.
pub type MatrixDiagPart = Node<Diagonal<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexMatrixDiagPart";
    const KIND: Kind = Kind::Part;
    const MAIN: bool = true;
}

#[cfg(test)]
mod tests {
    use super::MatrixDiagPart;
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
