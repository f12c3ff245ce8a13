//! Custom ops that TensorFlow Lite, its Micro and MediaPipe bring along.

use arenite_abi::testing::FlexBuilder;
use arenite_model::tensor_type::{BOOL, FLOAT32, INT16, INT32, UINT32, UINT64};
use arenite_model::writer::{Tensor, bytes_of};

use super::{Kind, Models, OneOp, Sound, f32, i8, i32, sound};

/// Adds the models of these ops.
pub(super) fn add(models: &mut Models) {
    detection(models);
    audio(models);
    images(models);
    quantization(models);
    signal(models);
    filter_bank(models);
}

fn flex() -> FlexBuilder {
    FlexBuilder::default()
}

/// The bytes of a C struct.
fn words(words: &[i32]) -> Vec<u8> {
    bytes_of(words)
}

fn detection(models: &mut Models) {
    for (regular, kind) in [(false, Kind::Float), (true, Kind::Float)] {
        let options =
            flex().int("max_detections", 3).int("max_classes_per_detection", 2).int("num_classes", 2);
        let options = options.float("nms_score_threshold", 0.1).float("nms_iou_threshold", 0.5);
        let options = options.float("y_scale", 10.0).float("x_scale", 10.0).float("h_scale", 5.0);
        let options = options.float("w_scale", 5.0).bool("use_regular_nms", regular);
        let anchors = [0.5f32, 0.5, 1., 1., 0.5, 1.5, 1., 1., 0.5, 2.5, 1., 1., 0.5, 3.5, 1., 1.];
        let one = OneOp::custom("TFLite_Detection_PostProcess").feed(kind.tensor("codes", &[1, 4, 4]));
        let one =
            one.feed(kind.tensor("scores", &[1, 4, 3])).constant(f32("anchors", &[4, 4]), bytes_of(&anchors));
        let one = one.output(f32("boxes", &[1, 6, 4])).output(f32("classes", &[1, 6]));
        let one = one.output(f32("best", &[1, 6])).output(f32("count", &[1]));
        models.push(sound("TFLite_Detection_PostProcess", one.custom_options(options.finish()).model()));
    }
}

fn audio(models: &mut Models) {
    let options = flex().int("window_size", 6).int("stride", 4).bool("magnitude_squared", true);
    let one = OneOp::custom("AudioSpectrogram").feed(f32("x", &[14, 2])).output(f32("y", &[2, 3, 5]));
    models.push(sound("AudioSpectrogram", one.custom_options(options.finish()).model()));

    let options = flex().int("upper_frequency_limit", 4000).int("lower_frequency_limit", 20);
    let options = options.int("filterbank_channel_count", 3).int("dct_coefficient_count", 2);
    let one = OneOp::custom("Mfcc").feed(f32("x", &[1, 2, 9])).feed(i32("rate", &[1]));
    let model = one.output(f32("y", &[1, 2, 2])).custom_options(options.finish()).model();
    models.push(Sound { op: "Mfcc", model, inputs: vec![(1, bytes_of(&[16_000]))] });
}

fn images(models: &mut Models) {
    let warp = OneOp::custom("DenseImageWarp").feed(f32("x", &[1, 3, 3, 2])).feed(f32("flow", &[1, 3, 3, 2]));
    models.push(sound("DenseImageWarp", warp.output(f32("y", &[1, 3, 3, 2])).model()));

    let options = flex().text("padding", "SAME").ints("ksize", &[1, 2, 2, 1]).ints("strides", &[1, 2, 2, 1]);
    let one = OneOp::custom("MaxPoolWithArgmax").feed(f32("x", &[1, 3, 3, 2]));
    let one = one.output(f32("y", &[1, 2, 2, 2])).output(i32("indices", &[1, 2, 2, 2]));
    models.push(sound("MaxPoolWithArgmax", one.custom_options(options.finish()).model()));

    let one = OneOp::custom("MaxPoolingWithArgmax2D").feed(f32("x", &[1, 3, 3, 2]));
    let one = one.output(f32("y", &[1, 2, 2, 2])).output(f32("indices", &[1, 2, 2, 2]));
    models.push(sound("MaxPoolingWithArgmax2D", one.custom_options(words(&[1, 2, 2, 2, 2, 0])).model()));

    for indices in [f32("indices", &[1, 2, 2, 2]), i32("indices", &[1, 2, 2, 2])] {
        let one = OneOp::custom("MaxUnpooling2D").feed(f32("x", &[1, 2, 2, 2])).feed(indices);
        let one = one.output(f32("y", &[1, 4, 4, 2])).custom_options(words(&[1, 2, 2, 2, 2]));
        models.push(sound("MaxUnpooling2D", one.model()));
    }

    let one = OneOp::custom("Convolution2DTransposeBias").feed(f32("x", &[1, 2, 2, 2]));
    let one = one.constant(f32("w", &[3, 2, 2, 2]), Kind::Float.data(24));
    let one = one.constant(f32("b", &[3]), Kind::Float.data(3)).output(f32("y", &[1, 4, 4, 3]));
    models.push(sound("Convolution2DTransposeBias", one.custom_options(words(&[1, 2, 2])).model()));
}

fn quantization(models: &mut Models) {
    let options = flex().float("tolerance", 5.0).bool("log_if_failed", true);
    let one = OneOp::custom("NumericVerify").feed(i8("x", &[2, 3])).feed(f32("reference", &[2, 3]));
    models
        .push(sound("NumericVerify", one.output(f32("y", &[2, 3])).custom_options(options.finish()).model()));

    let options = flex().int("hadamard_size", 4).ints("random_binary_vector", &[1, -1, 1, 1]);
    let one = OneOp::custom("aeq.hadamard_rotation").feed(Tensor::new("x", FLOAT32, &[2, 8]));
    models.push(sound(
        "aeq.hadamard_rotation",
        one.output(f32("y", &[2, 8])).custom_options(options.finish()).model(),
    ));
}

fn i16(name: &str, shape: &[i32]) -> Tensor {
    Tensor::new(name, INT16, shape)
}

fn u32(name: &str, shape: &[i32]) -> Tensor {
    Tensor::new(name, UINT32, shape)
}

/// TensorFlow Lite Micro's signal ops on samples and spectra.
fn signal(models: &mut Models) {
    let mut add = |op: &'static str, one: OneOp, options: FlexBuilder| {
        models.push(sound(op, one.custom_options(options.finish()).model()));
    };
    let one = || OneOp::custom("SignalDelay").feed(i16("x", &[2, 3])).output(i16("y", &[2, 3]));
    add("SignalDelay", one(), flex().int("delay_length", 4));
    let one = OneOp::custom("SignalFramer").feed(i16("x", &[2, 4])).output(i16("y", &[2, 2, 3]));
    let options = flex().int("frame_size", 3).int("frame_step", 2).bool("prefill", false);
    add("SignalFramer", one.output(Tensor::new("valid", BOOL, &[])), options);
    let one = OneOp::custom("SignalWindow").feed(i16("x", &[2, 4]));
    let one = one.constant(i16("w", &[4]), bytes_of(&[100i16, 200, 200, 100])).output(i16("y", &[2, 4]));
    add("SignalWindow", one, flex().int("shift", 8));
    let one = OneOp::custom("SignalStacker").feed(i16("x", &[2])).output(i16("y", &[6]));
    let options =
        flex().int("num_channels", 2).int("stacker_left_context", 1).int("stacker_right_context", 1);
    add("SignalStacker", one.output(Tensor::new("valid", BOOL, &[])), options.int("stacker_step", 2));
    for (ty, number) in [(FLOAT32, 0), (INT16, 7), (INT32, 2)] {
        let tensor = |name: &str, shape: &[i32]| Tensor::new(name, ty, shape);
        let options = || flex().int("fft_length", 30).int("T", number);
        let one = OneOp::custom("SignalRfft").feed(tensor("x", &[2, 20])).output(tensor("y", &[2, 32]));
        add("SignalRfft", one, options());
        let one = OneOp::custom("SignalIrfft").feed(tensor("x", &[2, 32])).output(tensor("y", &[2, 30]));
        add("SignalIrfft", one, options());
        if ty != INT32 {
            let one =
                OneOp::custom("SignalOverlapAdd").feed(tensor("x", &[2, 3, 4])).output(tensor("y", &[2, 6]));
            add("SignalOverlapAdd", one, flex().int("frame_step", 2).int("T", number));
        }
    }
    let one = OneOp::custom("SignalFftAutoScale").feed(i16("x", &[4])).output(i16("y", &[4]));
    add("SignalFftAutoScale", one.output(i32("bits", &[])), flex());
    let one = OneOp::custom("SignalEnergy").feed(i16("x", &[8])).output(u32("y", &[4]));
    add("SignalEnergy", one, flex().int("start_index", 1).int("end_index", 3));
}

/// TensorFlow Lite Micro's signal ops on channels.
fn filter_bank(models: &mut Models) {
    let mut add = |op: &'static str, one: OneOp, options: FlexBuilder| {
        models.push(sound(op, one.custom_options(options.finish()).model()));
    };
    let list = |values: &[i16]| bytes_of(values);
    let one = OneOp::custom("SignalFilterBank").feed(u32("x", &[5]));
    let one = one.constant(i16("weights", &[4]), list(&[9, 8, 7, 6]));
    let one = one.constant(i16("unweights", &[4]), list(&[1, 2, 3, 4]));
    let one = one.constant(i16("frequencies", &[3]), list(&[0, 2, 4]));
    let one =
        one.constant(i16("firsts", &[3]), list(&[0, 1, 3])).constant(i16("widths", &[3]), list(&[2, 2, 1]));
    add("SignalFilterBank", one.output(Tensor::new("y", UINT64, &[2])), flex().int("num_channels", 2));
    let one = OneOp::custom("SignalFilterBankSquareRoot").feed(Tensor::new("x", UINT64, &[2]));
    add("SignalFilterBankSquareRoot", one.feed(i32("bits", &[])).output(u32("y", &[2])), flex());
    let one = OneOp::custom("SignalFilterBankLog").feed(u32("x", &[2])).output(i16("y", &[2]));
    add("SignalFilterBankLog", one, flex().int("input_correction_bits", 3).int("output_scale", 1600));
    let options = flex().int("num_channels", 2).int("smoothing", 4).int("one_minus_smoothing", 12);
    let options = options.int("alternate_smoothing", 8).int("alternate_one_minus_smoothing", 8);
    let options = options.int("min_signal_remaining", 1).int("smoothing_bits", 2);
    let options = options.int("spectral_subtraction_bits", 4).bool("clamping", true);
    let one = OneOp::custom("SignalFilterBankSpectralSubtraction").feed(u32("x", &[2]));
    let one = one.output(u32("y", &[2])).output(u32("noise", &[2]));
    add("SignalFilterBankSpectralSubtraction", one, options);
    let one = OneOp::custom("SignalPCAN").feed(u32("x", &[2])).feed(u32("noise", &[2]));
    let one = one.constant(i16("gains", &[125]), vec![1; 250]).output(u32("y", &[2]));
    add("SignalPCAN", one, flex().int("snr_shift", 6));
}
