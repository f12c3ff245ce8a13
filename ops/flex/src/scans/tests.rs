//! Tests the results and the errors of the ops.

use crate::kit::testing::*;
use crate::kit::write::Attribute;
use crate::scans::*;
use arenite_abi::prelude::*;
use arenite_abi::testing::Tensor;
use core::f64::consts::LN_2;
use core::slice::from_ref;

const EXCLUSIVE: (&str, Attribute<'_>) = ("exclusive", Attribute::Bool(true));
const REVERSE: (&str, Attribute<'_>) = ("reverse", Attribute::Bool(true));

/// Scans a vector of FLOAT32.
fn scans<T: Op>(attributes: &[(&str, Attribute<'_>)], x: &[f64], want: &[f64]) {
    let list = |x: &[f64]| of(F32, &[x.len() as i32], x);
    gives::<T>(attributes, &[list(x), axis(0)], list(want));
}

/// Scans [[1, 2, 3], [4, 5, 6.5]] along rows and along columns; then along rows exclusively, in reverse, and both.
fn along_each_axis<T: Op>(want: [[f64; 6]; 5]) {
    let matrix = |x: &[f64]| of(F32, &[2, 3], x);
    let x = matrix(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.5]);
    let [rows, columns, exclusive, reverse, both] = want.map(|x| matrix(&x));
    gives::<T>(&[], &[x.clone(), axis(-1)], rows);
    gives::<T>(&[], &[x.clone(), axis(0)], columns);
    gives::<T>(&[EXCLUSIVE], &[x.clone(), axis(1)], exclusive);
    gives::<T>(&[REVERSE], &[x.clone(), axis(1)], reverse);
    gives::<T>(&[EXCLUSIVE, REVERSE], &[x, Tensor::i64(&[], &[1])], both);
}

/// Scans 1, 2, 4 in every real and integer type except FLOAT32.
fn each_type<T: Op>(want: [f64; 3]) {
    for ty in [F16, BF16, F64, I8, I16, I32, I64, U8, U16, U32, U64] {
        gives::<T>(&[], &[of(ty, &[3], &[1.0, 2.0, 4.0]), axis(0)], of(ty, &[3], &want));
    }
}

/// Checks the errors that are common to all members.
fn denies_axes_and_types<T: Op>() {
    let x = of(F32, &[2], &[1.0, 2.0]);
    let denied = |inputs: &[Tensor], message: &str| denies::<T>(inputs, F32, message);
    denied(&[x.clone(), axis(1)], "axis 1 does not exist in a tensor of rank 1");
    denied(&[x.clone(), axis(-2)], "axis -2 does not exist in a tensor of rank 1");
    denied(&[of(F32, &[], &[1.0]), axis(0)], "axis 0 does not exist in a tensor of rank 0");
    denied(&[x.clone(), axes(&[0])], "'in1' is [1]; a scalar is needed");
    denied(&[x.clone(), of(F32, &[], &[0.0])], "'in1' is FLOAT32; integers are needed");
    denied(from_ref(&x), "it has 1 inputs, this op takes 2 to 2");
    denies_type::<T>(Tensor::bool(&[1], &[true]));
    denies_type::<T>(Tensor::strings(&[1], &["a"]));
    denies::<T>(&[x, axis(0)], I32, "input 'in0' is FLOAT32, output is INT32; they must agree");
}

mod cumprod {
    use super::*;

    #[test]
    fn values() {
        along_each_axis::<Cumprod>([
            [1.0, 2.0, 6.0, 4.0, 20.0, 130.0],
            [1.0, 2.0, 3.0, 4.0, 10.0, 19.5],
            [1.0, 1.0, 2.0, 1.0, 4.0, 20.0],
            [6.0, 6.0, 3.0, 130.0, 32.5, 6.5],
            [6.0, 3.0, 1.0, 32.5, 6.5, 1.0],
        ]);
    }

    #[test]
    fn of_every_type() {
        each_type::<Cumprod>([1.0, 2.0, 8.0]);
        gives::<Cumprod>(&[], &[Tensor::i8(&[2], &[16, 16]), axis(0)], Tensor::i8(&[2], &[16, 0]));
        let x = complex_of(C64, &[2], &[(1.0, 2.0), (3.0, -1.0)]);
        gives::<Cumprod>(&[], &[x, axis(0)], complex_of(C64, &[2], &[(1.0, 2.0), (5.0, 5.0)]));
    }

    #[test]
    fn edges() {
        scans::<Cumprod>(&[], &[1.0, NAN, 2.0], &[1.0, NAN, NAN]);
        scans::<Cumprod>(&[], &[INF, 1.0, 0.0], &[INF, INF, NAN]);
        gives::<Cumprod>(&[], &[of(F32, &[0, 2], &[]), axis(0)], of(F32, &[0, 2], &[]));
    }

    #[test]
    fn refusals() {
        denies_axes_and_types::<Cumprod>();
    }
}

mod cumsum {
    use super::*;

    #[test]
    fn values() {
        along_each_axis::<Cumsum>([
            [1.0, 3.0, 6.0, 4.0, 9.0, 15.5],
            [1.0, 2.0, 3.0, 5.0, 7.0, 9.5],
            [0.0, 1.0, 3.0, 0.0, 4.0, 9.0],
            [6.0, 5.0, 3.0, 15.5, 11.5, 6.5],
            [5.0, 3.0, 0.0, 11.5, 6.5, 0.0],
        ]);
    }

    #[test]
    fn of_every_type() {
        each_type::<Cumsum>([1.0, 3.0, 7.0]);
        gives::<Cumsum>(&[], &[Tensor::i8(&[2], &[100, 100]), axis(0)], Tensor::i8(&[2], &[100, -56]));
        let x = complex_of(C64, &[2], &[(1.0, 2.0), (-3.0, 0.5)]);
        gives::<Cumsum>(&[], &[x, axis(0)], complex_of(C64, &[2], &[(1.0, 2.0), (-2.0, 2.5)]));
    }

    #[test]
    fn edges() {
        scans::<Cumsum>(&[], &[1.0, NAN, 2.0], &[1.0, NAN, NAN]);
        scans::<Cumsum>(&[], &[INF, 1.0, -INF], &[INF, INF, NAN]);
        gives::<Cumsum>(&[], &[of(F32, &[0, 2], &[]), axis(0)], of(F32, &[0, 2], &[]));
    }

    #[test]
    fn refusals() {
        denies_axes_and_types::<Cumsum>();
    }
}

mod cumulative_logsumexp {
    use super::*;

    const LN_3: f64 = 1.098_612_288_668_109_8;

    #[test]
    fn values() {
        let matrix = |x: &[f64]| of(F32, &[2, 2], x);
        let x = matrix(&[0.0, 0.0, 1.0, -1.0]);
        let rows = matrix(&[0.0, LN_2, 1.0, 1.126_928_011_042_972_5]);
        gives::<CumulativeLogsumexp>(&[], &[x.clone(), axis(-1)], rows);
        let columns = matrix(&[0.0, 0.0, 1.313_261_687_518_222_8, 0.313_261_687_518_222_86]);
        gives::<CumulativeLogsumexp>(&[], &[x, axis(0)], columns);
        scans::<CumulativeLogsumexp>(&[EXCLUSIVE], &[0.0, 0.0], &[-INF, 0.0]);
        scans::<CumulativeLogsumexp>(&[REVERSE], &[0.0; 3], &[LN_3, LN_2, 0.0]);
        scans::<CumulativeLogsumexp>(&[EXCLUSIVE, REVERSE], &[0.0; 3], &[LN_2, 0.0, -INF]);
    }

    #[test]
    fn of_every_type() {
        for ty in [F16, BF16, F64] {
            let want = of(ty, &[3], &[0.0, LN_2, LN_3]);
            gives::<CumulativeLogsumexp>(&[], &[of(ty, &[3], &[0.0; 3]), axis(0)], want);
        }
    }

    #[test]
    fn edges() {
        scans::<CumulativeLogsumexp>(&[], &[-INF, -INF], &[-INF, -INF]);
        scans::<CumulativeLogsumexp>(&[], &[1000.0, 1000.0], &[1000.0, 1_000.693_147_180_559_9]);
        scans::<CumulativeLogsumexp>(&[], &[], &[]);
    }

    #[test]
    fn refusals() {
        denies_axes_and_types::<CumulativeLogsumexp>();
        denies_type::<CumulativeLogsumexp>(axes(&[1]));
        denies_type::<CumulativeLogsumexp>(complex_of(C64, &[1], &[(1.0, 0.0)]));
    }
}
