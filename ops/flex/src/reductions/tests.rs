//! Tests the results and the errors of the ops.

use crate::kit::testing::*;
use crate::kit::write::Attribute;
use crate::reductions::*;
use arenite_abi::prelude::*;
use arenite_abi::testing::Tensor;
use core::slice::from_ref;

const KEEP_DIMS: &[(&str, Attribute<'_>)] = &[("keep_dims", Attribute::Bool(true))];

/// Reduces [[1, 2, 3], [4, 5, 6.5]] along rows, along columns, and completely.
fn along_each_axis<T: Op>(rows: [f64; 2], columns: [f64; 3], all: f64) {
    let x = of(F32, &[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.5]);
    gives::<T>(&[], &[x.clone(), axes(&[-1])], of(F32, &[2], &rows));
    gives::<T>(&[], &[x.clone(), axes(&[0])], of(F32, &[3], &columns));
    gives::<T>(&[], &[x.clone(), axes(&[1, 0])], of(F32, &[], &[all]));
    gives::<T>(&[], &[x.clone(), axes(&[])], x.clone());
    gives::<T>(&[], &[x.clone(), Tensor::i64(&[], &[-1])], of(F32, &[2], &rows));
    gives::<T>(KEEP_DIMS, &[x.clone(), axes(&[1])], of(F32, &[2, 1], &rows));
    gives::<T>(KEEP_DIMS, &[x, axes(&[0, 1])], of(F32, &[1, 1], &[all]));
    gives::<T>(&[], &[of(F32, &[2, 0], &[]), axes(&[0])], of(F32, &[0], &[]));
}

/// Reduces a vector of every real and integer type except FLOAT32.
fn each_type<T: Op>(x: [f64; 3], want: f64) {
    for ty in [F16, BF16, F64, I8, I16, I32, I64, U8, U16, U32, U64] {
        all_of::<T>(of(ty, &[3], &x), of(ty, &[], &[want]));
    }
}

/// Reduces a vector completely.
fn all_of<T: Op>(x: Tensor, want: Tensor) {
    gives::<T>(&[], &[x, axes(&[0])], want);
}

/// Reduces a vector of FLOAT32 completely.
fn all_of_reals<T: Op>(x: &[f64], want: f64) {
    all_of::<T>(of(F32, &[x.len() as i32], x), of(F32, &[], &[want]));
}

/// Reduces two columns that have no rows.
fn of_no_rows<T: Op>(want: f64) {
    gives::<T>(&[], &[of(F32, &[0, 2], &[]), axes(&[0])], of(F32, &[2], &[want; 2]));
}

/// Reduces booleans: the rows of `x`, its columns, all of it, and an empty vector.
fn of_truths<T: Op>(x: [bool; 6], rows: [bool; 2], columns: [bool; 3], all: bool, none: bool) {
    let x = Tensor::bool(&[2, 3], &x);
    gives::<T>(&[], &[x.clone(), axes(&[-1])], Tensor::bool(&[2], &rows));
    gives::<T>(&[], &[x.clone(), axes(&[0])], Tensor::bool(&[3], &columns));
    gives::<T>(&[], &[x.clone(), axes(&[0, 1])], Tensor::bool(&[], &[all]));
    gives::<T>(&[], &[x.clone(), axes(&[])], x.clone());
    gives::<T>(&[], &[x.clone(), Tensor::i64(&[], &[1])], Tensor::bool(&[2], &rows));
    gives::<T>(KEEP_DIMS, &[x, axes(&[1])], Tensor::bool(&[2, 1], &rows));
    gives::<T>(&[], &[Tensor::bool(&[0, 2], &[]), axes(&[0])], Tensor::bool(&[2], &[none; 2]));
}

/// Checks that invalid axes are rejected, for a 2 × 3 tensor and for a scalar of the same type.
fn denies_axes<T: Op>(x: &Tensor, scalar: Tensor) {
    let denied = |inputs: &[Tensor], message: &str| denies::<T>(inputs, x.ty(), message);
    denied(&[x.clone(), axes(&[2])], "axes [2] do not exist in [2, 3]");
    denied(&[x.clone(), axes(&[0, -3])], "axes [0, -3] do not exist in [2, 3]");
    denied(&[x.clone(), axes(&[0, -2])], "axes [0, -2] name an axis of [2, 3] twice");
    denied(&[scalar, axes(&[0])], "axes [0] do not exist in []");
    denied(&[x.clone(), of(F32, &[1], &[0.0])], "'in1' is FLOAT32; integers are needed");
    denied(from_ref(x), "it has 1 inputs, this op takes 2 to 2");
}

/// Checks the errors of reductions of numbers.
fn denies_of_numbers<T: Op>() {
    let x = of(F32, &[2, 3], &[1.0, 0.0, 1.0, 1.0, 0.0, 1.0]);
    denies_axes::<T>(&x, of(F32, &[], &[1.0]));
    denies_type::<T>(Tensor::bool(&[1], &[true]));
    denies_type::<T>(Tensor::strings(&[1], &["a"]));
    denies::<T>(&[x, axes(&[0])], I32, "input 'in0' is FLOAT32, output is INT32; they must agree");
}

/// Checks the errors of reductions of booleans.
fn denies_of_truths<T: Op>() {
    let x = Tensor::bool(&[2, 3], &[true, false, true, true, false, true]);
    denies_axes::<T>(&x, Tensor::bool(&[], &[true]));
    denies_type::<T>(of(F32, &[1], &[1.0]));
    denies_type::<T>(axes(&[1]));
    denies::<T>(&[x, axes(&[0])], F32, "input 'in0' is BOOL, output is FLOAT32; they must agree");
}

mod all {
    use super::*;

    #[test]
    fn values() {
        let x = [true, false, true, true, true, true];
        of_truths::<All>(x, [false, true], [true, false, true], false, true);
    }

    #[test]
    fn refusals() {
        denies_of_truths::<All>();
    }
}

mod any {
    use super::*;

    #[test]
    fn values() {
        let x = [false, false, false, false, true, false];
        of_truths::<Any>(x, [false, true], [false, true, false], true, false);
    }

    #[test]
    fn refusals() {
        denies_of_truths::<Any>();
    }
}

mod euclidean_norm {
    use super::*;

    #[test]
    fn along_axes() {
        let rows = [3.741_657_386_773_941_3, 9.124_143_795_447_33];
        let columns = [4.123_105_625_617_661, 5.385_164_807_134_504, 7.158_910_531_638_177];
        along_each_axis::<EuclideanNorm>(rows, columns, 9.861_541_461_658_01);
    }

    #[test]
    fn of_every_type() {
        each_type::<EuclideanNorm>([1.0, 2.0, 2.0], 3.0);
        // Square roots of integers are rounded down.
        all_of::<EuclideanNorm>(axes(&[2, 2]), axis(2));
        // Sums of squares wrap around.
        all_of::<EuclideanNorm>(Tensor::u8(&[2], &[16, 3]), Tensor::u8(&[], &[3]));
        let x = complex_of(C64, &[2], &[(0.0, 3.0), (4.0, 0.0)]);
        all_of::<EuclideanNorm>(x, complex_of(C64, &[], &[(5.0, 0.0)]));
    }

    #[test]
    fn edges() {
        all_of_reals::<EuclideanNorm>(&[1.0, NAN, 2.0], NAN);
        all_of_reals::<EuclideanNorm>(&[-INF, 1.0], INF);
        of_no_rows::<EuclideanNorm>(0.0);
    }

    #[test]
    fn refusals() {
        denies_of_numbers::<EuclideanNorm>();
    }
}

mod max {
    use super::*;

    #[test]
    fn along_axes() {
        along_each_axis::<Max>([3.0, 6.5], [4.0, 5.0, 6.5], 6.5);
    }

    #[test]
    fn of_every_type() {
        each_type::<Max>([1.0, 6.0, 2.0], 6.0);
        all_of::<Max>(Tensor::i8(&[2], &[-128, -3]), Tensor::i8(&[], &[-3]));
    }

    #[test]
    fn edges() {
        all_of_reals::<Max>(&[1.0, NAN, 2.0], NAN);
        all_of_reals::<Max>(&[-INF, -1.0], -1.0);
        all_of_reals::<Max>(&[], -INF);
        all_of::<Max>(Tensor::i8(&[0], &[]), Tensor::i8(&[], &[-128]));
        all_of::<Max>(Tensor::u8(&[0], &[]), Tensor::u8(&[], &[0]));
    }

    #[test]
    fn refusals() {
        denies_of_numbers::<Max>();
        denies_type::<Max>(complex_of(C64, &[1], &[(1.0, 0.0)]));
    }
}

mod mean {
    use super::*;

    #[test]
    fn along_axes() {
        along_each_axis::<Mean>([2.0, 5.166_666_666_666_667], [2.5, 3.5, 4.75], 3.583_333_333_333_333_5);
    }

    #[test]
    fn of_every_type() {
        each_type::<Mean>([1.0, 2.0, 6.0], 3.0);
        all_of::<Mean>(Tensor::i8(&[2], &[100, 100]), Tensor::i8(&[], &[100]));
        all_of::<Mean>(axes(&[-1, -2]), axis(-1));
        // Sums of 64-bit integers wrap around.
        all_of::<Mean>(Tensor::i64(&[2], &[i64::MAX; 2]), Tensor::i64(&[], &[-1]));
        all_of::<Mean>(Tensor::u64(&[2], &[u64::MAX; 2]), Tensor::u64(&[], &[u64::MAX / 2]));
        let x = complex_of(C64, &[2], &[(1.0, 2.0), (-3.0, 1.0)]);
        all_of::<Mean>(x, complex_of(C64, &[], &[(-1.0, 1.5)]));
    }

    #[test]
    fn edges() {
        all_of_reals::<Mean>(&[1.0, NAN, 2.0], NAN);
        all_of_reals::<Mean>(&[INF, 1.0], INF);
        of_no_rows::<Mean>(NAN);
        all_of::<Mean>(axes(&[]), axis(0));
        all_of::<Mean>(complex_of(C64, &[0], &[]), complex_of(C64, &[], &[(0.0, 0.0)]));
    }

    #[test]
    fn refusals() {
        denies_of_numbers::<Mean>();
    }
}

mod min {
    use super::*;

    #[test]
    fn along_axes() {
        along_each_axis::<Min>([1.0, 4.0], [1.0, 2.0, 3.0], 1.0);
    }

    #[test]
    fn of_every_type() {
        each_type::<Min>([6.0, 1.0, 2.0], 1.0);
        all_of::<Min>(Tensor::i8(&[2], &[127, -3]), Tensor::i8(&[], &[-3]));
    }

    #[test]
    fn edges() {
        all_of_reals::<Min>(&[1.0, NAN, 2.0], NAN);
        all_of_reals::<Min>(&[INF, -1.0], -1.0);
        all_of_reals::<Min>(&[], INF);
        all_of::<Min>(Tensor::i8(&[0], &[]), Tensor::i8(&[], &[127]));
        all_of::<Min>(Tensor::u8(&[0], &[]), Tensor::u8(&[], &[255]));
    }

    #[test]
    fn refusals() {
        denies_of_numbers::<Min>();
        denies_type::<Min>(complex_of(C64, &[1], &[(1.0, 0.0)]));
    }
}

mod prod {
    use super::*;

    #[test]
    fn along_axes() {
        along_each_axis::<Prod>([6.0, 130.0], [4.0, 10.0, 19.5], 780.0);
    }

    #[test]
    fn of_every_type() {
        each_type::<Prod>([1.0, 2.0, 6.0], 12.0);
        all_of::<Prod>(Tensor::i8(&[2], &[16, 16]), Tensor::i8(&[], &[0]));
        let x = complex_of(C64, &[2], &[(1.0, 2.0), (3.0, -1.0)]);
        all_of::<Prod>(x, complex_of(C64, &[], &[(5.0, 5.0)]));
    }

    #[test]
    fn edges() {
        all_of_reals::<Prod>(&[1.0, NAN, 2.0], NAN);
        all_of_reals::<Prod>(&[INF, 0.0], NAN);
        of_no_rows::<Prod>(1.0);
    }

    #[test]
    fn refusals() {
        denies_of_numbers::<Prod>();
    }
}

mod sum {
    use super::*;

    #[test]
    fn along_axes() {
        along_each_axis::<Sum>([6.0, 15.5], [5.0, 7.0, 9.5], 21.5);
    }

    #[test]
    fn of_every_type() {
        each_type::<Sum>([1.0, 2.0, 4.0], 7.0);
        all_of::<Sum>(Tensor::i8(&[2], &[100, 100]), Tensor::i8(&[], &[-56]));
        for ty in [C64, C128] {
            let x = complex_of(ty, &[2], &[(1.0, 2.0), (-3.0, 0.5)]);
            all_of::<Sum>(x, complex_of(ty, &[], &[(-2.0, 2.5)]));
        }
    }

    #[test]
    fn edges() {
        all_of_reals::<Sum>(&[1.0, NAN, 2.0], NAN);
        all_of_reals::<Sum>(&[INF, -INF], NAN);
        of_no_rows::<Sum>(0.0);
        gives::<Sum>(&[], &[of(F32, &[], &[3.0]), axes(&[])], of(F32, &[], &[3.0]));
    }

    #[test]
    fn refusals() {
        denies_of_numbers::<Sum>();
    }
}
