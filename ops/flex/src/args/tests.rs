//! Tests the results and the errors of the ops.

mod arg_max {
    use crate::args::ArgMax;
    use crate::kit::testing::*;
    use arenite_abi::prelude::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        let x = of(F32, &[2, 3], &[1.0, 5.0, 3.0, 9.0, 2.0, 9.0]);
        gives::<ArgMax>(&[], &[x.clone(), axis(-1)], Tensor::i16(&[2], &[1, 0]));
        gives::<ArgMax>(&[], &[x.clone(), axis(-1)], Tensor::u16(&[2], &[1, 0]));
        gives::<ArgMax>(&[], &[x.clone(), axis(-1)], axes(&[1, 0]));
        gives::<ArgMax>(&[], &[x.clone(), axis(-1)], Tensor::i64(&[2], &[1, 0]));
        gives::<ArgMax>(&[], &[x.clone(), axis(0)], Tensor::i64(&[3], &[1, 0, 1]));
        gives::<ArgMax>(&[], &[x.clone(), Tensor::i64(&[], &[1])], Tensor::i64(&[2], &[1, 0]));
        gives::<ArgMax>(&[], &[of(F32, &[2], &[3.0, 4.0]), axis(0)], Tensor::i64(&[], &[1]));
        gives::<ArgMax>(&[], &[of(F32, &[0, 2], &[]), axis(1)], Tensor::i64(&[0], &[]));
        for ty in [F16, BF16, F64, I8, I16, I32, I64, U8, U16, U32, U64] {
            gives::<ArgMax>(&[], &[of(ty, &[4], &[1.0, 7.0, 7.0, 1.0]), axis(0)], Tensor::i64(&[], &[1]));
        }
        gives::<ArgMax>(&[], &[Tensor::bool(&[3], &[false, true, true]), axis(0)], Tensor::i64(&[], &[1]));
        gives::<ArgMax>(&[], &[Tensor::i8(&[2], &[-128, 127]), axis(0)], Tensor::i64(&[], &[1]));
    }

    #[test]
    fn nan_is_ignored() {
        gives::<ArgMax>(&[], &[of(F32, &[3], &[NAN, 1.0, 2.0]), axis(0)], Tensor::i64(&[], &[2]));
        gives::<ArgMax>(&[], &[of(F32, &[3], &[-INF, NAN, -INF]), axis(0)], Tensor::i64(&[], &[0]));
        gives::<ArgMax>(&[], &[of(F32, &[3], &[NAN, INF, 3.0]), axis(0)], Tensor::i64(&[], &[1]));
    }

    #[test]
    fn refusals() {
        let x = of(F32, &[2, 3], &[1.0, 5.0, 3.0, 9.0, 2.0, 9.0]);
        denies::<ArgMax>(&[x.clone(), axis(2)], I64, "axis 2 does not exist in a tensor of rank 2");
        denies::<ArgMax>(&[x.clone(), axis(-3)], I64, "axis -3 does not exist in a tensor of rank 2");
        denies::<ArgMax>(
            &[of(F32, &[], &[1.0]), axis(0)],
            I64,
            "axis 0 does not exist in a tensor of rank 0",
        );
        denies::<ArgMax>(&[of(F32, &[0, 2], &[]), axis(0)], I64, "axis 0 of [0, 2] is empty");
        denies::<ArgMax>(&[x.clone(), axes(&[0])], I64, "'in1' is [1]; a scalar is needed");
        denies::<ArgMax>(&[x.clone(), of(F32, &[], &[0.0])], I64, "'in1' is FLOAT32; integers are needed");
        denies::<ArgMax>(
            &[x.clone(), axis(0)],
            F32,
            "output 'out0' is FLOAT32, which this op cannot produce",
        );
    }
}

mod arg_min {
    use crate::args::ArgMin;
    use crate::kit::testing::*;
    use arenite_abi::prelude::*;
    use arenite_abi::testing::Tensor;

    #[test]
    fn values() {
        let x = of(F32, &[2, 3], &[-1.0, -5.0, -3.0, -9.0, -2.0, -9.0]);
        gives::<ArgMin>(&[], &[x.clone(), axis(-1)], axes(&[1, 0]));
        gives::<ArgMin>(&[], &[x.clone(), axis(-1)], Tensor::i64(&[2], &[1, 0]));
        gives::<ArgMin>(&[], &[x.clone(), axis(0)], Tensor::i64(&[3], &[1, 0, 1]));
        gives::<ArgMin>(&[], &[x.clone(), Tensor::i64(&[], &[1])], Tensor::i64(&[2], &[1, 0]));
        gives::<ArgMin>(&[], &[of(F32, &[2], &[3.0, 4.0]), axis(0)], Tensor::i64(&[], &[0]));
        gives::<ArgMin>(&[], &[of(F32, &[0, 2], &[]), axis(1)], Tensor::i64(&[0], &[]));
        for ty in [F16, BF16, F64, I8, I16, I32, I64, U8, U16, U32, U64] {
            gives::<ArgMin>(&[], &[of(ty, &[4], &[7.0, 1.0, 1.0, 7.0]), axis(0)], Tensor::i64(&[], &[1]));
        }
        gives::<ArgMin>(&[], &[Tensor::bool(&[3], &[true, false, false]), axis(0)], Tensor::i64(&[], &[1]));
        gives::<ArgMin>(&[], &[Tensor::i8(&[2], &[127, -128]), axis(0)], Tensor::i64(&[], &[1]));
    }

    #[test]
    fn nan_is_ignored() {
        gives::<ArgMin>(&[], &[of(F32, &[3], &[NAN, -1.0, -2.0]), axis(0)], Tensor::i64(&[], &[2]));
        gives::<ArgMin>(&[], &[of(F32, &[3], &[INF, NAN, INF]), axis(0)], Tensor::i64(&[], &[0]));
        gives::<ArgMin>(&[], &[of(F32, &[3], &[NAN, -INF, -3.0]), axis(0)], Tensor::i64(&[], &[1]));
    }

    #[test]
    fn refusals() {
        let x = of(F32, &[2, 3], &[-1.0, -5.0, -3.0, -9.0, -2.0, -9.0]);
        denies::<ArgMin>(&[x.clone(), axis(2)], I64, "axis 2 does not exist in a tensor of rank 2");
        denies::<ArgMin>(&[x.clone(), axis(-3)], I64, "axis -3 does not exist in a tensor of rank 2");
        denies::<ArgMin>(
            &[of(F32, &[], &[1.0]), axis(0)],
            I64,
            "axis 0 does not exist in a tensor of rank 0",
        );
        denies::<ArgMin>(&[of(F32, &[0, 2], &[]), axis(0)], I64, "axis 0 of [0, 2] is empty");
        denies::<ArgMin>(&[x.clone(), axes(&[0])], I64, "'in1' is [1]; a scalar is needed");
        denies::<ArgMin>(&[x.clone(), of(F32, &[], &[0.0])], I64, "'in1' is FLOAT32; integers are needed");
        denies::<ArgMin>(
            &[x.clone(), axis(0)],
            F32,
            "output 'out0' is FLOAT32, which this op cannot produce",
        );
    }
}
