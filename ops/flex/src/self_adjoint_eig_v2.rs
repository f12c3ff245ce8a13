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
        square(inputs[0]).map(|n| if output == 0 { vec![n] } else { vec![n, n] })
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

#[cfg(test)]
mod tests {
    use super::SelfAdjointEigV2;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        let h = core::f64::consts::FRAC_1_SQRT_2;
        for ty in [F32, F64, C64, C128] {
            let eigen = |x: Tensor, values: Tensor, vectors: Tensor| {
                gives::<SelfAdjointEigV2>(&[], &[x], &[values, vectors]);
            };
            // Elements above the diagonal are not read.
            let (values, vectors) = (of(ty, &[2], &[1.0, 3.0]), of(ty, &[2, 2], &[-h, h, h, h]));
            eigen(of(ty, &[2, 2], &[2.0, 99.0, 1.0, 2.0]), values.clone(), vectors);
            eigen(of(ty, &[2, 2], &[3.0, 0.0, 0.0, 1.0]), values, of(ty, &[2, 2], &[0.0, 1.0, 1.0, 0.0]));
            eigen(
                of(ty, &[2, 1, 1], &[5.0, -7.0]),
                of(ty, &[2, 1], &[5.0, -7.0]),
                of(ty, &[2, 1, 1], &[1.0, 1.0]),
            );
            eigen(of(ty, &[3, 0, 0], &[]), of(ty, &[3, 0], &[]), of(ty, &[3, 0, 0], &[]));
            let outputs = [of(ty, &[1], &[5.0]), of(ty, &[], &[0.0])];
            let values_only = [("compute_v", Flag(false))];
            gives::<SelfAdjointEigV2>(&values_only, &[of(ty, &[1, 1], &[5.0])], &outputs);
        }
        let x = complex(C64, &[2, 2], &[(2.0, 0.0), (0.0, -1.0), (0.0, 1.0), (2.0, 0.0)]);
        let vectors = complex(C64, &[2, 2], &[(h, 0.0), (h, 0.0), (0.0, -h), (0.0, h)]);
        gives::<SelfAdjointEigV2>(&[], &[x], &[of(C64, &[2], &[1.0, 3.0]), vectors]);
    }

    #[test]
    fn refusals() {
        let refused = |shape: &[i32], message: &str| {
            let count = shape.iter().product::<i32>() as usize;
            refuses::<SelfAdjointEigV2>(&[], &[of(F32, shape, &vec![1.0; count])], &[F32, F32], message);
        };
        refused(&[2, 3], "matrices are 2 by 3; they must be square");
        refused(&[2], "the shape [2] has no matrices; at least two axes are needed");
        let message = "a matrix has an element that is not finite; it has no eigenvalues";
        refuses::<SelfAdjointEigV2>(&[], &[of(F32, &[1, 1], &[f64::INFINITY])], &[F32, F32], message);
    }
}
