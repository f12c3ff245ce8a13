//! Building, reading and replacing matrix diagonals.

use crate::family;
use crate::kit::diagonal::{Diagonal, Kind, Member};
use crate::kit::kernel::FamilyNode;

family! { FamilyNode<Diagonal>:
    /// MatrixDiag: matrices with the given main diagonal. Any type.
    /// Defined by: tensorflow/core/kernels/linalg/matrix_diag_op.cc.
    MatrixDiag "FlexMatrixDiag" = Member { kind: Kind::Matrix, main: true, left: false };

    /// MatrixDiagPart: the main diagonal of matrices. Any type.
    /// Defined by: tensorflow/core/kernels/linalg/matrix_diag_op.cc.
    MatrixDiagPart "FlexMatrixDiagPart" = Member { kind: Kind::Part, main: true, left: false };

    /// MatrixDiagPartV2: diagonals of matrices, aligned to the left. Any type.
    /// Defined by: tensorflow/core/kernels/linalg/matrix_diag_op.cc.
    MatrixDiagPartV2 "FlexMatrixDiagPartV2" = Member { kind: Kind::Part, main: false, left: true };

    /// MatrixDiagPartV3: diagonals of matrices. Any type.
    /// Defined by: tensorflow/core/kernels/linalg/matrix_diag_op.cc.
    MatrixDiagPartV3 "FlexMatrixDiagPartV3" = Member { kind: Kind::Part, main: false, left: false };

    /// MatrixDiagV2: matrices with the given diagonals, which are aligned to the left. Any type.
    /// Defined by: tensorflow/core/kernels/linalg/matrix_diag_op.cc.
    MatrixDiagV2 "FlexMatrixDiagV2" = Member { kind: Kind::Matrix, main: false, left: true };

    /// MatrixDiagV3: matrices with the given diagonals. Any type.
    /// Defined by: tensorflow/core/kernels/linalg/matrix_diag_op.cc.
    MatrixDiagV3 "FlexMatrixDiagV3" = Member { kind: Kind::Matrix, main: false, left: false };

    /// MatrixSetDiag: replaces the main diagonal of matrices. Any type.
    /// Defined by: tensorflow/core/kernels/linalg/matrix_set_diag_op.cc.
    MatrixSetDiag "FlexMatrixSetDiag" = Member { kind: Kind::Set, main: true, left: false };

    /// MatrixSetDiagV2: replaces diagonals of matrices by diagonals that are aligned to the left. Any type.
    /// Defined by: tensorflow/core/kernels/linalg/matrix_set_diag_op.cc.
    MatrixSetDiagV2 "FlexMatrixSetDiagV2" = Member { kind: Kind::Set, main: false, left: true };

    /// MatrixSetDiagV3: replaces diagonals of matrices. Any type.
    /// Defined by: tensorflow/core/kernels/linalg/matrix_set_diag_op.cc.
    MatrixSetDiagV3 "FlexMatrixSetDiagV3" = Member { kind: Kind::Set, main: false, left: false };
}
