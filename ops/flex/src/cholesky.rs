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
        square(inputs[0]).map(|n| vec![n, n])
    }

    fn compute(&self, inputs: Vec<Matrix>) -> Result<Vec<Vec<Complex64>>> {
        let n = inputs[0].rows;
        let none = |i: usize| if i % n > i / n { real(0.0) } else { complex(f64::NAN, f64::NAN) };
        Ok(vec![cholesky(&inputs[0]).map_or_else(|| (0..n * n).map(none).collect(), |l| l.data)])
    }
}

#[cfg(test)]
mod tests {
    use super::Cholesky;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        let types = &[F32, F64, C64, C128];
        // Elements above the diagonal are not read.
        each::<Cholesky>(types, &[], &[(&[2, 2], &[4.0, 9.0, 2.0, 5.0])], (&[2, 2], &[2.0, 0.0, 1.0, 2.0]));
        each::<Cholesky>(types, &[], &[(&[2, 1, 1], &[4.0, 9.0])], (&[2, 1, 1], &[2.0, 3.0]));
        each::<Cholesky>(types, &[], &[(&[3, 0, 0], &[])], (&[3, 0, 0], &[]));
        for &ty in COMPLEX {
            let x = complex(ty, &[2, 2], &[(4.0, 0.0), (0.0, -2.0), (0.0, 2.0), (5.0, 0.0)]);
            let y = complex(ty, &[2, 2], &[(2.0, 0.0), (0.0, 0.0), (0.0, 1.0), (2.0, 0.0)]);
            gives::<Cholesky>(&[], &[x], &[y]);
        }
        // A matrix that is not positive definite.
        let nan = f64::NAN;
        each::<Cholesky>(
            &[F32, F64],
            &[],
            &[(&[2, 2], &[1.0, 2.0, 2.0, 1.0])],
            (&[2, 2], &[nan, 0.0, nan, nan]),
        );
    }

    #[test]
    fn refusals() {
        let refused = |shape: &[i32], message: &str| {
            let count = shape.iter().product::<i32>() as usize;
            refuses::<Cholesky>(&[], &[of(F32, shape, &vec![1.0; count])], &[F32], message);
        };
        refused(&[2, 3], "matrices are 2 by 3; they must be square");
        refused(&[2], "the shape [2] has no matrices; at least two axes are needed");
    }
}
