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
        let n = square(inputs[0])?;
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

#[cfg(test)]
mod tests {
    use super::MatrixTriangularSolve;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        let types = &[F32, F64, C64, C128];
        let solve =
            |lower: bool, adjoint: bool, a: (&[i32], &[f64]), b: (&[i32], &[f64]), x: (&[i32], &[f64])| {
                let attributes = [("lower", Flag(lower)), ("adjoint", Flag(adjoint))];
                each::<MatrixTriangularSolve>(types, &attributes, &[a, b], x);
            };
        // The 99 is in the triangle that is not read.
        let (below, above) =
            ((&[2, 2][..], &[2.0, 99.0, 1.0, 4.0][..]), (&[2, 2][..], &[2.0, 1.0, 99.0, 4.0][..]));
        solve(true, false, below, (&[2, 1], &[2.0, 9.0]), (&[2, 1], &[1.0, 2.0]));
        solve(false, false, above, (&[2, 1], &[4.0, 8.0]), (&[2, 1], &[1.0, 2.0]));
        solve(true, true, below, (&[2, 1], &[4.0, 8.0]), (&[2, 1], &[1.0, 2.0]));
        solve(false, true, above, (&[2, 1], &[2.0, 9.0]), (&[2, 1], &[1.0, 2.0]));
        solve(true, false, below, (&[2, 0], &[]), (&[2, 0], &[]));
        // Batch axes broadcast.
        solve(true, false, (&[1, 1], &[2.0]), (&[3, 1, 1], &[2.0, 4.0, 6.0]), (&[3, 1, 1], &[1.0, 2.0, 3.0]));
        // A zero on the diagonal gives 1 / 0, then 1 − 2 ∞.
        let inputs = [(&[2, 2][..], &[0.0, 0.0, 2.0, 1.0][..]), (&[2, 1], &[1.0, 1.0])];
        let infinities = [f64::INFINITY, f64::NEG_INFINITY];
        each::<MatrixTriangularSolve>(&[F32, F64], &[], &inputs, (&[2, 1], &infinities));
        // −i x = 1
        let (a, x) = (complex(C64, &[1, 1], &[(0.0, 1.0)]), complex(C64, &[1, 1], &[(0.0, 1.0)]));
        let adjoint = [("adjoint", Flag(true))];
        gives::<MatrixTriangularSolve>(&adjoint, &[a, of(C64, &[1, 1], &[1.0])], &[x]);
    }

    #[test]
    fn refusals() {
        let refused = |a: &[i32], b: &[i32], message: &str| {
            let zeros = |shape: &[i32]| of(F32, shape, &vec![0.0; shape.iter().product::<i32>() as usize]);
            refuses::<MatrixTriangularSolve>(&[], &[zeros(a), zeros(b)], &[F32], message);
        };
        refused(&[2, 2], &[3, 1], "the right side has 3 rows, the matrix 2; they must agree");
        refused(&[2, 3], &[2, 1], "matrices are 2 by 3; they must be square");
        let message = "inputs are [2, 1, 1] and [3, 1, 1]; the axes ahead of the matrices must broadcast";
        refused(&[2, 1, 1], &[3, 1, 1], message);
    }
}
