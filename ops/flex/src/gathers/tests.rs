//! Tests the results and the errors of the ops.

mod gather {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        each_type(|x| {
            let data = x(&[3, 2], &[1, 2, 3, 4, 5, 6]);
            gives::<crate::gathers::Gather>(
                &[],
                &[data.clone(), ints(&[2, 0, 2])],
                &[x(&[3, 2], &[5, 6, 1, 2, 5, 6])],
            );
            gives::<crate::gathers::Gather>(&[], &[data.clone(), int(1)], &[x(&[2], &[3, 4])]);
            let indices = Tensor::i64(&[2, 1], &[1, 0]);
            gives::<crate::gathers::Gather>(&[], &[data, indices], &[x(&[2, 1, 2], &[3, 4, 1, 2])]);
        });
        gives::<crate::gathers::Gather>(&[], &[floats(&[]), ints(&[])], &[floats(&[])]);
    }

    #[test]
    fn refusals() {
        refuses::<crate::gathers::Gather>(
            &[],
            &[ints(&[1, 2]), ints(&[0, 2])],
            &[I32],
            "index 2 is out of bounds for 0..2",
        );
        refuses::<crate::gathers::Gather>(
            &[],
            &[ints(&[1, 2]), ints(&[-1])],
            &[I32],
            "index -1 is out of bounds for 0..2",
        );
        refuses::<crate::gathers::Gather>(
            &[],
            &[int(1), ints(&[0])],
            &[I32],
            "axis 0 does not exist in a tensor of rank 0",
        );
        refuses::<crate::gathers::Gather>(
            &[],
            &[ints(&[1]), floats(&[0.0])],
            &[I32],
            "'in1' is FLOAT32; integers are needed",
        );
        refuses::<crate::gathers::Gather>(
            &[],
            &[ints(&[1])],
            &[I32],
            "it has 1 inputs, this op takes 2 to 2",
        );
    }
}

mod gather_v2 {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        each_type(|x| {
            let data = x(&[2, 3], &[1, 2, 3, 4, 5, 6]);
            let inputs = [data.clone(), ints(&[2, 0]), int(1)];
            gives::<crate::gathers::GatherV2>(&[], &inputs, &[x(&[2, 2], &[3, 1, 6, 4])]);
            gives::<crate::gathers::GatherV2>(&[], &[data.clone(), long(1), int(-2)], &[x(&[3], &[4, 5, 6])]);
            // With batch axes, each row has its own indices.
            let inputs = [data, Tensor::i32(&[2, 1], &[2, 0]), int(1)];
            gives::<crate::gathers::GatherV2>(&[("batch_dims", Int(1))], &inputs, &[x(&[2, 1], &[3, 4])]);
            gives::<crate::gathers::GatherV2>(&[("batch_dims", Int(-1))], &inputs, &[x(&[2, 1], &[3, 4])]);
        });
        let inputs = [Tensor::f32(&[0, 2], &[]), ints(&[1]), int(1)];
        gives::<crate::gathers::GatherV2>(&[], &inputs, &[Tensor::f32(&[0, 1], &[])]);
    }

    #[test]
    fn refusals() {
        let (x, i) = (Tensor::i32(&[2, 1], &[1, 2]), ints(&[0]));
        refuses::<crate::gathers::GatherV2>(
            &[],
            &[x.clone(), ints(&[1]), int(1)],
            &[I32],
            "index 1 is out of bounds for 0..1",
        );
        refuses::<crate::gathers::GatherV2>(
            &[],
            &[x.clone(), i.clone(), int(2)],
            &[I32],
            "axis 2 does not exist in a tensor of rank 2",
        );
        refuses::<crate::gathers::GatherV2>(
            &[],
            &[x.clone(), i.clone(), ints(&[0])],
            &[I32],
            "'in2' is [1]; a scalar is needed",
        );
        let batch = [("batch_dims", Int(1))];
        let message = "1 batch axes are incompatible with axis 0 and indices of rank 1";
        refuses::<crate::gathers::GatherV2>(&batch, &[x.clone(), i.clone(), int(0)], &[I32], message);
        let message = "[2, 1] and indices [1]: their first 1 axes must agree";
        refuses::<crate::gathers::GatherV2>(&batch, &[x, i, int(1)], &[I32], message);
    }
}
