//! MatrixSetDiagV3: matrices with other elements in diagonals. Any type.
//! Defined by: tensorflow/core/kernels/linalg/matrix_set_diag_op.cc.

use crate::kit::kernel::Node;
use crate::kit::diagonal::{Diagonal, Kind, Member};

/// The op.
pub type MatrixSetDiagV3 = Node<Diagonal<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexMatrixSetDiagV3";
    const KIND: Kind = Kind::Set;
}
