//! Tests the results and the errors of the ops.

mod bias_add {
    use crate::biases::BiasAdd;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        let types = &[F16, BF16, F32, F64, I8, U8, I16, I32, I64, C64, C128];
        let (x, bias) = ((&[2, 2][..], &[1.0, 2.0, 3.0, 4.0][..]), (&[2][..], &[10.0, 20.0][..]));
        each::<BiasAdd>(types, &[], &[x, bias], (&[2, 2], &[11.0, 22.0, 13.0, 24.0]));
        let x = (&[1, 2, 1, 2][..], &[1.0, 2.0, 3.0, 4.0][..]);
        each::<BiasAdd>(types, &[], &[x, bias], (&[1, 2, 1, 2], &[11.0, 22.0, 13.0, 24.0]));
        each::<BiasAdd>(types, &[], &[(&[0, 2], &[]), bias], (&[0, 2], &[]));
        each::<BiasAdd>(types, &[], &[(&[2, 0], &[]), (&[0], &[])], (&[2, 0], &[]));
        // Integers wrap around.
        let (x, bias) = (Tensor::u8(&[1, 1], &[250]), Tensor::u8(&[1], &[10]));
        gives::<BiasAdd>(&[], &[x, bias], &[Tensor::u8(&[1, 1], &[4])]);
        let first = [("data_format", Text("NCHW"))];
        let x = (&[1, 2, 2, 1][..], &[1.0, 2.0, 3.0, 4.0][..]);
        each::<BiasAdd>(
            types,
            &first,
            &[x, (&[2], &[10.0, 20.0])],
            (&[1, 2, 2, 1], &[11.0, 12.0, 23.0, 24.0]),
        );
    }

    #[test]
    fn refusals() {
        let refused = |x: &[i32], bias: &[i32], message: &str| {
            let zeros = |shape: &[i32]| of(F32, shape, &vec![0.0; shape.iter().product::<i32>() as usize]);
            refuses::<BiasAdd>(&[], &[zeros(x), zeros(bias)], &[F32], message);
        };
        refused(&[2, 2], &[3], "the bias is [3], the input [2, 2]; a number per channel is needed");
        refused(&[2, 2], &[1, 2], "the bias is [1, 2], the input [2, 2]; a number per channel is needed");
        refused(&[2], &[2], "the bias is [2], the input [2]; a number per channel is needed");
        let message = "attribute 'data_format' is 'NWHC'; it may be NHWC, NCHW";
        let inputs = [of(F32, &[1, 1], &[0.0]), of(F32, &[1], &[0.0])];
        refuses::<BiasAdd>(&[("data_format", Text("NWHC"))], &inputs, &[F32], message);
    }
}

mod bias_add_v1 {
    use crate::biases::BiasAddV1;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        let types = &[F16, BF16, F32, F64, I8, U8, I16, I32, I64, C64, C128];
        let (x, bias) = ((&[2, 2][..], &[1.0, 2.0, 3.0, 4.0][..]), (&[2][..], &[10.0, 20.0][..]));
        each::<BiasAddV1>(types, &[], &[x, bias], (&[2, 2], &[11.0, 22.0, 13.0, 24.0]));
        let x = (&[1, 2, 1, 2][..], &[1.0, 2.0, 3.0, 4.0][..]);
        each::<BiasAddV1>(types, &[], &[x, bias], (&[1, 2, 1, 2], &[11.0, 22.0, 13.0, 24.0]));
        each::<BiasAddV1>(types, &[], &[(&[0, 2], &[]), bias], (&[0, 2], &[]));
        each::<BiasAddV1>(types, &[], &[(&[2, 0], &[]), (&[0], &[])], (&[2, 0], &[]));
        // Integers wrap around.
        let (x, bias) = (Tensor::u8(&[1, 1], &[250]), Tensor::u8(&[1], &[10]));
        gives::<BiasAddV1>(&[], &[x, bias], &[Tensor::u8(&[1, 1], &[4])]);
    }

    #[test]
    fn refusals() {
        let refused = |x: &[i32], bias: &[i32], message: &str| {
            let zeros = |shape: &[i32]| of(F32, shape, &vec![0.0; shape.iter().product::<i32>() as usize]);
            refuses::<BiasAddV1>(&[], &[zeros(x), zeros(bias)], &[F32], message);
        };
        refused(&[2, 2], &[3], "the bias is [3], the input [2, 2]; a number per channel is needed");
        refused(&[2, 2], &[1, 2], "the bias is [1, 2], the input [2, 2]; a number per channel is needed");
        refused(&[2], &[2], "the bias is [2], the input [2]; a number per channel is needed");
    }
}
