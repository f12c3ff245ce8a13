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
        square(inputs).map(|_| Vec::new())
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
