//! MatrixSetDiag: matrices with other elements in the main diagonal. Any type.
//! Defined by: tensorflow/core/kernels/linalg/matrix_set_diag_op.cc.

use crate::kit::kernel::Node;
use crate::kit::diagonal::{Diagonal, Kind, Member};

/// The op.
pub type MatrixSetDiag = Node<Diagonal<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexMatrixSetDiag";
    const KIND: Kind = Kind::Set;
    const MAIN: bool = true;
}
