//! MatrixInverse: the inverse, or with `adjoint` the inverse of the conjugate transpose. Reals and complex numbers; the
//! axes ahead of the matrices are batch axes.
//! Defined by: tensorflow/core/kernels/linalg/matrix_inverse_op.cc.

use arenite_abi::prelude::*;

use crate::kit::kernel::Node;
use crate::kit::linear::{Linear, Member, square};
use crate::kit::matrix::{Matrix, lu};
use crate::kit::node_def::NodeDef;

/// The `FlexMatrixInverse` op.
pub type MatrixInverse = Node<Linear<Definition>>;

/// Attributes, shape function and kernel of `FlexMatrixInverse`.
pub struct Definition {
    adjoint: bool,
}

impl Member for Definition {
    const NAME: &'static str = "FlexMatrixInverse";
    const INPUTS: usize = 1;

    fn new(def: &NodeDef<'_>) -> Result<Self> {
        Ok(Definition { adjoint: def.bool("adjoint", false)? })
    }

    fn size(&self, inputs: &[(usize, usize)], _: usize) -> Result<Vec<usize>> {
        square(inputs).map(|n| vec![n, n])
    }

    fn compute(&self, mut inputs: Vec<Matrix>) -> Result<Vec<Vec<Complex64>>> {
        let a = inputs.remove(0);
        let n = a.rows;
        let lu = lu(if self.adjoint { a.adjoint() } else { a });
        ensure!(!lu.is_singular(), "a matrix has no inverse");
        Ok(vec![lu.solve(&Matrix::identity(n)).data])
    }
}
