//! What the ops make, what they refuse.

mod min {
    use crate::kit::testing::*;
    use crate::kit::write::Attribute;
    use crate::reductions::Min;
    use arenite_abi::prelude::*;
    use arenite_abi::testing::Tensor;
    use core::slice::from_ref;

    #[test]
    fn along_axes() {
        let x = of(F32, &[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.5]);
        let keep_dims = [("keep_dims", Attribute::Bool(true))];
        gives::<Min>(&[], &[x.clone(), axes(&[-1])], of(F32, &[2], &[1.0, 4.0]));
        gives::<Min>(&[], &[x.clone(), axes(&[0])], of(F32, &[3], &[1.0, 2.0, 3.0]));
        gives::<Min>(&[], &[x.clone(), axes(&[1, 0])], of(F32, &[], &[1.0]));
        gives::<Min>(&[], &[x.clone(), axes(&[])], x.clone());
        gives::<Min>(&[], &[x.clone(), Tensor::i64(&[], &[-1])], of(F32, &[2], &[1.0, 4.0]));
        gives::<Min>(&keep_dims, &[x.clone(), axes(&[1])], of(F32, &[2, 1], &[1.0, 4.0]));
        gives::<Min>(&keep_dims, &[x.clone(), axes(&[0, 1])], of(F32, &[1, 1], &[1.0]));
        gives::<Min>(&[], &[of(F32, &[2, 0], &[]), axes(&[0])], of(F32, &[0], &[]));
    }

    #[test]
    fn of_every_type() {
        for ty in [F16, BF16, F64, I8, I16, I32, I64, U8, U16, U32, U64] {
            gives::<Min>(&[], &[of(ty, &[3], &[6.0, 1.0, 2.0]), axes(&[0])], of(ty, &[], &[1.0]));
        }
        gives::<Min>(&[], &[Tensor::i8(&[2], &[127, -3]), axes(&[0])], Tensor::i8(&[], &[-3]));
    }

    #[test]
    fn edges() {
        gives::<Min>(&[], &[of(F32, &[3], &[1.0, NAN, 2.0]), axes(&[0])], of(F32, &[], &[NAN]));
        gives::<Min>(&[], &[of(F32, &[2], &[INF, -1.0]), axes(&[0])], of(F32, &[], &[-1.0]));
        gives::<Min>(&[], &[of(F32, &[0], &[]), axes(&[0])], of(F32, &[], &[INF]));
        gives::<Min>(&[], &[Tensor::i8(&[0], &[]), axes(&[0])], Tensor::i8(&[], &[127]));
        gives::<Min>(&[], &[Tensor::u8(&[0], &[]), axes(&[0])], Tensor::u8(&[], &[255]));
    }

    #[test]
    fn refusals() {
        let x = of(F32, &[2, 3], &[1.0, 0.0, 1.0, 1.0, 0.0, 1.0]);
        denies::<Min>(&[x.clone(), axes(&[2])], F32, "axes [2] do not exist in [2, 3]");
        denies::<Min>(&[x.clone(), axes(&[0, -3])], F32, "axes [0, -3] do not exist in [2, 3]");
        denies::<Min>(&[x.clone(), axes(&[0, -2])], F32, "axes [0, -2] name an axis of [2, 3] twice");
        denies::<Min>(&[of(F32, &[], &[1.0]), axes(&[0])], F32, "axes [0] do not exist in []");
        denies::<Min>(&[x.clone(), of(F32, &[1], &[0.0])], F32, "'in1' is FLOAT32; integers are needed");
        denies::<Min>(from_ref(&x), F32, "it has 1 inputs, this op takes 2 to 2");
        denies::<Min>(
            &[Tensor::bool(&[1], &[true]), axes(&[0])],
            ElementType::Bool,
            "input 'in0' is BOOL, which this op does not serve",
        );
        denies::<Min>(
            &[Tensor::strings(&[1], &["a"]), axes(&[0])],
            ElementType::String,
            "input 'in0' is STRING, which this op does not serve",
        );
        denies::<Min>(
            &[complex_of(C64, &[1], &[(1.0, 0.0)]), axes(&[0])],
            C64,
            "input 'in0' is COMPLEX64, which this op does not serve",
        );
        denies::<Min>(
            &[x.clone(), axes(&[0])],
            I32,
            "input 'in0' is FLOAT32, output is INT32; they must agree",
        );
    }
}

mod prod {
    use crate::kit::testing::*;
    use crate::kit::write::Attribute;
    use crate::reductions::Prod;
    use arenite_abi::prelude::*;
    use arenite_abi::testing::Tensor;
    use core::slice::from_ref;

    #[test]
    fn along_axes() {
        let x = of(F32, &[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.5]);
        let keep_dims = [("keep_dims", Attribute::Bool(true))];
        gives::<Prod>(&[], &[x.clone(), axes(&[-1])], of(F32, &[2], &[6.0, 130.0]));
        gives::<Prod>(&[], &[x.clone(), axes(&[0])], of(F32, &[3], &[4.0, 10.0, 19.5]));
        gives::<Prod>(&[], &[x.clone(), axes(&[1, 0])], of(F32, &[], &[780.0]));
        gives::<Prod>(&[], &[x.clone(), axes(&[])], x.clone());
        gives::<Prod>(&[], &[x.clone(), Tensor::i64(&[], &[-1])], of(F32, &[2], &[6.0, 130.0]));
        gives::<Prod>(&keep_dims, &[x.clone(), axes(&[1])], of(F32, &[2, 1], &[6.0, 130.0]));
        gives::<Prod>(&keep_dims, &[x.clone(), axes(&[0, 1])], of(F32, &[1, 1], &[780.0]));
        gives::<Prod>(&[], &[of(F32, &[2, 0], &[]), axes(&[0])], of(F32, &[0], &[]));
    }

    #[test]
    fn of_every_type() {
        for ty in [F16, BF16, F64, I8, I16, I32, I64, U8, U16, U32, U64] {
            gives::<Prod>(&[], &[of(ty, &[3], &[1.0, 2.0, 6.0]), axes(&[0])], of(ty, &[], &[12.0]));
        }
        gives::<Prod>(&[], &[Tensor::i8(&[2], &[16, 16]), axes(&[0])], Tensor::i8(&[], &[0]));
        gives::<Prod>(
            &[],
            &[complex_of(C64, &[2], &[(1.0, 2.0), (3.0, -1.0)]), axes(&[0])],
            complex_of(C64, &[], &[(5.0, 5.0)]),
        );
    }

    #[test]
    fn edges() {
        gives::<Prod>(&[], &[of(F32, &[3], &[1.0, NAN, 2.0]), axes(&[0])], of(F32, &[], &[NAN]));
        gives::<Prod>(&[], &[of(F32, &[2], &[INF, 0.0]), axes(&[0])], of(F32, &[], &[NAN]));
        gives::<Prod>(&[], &[of(F32, &[0, 2], &[]), axes(&[0])], of(F32, &[2], &[1.0, 1.0]));
    }

    #[test]
    fn refusals() {
        let x = of(F32, &[2, 3], &[1.0, 0.0, 1.0, 1.0, 0.0, 1.0]);
        denies::<Prod>(&[x.clone(), axes(&[2])], F32, "axes [2] do not exist in [2, 3]");
        denies::<Prod>(&[x.clone(), axes(&[0, -3])], F32, "axes [0, -3] do not exist in [2, 3]");
        denies::<Prod>(&[x.clone(), axes(&[0, -2])], F32, "axes [0, -2] name an axis of [2, 3] twice");
        denies::<Prod>(&[of(F32, &[], &[1.0]), axes(&[0])], F32, "axes [0] do not exist in []");
        denies::<Prod>(&[x.clone(), of(F32, &[1], &[0.0])], F32, "'in1' is FLOAT32; integers are needed");
        denies::<Prod>(from_ref(&x), F32, "it has 1 inputs, this op takes 2 to 2");
        denies::<Prod>(
            &[Tensor::bool(&[1], &[true]), axes(&[0])],
            ElementType::Bool,
            "input 'in0' is BOOL, which this op does not serve",
        );
        denies::<Prod>(
            &[Tensor::strings(&[1], &["a"]), axes(&[0])],
            ElementType::String,
            "input 'in0' is STRING, which this op does not serve",
        );
        denies::<Prod>(
            &[x.clone(), axes(&[0])],
            I32,
            "input 'in0' is FLOAT32, output is INT32; they must agree",
        );
    }
}

mod sum {
    use crate::kit::testing::*;
    use crate::kit::write::Attribute;
    use crate::reductions::Sum;
    use arenite_abi::prelude::*;
    use arenite_abi::testing::Tensor;
    use core::slice::from_ref;

    #[test]
    fn along_axes() {
        let x = of(F32, &[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.5]);
        let keep_dims = [("keep_dims", Attribute::Bool(true))];
        gives::<Sum>(&[], &[x.clone(), axes(&[-1])], of(F32, &[2], &[6.0, 15.5]));
        gives::<Sum>(&[], &[x.clone(), axes(&[0])], of(F32, &[3], &[5.0, 7.0, 9.5]));
        gives::<Sum>(&[], &[x.clone(), axes(&[1, 0])], of(F32, &[], &[21.5]));
        gives::<Sum>(&[], &[x.clone(), axes(&[])], x.clone());
        gives::<Sum>(&[], &[x.clone(), Tensor::i64(&[], &[-1])], of(F32, &[2], &[6.0, 15.5]));
        gives::<Sum>(&keep_dims, &[x.clone(), axes(&[1])], of(F32, &[2, 1], &[6.0, 15.5]));
        gives::<Sum>(&keep_dims, &[x.clone(), axes(&[0, 1])], of(F32, &[1, 1], &[21.5]));
        gives::<Sum>(&[], &[of(F32, &[2, 0], &[]), axes(&[0])], of(F32, &[0], &[]));
    }

    #[test]
    fn of_every_type() {
        for ty in [F16, BF16, F64, I8, I16, I32, I64, U8, U16, U32, U64] {
            gives::<Sum>(&[], &[of(ty, &[3], &[1.0, 2.0, 4.0]), axes(&[0])], of(ty, &[], &[7.0]));
        }
        gives::<Sum>(&[], &[Tensor::i8(&[2], &[100, 100]), axes(&[0])], Tensor::i8(&[], &[-56]));
        gives::<Sum>(
            &[],
            &[complex_of(C64, &[2], &[(1.0, 2.0), (-3.0, 0.5)]), axes(&[0])],
            complex_of(C64, &[], &[(-2.0, 2.5)]),
        );
        gives::<Sum>(
            &[],
            &[complex_of(C128, &[2], &[(1.0, 2.0), (-3.0, 0.5)]), axes(&[0])],
            complex_of(C128, &[], &[(-2.0, 2.5)]),
        );
    }

    #[test]
    fn edges() {
        gives::<Sum>(&[], &[of(F32, &[3], &[1.0, NAN, 2.0]), axes(&[0])], of(F32, &[], &[NAN]));
        gives::<Sum>(&[], &[of(F32, &[2], &[INF, -INF]), axes(&[0])], of(F32, &[], &[NAN]));
        gives::<Sum>(&[], &[of(F32, &[0, 2], &[]), axes(&[0])], of(F32, &[2], &[0.0, 0.0]));
        gives::<Sum>(&[], &[of(F32, &[], &[3.0]), axes(&[])], of(F32, &[], &[3.0]));
    }

    #[test]
    fn refusals() {
        let x = of(F32, &[2, 3], &[1.0, 0.0, 1.0, 1.0, 0.0, 1.0]);
        denies::<Sum>(&[x.clone(), axes(&[2])], F32, "axes [2] do not exist in [2, 3]");
        denies::<Sum>(&[x.clone(), axes(&[0, -3])], F32, "axes [0, -3] do not exist in [2, 3]");
        denies::<Sum>(&[x.clone(), axes(&[0, -2])], F32, "axes [0, -2] name an axis of [2, 3] twice");
        denies::<Sum>(&[of(F32, &[], &[1.0]), axes(&[0])], F32, "axes [0] do not exist in []");
        denies::<Sum>(&[x.clone(), of(F32, &[1], &[0.0])], F32, "'in1' is FLOAT32; integers are needed");
        denies::<Sum>(from_ref(&x), F32, "it has 1 inputs, this op takes 2 to 2");
        denies::<Sum>(
            &[Tensor::bool(&[1], &[true]), axes(&[0])],
            ElementType::Bool,
            "input 'in0' is BOOL, which this op does not serve",
        );
        denies::<Sum>(
            &[Tensor::strings(&[1], &["a"]), axes(&[0])],
            ElementType::String,
            "input 'in0' is STRING, which this op does not serve",
        );
        denies::<Sum>(
            &[x.clone(), axes(&[0])],
            I32,
            "input 'in0' is FLOAT32, output is INT32; they must agree",
        );
    }
}
