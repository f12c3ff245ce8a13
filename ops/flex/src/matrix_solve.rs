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
        let n = square(inputs[0])?;
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

#[cfg(test)]
mod tests {
    use super::MatrixSolve;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        let types = &[F32, F64, C64, C128];
        let a = (&[2, 2][..], &[1.0, 2.0, 3.0, 4.0][..]);
        each::<MatrixSolve>(types, &[], &[a, (&[2, 1], &[5.0, 11.0])], (&[2, 1], &[1.0, 2.0]));
        let adjoint = &[("adjoint", Flag(true))];
        each::<MatrixSolve>(types, adjoint, &[a, (&[2, 1], &[7.0, 10.0])], (&[2, 1], &[1.0, 2.0]));
        each::<MatrixSolve>(types, &[], &[a, (&[2, 0], &[])], (&[2, 0], &[]));
        let stack = [(&[2, 1, 1][..], &[2.0, 4.0][..]), (&[2, 1, 2], &[2.0, 6.0, 4.0, 8.0])];
        each::<MatrixSolve>(types, &[], &stack, (&[2, 1, 2], &[1.0, 3.0, 1.0, 2.0]));
        // (1 + i) x = 2
        let (a, x) = (complex(C64, &[1, 1], &[(1.0, 1.0)]), complex(C64, &[1, 1], &[(1.0, -1.0)]));
        gives::<MatrixSolve>(&[], &[a, of(C64, &[1, 1], &[2.0])], &[x]);
    }

    #[test]
    fn refusals() {
        let refused =
            |a: Tensor, b: Tensor, message: &str| refuses::<MatrixSolve>(&[], &[a, b], &[F32], message);
        let zeros = |shape: &[i32]| of(F32, shape, &vec![0.0; shape.iter().product::<i32>() as usize]);
        refused(zeros(&[2, 2]), zeros(&[2, 1]), "a matrix has no inverse");
        refused(zeros(&[2, 2]), zeros(&[3, 1]), "the right side has 3 rows, the matrix 2; they must agree");
        refused(zeros(&[2, 3]), zeros(&[2, 1]), "matrices are 2 by 3; they must be square");
        refused(zeros(&[2, 2]), zeros(&[2]), "the shape [2] has no matrices; at least two axes are needed");
        let message = "inputs are [1, 2, 2] and [2, 1]; the axes ahead of the matrices must agree";
        refused(zeros(&[1, 2, 2]), zeros(&[2, 1]), message);
    }
}
