//! MatrixDiagPartV2: diagonals, aligned to the left of matrices. Any type.
//! Defined by: tensorflow/core/kernels/linalg/matrix_diag_op.cc.

use crate::kit::kernel::Node;
use crate::kit::diagonal::{Diagonal, Kind, Member};

/// The op.
pub type MatrixDiagPartV2 = Node<Diagonal<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexMatrixDiagPartV2";
    const KIND: Kind = Kind::Part;
    const LEFT: bool = true;
}
