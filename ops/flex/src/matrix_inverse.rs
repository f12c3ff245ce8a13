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
        square(inputs[0]).map(|n| vec![n, n])
    }

    fn compute(&self, mut inputs: Vec<Matrix>) -> Result<Vec<Vec<Complex64>>> {
        let a = inputs.remove(0);
        let n = a.rows;
        let lu = lu(if self.adjoint { a.adjoint() } else { a });
        ensure!(!lu.is_singular(), "a matrix has no inverse");
        Ok(vec![lu.solve(&Matrix::identity(n)).data])
    }
}

#[cfg(test)]
mod tests {
    use super::MatrixInverse;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        let (types, adjoint) = (&[F32, F64, C64, C128], &[("adjoint", Flag(true))]);
        let x = (&[2, 2][..], &[1.0, 2.0, 3.0, 4.0][..]);
        each::<MatrixInverse>(types, &[], &[x], (&[2, 2], &[-2.0, 1.0, 1.5, -0.5]));
        each::<MatrixInverse>(types, adjoint, &[x], (&[2, 2], &[-2.0, 1.5, 1.0, -0.5]));
        each::<MatrixInverse>(types, &[], &[(&[2, 1, 1], &[2.0, -4.0])], (&[2, 1, 1], &[0.5, -0.25]));
        each::<MatrixInverse>(types, &[], &[(&[2, 0, 0], &[])], (&[2, 0, 0], &[]));
        // 1 / 2i = −i / 2; the inverse of the conjugate is i / 2.
        let x = complex(C64, &[1, 1], &[(0.0, 2.0)]);
        gives::<MatrixInverse>(&[], core::slice::from_ref(&x), &[complex(C64, &[1, 1], &[(0.0, -0.5)])]);
        gives::<MatrixInverse>(adjoint, &[x], &[complex(C64, &[1, 1], &[(0.0, 0.5)])]);
    }

    #[test]
    fn refusals() {
        let refused = |shape: &[i32], message: &str| {
            let count = shape.iter().product::<i32>() as usize;
            refuses::<MatrixInverse>(&[], &[of(F32, shape, &vec![1.0; count])], &[F32], message);
        };
        refused(&[2, 3], "matrices are 2 by 3; they must be square");
        refused(&[2], "the shape [2] has no matrices; at least two axes are needed");
        for x in [[1.0, 2.0, 2.0, 4.0], [f64::NAN; 4]] {
            refuses::<MatrixInverse>(&[], &[of(F32, &[2, 2], &x)], &[F32], "a matrix has no inverse");
        }
    }
}
