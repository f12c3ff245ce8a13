//! MatrixDiag: matrices of the main diagonal. Any type.
//! Defined by: tensorflow/core/kernels/linalg/matrix_diag_op.cc.

use crate::kit::kernel::Node;
use crate::kit::diagonal::{Diagonal, Kind, Member};

/// The op.
pub type MatrixDiag = Node<Diagonal<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexMatrixDiag";
    const KIND: Kind = Kind::Matrix;
    const MAIN: bool = true;
}
