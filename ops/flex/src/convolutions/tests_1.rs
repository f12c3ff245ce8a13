//! Tests the results and the errors of the ops.

mod conv2d {
    use crate::convolutions::Conv2D;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        let types = &[F16, BF16, F32, F64, I32];
        let conv =
            |attributes: &[_], x: (&[i32], &[f64]), filter: (&[i32], &[f64]), want: (&[i32], &[f64])| {
                each::<Conv2D>(types, attributes, &[x, filter], want);
            };
        let strides = |list: &'static [i64]| ("strides", Ints(list));
        let (one, same) = (strides(&[1, 1, 1, 1]), ("padding", Text("SAME")));
        let x = (&[1, 2, 3, 1][..], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0][..]);
        // Each element, plus ten times the element diagonally below it.
        let filter = (&[2, 2, 1, 1][..], &[1.0, 0.0, 0.0, 10.0][..]);
        conv(&[one], x, filter, (&[1, 1, 2, 1], &[51.0, 62.0]));
        conv(&[one, same], x, filter, (&[1, 2, 3, 1], &[51.0, 62.0, 3.0, 4.0, 5.0, 6.0]));
        conv(&[strides(&[1, 2, 2, 1]), same], x, filter, (&[1, 1, 2, 1], &[51.0, 3.0]));
        let around = ("explicit_paddings", Ints(&[0, 0, 1, 0, 0, 0, 0, 0]));
        let explicit = [one, ("padding", Text("EXPLICIT")), around];
        conv(&explicit, x, filter, (&[1, 2, 2, 1], &[20.0, 30.0, 51.0, 62.0]));
        let apart = [one, ("dilations", Ints(&[1, 1, 2, 1]))];
        conv(&apart, x, filter, (&[1, 1, 1, 1], &[61.0]));
        let first = [one, ("data_format", Text("NCHW"))];
        conv(&first, (&[1, 1, 2, 3], x.1), filter, (&[1, 1, 1, 2], &[51.0, 62.0]));
        // Two input channels in one group, and in two groups.
        let x = (&[1, 1, 1, 2][..], &[3.0, 5.0][..]);
        conv(&[one], x, (&[1, 1, 2, 1], &[1.0, 10.0]), (&[1, 1, 1, 1], &[53.0]));
        conv(&[one], x, (&[1, 1, 1, 2], &[1.0, 10.0]), (&[1, 1, 1, 2], &[3.0, 50.0]));
        // A window that is larger than the input by one stride.
        conv(&[one], x, (&[2, 1, 2, 1], &[1.0; 4]), (&[1, 0, 1, 1], &[]));
    }

    #[test]
    fn refusals() {
        let refused = |attributes: &[_], x: &[i32], filter: &[i32], message: &str| {
            let zeros = |shape: &[i32]| of(F32, shape, &vec![0.0; shape.iter().product::<i32>() as usize]);
            refuses::<Conv2D>(attributes, &[zeros(x), zeros(filter)], &[F32], message);
        };
        let strides = |list: &'static [i64]| [("strides", Ints(list))];
        let one = strides(&[1, 1, 1, 1]);
        let message = "images [1, 1, 1, 2] and filter [1, 1, 3, 1] do not match";
        refused(&one, &[1, 1, 1, 2], &[1, 1, 3, 1], message);
        refused(&one, &[1, 1, 2], &[1, 1, 2, 1], "images [1, 1, 2] and filter [1, 1, 2, 1] do not match");
        let message = "the filter is [1, 1, 2, 0]; it must not be empty";
        refused(&one, &[1, 1, 1, 2], &[1, 1, 2, 0], message);
        let message = "axis 1 has 1 elements; a window of 3 does not fit";
        refused(&one, &[1, 1, 1, 1], &[3, 1, 1, 1], message);
        let message = "axis 1 has stride 0; it must be positive";
        refused(&strides(&[1, 0, 1, 1]), &[1, 1, 1, 1], &[1, 1, 1, 1], message);
        let message = "strides are [2, 1, 1, 1]; along batch and channels they must be 1";
        refused(&strides(&[2, 1, 1, 1]), &[1, 1, 1, 1], &[1, 1, 1, 1], message);
        refused(&[], &[1, 1, 1, 1], &[1, 1, 1, 1], "strides are []; 4 numbers are needed");
        let dilations = [one[0], ("dilations", Ints(&[1, 1, -1, 1]))];
        let message = "axis 2 has dilation -1; it must be positive";
        refused(&dilations, &[1, 1, 1, 1], &[1, 1, 1, 1], message);
        let padding = [one[0], ("padding", Text("FULL"))];
        let message = "attribute 'padding' is 'FULL'; it may be VALID, SAME, EXPLICIT";
        refused(&padding, &[1, 1, 1, 1], &[1, 1, 1, 1], message);
        let x = of(I64, &[1, 1, 1, 1], &[1.0]);
        let message = "input 'in0' is INT64, which this op does not support";
        refuses::<Conv2D>(&one, &[x.clone(), x], &[I64], message);
    }
}

mod conv2d_backprop_filter {
    use crate::convolutions::Conv2DBackpropFilter;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        let gradient =
            |attributes: &[_], x: (&[i32], &[f64]), size: &[i32], dy: (&[i32], &[f64]), want: &[f64]| {
                for ty in [F16, BF16, F32, F64] {
                    let inputs = [of(ty, x.0, x.1), list(size), of(ty, dy.0, dy.1)];
                    gives::<Conv2DBackpropFilter>(attributes, &inputs, &[of(ty, size, want)]);
                }
            };
        let one = ("strides", Ints(&[1, 1, 1, 1]));
        let x = (&[1, 2, 3, 1][..], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0][..]);
        // The first tap is 1 · 1 + 2 · 2.
        gradient(&[one], x, &[2, 2, 1, 1], (&[1, 1, 2, 1], &[1.0, 2.0]), &[5.0, 8.0, 14.0, 17.0]);
        let wide = [("strides", Ints(&[1, 2, 2, 1])), ("padding", Text("SAME"))];
        gradient(&wide, x, &[2, 1, 1, 1], (&[1, 1, 2, 1], &[1.0, 2.0]), &[7.0, 16.0]);
        gradient(&[one], (&[1, 1, 1, 2], &[5.0, 7.0]), &[1, 1, 2, 1], (&[1, 1, 1, 1], &[2.0]), &[10.0, 14.0]);
    }

    #[test]
    fn refusals() {
        let refused = |x: Tensor, size: Tensor, message: &str| {
            let (ty, dy) = (x.ty(), of(x.ty(), &[1, 1, 2, 1], &[0.0; 2]));
            refuses::<Conv2DBackpropFilter>(
                &[("strides", Ints(&[1, 1, 1, 1]))],
                &[x, size, dy],
                &[ty],
                message,
            );
        };
        let x = of(F32, &[1, 2, 3, 1], &[0.0; 6]);
        let message = "the gradient is [1, 1, 2, 1], the convolution gives [1, 2, 2, 1]; they must agree";
        refused(x.clone(), list(&[1, 2, 1, 1]), message);
        let message = "images [1, 2, 3, 1] and filter [2, 2, 2, 1] do not match";
        refused(x, list(&[2, 2, 2, 1]), message);
        let message = "input 'in0' is INT32, which this op does not support";
        refused(of(I32, &[1, 2, 3, 1], &[0.0; 6]), list(&[2, 2, 1, 1]), message);
    }
}

mod conv2d_backprop_input {
    use crate::convolutions::Conv2DBackpropInput;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        let gradient =
            |attributes: &[_], size: &[i32], filter: (&[i32], &[f64]), dy: (&[i32], &[f64]), want: &[f64]| {
                for ty in [F16, BF16, F32, F64] {
                    let inputs = [list(size), of(ty, filter.0, filter.1), of(ty, dy.0, dy.1)];
                    gives::<Conv2DBackpropInput>(attributes, &inputs, &[of(ty, size, want)]);
                }
            };
        let one = ("strides", Ints(&[1, 1, 1, 1]));
        // Each gradient reaches its own element, and ten times that reaches the element diagonally below.
        let filter = (&[2, 2, 1, 1][..], &[1.0, 0.0, 0.0, 10.0][..]);
        let want = [1.0, 2.0, 0.0, 0.0, 10.0, 20.0];
        gradient(&[one], &[1, 2, 3, 1], filter, (&[1, 1, 2, 1], &[1.0, 2.0]), &want);
        let wide = [("strides", Ints(&[1, 2, 2, 1])), ("padding", Text("SAME"))];
        gradient(&wide, &[1, 2, 2, 1], filter, (&[1, 1, 1, 1], &[3.0]), &[3.0, 0.0, 0.0, 30.0]);
        // Two input channels, one output channel.
        gradient(&[one], &[1, 1, 1, 2], (&[1, 1, 2, 1], &[5.0, 7.0]), (&[1, 1, 1, 1], &[2.0]), &[10.0, 14.0]);
    }

    #[test]
    fn refusals() {
        let refused = |size: Tensor, dy: &[i32], message: &str| {
            let dy = of(F32, dy, &vec![0.0; dy.iter().product::<i32>() as usize]);
            let inputs = [size, of(F32, &[2, 2, 1, 1], &[0.0; 4]), dy];
            refuses::<Conv2DBackpropInput>(&[("strides", Ints(&[1, 1, 1, 1]))], &inputs, &[F32], message);
        };
        let message = "the gradient is [1, 2, 2, 1], the convolution gives [1, 1, 2, 1]; they must agree";
        refused(list(&[1, 2, 3, 1]), &[1, 2, 2, 1], message);
        let message = "images [1, 2, 3] and filter [2, 2, 1, 1] do not match";
        refused(list(&[1, 2, 3]), &[1, 1, 2, 1], message);
        let message = "[1, -1, 3, 1] is not a valid shape; sizes must not be negative, and at most 8 axes are supported";
        refused(list(&[1, -1, 3, 1]), &[1, 1, 2, 1], message);
    }
}

mod conv3d {
    use crate::convolutions::Conv3D;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        let conv =
            |attributes: &[_], x: (&[i32], &[f64]), filter: (&[i32], &[f64]), want: (&[i32], &[f64])| {
                each::<Conv3D>(&[F16, BF16, F32, F64], attributes, &[x, filter], want);
            };
        let one = ("strides", Ints(&[1, 1, 1, 1, 1]));
        // Each plane, plus ten times the next one.
        let (x, filter) =
            ((&[1, 2, 1, 2, 1][..], &[1.0, 2.0, 3.0, 4.0][..]), (&[2, 1, 1, 1, 1][..], &[1.0, 10.0][..]));
        conv(&[one], x, filter, (&[1, 1, 1, 2, 1], &[31.0, 42.0]));
        conv(&[one, ("padding", Text("SAME"))], x, filter, (&[1, 2, 1, 2, 1], &[31.0, 42.0, 3.0, 4.0]));
        let wide = [("strides", Ints(&[1, 1, 1, 2, 1]))];
        conv(&wide, x, filter, (&[1, 1, 1, 1, 1], &[31.0]));
        let x = (&[1, 1, 1, 1, 2][..], &[3.0, 5.0][..]);
        conv(&[one], x, (&[1, 1, 1, 2, 2], &[1.0, 2.0, 10.0, 20.0]), (&[1, 1, 1, 1, 2], &[53.0, 106.0]));
    }

    #[test]
    fn refusals() {
        let refused = |attributes: &[_], x: &[i32], filter: &[i32], message: &str| {
            let zeros = |shape: &[i32]| of(F32, shape, &vec![0.0; shape.iter().product::<i32>() as usize]);
            refuses::<Conv3D>(attributes, &[zeros(x), zeros(filter)], &[F32], message);
        };
        let one = ("strides", Ints(&[1, 1, 1, 1, 1]));
        let message = "images [1, 1, 1, 1, 3] and filter [1, 1, 1, 2, 1] do not match";
        refused(&[one], &[1, 1, 1, 1, 3], &[1, 1, 1, 2, 1], message);
        let message = "images [1, 1, 1, 1] and filter [1, 1, 1, 1, 1] do not match";
        refused(&[one], &[1, 1, 1, 1], &[1, 1, 1, 1, 1], message);
        let strides = ("strides", Ints(&[1, 0, 1, 1, 1]));
        refused(&[strides], &[1; 5], &[1; 5], "axis 1 has stride 0; it must be positive");
        refused(
            &[("strides", Ints(&[1, 1, 1, 1]))],
            &[1; 5],
            &[1; 5],
            "strides are [1, 1, 1, 1]; 5 numbers are needed",
        );
        let x = of(I32, &[1; 5], &[1.0]);
        let message = "input 'in0' is INT32, which this op does not support";
        refuses::<Conv3D>(&[one], &[x.clone(), x], &[I32], message);
    }
}

mod conv3d_backprop_filter_v2 {
    use crate::convolutions::Conv3DBackpropFilterV2;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        for ty in [F16, BF16, F32, F64] {
            let x = of(ty, &[1, 2, 1, 2, 1], &[1.0, 2.0, 3.0, 4.0]);
            let dy = of(ty, &[1, 1, 1, 2, 1], &[3.0, 4.0]);
            // 1 · 3 + 2 · 4 and 3 · 3 + 4 · 4.
            let want = of(ty, &[2, 1, 1, 1, 1], &[11.0, 25.0]);
            let inputs = [x, list(&[2, 1, 1, 1, 1]), dy];
            gives::<Conv3DBackpropFilterV2>(&[("strides", Ints(&[1, 1, 1, 1, 1]))], &inputs, &[want]);
        }
    }

    #[test]
    fn refusals() {
        let refused = |size: &[i32], message: &str| {
            let inputs = [of(F32, &[1, 2, 1, 2, 1], &[0.0; 4]), list(size), of(F32, &[1; 5], &[0.0])];
            refuses::<Conv3DBackpropFilterV2>(
                &[("strides", Ints(&[1, 1, 1, 1, 1]))],
                &inputs,
                &[F32],
                message,
            );
        };
        let message =
            "the gradient is [1, 1, 1, 1, 1], the convolution gives [1, 1, 1, 2, 1]; they must agree";
        refused(&[2, 1, 1, 1, 1], message);
        let message = "images [1, 2, 1, 2, 1] and filter [2, 1, 1, 3, 1] do not match";
        refused(&[2, 1, 1, 3, 1], message);
    }
}

mod conv3d_backprop_input_v2 {
    use crate::convolutions::Conv3DBackpropInputV2;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        for ty in [F16, BF16, F32, F64] {
            let filter = of(ty, &[2, 1, 1, 1, 1], &[1.0, 10.0]);
            let dy = of(ty, &[1, 1, 1, 2, 1], &[3.0, 4.0]);
            let want = of(ty, &[1, 2, 1, 2, 1], &[3.0, 4.0, 30.0, 40.0]);
            for size in [list(&[1, 2, 1, 2, 1]), Tensor::i64(&[5], &[1, 2, 1, 2, 1])] {
                let inputs = [size, filter.clone(), dy.clone()];
                gives::<Conv3DBackpropInputV2>(
                    &[("strides", Ints(&[1, 1, 1, 1, 1]))],
                    &inputs,
                    core::slice::from_ref(&want),
                );
            }
        }
    }

    #[test]
    fn refusals() {
        let refused = |size: &[i32], message: &str| {
            let inputs = [list(size), of(F32, &[2, 1, 1, 1, 1], &[0.0; 2]), of(F32, &[1; 5], &[0.0])];
            refuses::<Conv3DBackpropInputV2>(
                &[("strides", Ints(&[1, 1, 1, 1, 1]))],
                &inputs,
                &[F32],
                message,
            );
        };
        let message =
            "the gradient is [1, 1, 1, 1, 1], the convolution gives [1, 1, 1, 2, 1]; they must agree";
        refused(&[1, 2, 1, 2, 1], message);
        let message = "images [2, 1, 2, 1] and filter [2, 1, 1, 1, 1] do not match";
        refused(&[2, 1, 2, 1], message);
    }
}

mod depthwise_conv2d_native {
    use crate::convolutions::DepthwiseConv2dNative;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        let conv =
            |attributes: &[_], x: (&[i32], &[f64]), filter: (&[i32], &[f64]), want: (&[i32], &[f64])| {
                each::<DepthwiseConv2dNative>(&[F16, BF16, F32, F64], attributes, &[x, filter], want);
            };
        let one = ("strides", Ints(&[1, 1, 1, 1]));
        // Each channel has two filters.
        let x = (&[1, 1, 1, 2][..], &[3.0, 5.0][..]);
        conv(&[one], x, (&[1, 1, 2, 2], &[1.0, 2.0, 4.0, 8.0]), (&[1, 1, 1, 4], &[3.0, 6.0, 20.0, 40.0]));
        let (x, filter) = ((&[1, 1, 3, 1][..], &[1.0, 2.0, 3.0][..]), (&[1, 2, 1, 1][..], &[1.0, 10.0][..]));
        conv(&[one], x, filter, (&[1, 1, 2, 1], &[21.0, 32.0]));
        conv(&[one, ("padding", Text("SAME"))], x, filter, (&[1, 1, 3, 1], &[21.0, 32.0, 3.0]));
        let wide = [("strides", Ints(&[1, 2, 2, 1])), ("padding", Text("SAME"))];
        conv(&wide, x, filter, (&[1, 1, 2, 1], &[21.0, 3.0]));
    }

    #[test]
    fn refusals() {
        let refused = |attributes: &[_], x: &[i32], filter: &[i32], message: &str| {
            let zeros = |shape: &[i32]| of(F32, shape, &vec![0.0; shape.iter().product::<i32>() as usize]);
            refuses::<DepthwiseConv2dNative>(attributes, &[zeros(x), zeros(filter)], &[F32], message);
        };
        let one = ("strides", Ints(&[1, 1, 1, 1]));
        let message = "images [1, 1, 1, 4] and filter [1, 1, 2, 1] do not match";
        refused(&[one], &[1, 1, 1, 4], &[1, 1, 2, 1], message);
        let message = "the filter is [1, 1, 2, 0]; it must not be empty";
        refused(&[one], &[1, 1, 1, 2], &[1, 1, 2, 0], message);
        let message = "axis 2 has 1 elements; a window of 3 does not fit";
        refused(&[one], &[1, 1, 1, 1], &[1, 3, 1, 1], message);
        let x = of(I32, &[1; 4], &[1.0]);
        let message = "input 'in0' is INT32, which this op does not support";
        refuses::<DepthwiseConv2dNative>(&[one], &[x.clone(), x], &[I32], message);
    }
}

mod depthwise_conv2d_native_backprop_filter {
    use crate::convolutions::DepthwiseConv2dNativeBackpropFilter;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        for ty in [F16, BF16, F32, F64] {
            let gradient = |attributes: &[_], x: Tensor, size: &[i32], dy: Tensor, want: &[f64]| {
                let inputs = [x, list(size), dy];
                gives::<DepthwiseConv2dNativeBackpropFilter>(attributes, &inputs, &[of(ty, size, want)]);
            };
            let dy = of(ty, &[1, 1, 1, 4], &[1.0, 2.0, 3.0, 4.0]);
            let x = of(ty, &[1, 1, 1, 2], &[3.0, 5.0]);
            gradient(&[("strides", Ints(&[1, 1, 1, 1]))], x, &[1, 1, 2, 2], dy, &[3.0, 6.0, 15.0, 20.0]);
            // 1 · 1 + 2 · 2 and 2 · 1 + 3 · 2.
            let (x, dy) = (of(ty, &[1, 1, 3, 1], &[1.0, 2.0, 3.0]), of(ty, &[1, 1, 2, 1], &[1.0, 2.0]));
            gradient(&[("strides", Ints(&[1, 1, 1, 1]))], x, &[1, 2, 1, 1], dy, &[5.0, 8.0]);
        }
    }

    #[test]
    fn refusals() {
        let refused = |size: &[i32], message: &str| {
            let inputs = [of(F32, &[1, 1, 1, 2], &[0.0; 2]), list(size), of(F32, &[1; 4], &[0.0])];
            refuses::<DepthwiseConv2dNativeBackpropFilter>(
                &[("strides", Ints(&[1, 1, 1, 1]))],
                &inputs,
                &[F32],
                message,
            );
        };
        let message = "the gradient is [1, 1, 1, 1], the convolution gives [1, 1, 1, 2]; they must agree";
        refused(&[1, 1, 2, 1], message);
        refused(&[1, 1, 3, 1], "images [1, 1, 1, 2] and filter [1, 1, 3, 1] do not match");
    }
}
