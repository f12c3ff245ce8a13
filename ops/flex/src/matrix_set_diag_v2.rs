//! MatrixSetDiagV2: matrices with other elements in diagonals, aligned to the left. Any type.
//! Defined by: tensorflow/core/kernels/linalg/matrix_set_diag_op.cc.

use crate::kit::kernel::Node;
use crate::kit::diagonal::{Diagonal, Kind, Member};

/// The op.
pub type MatrixSetDiagV2 = Node<Diagonal<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexMatrixSetDiagV2";
    const KIND: Kind = Kind::Set;
    const LEFT: bool = true;
}
