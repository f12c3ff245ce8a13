//! Cholesky: the lower triangular `L` with `L L* = A`, filled with NaN if there is no such `L`. Only the lower triangle
//! of `A` is read. Reals and complex numbers; the axes ahead of the matrices are batch axes.
//! Defined by: tensorflow/core/kernels/linalg/cholesky_op.cc.

use arenite_abi::prelude::*;

use crate::kit::complex::{complex, real};
use crate::kit::kernel::Node;
use crate::kit::linear::{Linear, Member, square};
use crate::kit::matrix::{Matrix, cholesky};
use crate::kit::node_def::NodeDef;

/// The `FlexCholesky` op.
pub type Cholesky = Node<Linear<Definition>>;

/// Shape function and kernel of `FlexCholesky`.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexCholesky";
    const INPUTS: usize = 1;

    fn new(_: &NodeDef<'_>) -> Result<Self> {
        Ok(Definition)
    }

    fn size(&self, inputs: &[(usize, usize)], _: usize) -> Result<Vec<usize>> {
        square(inputs).map(|n| vec![n, n])
    }

    fn compute(&self, inputs: Vec<Matrix>) -> Result<Vec<Vec<Complex64>>> {
        let n = inputs[0].rows;
        let none = |i: usize| if i % n > i / n { real(0.0) } else { complex(f64::NAN, f64::NAN) };
        Ok(vec![cholesky(&inputs[0]).map_or_else(|| (0..n * n).map(none).collect(), |l| l.data)])
    }
}
