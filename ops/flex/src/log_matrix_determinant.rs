//! LogMatrixDeterminant: the sign of the determinant and the logarithm of its absolute value. Reals and complex
//! numbers; the axes ahead of the matrices are batch axes.
//! Defined by: tensorflow/core/kernels/linalg/determinant_op.cc.

use arenite_abi::prelude::*;

use crate::kit::complex;
use crate::kit::kernel::Node;
use crate::kit::linear::{Linear, Member, square};
use crate::kit::matrix::{Matrix, lu};
use crate::kit::node_def::NodeDef;

/// The `FlexLogMatrixDeterminant` op.
pub type LogMatrixDeterminant = Node<Linear<Definition>>;

/// Shape function and kernel of `FlexLogMatrixDeterminant`.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexLogMatrixDeterminant";
    const INPUTS: usize = 1;
    const OUTPUTS: usize = 2;

    fn new(_: &NodeDef<'_>) -> Result<Self> {
        Ok(Definition)
    }

    fn size(&self, inputs: &[(usize, usize)], _: usize) -> Result<Vec<usize>> {
        square(inputs[0]).map(|_| Vec::new())
    }

    fn compute(&self, mut inputs: Vec<Matrix>) -> Result<Vec<Vec<Complex64>>> {
        let lu = lu(inputs.remove(0));
        let (mut sign, mut log) = (complex::real(if lu.odd { -1.0 } else { 1.0 }), 0.0);
        for pivot in lu.diagonal() {
            let size = complex::abs(pivot);
            log += libm::log(size);
            sign = if size == 0.0 {
                complex::real(0.0)
            } else {
                complex::div(complex::mul(sign, pivot), complex::real(size))
            };
        }
        Ok(vec![vec![sign], vec![complex::real(log)]])
    }
}

#[cfg(test)]
mod tests {
    use super::LogMatrixDeterminant;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        let log = |ty, x: Tensor, shape: &[i32], sign: &[f64], log: &[f64]| {
            gives::<LogMatrixDeterminant>(&[], &[x], &[of(ty, shape, sign), of(ty, shape, log)]);
        };
        for ty in [F32, F64, C64, C128] {
            log(ty, of(ty, &[2, 2], &[1.0, 2.0, 3.0, 4.0]), &[], &[-1.0], &[core::f64::consts::LN_2]);
            log(ty, of(ty, &[2, 1, 1], &[1.0, -1.0]), &[2], &[1.0, -1.0], &[0.0, 0.0]);
            log(ty, of(ty, &[0, 0], &[]), &[], &[1.0], &[0.0]);
            log(ty, of(ty, &[1, 1], &[0.0]), &[], &[0.0], &[f64::NEG_INFINITY]);
        }
        let x = complex(C64, &[1, 1], &[(0.0, 2.0)]);
        let outputs = [complex(C64, &[], &[(0.0, 1.0)]), of(C64, &[], &[core::f64::consts::LN_2])];
        gives::<LogMatrixDeterminant>(&[], &[x], &outputs);
    }

    #[test]
    fn refusals() {
        let refused = |shape: &[i32], message: &str| {
            let count = shape.iter().product::<i32>() as usize;
            refuses::<LogMatrixDeterminant>(&[], &[of(F32, shape, &vec![1.0; count])], &[F32, F32], message);
        };
        refused(&[2, 3], "matrices are 2 by 3; they must be square");
        refused(&[2], "the shape [2] has no matrices; at least two axes are needed");
    }
}
