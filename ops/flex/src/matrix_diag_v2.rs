//! MatrixDiagV2: matrices of diagonals, aligned to the left. Any type.
//! Defined by: tensorflow/core/kernels/linalg/matrix_diag_op.cc.

use crate::kit::kernel::Node;
use crate::kit::diagonal::{Diagonal, Kind, Member};

/// The op.
pub type MatrixDiagV2 = Node<Diagonal<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexMatrixDiagV2";
    const KIND: Kind = Kind::Matrix;
    const LEFT: bool = true;
}
