//! Tests the results and the errors of the ops.

mod depthwise_conv2d_native_backprop_input {
    use crate::convolutions::DepthwiseConv2dNativeBackpropInput;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        for ty in [F16, BF16, F32, F64] {
            let gradient = |attributes: &[_], size: &[i32], filter: Tensor, dy: Tensor, want: &[f64]| {
                let inputs = [list(size), filter, dy];
                gives::<DepthwiseConv2dNativeBackpropInput>(attributes, &inputs, &[of(ty, size, want)]);
            };
            // 1 · 1 + 2 · 2 and 3 · 4 + 4 · 8.
            let filter = of(ty, &[1, 1, 2, 2], &[1.0, 2.0, 4.0, 8.0]);
            let dy = of(ty, &[1, 1, 1, 4], &[1.0, 2.0, 3.0, 4.0]);
            gradient(&[("strides", Ints(&[1, 1, 1, 1]))], &[1, 1, 1, 2], filter, dy, &[5.0, 44.0]);
            let (filter, dy) = (of(ty, &[1, 2, 1, 1], &[1.0, 10.0]), of(ty, &[1, 1, 2, 1], &[1.0, 2.0]));
            gradient(&[("strides", Ints(&[1, 1, 1, 1]))], &[1, 1, 3, 1], filter, dy, &[1.0, 12.0, 20.0]);
        }
    }

    #[test]
    fn refusals() {
        let refused = |size: &[i32], message: &str| {
            let inputs = [list(size), of(F32, &[1, 1, 2, 1], &[0.0; 2]), of(F32, &[1; 4], &[0.0])];
            refuses::<DepthwiseConv2dNativeBackpropInput>(
                &[("strides", Ints(&[1, 1, 1, 1]))],
                &inputs,
                &[F32],
                message,
            );
        };
        let message = "the gradient is [1, 1, 1, 1], the convolution gives [1, 1, 1, 2]; they must agree";
        refused(&[1, 1, 1, 2], message);
        refused(&[1, 1, 1, 3], "images [1, 1, 1, 3] and filter [1, 1, 2, 1] do not match");
    }
}
