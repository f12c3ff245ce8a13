//! What the ops make, what they refuse.

mod batch_mat_mul {
    use crate::kit::testing::cases::*;
    use crate::matmuls::BatchMatMul;

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

mod batch_mat_mul_v2 {
    use crate::kit::testing::cases::*;
    use crate::matmuls::BatchMatMulV2;

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
            each::<BatchMatMulV2>(
                &[F16, BF16, F32, F64, I32, I64, C64, C128],
                &attributes,
                &[a, b],
                (&[1, 2, 2], &want),
            );
        }
        // Two products; sums of nothing; no product.
        let stacks = [(&[2, 1, 1][..], &[2.0, 3.0][..]), (&[2, 1, 1], &[5.0, 7.0])];
        each::<BatchMatMulV2>(&[F32], &[], &stacks, (&[2, 1, 1], &[10.0, 21.0]));
        each::<BatchMatMulV2>(&[F32], &[], &[(&[1, 0], &[]), (&[0, 2], &[])], (&[1, 2], &[0.0, 0.0]));
        each::<BatchMatMulV2>(&[F32], &[], &[(&[0, 1, 1], &[]), (&[0, 1, 1], &[])], (&[0, 1, 1], &[]));
        // Turned matrices are conjugated: −i i = 1.
        let i = complex(C64, &[1, 1], &[(0.0, 1.0)]);
        gives::<BatchMatMulV2>(&[("adj_x", Flag(true))], &[i.clone(), i], &[of(C64, &[1, 1], &[1.0])]);
        // Axes ahead broadcast.
        let inputs = [(&[2, 1, 1][..], &[2.0, 3.0][..]), (&[1, 2], &[5.0, 7.0])];
        each::<BatchMatMulV2>(&[F32], &[], &inputs, (&[2, 1, 2], &[10.0, 14.0, 15.0, 21.0]));
        each::<BatchMatMulV2>(&[F32], &[], &[(&[0, 1, 1], &[]), (&[1, 1, 1], &[1.0])], (&[0, 1, 1], &[]));
    }

    #[test]
    fn refusals() {
        let refused = |a: &[i32], b: &[i32], message: &str| {
            let zeros = |shape: &[i32]| of(F32, shape, &vec![0.0; shape.iter().product::<i32>() as usize]);
            refuses::<BatchMatMulV2>(&[], &[zeros(a), zeros(b)], &[F32], message);
        };
        refused(&[1, 2], &[3, 1], "matrices [1, 2] and [3, 1] do not go together");
        refused(&[2], &[2, 1], "the shape [2] has no matrices; at least two axes are needed");
        refused(&[2, 1, 1], &[3, 1, 1], "matrices [2, 1, 1] and [3, 1, 1] do not go together");
    }
}

mod batch_mat_mul_v3 {
    use crate::kit::testing::cases::*;
    use crate::matmuls::BatchMatMulV3;

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
            each::<BatchMatMulV3>(
                &[BF16, F32, F64, I32, I64, C64, C128],
                &attributes,
                &[a, b],
                (&[1, 2, 2], &want),
            );
        }
        // Two products; sums of nothing; no product.
        let stacks = [(&[2, 1, 1][..], &[2.0, 3.0][..]), (&[2, 1, 1], &[5.0, 7.0])];
        each::<BatchMatMulV3>(&[F32], &[], &stacks, (&[2, 1, 1], &[10.0, 21.0]));
        each::<BatchMatMulV3>(&[F32], &[], &[(&[1, 0], &[]), (&[0, 2], &[])], (&[1, 2], &[0.0, 0.0]));
        each::<BatchMatMulV3>(&[F32], &[], &[(&[0, 1, 1], &[]), (&[0, 1, 1], &[])], (&[0, 1, 1], &[]));
        // Turned matrices are conjugated: −i i = 1.
        let i = complex(C64, &[1, 1], &[(0.0, 1.0)]);
        gives::<BatchMatMulV3>(&[("adj_x", Flag(true))], &[i.clone(), i], &[of(C64, &[1, 1], &[1.0])]);
        // Axes ahead broadcast.
        let inputs = [(&[2, 1, 1][..], &[2.0, 3.0][..]), (&[1, 2], &[5.0, 7.0])];
        each::<BatchMatMulV3>(&[F32], &[], &inputs, (&[2, 1, 2], &[10.0, 14.0, 15.0, 21.0]));
        each::<BatchMatMulV3>(&[F32], &[], &[(&[0, 1, 1], &[]), (&[1, 1, 1], &[1.0])], (&[0, 1, 1], &[]));
        // Types may differ; small integers are summed in large ones.
        let a = Tensor::u8(&[1, 2], &[200, 100]);
        gives::<BatchMatMulV3>(
            &[],
            &[a, Tensor::i8(&[2, 1], &[-100, 100])],
            &[Tensor::i32(&[1, 1], &[-10_000])],
        );
        let (a, b) = (of(BF16, &[1, 1], &[1.5]), of(BF16, &[1, 1], &[1.5]));
        gives::<BatchMatMulV3>(&[], &[a, b], &[of(F32, &[1, 1], &[2.25])]);
    }

    #[test]
    fn refusals() {
        let refused = |a: &[i32], b: &[i32], message: &str| {
            let zeros = |shape: &[i32]| of(F32, shape, &vec![0.0; shape.iter().product::<i32>() as usize]);
            refuses::<BatchMatMulV3>(&[], &[zeros(a), zeros(b)], &[F32], message);
        };
        refused(&[1, 2], &[3, 1], "matrices [1, 2] and [3, 1] do not go together");
        refused(&[2], &[2, 1], "the shape [2] has no matrices; at least two axes are needed");
        refused(&[2, 1, 1], &[3, 1, 1], "matrices [2, 1, 1] and [3, 1, 1] do not go together");
        let inputs = [of(F32, &[1, 1], &[0.0]), of(I32, &[1, 1], &[0.0])];
        let message = "'in0' is FLOAT32, 'in1' is INT32; they must agree";
        refuses::<BatchMatMulV3>(&[], &inputs, &[F32], message);
    }
}

mod mat_mul {
    use crate::kit::testing::cases::*;
    use crate::matmuls::MatMul;

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
