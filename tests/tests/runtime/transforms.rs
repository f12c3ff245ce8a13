//! Fourier transforms and transposed convolutions of custom ops on the CPU delegate, compared with the reference ops.

use arenite::model_file::tensor_type::{COMPLEX64, INT32};
use arenite::model_file::writer::{ModelBuilder, Tensor, bytes_of};
use arenite::{Interpreter, Model, NodeProvider};
use arenite_abi::schema::Rfft2dOptions;
use arenite_tests::op_models::{OneOp, f32};
use arenite_tests::reference_ops;

/// `RFFT2D(x, lengths)`.
fn rfft(shape: &[i32], lengths: [i32; 2]) -> ModelBuilder {
    let [outer @ .., _, _] = shape else { panic!("a transform has two axes") };
    let spectrum: Vec<i32> = outer.iter().copied().chain([lengths[0], lengths[1] / 2 + 1]).collect();
    OneOp::new("RFFT2D")
        .feed(f32("x", shape))
        .constant(Tensor::new("lengths", INT32, &[2]), bytes_of(&lengths))
        .output(Tensor::new("y", COMPLEX64, &spectrum))
        .options::<Rfft2dOptions>(|o| o)
        .model()
}

/// The result as floats, and whether the delegate computed it.
fn run(model: &Model, delegates: bool, threads: usize) -> (Vec<f32>, bool) {
    let builder = if delegates { Interpreter::builder(model) } else { reference_ops(model) };
    let mut interpreter = builder.threads(threads).build().unwrap();
    interpreter.allocate().unwrap();
    let count: i32 = interpreter.input(0).unwrap().shape.iter().product();
    let x: Vec<f32> = (0..count).map(|i| ((i * 37 + 11) % 101) as f32 / 50.0 - 1.0).collect();
    interpreter.input_mut(0).unwrap().copy_from_slice(&x).unwrap();
    interpreter.invoke().unwrap();
    let bytes = interpreter.output(0).unwrap().bytes().unwrap().to_vec();
    let delegated = matches!(interpreter.served_by()[0], NodeProvider::Delegate { .. });
    (bytes.as_chunks::<4>().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect(), delegated)
}

#[test]
fn spectra_are_those_of_the_reference_op() {
    for (shape, lengths) in [
        (&[1, 2][..], [1, 2]),
        (&[3, 1, 4], [1, 4]),
        (&[1, 64], [1, 64]),
        (&[5, 1, 512], [1, 512]),
        // Cropped, and padded with zeros.
        (&[2, 3, 300], [1, 256]),
        (&[2, 1, 400], [1, 512]),
        // Two axes.
        (&[2, 4, 8], [4, 8]),
        (&[1, 33, 17], [64, 32]),
        (&[3, 16, 100], [8, 128]),
    ] {
        let model = Model::from_bytes(rfft(shape, lengths).finish()).unwrap();
        let (wanted, _) = run(&model, false, 1);
        for threads in [1, 3] {
            let (got, delegated) = run(&model, true, threads);
            assert!(delegated, "{shape:?} {lengths:?}");
            let largest = wanted.iter().fold(0.0f32, |most, y| most.max(y.abs()));
            let error = got.iter().zip(&wanted).fold(0.0f32, |most, (a, b)| most.max((a - b).abs()));
            assert_eq!(got.len(), wanted.len());
            assert!(
                error <= 2e-7 * largest,
                "{shape:?} {lengths:?}: {error}, the largest result is {largest}"
            );
        }
    }
}

/// TensorFlow Lite's result for rows of one element is no transform.
#[test]
fn rows_of_one_element_stay_with_the_reference_op() {
    let model = Model::from_bytes(rfft(&[4, 3], [4, 1]).finish()).unwrap();
    let (wanted, _) = run(&model, false, 1);
    assert_eq!(run(&model, true, 1), (wanted, false));
}

/// MediaPipe's op: the options are padding (1 is SAME, 2 is VALID) and the strides along width and height.
#[test]
fn convolution_2d_transpose_bias_is_that_of_the_reference_op() {
    for (padding, strides, taps) in
        [(1, [2, 2], [2, 2]), (1, [2, 1], [3, 4]), (2, [3, 2], [3, 3]), (1, [3, 3], [2, 2])]
    {
        let [images, rows, columns, channels, filters] = [2, 5, 4, 7, 6];
        let size = |n: i32, taps: i32, stride: i32| {
            let lost = if padding == 1 { (taps - (n - 1) % stride - 1).max(0) } else { 0 };
            stride * (n - 1) + taps - lost
        };
        let y = [images, size(rows, taps[0], strides[1]), size(columns, taps[1], strides[0]), filters];
        let numbers =
            |count: i32| -> Vec<f32> { (0..count).map(|i| (i * 29 % 17) as f32 / 8.0 - 1.0).collect() };
        let options: Vec<u8> =
            [padding, strides[0], strides[1]].into_iter().flat_map(i32::to_le_bytes).collect();
        let model = OneOp::custom("Convolution2DTransposeBias")
            .feed(f32("x", &[images, rows, columns, channels]))
            .constant(
                f32("filter", &[filters, taps[0], taps[1], channels]),
                bytes_of(&numbers(filters * taps[0] * taps[1] * channels)),
            )
            .constant(f32("bias", &[filters]), bytes_of(&numbers(filters)))
            .output(f32("y", &y))
            .custom_options(options)
            .model();
        let model = Model::from_bytes(model.finish()).unwrap();
        let (wanted, _) = run(&model, false, 1);
        let (got, delegated) = run(&model, true, 1);
        assert!(delegated, "{padding} {strides:?} {taps:?}");
        let error = got.iter().zip(&wanted).fold(0.0f32, |most, (a, b)| most.max((a - b).abs()));
        assert!(error < 1e-5, "{padding} {strides:?} {taps:?}: {error}");
    }
}
