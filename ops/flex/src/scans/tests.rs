//! What the ops make, what they refuse.

mod cumprod {
    use crate::kit::testing::*;
    use crate::kit::write::Attribute;
    use crate::scans::Cumprod;
    use arenite_abi::prelude::*;
    use arenite_abi::testing::Tensor;
    use core::slice::from_ref;

    #[test]
    fn values() {
        let x = of(F32, &[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.5]);
        gives::<Cumprod>(&[], &[x.clone(), axis(-1)], of(F32, &[2, 3], &[1.0, 2.0, 6.0, 4.0, 20.0, 130.0]));
        gives::<Cumprod>(&[], &[x.clone(), axis(0)], of(F32, &[2, 3], &[1.0, 2.0, 3.0, 4.0, 10.0, 19.5]));
        gives::<Cumprod>(
            &[("exclusive", Attribute::Bool(true))],
            &[x.clone(), axis(1)],
            of(F32, &[2, 3], &[1.0, 1.0, 2.0, 1.0, 4.0, 20.0]),
        );
        gives::<Cumprod>(
            &[("reverse", Attribute::Bool(true))],
            &[x.clone(), axis(1)],
            of(F32, &[2, 3], &[6.0, 6.0, 3.0, 130.0, 32.5, 6.5]),
        );
        gives::<Cumprod>(
            &[("exclusive", Attribute::Bool(true)), ("reverse", Attribute::Bool(true))],
            &[x.clone(), Tensor::i64(&[], &[1])],
            of(F32, &[2, 3], &[6.0, 3.0, 1.0, 32.5, 6.5, 1.0]),
        );
    }

    #[test]
    fn of_every_type() {
        for ty in [F16, BF16, F64, I8, I16, I32, I64, U8, U16, U32, U64] {
            gives::<Cumprod>(&[], &[of(ty, &[3], &[1.0, 2.0, 4.0]), axis(0)], of(ty, &[3], &[1.0, 2.0, 8.0]));
        }
        gives::<Cumprod>(&[], &[Tensor::i8(&[2], &[16, 16]), axis(0)], Tensor::i8(&[2], &[16, 0]));
        gives::<Cumprod>(
            &[],
            &[complex_of(C64, &[2], &[(1.0, 2.0), (3.0, -1.0)]), axis(0)],
            complex_of(C64, &[2], &[(1.0, 2.0), (5.0, 5.0)]),
        );
    }

    #[test]
    fn edges() {
        gives::<Cumprod>(&[], &[of(F32, &[3], &[1.0, NAN, 2.0]), axis(0)], of(F32, &[3], &[1.0, NAN, NAN]));
        gives::<Cumprod>(&[], &[of(F32, &[3], &[INF, 1.0, 0.0]), axis(0)], of(F32, &[3], &[INF, INF, NAN]));
        gives::<Cumprod>(&[], &[of(F32, &[0, 2], &[]), axis(0)], of(F32, &[0, 2], &[]));
    }

    #[test]
    fn refusals() {
        let x = of(F32, &[2], &[1.0, 2.0]);
        denies::<Cumprod>(&[x.clone(), axis(1)], F32, "axis 1 does not exist in a tensor of rank 1");
        denies::<Cumprod>(&[x.clone(), axis(-2)], F32, "axis -2 does not exist in a tensor of rank 1");
        denies::<Cumprod>(
            &[of(F32, &[], &[1.0]), axis(0)],
            F32,
            "axis 0 does not exist in a tensor of rank 0",
        );
        denies::<Cumprod>(&[x.clone(), axes(&[0])], F32, "'in1' is [1]; a scalar is needed");
        denies::<Cumprod>(&[x.clone(), of(F32, &[], &[0.0])], F32, "'in1' is FLOAT32; integers are needed");
        denies::<Cumprod>(from_ref(&x), F32, "it has 1 inputs, this op takes 2 to 2");
        denies::<Cumprod>(
            &[Tensor::bool(&[1], &[true]), axis(0)],
            ElementType::Bool,
            "input 'in0' is BOOL, which this op does not serve",
        );
        denies::<Cumprod>(
            &[Tensor::strings(&[1], &["a"]), axis(0)],
            ElementType::String,
            "input 'in0' is STRING, which this op does not serve",
        );
        denies::<Cumprod>(
            &[x.clone(), axis(0)],
            I32,
            "input 'in0' is FLOAT32, output is INT32; they must agree",
        );
    }
}

mod cumsum {
    use crate::kit::testing::*;
    use crate::kit::write::Attribute;
    use crate::scans::Cumsum;
    use arenite_abi::prelude::*;
    use arenite_abi::testing::Tensor;
    use core::slice::from_ref;

    #[test]
    fn values() {
        let x = of(F32, &[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.5]);
        gives::<Cumsum>(&[], &[x.clone(), axis(-1)], of(F32, &[2, 3], &[1.0, 3.0, 6.0, 4.0, 9.0, 15.5]));
        gives::<Cumsum>(&[], &[x.clone(), axis(0)], of(F32, &[2, 3], &[1.0, 2.0, 3.0, 5.0, 7.0, 9.5]));
        gives::<Cumsum>(
            &[("exclusive", Attribute::Bool(true))],
            &[x.clone(), axis(1)],
            of(F32, &[2, 3], &[0.0, 1.0, 3.0, 0.0, 4.0, 9.0]),
        );
        gives::<Cumsum>(
            &[("reverse", Attribute::Bool(true))],
            &[x.clone(), axis(1)],
            of(F32, &[2, 3], &[6.0, 5.0, 3.0, 15.5, 11.5, 6.5]),
        );
        gives::<Cumsum>(
            &[("exclusive", Attribute::Bool(true)), ("reverse", Attribute::Bool(true))],
            &[x.clone(), Tensor::i64(&[], &[1])],
            of(F32, &[2, 3], &[5.0, 3.0, 0.0, 11.5, 6.5, 0.0]),
        );
    }

    #[test]
    fn of_every_type() {
        for ty in [F16, BF16, F64, I8, I16, I32, I64, U8, U16, U32, U64] {
            gives::<Cumsum>(&[], &[of(ty, &[3], &[1.0, 2.0, 4.0]), axis(0)], of(ty, &[3], &[1.0, 3.0, 7.0]));
        }
        gives::<Cumsum>(&[], &[Tensor::i8(&[2], &[100, 100]), axis(0)], Tensor::i8(&[2], &[100, -56]));
        gives::<Cumsum>(
            &[],
            &[complex_of(C64, &[2], &[(1.0, 2.0), (-3.0, 0.5)]), axis(0)],
            complex_of(C64, &[2], &[(1.0, 2.0), (-2.0, 2.5)]),
        );
    }

    #[test]
    fn edges() {
        gives::<Cumsum>(&[], &[of(F32, &[3], &[1.0, NAN, 2.0]), axis(0)], of(F32, &[3], &[1.0, NAN, NAN]));
        gives::<Cumsum>(&[], &[of(F32, &[3], &[INF, 1.0, -INF]), axis(0)], of(F32, &[3], &[INF, INF, NAN]));
        gives::<Cumsum>(&[], &[of(F32, &[0, 2], &[]), axis(0)], of(F32, &[0, 2], &[]));
    }

    #[test]
    fn refusals() {
        let x = of(F32, &[2], &[1.0, 2.0]);
        denies::<Cumsum>(&[x.clone(), axis(1)], F32, "axis 1 does not exist in a tensor of rank 1");
        denies::<Cumsum>(&[x.clone(), axis(-2)], F32, "axis -2 does not exist in a tensor of rank 1");
        denies::<Cumsum>(
            &[of(F32, &[], &[1.0]), axis(0)],
            F32,
            "axis 0 does not exist in a tensor of rank 0",
        );
        denies::<Cumsum>(&[x.clone(), axes(&[0])], F32, "'in1' is [1]; a scalar is needed");
        denies::<Cumsum>(&[x.clone(), of(F32, &[], &[0.0])], F32, "'in1' is FLOAT32; integers are needed");
        denies::<Cumsum>(from_ref(&x), F32, "it has 1 inputs, this op takes 2 to 2");
        denies::<Cumsum>(
            &[Tensor::bool(&[1], &[true]), axis(0)],
            ElementType::Bool,
            "input 'in0' is BOOL, which this op does not serve",
        );
        denies::<Cumsum>(
            &[Tensor::strings(&[1], &["a"]), axis(0)],
            ElementType::String,
            "input 'in0' is STRING, which this op does not serve",
        );
        denies::<Cumsum>(
            &[x.clone(), axis(0)],
            I32,
            "input 'in0' is FLOAT32, output is INT32; they must agree",
        );
    }
}

mod cumulative_logsumexp {
    use crate::kit::testing::*;
    use crate::kit::write::Attribute;
    use crate::scans::CumulativeLogsumexp;
    use arenite_abi::prelude::*;
    use arenite_abi::testing::Tensor;
    use core::f64::consts::LN_2;
    use core::slice::from_ref;

    #[test]
    fn values() {
        gives::<CumulativeLogsumexp>(
            &[],
            &[of(F32, &[2, 2], &[0.0, 0.0, 1.0, -1.0]), axis(-1)],
            of(F32, &[2, 2], &[0.0, LN_2, 1.0, 1.126_928_011_042_972_5]),
        );
        gives::<CumulativeLogsumexp>(
            &[],
            &[of(F32, &[2, 2], &[0.0, 0.0, 1.0, -1.0]), axis(0)],
            of(F32, &[2, 2], &[0.0, 0.0, 1.313_261_687_518_222_8, 0.313_261_687_518_222_86]),
        );
        gives::<CumulativeLogsumexp>(
            &[("exclusive", Attribute::Bool(true))],
            &[of(F32, &[2], &[0.0, 0.0]), axis(0)],
            of(F32, &[2], &[-INF, 0.0]),
        );
        gives::<CumulativeLogsumexp>(
            &[("reverse", Attribute::Bool(true))],
            &[of(F32, &[3], &[0.0, 0.0, 0.0]), axis(0)],
            of(F32, &[3], &[1.098_612_288_668_109_8, LN_2, 0.0]),
        );
        gives::<CumulativeLogsumexp>(
            &[("exclusive", Attribute::Bool(true)), ("reverse", Attribute::Bool(true))],
            &[of(F32, &[3], &[0.0, 0.0, 0.0]), axis(0)],
            of(F32, &[3], &[LN_2, 0.0, -INF]),
        );
    }

    #[test]
    fn of_every_type() {
        for ty in [F16, BF16, F64] {
            gives::<CumulativeLogsumexp>(
                &[],
                &[of(ty, &[3], &[0.0, 0.0, 0.0]), axis(0)],
                of(ty, &[3], &[0.0, LN_2, 1.098_612_288_668_109_8]),
            );
        }
    }

    #[test]
    fn edges() {
        gives::<CumulativeLogsumexp>(
            &[],
            &[of(F32, &[2], &[-INF, -INF]), axis(0)],
            of(F32, &[2], &[-INF, -INF]),
        );
        gives::<CumulativeLogsumexp>(
            &[],
            &[of(F32, &[2], &[1000.0, 1000.0]), axis(0)],
            of(F32, &[2], &[1000.0, 1_000.693_147_180_559_9]),
        );
        gives::<CumulativeLogsumexp>(&[], &[of(F32, &[0], &[]), axis(0)], of(F32, &[0], &[]));
    }

    #[test]
    fn refusals() {
        let x = of(F32, &[2], &[1.0, 2.0]);
        denies::<CumulativeLogsumexp>(
            &[x.clone(), axis(1)],
            F32,
            "axis 1 does not exist in a tensor of rank 1",
        );
        denies::<CumulativeLogsumexp>(
            &[x.clone(), axis(-2)],
            F32,
            "axis -2 does not exist in a tensor of rank 1",
        );
        denies::<CumulativeLogsumexp>(
            &[of(F32, &[], &[1.0]), axis(0)],
            F32,
            "axis 0 does not exist in a tensor of rank 0",
        );
        denies::<CumulativeLogsumexp>(&[x.clone(), axes(&[0])], F32, "'in1' is [1]; a scalar is needed");
        denies::<CumulativeLogsumexp>(
            &[x.clone(), of(F32, &[], &[0.0])],
            F32,
            "'in1' is FLOAT32; integers are needed",
        );
        denies::<CumulativeLogsumexp>(from_ref(&x), F32, "it has 1 inputs, this op takes 2 to 2");
        denies::<CumulativeLogsumexp>(
            &[Tensor::bool(&[1], &[true]), axis(0)],
            ElementType::Bool,
            "input 'in0' is BOOL, which this op does not serve",
        );
        denies::<CumulativeLogsumexp>(
            &[axes(&[1]), axis(0)],
            I32,
            "input 'in0' is INT32, which this op does not serve",
        );
        denies::<CumulativeLogsumexp>(
            &[complex_of(C64, &[1], &[(1.0, 0.0)]), axis(0)],
            C64,
            "input 'in0' is COMPLEX64, which this op does not serve",
        );
        denies::<CumulativeLogsumexp>(
            &[x.clone(), axis(0)],
            I32,
            "input 'in0' is FLOAT32, output is INT32; they must agree",
        );
    }
}
