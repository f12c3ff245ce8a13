//! MatMul: the product of two matrices. Reals, integers, complex numbers.
//! Defined by: tensorflow/core/kernels/matmul_op_fused.cc.

use crate::kit::kernel::Node;
use crate::kit::matmul::{self, Ahead, Member};

/// The op.
pub type MatMul = Node<matmul::MatMul<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexMatMul";
    const TURNED: [&'static str; 2] = ["transpose_a", "transpose_b"];
    const ADJOINT: bool = false;
    const AHEAD: Ahead = Ahead::None;
}

#[cfg(test)]
mod tests {
    use super::MatMul;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        let (a, b) = ((&[2, 2][..], &[1.0, 2.0, 3.0, 4.0][..]), (&[2, 2][..], &[5.0, 6.0, 7.0, 8.0][..]));
        for (transpose_a, transpose_b, want) in [
            (false, false, [19.0, 22.0, 43.0, 50.0]),
            (true, false, [26.0, 30.0, 38.0, 44.0]),
            (false, true, [17.0, 23.0, 39.0, 53.0]),
            (true, true, [23.0, 31.0, 34.0, 46.0]),
        ] {
            let attributes = [("transpose_a", Flag(transpose_a)), ("transpose_b", Flag(transpose_b))];
            each::<MatMul>(
                &[F16, BF16, F32, F64, I32, I64, C64, C128],
                &attributes,
                &[a, b],
                (&[2, 2], &want),
            );
        }
        each::<MatMul>(&[F32], &[], &[(&[1, 3], &[1.0; 3]), (&[3, 2], &[2.0; 6])], (&[1, 2], &[6.0, 6.0]));
        // Sums of nothing.
        each::<MatMul>(&[F32], &[], &[(&[1, 0], &[]), (&[0, 2], &[])], (&[1, 2], &[0.0, 0.0]));
        each::<MatMul>(&[F32], &[], &[(&[0, 1], &[]), (&[1, 2], &[1.0; 2])], (&[0, 2], &[]));
        each::<MatMul>(
            &[F32],
            &[],
            &[(&[1, 1], &[f64::INFINITY]), (&[1, 1], &[0.0])],
            (&[1, 1], &[f64::NAN]),
        );
        // Turned matrices are not conjugated.
        let i = complex(C64, &[1, 1], &[(0.0, 1.0)]);
        let turned = [("transpose_a", Flag(true))];
        gives::<MatMul>(&turned, &[i.clone(), i], &[of(C64, &[1, 1], &[-1.0])]);
        let big = Tensor::i32(&[1, 1], &[1 << 30]);
        gives::<MatMul>(&[], &[big, Tensor::i32(&[1, 1], &[4])], &[Tensor::i32(&[1, 1], &[0])]);
    }

    #[test]
    fn refusals() {
        let refused = |a: &[i32], b: &[i32], message: &str| {
            let zeros = |shape: &[i32]| of(F32, shape, &vec![0.0; shape.iter().product::<i32>() as usize]);
            refuses::<MatMul>(&[], &[zeros(a), zeros(b)], &[F32], message);
        };
        refused(&[1, 2], &[3, 1], "matrices [1, 2] and [3, 1] do not go together");
        refused(&[1, 1, 2], &[2, 1], "'in0' is [1, 1, 2]; it must have 2 axes");
        refused(&[1, 2], &[2], "'in1' is [2]; it must have 2 axes");
        let message = "'in0' is FLOAT32, 'in1' is INT32; they must agree";
        let inputs = [of(F32, &[1, 1], &[0.0]), of(I32, &[1, 1], &[0.0])];
        refuses::<MatMul>(&[], &inputs, &[F32], message);
        let inputs = [of(U8, &[1, 1], &[0.0]), of(U8, &[1, 1], &[0.0])];
        refuses::<MatMul>(&[], &inputs, &[U8], "input 'in0' is UINT8, which this op does not serve");
    }
}
