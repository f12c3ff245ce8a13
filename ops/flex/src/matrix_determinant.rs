//! MatrixDeterminant: the determinant. Reals and complex numbers; the axes ahead of the matrices are batch axes.
//! Defined by: tensorflow/core/kernels/linalg/determinant_op.cc.

use arenite_abi::prelude::*;

use crate::kit::complex;
use crate::kit::kernel::Node;
use crate::kit::linear::{Linear, Member, square};
use crate::kit::matrix::{Matrix, lu};
use crate::kit::node_def::NodeDef;

/// The `FlexMatrixDeterminant` op.
pub type MatrixDeterminant = Node<Linear<Definition>>;

/// Shape function and kernel of `FlexMatrixDeterminant`.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexMatrixDeterminant";
    const INPUTS: usize = 1;

    fn new(_: &NodeDef<'_>) -> Result<Self> {
        Ok(Definition)
    }

    fn size(&self, inputs: &[(usize, usize)], _: usize) -> Result<Vec<usize>> {
        square(inputs[0]).map(|_| Vec::new())
    }

    fn compute(&self, mut inputs: Vec<Matrix>) -> Result<Vec<Vec<Complex64>>> {
        let lu = lu(inputs.remove(0));
        let sign = complex::real(if lu.odd { -1.0 } else { 1.0 });
        Ok(vec![vec![lu.diagonal().fold(sign, complex::mul)]])
    }
}

#[cfg(test)]
mod tests {
    use super::MatrixDeterminant;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        let types = &[F32, F64, C64, C128];
        each::<MatrixDeterminant>(types, &[], &[(&[2, 2], &[1.0, 2.0, 3.0, 4.0])], (&[], &[-2.0]));
        each::<MatrixDeterminant>(types, &[], &[(&[2, 1, 1], &[5.0, 0.0])], (&[2], &[5.0, 0.0]));
        each::<MatrixDeterminant>(types, &[], &[(&[0, 0], &[])], (&[], &[1.0]));
        each::<MatrixDeterminant>(types, &[], &[(&[2, 2], &[1.0, 2.0, 2.0, 4.0])], (&[], &[0.0]));
        each::<MatrixDeterminant>(&[F32, F64], &[], &[(&[1, 1], &[f64::NAN])], (&[], &[f64::NAN]));
        // i² = −1
        let x = complex(C64, &[2, 2], &[(0.0, 1.0), (0.0, 0.0), (0.0, 0.0), (0.0, 1.0)]);
        gives::<MatrixDeterminant>(&[], &[x], &[of(C64, &[], &[-1.0])]);
    }

    #[test]
    fn refusals() {
        let refused = |shape: &[i32], message: &str| {
            let count = shape.iter().product::<i32>() as usize;
            refuses::<MatrixDeterminant>(&[], &[of(F32, shape, &vec![1.0; count])], &[F32], message);
        };
        refused(&[2, 3], "matrices are 2 by 3; they must be square");
        refused(&[2], "the shape [2] has no matrices; at least two axes are needed");
    }
}
