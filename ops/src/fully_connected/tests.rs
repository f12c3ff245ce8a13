use super::*;
use arenite_abi::schema::{FullyConnectedOptions, activation, weights_format};
use arenite_abi::testing::{OpTest, OptionsBuilder, Quantized, Spec, Tensor};

type Test = OpTest<FullyConnected>;

fn test(x: Tensor, filter: Tensor, bias: Option<Tensor>, y: Spec) -> Test {
    let test = Test::new().input(x).constant(filter);
    match bias {
        Some(bias) => test.constant(bias).output(y),
        None => test.output(y),
    }
}

fn activation(
    number: i8,
) -> impl FnOnce(OptionsBuilder<FullyConnectedOptions>) -> OptionsBuilder<FullyConnectedOptions> {
    move |o| o.set(FullyConnectedOptions::FUSED_ACTIVATION_FUNCTION, number)
}

fn message(test: Test) -> String {
    test.run().unwrap_err().message().to_string()
}

#[test]
fn floats() {
    let x = Tensor::f32(&[2, 1, 3], &[1., 2., 3., -1., 0., 1.]);
    let filter = Tensor::f32(&[2, 3], &[1., 1., 1., 0., -1., 2.]);
    let bias = Tensor::f32(&[2], &[10., -5.]);
    let y = test(x.clone(), filter.clone(), Some(bias.clone()), Spec::f32()).run().unwrap();
    assert_eq!((y[0].shape(), y[0].as_f32()), (&[2, 2][..], vec![16., -1., 10., -3.]));
    let keep = |o: OptionsBuilder<FullyConnectedOptions>| {
        o.set(FullyConnectedOptions::FUSED_ACTIVATION_FUNCTION, activation::RELU)
            .set(FullyConnectedOptions::KEEP_NUM_DIMS, true)
    };
    let y = test(x.clone(), filter.clone(), Some(bias), Spec::f32()).options(keep).run().unwrap();
    assert_eq!((y[0].shape(), y[0].as_f32()), (&[2, 1, 2][..], vec![16., 0., 10., 0.]));
    let absent = Test::new().input(x).input(filter).absent().output(Spec::f32());
    assert_eq!(absent.run().unwrap()[0].as_f32(), [6., 4., 0., 2.]);
}

#[test]
fn nothing_to_sum() {
    let (x, filter) = (Tensor::f32(&[2, 0], &[]), Tensor::f32(&[3, 0], &[]));
    let bias = Tensor::f32(&[3], &[1.0; 3]);
    let y = test(x, filter, Some(bias), Spec::f32()).run().unwrap();
    assert_eq!((y[0].shape(), y[0].as_f32()), (&[2, 3][..], vec![0.0; 6]));
    let (x, filter) = (Tensor::f32(&[0, 2], &[]), Tensor::f32(&[3, 2], &[1.0; 6]));
    assert_eq!(test(x, filter, None, Spec::f32()).run().unwrap()[0].shape(), [0, 3]);
}

#[test]
fn bytes() {
    // (4 - 2)(3 - 1) + (0 - 2)(0 - 1) = 6, plus bias 2 is 8; 8 × 0.5 × 0.5 / 1 + 10 = 12.
    let x = Tensor::u8(&[1, 2], &[4, 0]).quantized(0.5, 2);
    let filter = Tensor::u8(&[1, 2], &[3, 0]).quantized(0.5, 1);
    let bias = Tensor::i32(&[1], &[2]).quantized(0.25, 0);
    let y = test(x.clone(), filter.clone(), Some(bias.clone()), Spec::u8(1.0, 10)).run().unwrap();
    assert_eq!(y[0].as_u8(), [12]);
    let y = test(x, filter, Some(bias), Spec::i16(0.001, 0)).run().unwrap();
    assert_eq!(y[0].as_i16(), [2000]);

    let x = Tensor::i8(&[2, 2], &[4, 0, -4, 1]).quantized(0.5, 2);
    let filter = Tensor::i8(&[1, 2], &[3, 0]).quantized(0.5, 1);
    let y = test(x.clone(), filter.clone(), None, Spec::i8(1.0, 10)).run().unwrap();
    // 6 and (-6)(2) + (-1)(-1) = -11, in quarters. Rounded twice, ties up: 1.5 becomes 2; -11/2 becomes -5, and half of
    // that -2.
    assert_eq!(y[0].as_i8(), [12, 8]);
    let y = test(x, filter, None, Spec::i8(1.0, 10)).options(activation(activation::RELU)).run().unwrap();
    assert_eq!(y[0].as_i8(), [12, 10]);
}

#[test]
fn per_unit_scales() {
    let x = Tensor::i8(&[1, 2], &[10, 20]).quantized(1.0, 0);
    let scales: [f32; 2] = [1.0, 0.5];
    let plain = Tensor::i8(&[2, 2], &[1, 2, -3, 1]).per_channel(&scales, &[0, 0], 0);
    let packed = Tensor::i4(&[2, 2], &[1, 2, -3, 1]).per_channel(&scales, &[0, 0], 0);
    let pairs = Tensor::raw(I2, &[2, 2], &[0b11_00_00_01]).per_channel(&scales, &[0, 0], 0);
    for filter in [plain, packed] {
        let y = test(x.clone(), filter, None, Spec::i8(1.0, 0)).run().unwrap();
        assert_eq!(y[0].as_i8(), [50, -5]);
    }
    // [1, 0; 0, -1]
    let y = test(x, pairs, None, Spec::i8(1.0, 0)).run().unwrap();
    assert_eq!(y[0].as_i8(), [10, -10]);
}

#[test]
fn sixteen_bits() {
    // Sums 1, 2, 3 and -2 with the real factor 1/4, which is 2^30 × 2^-1: the tie in 0.5 and the double rounding of
    // 0.25 distinguish the kernels.
    let x = Tensor::i16(&[4, 1], &[1, 2, 3, -2]).quantized(0.25, 0);
    let filter = Tensor::i8(&[1, 1], &[1]).quantized(1.0, 0);
    let y = |filter: &Tensor, bias| {
        test(x.clone(), filter.clone(), bias, Spec::i16(1.0, 0)).run().unwrap()[0].as_i16()
    };
    assert_eq!(y(&filter, None), [0, 1, 1, 0]);
    assert_eq!(y(&filter, Some(Tensor::i32(&[1], &[0]))), [0, 1, 1, 0]);
    assert_eq!(y(&filter, Some(Tensor::i64(&[1], &[0]))), [0, 1, 1, -1]);
    let shifted = Tensor::i8(&[1, 1], &[4]).quantized(1.0, 3);
    assert_eq!(y(&shifted, None), [0, 1, 1, -1]);
    let wide = Tensor::i16(&[1, 1], &[1]).quantized(1.0, 0);
    assert_eq!(y(&wide, Some(Tensor::i64(&[1], &[1 << 20]))), [32767; 4]);
    assert_eq!(y(&wide, None), [0, 1, 1, 0]);
}

/// The product of −128 with a negative number is positive.
#[test]
fn the_lowest_weight() {
    let x = Tensor::f32(&[1, 3], &[127., -127., 127.]);
    let filter = Tensor::i8(&[1, 3], &[-128, -128, 127]).per_channel(&[1.0], &[0], 0);
    let y = test(x, filter, None, Spec::f32()).run().unwrap();
    assert_eq!(y[0].as_f32(), [127. * 127.]);
}

#[test]
fn hybrid() {
    let x = Tensor::f32(&[2, 2], &[127.0, -1.0, 0.0, 0.0]);
    let bias = Tensor::f32(&[2], &[0.5, -1000.0]);
    for filter in [
        Tensor::i8(&[2, 2], &[1, 3, 2, 4]).per_channel(&[1.0, 0.5], &[0, 0], 0),
        Tensor::i4(&[2, 2], &[1, 3, 2, 4]).per_channel(&[1.0, 0.5], &[0, 0], 0),
    ] {
        let layer = test(x.clone(), filter, Some(bias.clone()), Spec::f32());
        assert_eq!(layer.clone().run().unwrap()[0].as_f32(), [124.5, -875.0, 0.5, -1000.0]);
        let y = layer.clone().options(activation(activation::RELU)).run().unwrap();
        assert_eq!(y[0].as_f32(), [124.5, 0.0, 0.5, 0.0]);
        let y = layer.clone().options(activation(activation::TANH)).run().unwrap();
        assert_eq!(y[0].as_f32()[..2], [1.0, -1.0]);
        let y = layer.clone().options(activation(activation::SIGN_BIT)).run().unwrap();
        assert_eq!(y[0].as_f32(), [0.0, 1.0, 0.0, 1.0]);
        // Asymmetric: the range [-1, 127] has steps of 128 / 255, so 127 is 253 steps and -1 is two.
        let y =
            layer.options(|o| o.set(FullyConnectedOptions::ASYMMETRIC_QUANTIZE_INPUTS, true)).run().unwrap()
                [0]
            .as_f32();
        let step = 128.0 / 255.0;
        for (got, want) in y.iter().zip([247.0 * step + 0.5, 249.0 * step - 1000.0, 0.5, -1000.0]) {
            assert!((got - want).abs() < 1e-3, "{y:?}");
        }
    }
    // A filter of unsigned bytes is read as signed.
    let filter = Tensor::u8(&[1, 2], &[255, 2]).quantized(1.0, 128);
    let y = test(x, filter, None, Spec::f32()).run().unwrap();
    assert_eq!(y[0].as_f32(), [-129.0, 0.0]);
}

#[test]
fn blockwise_scales() {
    let x = Tensor::f32(&[1, 4], &[0.0, 255.0, 0.0, 51.0]);
    let blocks =
        |block_size| Quantized { scales: vec![1.0, 0.5], zero_points: vec![0], dimension: 1, block_size };
    let filter = Tensor::i4(&[1, 4], &[7, 1, 7, -2]).with_quantization(blocks(2));
    let y = test(x.clone(), filter, None, Spec::f32()).run().unwrap();
    assert!((y[0].as_f32()[0] - 204.0).abs() < 1e-3, "{:?}", y[0].as_f32());
    let filter = Tensor::i4(&[1, 4], &[7, 1, 7, -2]).with_quantization(blocks(3));
    assert_eq!(
        message(test(x, filter, None, Spec::f32())),
        "filter 'in1' is [1, 4] with 2 scales, one for 3 elements each; they must cover it"
    );
}

#[test]
fn refusals() {
    let x = Tensor::i8(&[1, 2], &[0; 2]).quantized(1.0, 0);
    let filter = Tensor::i8(&[2, 2], &[0; 4]).quantized(1.0, 0);
    let y = Spec::i8(1.0, 0);
    let layer = |filter: Tensor, bias| test(x.clone(), filter, bias, y.clone());
    assert!(message(layer(filter.clone(), None).options(|o| o.set(FullyConnectedOptions::WEIGHTS_FORMAT, weights_format::SHUFFLED_4X16_INT8))).contains("shuffled 4x16"));
    assert_eq!(
        message(layer(filter.clone(), None).options(activation(activation::TANH))),
        "no kernel for INT8 with the fused activation Tanh"
    );
    assert_eq!(
        message(layer(filter.clone(), Some(Tensor::i32(&[2], &[0; 2]).quantized(2.0, 0)))),
        "bias 'in2' has scale 2, input × filter is 1; they must agree"
    );
    let scales = Tensor::i8(&[2, 2], &[0; 4]).per_channel(&[1.0; 3], &[0; 3], 0);
    assert_eq!(
        message(layer(scales, None)),
        "filter 'in1' has 3 scales, the output has 2 channels; give 1 or 2"
    );
    let shifted = Tensor::i4(&[2, 2], &[0; 4]).quantized(1.0, 1);
    assert_eq!(message(layer(shifted, None)), "filter 'in1' is INT4 with zero point 1; it must be 0");
    assert!(message(layer(Tensor::i8(&[2, 2], &[0; 4]), None)).contains("without quantization"));
    assert!(
        message(layer(Tensor::u8(&[2, 2], &[0; 4]), None))
            .starts_with("no kernel for input INT8, filter UINT8")
    );
    assert!(message(test(x.clone(), filter, None, Spec::i8(0.0, 0))).contains("no finite multiplier"));
}
