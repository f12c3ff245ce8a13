//! MatrixDiagV3: matrices of diagonals. Any type.
//! Defined by: tensorflow/core/kernels/linalg/matrix_diag_op.cc.

use crate::kit::kernel::Node;
use crate::kit::diagonal::{Diagonal, Kind, Member};

/// The op.
pub type MatrixDiagV3 = Node<Diagonal<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexMatrixDiagV3";
    const KIND: Kind = Kind::Matrix;
}
