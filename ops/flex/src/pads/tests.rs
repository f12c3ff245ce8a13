//! Tests the results and the errors of the ops.

mod mirror_pad {
    use crate::kit::testing::tables::*;

    const REFLECT: [(&str, Attribute<'_>); 1] = [("mode", Text("REFLECT"))];
    const SYMMETRIC: [(&str, Attribute<'_>); 1] = [("mode", Text("SYMMETRIC"))];

    #[test]
    fn values() {
        each_type(|x| {
            let inputs = [x(&[3], &[1, 2, 3]), Tensor::i32(&[1, 2], &[2, 1])];
            gives::<crate::pads::MirrorPad>(&REFLECT, &inputs, &[x(&[6], &[3, 2, 1, 2, 3, 2])]);
            gives::<crate::pads::MirrorPad>(&SYMMETRIC, &inputs, &[x(&[6], &[2, 1, 1, 2, 3, 3])]);
        });
        let inputs = [Tensor::i32(&[2, 2], &[1, 2, 3, 4]), Tensor::i64(&[2, 2], &[1, 0, 0, 1])];
        gives::<crate::pads::MirrorPad>(
            &REFLECT,
            &inputs,
            &[Tensor::i32(&[3, 3], &[3, 4, 3, 1, 2, 1, 3, 4, 3])],
        );
        gives::<crate::pads::MirrorPad>(
            &SYMMETRIC,
            &[ints(&[]), Tensor::i32(&[1, 2], &[0, 0])],
            &[ints(&[])],
        );
    }

    #[test]
    fn refusals() {
        let refused = |mode: &[(&str, Attribute<'_>)], by: &[i32], message: &str| {
            refuses::<crate::pads::MirrorPad>(
                mode,
                &[ints(&[1, 2]), Tensor::i32(&[1, 2], by)],
                &[I32],
                message,
            );
        };
        refused(&REFLECT, &[2, 0], "paddings of axis 0 are [2, 0]; they must be in 0..=1");
        refused(&SYMMETRIC, &[0, 3], "paddings of axis 0 are [0, 3]; they must be in 0..=2");
        refused(&SYMMETRIC, &[-1, 0], "paddings of axis 0 are [-1, 0]; they must be in 0..=2");
        refused(
            &[("mode", Text("WRAP"))],
            &[0, 0],
            "attribute 'mode' is 'WRAP'; it may be REFLECT, SYMMETRIC",
        );
        let message = "paddings of axis 0 are [0, 0]; they must be in 0..=-1";
        refuses::<crate::pads::MirrorPad>(
            &REFLECT,
            &[ints(&[]), Tensor::i32(&[1, 2], &[0, 0])],
            &[I32],
            message,
        );
    }
}

mod pad {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        each_type(|x| {
            let inputs = [x(&[1, 2], &[1, 2]), Tensor::i32(&[2, 2], &[1, 0, 0, 1])];
            gives::<crate::pads::Pad>(&[], &inputs, &[x(&[2, 3], &[0, 0, 0, 1, 2, 0])]);
        });
        gives::<crate::pads::Pad>(&[], &[int(5), Tensor::i32(&[0, 2], &[])], &[int(5)]);
        gives::<crate::pads::Pad>(&[], &[floats(&[]), Tensor::i64(&[1, 2], &[1, 1])], &[floats(&[0.0, 0.0])]);
    }

    #[test]
    fn refusals() {
        let message = "paddings of axis 0 are [-1, 0]; they must be in 0..=2147483647";
        refuses::<crate::pads::Pad>(&[], &[ints(&[1, 2]), Tensor::i32(&[1, 2], &[-1, 0])], &[I32], message);
        let message = "paddings are [2, 2], the input is [1]; two are needed for each axis";
        refuses::<crate::pads::Pad>(&[], &[ints(&[1]), Tensor::i32(&[2, 2], &[0; 4])], &[I32], message);
        refuses::<crate::pads::Pad>(&[], &[ints(&[1])], &[I32], "it has 1 inputs, this op takes 2 to 2");
    }
}

mod pad_v2 {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        each_type(|x| {
            let inputs = [x(&[2], &[1, 2]), Tensor::i32(&[1, 2], &[1, 2]), x(&[], &[9])];
            gives::<crate::pads::PadV2>(&[], &inputs, &[x(&[5], &[9, 1, 2, 9, 9])]);
        });
        let inputs = [Tensor::f32(&[0, 1], &[]), Tensor::i32(&[2, 2], &[1, 0, 0, 1]), float(f32::INFINITY)];
        gives::<crate::pads::PadV2>(&[], &inputs, &[Tensor::f32(&[1, 2], &[f32::INFINITY; 2])]);
    }

    #[test]
    fn refusals() {
        let by = Tensor::i32(&[1, 2], &[1, 1]);
        let inputs = [ints(&[1]), by.clone(), ints(&[9])];
        refuses::<crate::pads::PadV2>(&[], &inputs, &[I32], "'in2' is [1]; a scalar is needed");
        let inputs = [ints(&[1]), by.clone(), float(9.0)];
        refuses::<crate::pads::PadV2>(
            &[],
            &inputs,
            &[I32],
            "'in2' is FLOAT32, the output is INT32; they must agree",
        );
        refuses::<crate::pads::PadV2>(
            &[],
            &[ints(&[1]), by],
            &[I32],
            "it has 2 inputs, this op takes 3 to 3",
        );
    }
}
