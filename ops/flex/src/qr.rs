//! Qr: decomposes a matrix into `Q`, whose columns are orthonormal, and the upper triangular `R`. Reals and complex
//! numbers; the axes ahead of the matrices are batch axes.
//! Defined by: tensorflow/core/kernels/linalg/qr_op_impl.h.

use arenite_abi::prelude::*;

use crate::kit::kernel::Node;
use crate::kit::linear::{Linear, Member};
use crate::kit::matrix::{Matrix, qr};
use crate::kit::node_def::NodeDef;

/// The `FlexQr` op.
pub type Qr = Node<Linear<Definition>>;

/// Attributes, shape function and kernel of `FlexQr`.
pub struct Definition {
    full: bool,
}

impl Member for Definition {
    const NAME: &'static str = "FlexQr";
    const INPUTS: usize = 1;
    const OUTPUTS: usize = 2;

    fn new(def: &NodeDef<'_>) -> Result<Self> {
        Ok(Definition { full: def.bool("full_matrices", false)? })
    }

    fn size(&self, inputs: &[(usize, usize)], output: usize) -> Result<Vec<usize>> {
        let (rows, columns) = inputs[0];
        let inner = if self.full { rows } else { rows.min(columns) };
        Ok(if output == 0 { vec![rows, inner] } else { vec![inner, columns] })
    }

    fn compute(&self, inputs: Vec<Matrix>) -> Result<Vec<Vec<Complex64>>> {
        let (q, r) = qr(&inputs[0]);
        let inner = if self.full { r.rows } else { r.rows.min(r.columns) };
        let columns = (0..q.rows).flat_map(|row| (0..inner).map(move |column| (row, column)));
        let q = columns.map(|(row, column)| q.at(row, column)).collect();
        Ok(vec![q, r.data[..inner * r.columns].to_vec()])
    }
}
