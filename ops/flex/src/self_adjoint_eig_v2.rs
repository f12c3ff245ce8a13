//! SelfAdjointEigV2: the eigenvalues of a Hermitian matrix in ascending order, and its eigenvectors. Only the lower
//! triangle is read. Reals and complex numbers; the axes ahead of the matrices are batch axes.
//! Defined by: tensorflow/core/kernels/linalg/self_adjoint_eig_v2_op_impl.h.

use arenite_abi::prelude::*;

use crate::kit::complex;
use crate::kit::kernel::Node;
use crate::kit::linear::{Linear, Member, square};
use crate::kit::matrix::{Matrix, eigen};
use crate::kit::node_def::NodeDef;

/// The `FlexSelfAdjointEigV2` op.
pub type SelfAdjointEigV2 = Node<Linear<Definition>>;

/// Attributes, shape function and kernel of `FlexSelfAdjointEigV2`.
pub struct Definition {
    vectors: bool,
}

impl Member for Definition {
    const NAME: &'static str = "FlexSelfAdjointEigV2";
    const INPUTS: usize = 1;
    const OUTPUTS: usize = 2;

    fn new(def: &NodeDef<'_>) -> Result<Self> {
        Ok(Definition { vectors: def.bool("compute_v", true)? })
    }

    fn is_left_out(&self, output: usize) -> bool {
        output == 1 && !self.vectors
    }

    fn size(&self, inputs: &[(usize, usize)], output: usize) -> Result<Vec<usize>> {
        square(inputs).map(|n| if output == 0 { vec![n] } else { vec![n, n] })
    }

    fn compute(&self, inputs: Vec<Matrix>) -> Result<Vec<Vec<Complex64>>> {
        let a = &inputs[0];
        let finite = (0..a.data.len())
            .all(|i| i % a.rows > i / a.rows || (a.data[i].re.is_finite() && a.data[i].im.is_finite()));
        ensure!(finite, "a matrix has an element that is not finite; it has no eigenvalues");
        let (values, vectors) = eigen(a);
        let values = values.into_iter().map(complex::real).collect();
        Ok(vec![values, if self.vectors { vectors.data } else { Vec::new() }])
    }
}
