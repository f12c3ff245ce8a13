//! Cholesky: the lower triangular `L` with `L L* = A`. Reals and complex numbers; axes ahead of the matrices count the matrices.
//! Defined by: tensorflow/core/kernels/linalg/cholesky_op.cc.

use arenite_abi::prelude::*;

use crate::kit::kernel::Node;
use crate::kit::linear::{Linear, Member, square};
use crate::kit::matrix::{Matrix, cholesky};
use crate::kit::node_def::NodeDef;

/// The op.
pub type Cholesky = Node<Linear<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexCholesky";
    const INPUTS: usize = 1;

    fn new(_: &NodeDef<'_>) -> Result<Self> {
        Ok(Definition)
    }

    fn size(&self, inputs: &[(usize, usize)], _: usize) -> Result<Vec<usize>> {
        square(inputs[0]).map(|n| vec![n, n])
    }

    fn compute(&self, inputs: Vec<Matrix>) -> Result<Vec<Vec<Complex64>>> {
        let l = cholesky(&inputs[0]).ok_or_else(|| invalid!("a matrix is not positive definite"))?;
        Ok(vec![l.data])
    }
}
