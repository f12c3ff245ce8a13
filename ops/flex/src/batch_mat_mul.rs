//! BatchMatMul: products of stacks of matrices of equal shape ahead. Reals, integers, complex numbers.
//! Defined by: tensorflow/core/kernels/batch_matmul_op_impl.h.

use crate::kit::kernel::Node;
use crate::kit::matmul::{Ahead, MatMul, Member};

/// The op.
pub type BatchMatMul = Node<MatMul<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexBatchMatMul";
    const TURNED: [&'static str; 2] = ["adj_x", "adj_y"];
    const ADJOINT: bool = true;
    const AHEAD: Ahead = Ahead::Equal;
}

#[cfg(test)]
mod tests {
    use super::BatchMatMul;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        let (a, b) =
            ((&[1, 2, 2][..], &[1.0, 2.0, 3.0, 4.0][..]), (&[1, 2, 2][..], &[5.0, 6.0, 7.0, 8.0][..]));
        for (adj_x, adj_y, want) in [
            (false, false, [19.0, 22.0, 43.0, 50.0]),
            (true, false, [26.0, 30.0, 38.0, 44.0]),
            (false, true, [17.0, 23.0, 39.0, 53.0]),
            (true, true, [23.0, 31.0, 34.0, 46.0]),
        ] {
            let attributes = [("adj_x", Flag(adj_x)), ("adj_y", Flag(adj_y))];
            each::<BatchMatMul>(
                &[F16, BF16, F32, F64, I32, I64, C64, C128],
                &attributes,
                &[a, b],
                (&[1, 2, 2], &want),
            );
        }
        // Two products; sums of nothing; no product.
        let stacks = [(&[2, 1, 1][..], &[2.0, 3.0][..]), (&[2, 1, 1], &[5.0, 7.0])];
        each::<BatchMatMul>(&[F32], &[], &stacks, (&[2, 1, 1], &[10.0, 21.0]));
        each::<BatchMatMul>(&[F32], &[], &[(&[1, 0], &[]), (&[0, 2], &[])], (&[1, 2], &[0.0, 0.0]));
        each::<BatchMatMul>(&[F32], &[], &[(&[0, 1, 1], &[]), (&[0, 1, 1], &[])], (&[0, 1, 1], &[]));
        // Turned matrices are conjugated: −i i = 1.
        let i = complex(C64, &[1, 1], &[(0.0, 1.0)]);
        gives::<BatchMatMul>(&[("adj_x", Flag(true))], &[i.clone(), i], &[of(C64, &[1, 1], &[1.0])]);
    }

    #[test]
    fn refusals() {
        let refused = |a: &[i32], b: &[i32], message: &str| {
            let zeros = |shape: &[i32]| of(F32, shape, &vec![0.0; shape.iter().product::<i32>() as usize]);
            refuses::<BatchMatMul>(&[], &[zeros(a), zeros(b)], &[F32], message);
        };
        refused(&[1, 2], &[3, 1], "matrices [1, 2] and [3, 1] do not go together");
        refused(&[2], &[2, 1], "the shape [2] has no matrices; at least two axes are needed");
        let message = "inputs are [2, 1, 1] and [1, 1, 1]; the axes ahead of the matrices must agree";
        refused(&[2, 1, 1], &[1, 1, 1], message);
    }
}
