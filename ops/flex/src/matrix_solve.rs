//! MatrixSolve: solves `A X = B`, or with `adjoint` `A* X = B`. Reals and complex numbers; the axes ahead of the
//! matrices are batch axes.
//! Defined by: tensorflow/core/kernels/linalg/matrix_solve_op.cc.

use arenite_abi::prelude::*;

use crate::kit::kernel::Node;
use crate::kit::linear::{Linear, Member, square};
use crate::kit::matrix::{Matrix, lu};
use crate::kit::node_def::NodeDef;

/// The `FlexMatrixSolve` op.
pub type MatrixSolve = Node<Linear<Definition>>;

/// Attributes, shape function and kernel of `FlexMatrixSolve`.
pub struct Definition {
    adjoint: bool,
}

impl Member for Definition {
    const NAME: &'static str = "FlexMatrixSolve";
    const INPUTS: usize = 2;

    fn new(def: &NodeDef<'_>) -> Result<Self> {
        Ok(Definition { adjoint: def.bool("adjoint", false)? })
    }

    fn size(&self, inputs: &[(usize, usize)], _: usize) -> Result<Vec<usize>> {
        let n = square(inputs)?;
        ensure!(inputs[1].0 == n, "the right side has {} rows, the matrix {n}; they must agree", inputs[1].0);
        Ok(vec![n, inputs[1].1])
    }

    fn compute(&self, mut inputs: Vec<Matrix>) -> Result<Vec<Vec<Complex64>>> {
        let a = inputs.remove(0);
        let lu = lu(if self.adjoint { a.adjoint() } else { a });
        ensure!(!lu.is_singular(), "a matrix has no inverse");
        Ok(vec![lu.solve(&inputs[0]).data])
    }
}
