//! What the ops make, what they refuse.

mod all {
    use crate::kit::testing::*;
    use crate::kit::write::Attribute;
    use crate::reductions::All;
    use arenite_abi::prelude::*;
    use arenite_abi::testing::Tensor;
    use core::slice::from_ref;

    #[test]
    fn values() {
        let x = Tensor::bool(&[2, 3], &[true, false, true, true, true, true]);
        gives::<All>(&[], &[x.clone(), axes(&[-1])], Tensor::bool(&[2], &[false, true]));
        gives::<All>(&[], &[x.clone(), axes(&[0])], Tensor::bool(&[3], &[true, false, true]));
        gives::<All>(&[], &[x.clone(), axes(&[0, 1])], Tensor::bool(&[], &[false]));
        gives::<All>(&[], &[x.clone(), axes(&[])], x.clone());
        gives::<All>(&[], &[x.clone(), Tensor::i64(&[], &[1])], Tensor::bool(&[2], &[false, true]));
        gives::<All>(
            &[("keep_dims", Attribute::Bool(true))],
            &[x.clone(), axes(&[1])],
            Tensor::bool(&[2, 1], &[false, true]),
        );
        gives::<All>(&[], &[Tensor::bool(&[0, 2], &[]), axes(&[0])], Tensor::bool(&[2], &[true, true]));
    }

    #[test]
    fn refusals() {
        let x = Tensor::bool(&[2, 3], &[true, false, true, true, false, true]);
        denies::<All>(&[x.clone(), axes(&[2])], ElementType::Bool, "axes [2] do not exist in [2, 3]");
        denies::<All>(&[x.clone(), axes(&[0, -3])], ElementType::Bool, "axes [0, -3] do not exist in [2, 3]");
        denies::<All>(
            &[x.clone(), axes(&[0, -2])],
            ElementType::Bool,
            "axes [0, -2] name an axis of [2, 3] twice",
        );
        denies::<All>(
            &[Tensor::bool(&[], &[true]), axes(&[0])],
            ElementType::Bool,
            "axes [0] do not exist in []",
        );
        denies::<All>(
            &[x.clone(), of(F32, &[1], &[0.0])],
            ElementType::Bool,
            "'in1' is FLOAT32; integers are needed",
        );
        denies::<All>(from_ref(&x), ElementType::Bool, "it has 1 inputs, this op takes 2 to 2");
        denies::<All>(
            &[of(F32, &[1], &[1.0]), axes(&[0])],
            F32,
            "input 'in0' is FLOAT32, which this op does not serve",
        );
        denies::<All>(&[axes(&[1]), axes(&[0])], I32, "input 'in0' is INT32, which this op does not serve");
        denies::<All>(
            &[x.clone(), axes(&[0])],
            F32,
            "input 'in0' is BOOL, output is FLOAT32; they must agree",
        );
    }
}

mod any {
    use crate::kit::testing::*;
    use crate::kit::write::Attribute;
    use crate::reductions::Any;
    use arenite_abi::prelude::*;
    use arenite_abi::testing::Tensor;
    use core::slice::from_ref;

    #[test]
    fn values() {
        let x = Tensor::bool(&[2, 3], &[false, false, false, false, true, false]);
        gives::<Any>(&[], &[x.clone(), axes(&[-1])], Tensor::bool(&[2], &[false, true]));
        gives::<Any>(&[], &[x.clone(), axes(&[0])], Tensor::bool(&[3], &[false, true, false]));
        gives::<Any>(&[], &[x.clone(), axes(&[0, 1])], Tensor::bool(&[], &[true]));
        gives::<Any>(&[], &[x.clone(), axes(&[])], x.clone());
        gives::<Any>(&[], &[x.clone(), Tensor::i64(&[], &[1])], Tensor::bool(&[2], &[false, true]));
        gives::<Any>(
            &[("keep_dims", Attribute::Bool(true))],
            &[x.clone(), axes(&[1])],
            Tensor::bool(&[2, 1], &[false, true]),
        );
        gives::<Any>(&[], &[Tensor::bool(&[0, 2], &[]), axes(&[0])], Tensor::bool(&[2], &[false, false]));
    }

    #[test]
    fn refusals() {
        let x = Tensor::bool(&[2, 3], &[true, false, true, true, false, true]);
        denies::<Any>(&[x.clone(), axes(&[2])], ElementType::Bool, "axes [2] do not exist in [2, 3]");
        denies::<Any>(&[x.clone(), axes(&[0, -3])], ElementType::Bool, "axes [0, -3] do not exist in [2, 3]");
        denies::<Any>(
            &[x.clone(), axes(&[0, -2])],
            ElementType::Bool,
            "axes [0, -2] name an axis of [2, 3] twice",
        );
        denies::<Any>(
            &[Tensor::bool(&[], &[true]), axes(&[0])],
            ElementType::Bool,
            "axes [0] do not exist in []",
        );
        denies::<Any>(
            &[x.clone(), of(F32, &[1], &[0.0])],
            ElementType::Bool,
            "'in1' is FLOAT32; integers are needed",
        );
        denies::<Any>(from_ref(&x), ElementType::Bool, "it has 1 inputs, this op takes 2 to 2");
        denies::<Any>(
            &[of(F32, &[1], &[1.0]), axes(&[0])],
            F32,
            "input 'in0' is FLOAT32, which this op does not serve",
        );
        denies::<Any>(&[axes(&[1]), axes(&[0])], I32, "input 'in0' is INT32, which this op does not serve");
        denies::<Any>(
            &[x.clone(), axes(&[0])],
            F32,
            "input 'in0' is BOOL, output is FLOAT32; they must agree",
        );
    }
}

mod euclidean_norm {
    use crate::kit::testing::*;
    use crate::kit::write::Attribute;
    use crate::reductions::EuclideanNorm;
    use arenite_abi::prelude::*;
    use arenite_abi::testing::Tensor;
    use core::slice::from_ref;

    #[test]
    fn along_axes() {
        let x = of(F32, &[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.5]);
        let keep_dims = [("keep_dims", Attribute::Bool(true))];
        gives::<EuclideanNorm>(
            &[],
            &[x.clone(), axes(&[-1])],
            of(F32, &[2], &[3.741_657_386_773_941_3, 9.124_143_795_447_33]),
        );
        gives::<EuclideanNorm>(
            &[],
            &[x.clone(), axes(&[0])],
            of(F32, &[3], &[4.123_105_625_617_661, 5.385_164_807_134_504, 7.158_910_531_638_177]),
        );
        gives::<EuclideanNorm>(&[], &[x.clone(), axes(&[1, 0])], of(F32, &[], &[9.861_541_461_658_01]));
        gives::<EuclideanNorm>(&[], &[x.clone(), axes(&[])], x.clone());
        gives::<EuclideanNorm>(
            &[],
            &[x.clone(), Tensor::i64(&[], &[-1])],
            of(F32, &[2], &[3.741_657_386_773_941_3, 9.124_143_795_447_33]),
        );
        gives::<EuclideanNorm>(
            &keep_dims,
            &[x.clone(), axes(&[1])],
            of(F32, &[2, 1], &[3.741_657_386_773_941_3, 9.124_143_795_447_33]),
        );
        gives::<EuclideanNorm>(
            &keep_dims,
            &[x.clone(), axes(&[0, 1])],
            of(F32, &[1, 1], &[9.861_541_461_658_01]),
        );
        gives::<EuclideanNorm>(&[], &[of(F32, &[2, 0], &[]), axes(&[0])], of(F32, &[0], &[]));
    }

    #[test]
    fn of_every_type() {
        for ty in [F16, BF16, F64, I8, I16, I32, I64, U8, U16, U32, U64] {
            gives::<EuclideanNorm>(&[], &[of(ty, &[3], &[1.0, 2.0, 2.0]), axes(&[0])], of(ty, &[], &[3.0]));
        }
        gives::<EuclideanNorm>(&[], &[axes(&[2, 2]), axes(&[0])], axis(2));
        gives::<EuclideanNorm>(&[], &[Tensor::u8(&[2], &[16, 3]), axes(&[0])], Tensor::u8(&[], &[3]));
        gives::<EuclideanNorm>(
            &[],
            &[complex_of(C64, &[2], &[(0.0, 3.0), (4.0, 0.0)]), axes(&[0])],
            complex_of(C64, &[], &[(5.0, 0.0)]),
        );
    }

    #[test]
    fn edges() {
        gives::<EuclideanNorm>(&[], &[of(F32, &[3], &[1.0, NAN, 2.0]), axes(&[0])], of(F32, &[], &[NAN]));
        gives::<EuclideanNorm>(&[], &[of(F32, &[2], &[-INF, 1.0]), axes(&[0])], of(F32, &[], &[INF]));
        gives::<EuclideanNorm>(&[], &[of(F32, &[0, 2], &[]), axes(&[0])], of(F32, &[2], &[0.0, 0.0]));
    }

    #[test]
    fn refusals() {
        let x = of(F32, &[2, 3], &[1.0, 0.0, 1.0, 1.0, 0.0, 1.0]);
        denies::<EuclideanNorm>(&[x.clone(), axes(&[2])], F32, "axes [2] do not exist in [2, 3]");
        denies::<EuclideanNorm>(&[x.clone(), axes(&[0, -3])], F32, "axes [0, -3] do not exist in [2, 3]");
        denies::<EuclideanNorm>(
            &[x.clone(), axes(&[0, -2])],
            F32,
            "axes [0, -2] name an axis of [2, 3] twice",
        );
        denies::<EuclideanNorm>(&[of(F32, &[], &[1.0]), axes(&[0])], F32, "axes [0] do not exist in []");
        denies::<EuclideanNorm>(
            &[x.clone(), of(F32, &[1], &[0.0])],
            F32,
            "'in1' is FLOAT32; integers are needed",
        );
        denies::<EuclideanNorm>(from_ref(&x), F32, "it has 1 inputs, this op takes 2 to 2");
        denies::<EuclideanNorm>(
            &[Tensor::bool(&[1], &[true]), axes(&[0])],
            ElementType::Bool,
            "input 'in0' is BOOL, which this op does not serve",
        );
        denies::<EuclideanNorm>(
            &[Tensor::strings(&[1], &["a"]), axes(&[0])],
            ElementType::String,
            "input 'in0' is STRING, which this op does not serve",
        );
        denies::<EuclideanNorm>(
            &[x.clone(), axes(&[0])],
            I32,
            "input 'in0' is FLOAT32, output is INT32; they must agree",
        );
    }
}

mod max {
    use crate::kit::testing::*;
    use crate::kit::write::Attribute;
    use crate::reductions::Max;
    use arenite_abi::prelude::*;
    use arenite_abi::testing::Tensor;
    use core::slice::from_ref;

    #[test]
    fn along_axes() {
        let x = of(F32, &[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.5]);
        let keep_dims = [("keep_dims", Attribute::Bool(true))];
        gives::<Max>(&[], &[x.clone(), axes(&[-1])], of(F32, &[2], &[3.0, 6.5]));
        gives::<Max>(&[], &[x.clone(), axes(&[0])], of(F32, &[3], &[4.0, 5.0, 6.5]));
        gives::<Max>(&[], &[x.clone(), axes(&[1, 0])], of(F32, &[], &[6.5]));
        gives::<Max>(&[], &[x.clone(), axes(&[])], x.clone());
        gives::<Max>(&[], &[x.clone(), Tensor::i64(&[], &[-1])], of(F32, &[2], &[3.0, 6.5]));
        gives::<Max>(&keep_dims, &[x.clone(), axes(&[1])], of(F32, &[2, 1], &[3.0, 6.5]));
        gives::<Max>(&keep_dims, &[x.clone(), axes(&[0, 1])], of(F32, &[1, 1], &[6.5]));
        gives::<Max>(&[], &[of(F32, &[2, 0], &[]), axes(&[0])], of(F32, &[0], &[]));
    }

    #[test]
    fn of_every_type() {
        for ty in [F16, BF16, F64, I8, I16, I32, I64, U8, U16, U32, U64] {
            gives::<Max>(&[], &[of(ty, &[3], &[1.0, 6.0, 2.0]), axes(&[0])], of(ty, &[], &[6.0]));
        }
        gives::<Max>(&[], &[Tensor::i8(&[2], &[-128, -3]), axes(&[0])], Tensor::i8(&[], &[-3]));
    }

    #[test]
    fn edges() {
        gives::<Max>(&[], &[of(F32, &[3], &[1.0, NAN, 2.0]), axes(&[0])], of(F32, &[], &[NAN]));
        gives::<Max>(&[], &[of(F32, &[2], &[-INF, -1.0]), axes(&[0])], of(F32, &[], &[-1.0]));
        gives::<Max>(&[], &[of(F32, &[0], &[]), axes(&[0])], of(F32, &[], &[-INF]));
        gives::<Max>(&[], &[Tensor::i8(&[0], &[]), axes(&[0])], Tensor::i8(&[], &[-128]));
        gives::<Max>(&[], &[Tensor::u8(&[0], &[]), axes(&[0])], Tensor::u8(&[], &[0]));
    }

    #[test]
    fn refusals() {
        let x = of(F32, &[2, 3], &[1.0, 0.0, 1.0, 1.0, 0.0, 1.0]);
        denies::<Max>(&[x.clone(), axes(&[2])], F32, "axes [2] do not exist in [2, 3]");
        denies::<Max>(&[x.clone(), axes(&[0, -3])], F32, "axes [0, -3] do not exist in [2, 3]");
        denies::<Max>(&[x.clone(), axes(&[0, -2])], F32, "axes [0, -2] name an axis of [2, 3] twice");
        denies::<Max>(&[of(F32, &[], &[1.0]), axes(&[0])], F32, "axes [0] do not exist in []");
        denies::<Max>(&[x.clone(), of(F32, &[1], &[0.0])], F32, "'in1' is FLOAT32; integers are needed");
        denies::<Max>(from_ref(&x), F32, "it has 1 inputs, this op takes 2 to 2");
        denies::<Max>(
            &[Tensor::bool(&[1], &[true]), axes(&[0])],
            ElementType::Bool,
            "input 'in0' is BOOL, which this op does not serve",
        );
        denies::<Max>(
            &[Tensor::strings(&[1], &["a"]), axes(&[0])],
            ElementType::String,
            "input 'in0' is STRING, which this op does not serve",
        );
        denies::<Max>(
            &[complex_of(C64, &[1], &[(1.0, 0.0)]), axes(&[0])],
            C64,
            "input 'in0' is COMPLEX64, which this op does not serve",
        );
        denies::<Max>(
            &[x.clone(), axes(&[0])],
            I32,
            "input 'in0' is FLOAT32, output is INT32; they must agree",
        );
    }
}

mod mean {
    use crate::kit::testing::*;
    use crate::kit::write::Attribute;
    use crate::reductions::Mean;
    use arenite_abi::prelude::*;
    use arenite_abi::testing::Tensor;
    use core::slice::from_ref;

    #[test]
    fn along_axes() {
        let x = of(F32, &[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.5]);
        let keep_dims = [("keep_dims", Attribute::Bool(true))];
        gives::<Mean>(&[], &[x.clone(), axes(&[-1])], of(F32, &[2], &[2.0, 5.166_666_666_666_667]));
        gives::<Mean>(&[], &[x.clone(), axes(&[0])], of(F32, &[3], &[2.5, 3.5, 4.75]));
        gives::<Mean>(&[], &[x.clone(), axes(&[1, 0])], of(F32, &[], &[3.583_333_333_333_333_5]));
        gives::<Mean>(&[], &[x.clone(), axes(&[])], x.clone());
        gives::<Mean>(
            &[],
            &[x.clone(), Tensor::i64(&[], &[-1])],
            of(F32, &[2], &[2.0, 5.166_666_666_666_667]),
        );
        gives::<Mean>(&keep_dims, &[x.clone(), axes(&[1])], of(F32, &[2, 1], &[2.0, 5.166_666_666_666_667]));
        gives::<Mean>(&keep_dims, &[x.clone(), axes(&[0, 1])], of(F32, &[1, 1], &[3.583_333_333_333_333_5]));
        gives::<Mean>(&[], &[of(F32, &[2, 0], &[]), axes(&[0])], of(F32, &[0], &[]));
    }

    #[test]
    fn of_every_type() {
        for ty in [F16, BF16, F64, I8, I16, I32, I64, U8, U16, U32, U64] {
            gives::<Mean>(&[], &[of(ty, &[3], &[1.0, 2.0, 6.0]), axes(&[0])], of(ty, &[], &[3.0]));
        }
        gives::<Mean>(&[], &[Tensor::i8(&[2], &[100, 100]), axes(&[0])], Tensor::i8(&[], &[100]));
        gives::<Mean>(&[], &[axes(&[-1, -2]), axes(&[0])], axis(-1));
        gives::<Mean>(
            &[],
            &[Tensor::i64(&[2], &[9223372036854775807, 9223372036854775807]), axes(&[0])],
            Tensor::i64(&[], &[-1]),
        );
        gives::<Mean>(
            &[],
            &[Tensor::u64(&[2], &[18446744073709551615, 18446744073709551615]), axes(&[0])],
            Tensor::u64(&[], &[9223372036854775807]),
        );
        gives::<Mean>(
            &[],
            &[complex_of(C64, &[2], &[(1.0, 2.0), (-3.0, 1.0)]), axes(&[0])],
            complex_of(C64, &[], &[(-1.0, 1.5)]),
        );
    }

    #[test]
    fn edges() {
        gives::<Mean>(&[], &[of(F32, &[3], &[1.0, NAN, 2.0]), axes(&[0])], of(F32, &[], &[NAN]));
        gives::<Mean>(&[], &[of(F32, &[2], &[INF, 1.0]), axes(&[0])], of(F32, &[], &[INF]));
        gives::<Mean>(&[], &[of(F32, &[0, 2], &[]), axes(&[0])], of(F32, &[2], &[NAN, NAN]));
        gives::<Mean>(&[], &[axes(&[]), axes(&[0])], axis(0));
        gives::<Mean>(&[], &[complex_of(C64, &[0], &[]), axes(&[0])], complex_of(C64, &[], &[(0.0, 0.0)]));
    }

    #[test]
    fn refusals() {
        let x = of(F32, &[2, 3], &[1.0, 0.0, 1.0, 1.0, 0.0, 1.0]);
        denies::<Mean>(&[x.clone(), axes(&[2])], F32, "axes [2] do not exist in [2, 3]");
        denies::<Mean>(&[x.clone(), axes(&[0, -3])], F32, "axes [0, -3] do not exist in [2, 3]");
        denies::<Mean>(&[x.clone(), axes(&[0, -2])], F32, "axes [0, -2] name an axis of [2, 3] twice");
        denies::<Mean>(&[of(F32, &[], &[1.0]), axes(&[0])], F32, "axes [0] do not exist in []");
        denies::<Mean>(&[x.clone(), of(F32, &[1], &[0.0])], F32, "'in1' is FLOAT32; integers are needed");
        denies::<Mean>(from_ref(&x), F32, "it has 1 inputs, this op takes 2 to 2");
        denies::<Mean>(
            &[Tensor::bool(&[1], &[true]), axes(&[0])],
            ElementType::Bool,
            "input 'in0' is BOOL, which this op does not serve",
        );
        denies::<Mean>(
            &[Tensor::strings(&[1], &["a"]), axes(&[0])],
            ElementType::String,
            "input 'in0' is STRING, which this op does not serve",
        );
        denies::<Mean>(
            &[x.clone(), axes(&[0])],
            I32,
            "input 'in0' is FLOAT32, output is INT32; they must agree",
        );
    }
}
