//! Tests the results and the errors of the ops.

mod concat {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        each_type(|x| {
            let (a, b) = (x(&[2, 2], &[1, 2, 3, 4]), x(&[2, 1], &[5, 6]));
            gives::<crate::concats::Concat>(
                &[],
                &[int(1), a.clone(), b.clone()],
                &[x(&[2, 3], &[1, 2, 5, 3, 4, 6])],
            );
            gives::<crate::concats::Concat>(&[], &[int(-1), b, a], &[x(&[2, 3], &[5, 1, 2, 6, 3, 4])]);
        });
        gives::<crate::concats::Concat>(
            &[],
            &[int(0), ints(&[]), ints(&[7]), ints(&[8, 9])],
            &[ints(&[7, 8, 9])],
        );
    }

    #[test]
    fn refusals() {
        let x = ints(&[1]);
        refuses::<crate::concats::Concat>(
            &[],
            &[int(0)],
            &[I32],
            "it has 1 inputs, this op takes 2 to 18446744073709551615",
        );
        let inputs = [int(1), x.clone(), x.clone()];
        refuses::<crate::concats::Concat>(
            &[],
            &inputs,
            &[I32],
            "axis 1 does not exist in a tensor of rank 1",
        );
        let inputs = [int(0), int(1), int(2)];
        refuses::<crate::concats::Concat>(
            &[],
            &inputs,
            &[I32],
            "axis 0 does not exist in a tensor of rank 0",
        );
        refuses::<crate::concats::Concat>(
            &[],
            &[int(0), x.clone(), floats(&[1.0])],
            &[I32],
            "'in2' is FLOAT32, the output is INT32; they must agree",
        );
    }
}

mod concat_v2 {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        each_type(|x| {
            let (a, b) = (x(&[1, 2], &[1, 2]), x(&[2, 2], &[3, 4, 5, 6]));
            gives::<crate::concats::ConcatV2>(
                &[],
                &[a.clone(), b.clone(), int(0)],
                &[x(&[3, 2], &[1, 2, 3, 4, 5, 6])],
            );
            gives::<crate::concats::ConcatV2>(&[], &[b, a, int(-2)], &[x(&[3, 2], &[3, 4, 5, 6, 1, 2])]);
        });
        let empty = Tensor::f32(&[0, 2], &[]);
        gives::<crate::concats::ConcatV2>(
            &[],
            &[empty.clone(), empty.clone(), long(1)],
            &[Tensor::f32(&[0, 4], &[])],
        );
    }

    #[test]
    fn refusals() {
        let (a, b) = (Tensor::i32(&[1, 2], &[1, 2]), Tensor::i32(&[2, 1], &[3, 4]));
        let message = "[1, 2] and [2, 1] cannot be joined along axis 0; their other axes must agree";
        refuses::<crate::concats::ConcatV2>(&[], &[a.clone(), b, int(0)], &[I32], message);
        let message = "[1, 2] and [3] cannot be joined along axis 0; their other axes must agree";
        refuses::<crate::concats::ConcatV2>(&[], &[a.clone(), ints(&[1, 2, 3]), int(0)], &[I32], message);
        refuses::<crate::concats::ConcatV2>(
            &[],
            &[a.clone(), a.clone(), int(-3)],
            &[I32],
            "axis -3 does not exist in a tensor of rank 2",
        );
        refuses::<crate::concats::ConcatV2>(
            &[],
            &[a.clone(), a.clone(), ints(&[0, 1])],
            &[I32],
            "'in2' is [2]; one element is needed",
        );
        refuses::<crate::concats::ConcatV2>(
            &[],
            &[a.clone(), a, float(0.0)],
            &[I32],
            "'in2' is FLOAT32; integers are needed",
        );
    }
}
