//! Tests the results and the errors of the ops.

use crate::kit::testing::cases::*;
use crate::matmuls::{BatchMatMul, BatchMatMulV2, BatchMatMulV3, MatMul};

/// The types that all members support.
const TYPES: &[ElementType] = &[BF16, F32, F64, I32, I64, C64, C128];

/// Checks a member with the names of its transposing attributes and the shape of a matrix.
fn multiplies<T: Op>(types: &[ElementType], names: [&str; 2], shape: &[i32]) {
    let (a, b) = ((shape, &[1.0, 2.0, 3.0, 4.0][..]), (shape, &[5.0, 6.0, 7.0, 8.0][..]));
    for (transpose_a, transpose_b, want) in [
        (false, false, [19.0, 22.0, 43.0, 50.0]),
        (true, false, [26.0, 30.0, 38.0, 44.0]),
        (false, true, [17.0, 23.0, 39.0, 53.0]),
        (true, true, [23.0, 31.0, 34.0, 46.0]),
    ] {
        let attributes = [(names[0], Flag(transpose_a)), (names[1], Flag(transpose_b))];
        each::<T>(types, &attributes, &[a, b], (shape, &want));
    }
    // A sum over an empty axis is zero.
    each::<T>(&[F32], &[], &[(&[1, 0], &[]), (&[0, 2], &[])], (&[1, 2], &[0.0, 0.0]));
}

/// Checks batches of matrices, for the types that both inputs may have.
fn multiplies_stacks<T: Op>(types: &[ElementType]) {
    multiplies::<T>(types, ["adj_x", "adj_y"], &[1, 2, 2]);
    // A batch of two products, and an empty batch.
    let stacks = [(&[2, 1, 1][..], &[2.0, 3.0][..]), (&[2, 1, 1], &[5.0, 7.0])];
    each::<T>(&[F32], &[], &stacks, (&[2, 1, 1], &[10.0, 21.0]));
    each::<T>(&[F32], &[], &[(&[0, 1, 1], &[]), (&[0, 1, 1], &[])], (&[0, 1, 1], &[]));
    // Transposed matrices are conjugated: −i i = 1.
    let i = complex(C64, &[1, 1], &[(0.0, 1.0)]);
    gives::<T>(&[("adj_x", Flag(true))], &[i.clone(), i], &[of(C64, &[1, 1], &[1.0])]);
}

/// Checks that batch axes broadcast.
fn broadcasts<T: Op>() {
    let inputs = [(&[2, 1, 1][..], &[2.0, 3.0][..]), (&[1, 2], &[5.0, 7.0])];
    each::<T>(&[F32], &[], &inputs, (&[2, 1, 2], &[10.0, 14.0, 15.0, 21.0]));
    each::<T>(&[F32], &[], &[(&[0, 1, 1], &[]), (&[1, 1, 1], &[1.0])], (&[0, 1, 1], &[]));
}

/// Checks that matrices of these shapes are rejected.
fn refuses_shapes<T: Op>(a: &[i32], b: &[i32], message: &str) {
    let zeros = |shape: &[i32]| of(F32, shape, &vec![0.0; shape.iter().product::<i32>() as usize]);
    refuses::<T>(&[], &[zeros(a), zeros(b)], &[F32], message);
}

/// Checks that a product of floats and integers is rejected.
fn refuses_mixed_types<T: Op>() {
    let inputs = [of(F32, &[1, 1], &[0.0]), of(I32, &[1, 1], &[0.0])];
    refuses::<T>(&[], &inputs, &[F32], "'in0' is FLOAT32, 'in1' is INT32; they must agree");
}

/// Checks that invalid shapes are rejected.
fn refuses_stacks<T: Op>() {
    refuses_shapes::<T>(&[1, 2], &[3, 1], "matrices [1, 2] and [3, 1] cannot be multiplied");
    let message = "the shape [2] has no matrices; at least two axes are needed";
    refuses_shapes::<T>(&[2], &[2, 1], message);
}

mod batch_mat_mul {
    use super::*;

    #[test]
    fn values() {
        multiplies_stacks::<BatchMatMul>(&[&[F16], TYPES].concat());
    }

    #[test]
    fn refusals() {
        refuses_stacks::<BatchMatMul>();
        let message = "inputs are [2, 1, 1] and [1, 1, 1]; the axes ahead of the matrices must agree";
        refuses_shapes::<BatchMatMul>(&[2, 1, 1], &[1, 1, 1], message);
    }
}

mod batch_mat_mul_v2 {
    use super::*;

    #[test]
    fn values() {
        multiplies_stacks::<BatchMatMulV2>(&[&[F16], TYPES].concat());
        broadcasts::<BatchMatMulV2>();
    }

    #[test]
    fn refusals() {
        refuses_stacks::<BatchMatMulV2>();
        let message = "matrices [2, 1, 1] and [3, 1, 1] cannot be multiplied";
        refuses_shapes::<BatchMatMulV2>(&[2, 1, 1], &[3, 1, 1], message);
    }
}

mod batch_mat_mul_v3 {
    use super::*;

    #[test]
    fn values() {
        multiplies_stacks::<BatchMatMulV3>(TYPES);
        broadcasts::<BatchMatMulV3>();
        // Types may differ; small integers are summed in a wider type.
        let (a, b) = (Tensor::u8(&[1, 2], &[200, 100]), Tensor::i8(&[2, 1], &[-100, 100]));
        gives::<BatchMatMulV3>(&[], &[a, b], &[Tensor::i32(&[1, 1], &[-10_000])]);
        let (a, b) = (of(BF16, &[1, 1], &[1.5]), of(BF16, &[1, 1], &[1.5]));
        gives::<BatchMatMulV3>(&[], &[a, b], &[of(F32, &[1, 1], &[2.25])]);
    }

    #[test]
    fn refusals() {
        refuses_stacks::<BatchMatMulV3>();
        let message = "matrices [2, 1, 1] and [3, 1, 1] cannot be multiplied";
        refuses_shapes::<BatchMatMulV3>(&[2, 1, 1], &[3, 1, 1], message);
        refuses_mixed_types::<BatchMatMulV3>();
    }
}

mod mat_mul {
    use super::*;

    #[test]
    fn values() {
        multiplies::<MatMul>(&[&[F16], TYPES].concat(), ["transpose_a", "transpose_b"], &[2, 2]);
        each::<MatMul>(&[F32], &[], &[(&[1, 3], &[1.0; 3]), (&[3, 2], &[2.0; 6])], (&[1, 2], &[6.0, 6.0]));
        each::<MatMul>(&[F32], &[], &[(&[0, 1], &[]), (&[1, 2], &[1.0; 2])], (&[0, 2], &[]));
        let infinite = (&[1, 1][..], &[f64::INFINITY][..]);
        each::<MatMul>(&[F32], &[], &[infinite, (&[1, 1], &[0.0])], (&[1, 1], &[f64::NAN]));
        // Transposed matrices are not conjugated.
        let i = complex(C64, &[1, 1], &[(0.0, 1.0)]);
        gives::<MatMul>(&[("transpose_a", Flag(true))], &[i.clone(), i], &[of(C64, &[1, 1], &[-1.0])]);
        let big = Tensor::i32(&[1, 1], &[1 << 30]);
        gives::<MatMul>(&[], &[big, Tensor::i32(&[1, 1], &[4])], &[Tensor::i32(&[1, 1], &[0])]);
    }

    #[test]
    fn refusals() {
        refuses_shapes::<MatMul>(&[1, 2], &[3, 1], "matrices [1, 2] and [3, 1] cannot be multiplied");
        refuses_shapes::<MatMul>(&[1, 1, 2], &[2, 1], "'in0' is [1, 1, 2]; it must have 2 axes");
        refuses_shapes::<MatMul>(&[1, 2], &[2], "'in1' is [2]; it must have 2 axes");
        refuses_mixed_types::<MatMul>();
    }
}
