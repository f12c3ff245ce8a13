//! Qr: decomposes a matrix into `Q`, whose columns are orthonormal, and the upper triangular `R`. Reals and complex
//! numbers; the axes ahead of the matrices are batch axes.
//! Defined by: tensorflow/core/kernels/linalg/qr_op_impl.h.

use arenite_abi::prelude::*;

use crate::kit::kernel::Node;
use crate::kit::linear::{Linear, Member};
use crate::kit::matrix::{Matrix, qr};
use crate::kit::node_def::NodeDef;

/// The `FlexQr` op.
pub type Qr = Node<Linear<Definition>>;

/// Attributes, shape function and kernel of `FlexQr`.
pub struct Definition {
    full: bool,
}

impl Member for Definition {
    const NAME: &'static str = "FlexQr";
    const INPUTS: usize = 1;
    const OUTPUTS: usize = 2;

    fn new(def: &NodeDef<'_>) -> Result<Self> {
        Ok(Definition { full: def.bool("full_matrices", false)? })
    }

    fn size(&self, inputs: &[(usize, usize)], output: usize) -> Result<Vec<usize>> {
        let (rows, columns) = inputs[0];
        let inner = if self.full { rows } else { rows.min(columns) };
        Ok(if output == 0 { vec![rows, inner] } else { vec![inner, columns] })
    }

    fn compute(&self, inputs: Vec<Matrix>) -> Result<Vec<Vec<Complex64>>> {
        let (q, r) = qr(&inputs[0]);
        let inner = if self.full { r.rows } else { r.rows.min(r.columns) };
        let columns = (0..q.rows).flat_map(|row| (0..inner).map(move |column| (row, column)));
        let q = columns.map(|(row, column)| q.at(row, column)).collect();
        Ok(vec![q, r.data[..inner * r.columns].to_vec()])
    }
}

#[cfg(test)]
mod tests {
    use super::Qr;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        let full = |full: bool| [("full_matrices", Flag(full))];
        for ty in &[F32, F64, C64, C128] {
            let ty = *ty;
            let qr =
                |attributes: &[_], x: Tensor, q: Tensor, r: Tensor| gives::<Qr>(attributes, &[x], &[q, r]);
            let reflection = of(ty, &[2, 2], &[-0.6, -0.8, -0.8, 0.6]);
            qr(
                &[],
                of(ty, &[2, 2], &[3.0, 0.0, 4.0, 5.0]),
                reflection.clone(),
                of(ty, &[2, 2], &[-5.0, -4.0, 0.0, 3.0]),
            );
            let x = of(ty, &[2, 1], &[3.0, 4.0]);
            qr(&full(false), x.clone(), of(ty, &[2, 1], &[-0.6, -0.8]), of(ty, &[1, 1], &[-5.0]));
            qr(&full(true), x, reflection, of(ty, &[2, 1], &[-5.0, 0.0]));
            let x = of(ty, &[2, 1, 2], &[3.0, 4.0, 5.0, 6.0]);
            qr(&[], x.clone(), of(ty, &[2, 1, 1], &[1.0, 1.0]), x);
            qr(&[], of(ty, &[2, 0], &[]), of(ty, &[2, 0], &[]), of(ty, &[0, 0], &[]));
            qr(
                &full(true),
                of(ty, &[2, 0], &[]),
                of(ty, &[2, 2], &[1.0, 0.0, 0.0, 1.0]),
                of(ty, &[2, 0], &[]),
            );
        }
        let outputs = [complex(C64, &[1, 1], &[(0.0, -1.0)]), of(C64, &[1, 1], &[-2.0])];
        gives::<Qr>(&[], &[complex(C64, &[1, 1], &[(0.0, 2.0)])], &outputs);
    }

    #[test]
    fn refusals() {
        let message = "the shape [2] has no matrices; at least two axes are needed";
        refuses::<Qr>(&[], &[of(F32, &[2], &[1.0; 2])], &[F32, F32], message);
        refuses::<Qr>(&[], &[of(F32, &[1, 1], &[1.0])], &[F32], "it has 1 outputs, this op gives 2 to 2");
    }
}
