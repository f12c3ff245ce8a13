//! MatrixTriangularSolve: solves `A X = B`, or with `adjoint` `A* X = B`, reading only one triangle of `A`. Reals and
//! complex numbers; the axes ahead of the matrices are batch axes, which broadcast.
//! Defined by: tensorflow/core/kernels/linalg/matrix_triangular_solve_op.cc.

use arenite_abi::prelude::*;

use crate::kit::kernel::Node;
use crate::kit::linear::{Linear, Member, square};
use crate::kit::matrix::{Matrix, Triangle, triangular_solve};
use crate::kit::node_def::NodeDef;

/// The `FlexMatrixTriangularSolve` op.
pub type MatrixTriangularSolve = Node<Linear<Definition>>;

/// Attributes, shape function and kernel of `FlexMatrixTriangularSolve`.
pub struct Definition {
    adjoint: bool,
    lower: bool,
}

impl Member for Definition {
    const NAME: &'static str = "FlexMatrixTriangularSolve";
    const INPUTS: usize = 2;
    const BROADCASTS: bool = true;

    fn new(def: &NodeDef<'_>) -> Result<Self> {
        Ok(Definition { adjoint: def.bool("adjoint", false)?, lower: def.bool("lower", true)? })
    }

    fn size(&self, inputs: &[(usize, usize)], _: usize) -> Result<Vec<usize>> {
        let n = square(inputs)?;
        ensure!(inputs[1].0 == n, "the right side has {} rows, the matrix {n}; they must agree", inputs[1].0);
        Ok(vec![n, inputs[1].1])
    }

    fn compute(&self, mut inputs: Vec<Matrix>) -> Result<Vec<Vec<Complex64>>> {
        let a = inputs.remove(0);
        let a = if self.adjoint { a.adjoint() } else { a };
        let triangle = if self.lower != self.adjoint { Triangle::Lower } else { Triangle::Upper };
        Ok(vec![triangular_solve(&a, &inputs[0], triangle).data])
    }
}
