//! Tests the results and the errors of the ops.

mod unique {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        each_type(|x| {
            gives::<crate::uniques::Unique>(
                &[],
                &[x(&[4], &[3, 0, 3, 0])],
                &[x(&[2], &[3, 0]), ints(&[0, 1, 0, 1])],
            )
        });
        let types = [("out_idx", Type(I64))];
        gives::<crate::uniques::Unique>(
            &types,
            &[texts(&["b", "", "b"])],
            &[texts(&["b", ""]), longs(&[0, 1, 0])],
        );
        // Both zeros are equal; each NaN differs from the others.
        let nan = f32::NAN;
        gives::<crate::uniques::Unique>(
            &[],
            &[floats(&[0.0, nan, -0.0, nan])],
            &[floats(&[0.0, nan, nan]), ints(&[0, 1, 0, 2])],
        );
        gives::<crate::uniques::Unique>(&[], &[ints(&[])], &[ints(&[]), ints(&[])]);
    }

    #[test]
    fn refusals() {
        let types = [I32, I32];
        refuses::<crate::uniques::Unique>(
            &[],
            &[Tensor::i32(&[1, 1], &[1])],
            &types,
            "'in0' is [1, 1]; a list is needed",
        );
        refuses::<crate::uniques::Unique>(&[], &[int(1)], &types, "'in0' is []; a list is needed");
        refuses::<crate::uniques::Unique>(
            &[],
            &[ints(&[1])],
            &[I32],
            "it has 1 outputs, this op gives 2 to 2",
        );
    }
}

mod unique_v2 {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        each_type(|x| {
            let inputs = [x(&[2, 3], &[1, 2, 1, 3, 4, 3]), ints(&[-1])];
            gives::<crate::uniques::UniqueV2>(&[], &inputs, &[x(&[2, 2], &[1, 2, 3, 4]), ints(&[0, 1, 0])]);
        });
        gives::<crate::uniques::UniqueV2>(&[], &[ints(&[5, 5]), longs(&[])], &[ints(&[5]), ints(&[0, 0])]);
        let rows = Tensor::strings(&[2, 2], &["a", "b", "a", "b"]);
        gives::<crate::uniques::UniqueV2>(
            &[],
            &[rows, ints(&[0])],
            &[Tensor::strings(&[1, 2], &["a", "b"]), ints(&[0, 0])],
        );
        let rows = Tensor::f32(&[3, 2], &[f32::NAN, 1.0, 0.0, 1.0, -0.0, 1.0]);
        let want = Tensor::f32(&[2, 2], &[f32::NAN, 1.0, 0.0, 1.0]);
        gives::<crate::uniques::UniqueV2>(&[], &[rows, ints(&[0])], &[want, ints(&[0, 1, 1])]);
        // Empty slices are all equal.
        let empty = Tensor::f32(&[0, 3], &[]);
        let inputs = [empty.clone(), ints(&[1])];
        gives::<crate::uniques::UniqueV2>(&[], &inputs, &[Tensor::f32(&[0, 1], &[]), ints(&[0, 0, 0])]);
        gives::<crate::uniques::UniqueV2>(&[], &[empty.clone(), ints(&[0])], &[empty, ints(&[])]);
    }

    #[test]
    fn refusals() {
        let (x, types) = (ints(&[1, 1]), [I32, I32]);
        refuses::<crate::uniques::UniqueV2>(
            &[],
            &[x.clone(), int(0)],
            &types,
            "'in1' is []; a list is needed",
        );
        refuses::<crate::uniques::UniqueV2>(
            &[],
            &[x.clone(), ints(&[1])],
            &types,
            "axis 1 does not exist in a tensor of rank 1",
        );
        refuses::<crate::uniques::UniqueV2>(
            &[],
            &[x, ints(&[0, 0])],
            &types,
            "axes are [0, 0]; at most one is allowed",
        );
        let inputs = [Tensor::i32(&[1, 2], &[1, 1]), ints(&[])];
        refuses::<crate::uniques::UniqueV2>(
            &[],
            &inputs,
            &types,
            "'in0' is [1, 2]; without an axis a list is needed",
        );
    }
}

mod unique_with_counts {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        each_type(|x| {
            let want = [x(&[2], &[3, 0]), ints(&[0, 1, 0]), ints(&[2, 1])];
            gives::<crate::uniques::UniqueWithCounts>(&[], &[x(&[3], &[3, 0, 3])], &want);
        });
        let types = [("out_idx", Type(I64))];
        let want = [floats(&[2.0, 0.0, 1.0]), longs(&[0, 1, 0, 1, 2]), longs(&[2, 2, 1])];
        gives::<crate::uniques::UniqueWithCounts>(&types, &[floats(&[2.0, 0.0, 2.0, -0.0, 1.0])], &want);
        gives::<crate::uniques::UniqueWithCounts>(&[], &[ints(&[])], &[ints(&[]), ints(&[]), ints(&[])]);
    }

    #[test]
    fn refusals() {
        let message = "'in0' is [1, 1]; a list is needed";
        refuses::<crate::uniques::UniqueWithCounts>(&[], &[Tensor::i32(&[1, 1], &[1])], &[I32; 3], message);
        refuses::<crate::uniques::UniqueWithCounts>(
            &[],
            &[ints(&[1])],
            &[I32; 2],
            "it has 2 outputs, this op gives 3 to 3",
        );
    }
}

mod unique_with_counts_v2 {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        each_type(|x| {
            let inputs = [x(&[3, 2], &[1, 2, 2, 1, 1, 2]), longs(&[0])];
            let want = [x(&[2, 2], &[1, 2, 2, 1]), ints(&[0, 1, 0]), ints(&[2, 1])];
            gives::<crate::uniques::UniqueWithCountsV2>(&[], &inputs, &want);
        });
        let want = [texts(&["a"]), ints(&[0, 0]), ints(&[2])];
        gives::<crate::uniques::UniqueWithCountsV2>(&[], &[texts(&["a", "a"]), ints(&[])], &want);
    }

    #[test]
    fn refusals() {
        let message = "axis -2 does not exist in a tensor of rank 1";
        refuses::<crate::uniques::UniqueWithCountsV2>(&[], &[ints(&[1]), ints(&[-2])], &[I32; 3], message);
        refuses::<crate::uniques::UniqueWithCountsV2>(
            &[],
            &[ints(&[1])],
            &[I32; 3],
            "it has 1 inputs, this op takes 2 to 2",
        );
    }
}
