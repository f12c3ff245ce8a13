//! Wrong lengths, offsets and options in the file's bytes.

use arenite::Quota;
use arenite_abi::schema::{LocalResponseNormalizationOptions, OptionsTable, TableInfo};
use arenite_abi::testing::FlexBuilder;
use arenite_model::writer::Buffer;
use arenite_tests::op_models::{self, OneOp, Sound, f32};

use crate::{Cases, custom_options, run, run_with, sound};

#[test]
fn d02_buffer_wraps_around() {
    let mut cases = Cases::default();
    cases.spoilt(
        sound("CONV_2D", 0),
        |m| m.buffers[1] = Buffer::Range { offset: u64::MAX - 63, size: 216 },
        "buffers[1]: 216 bytes at offset 18446744073709551552 exceed the file of",
    );
}

#[test]
fn d03_custom_options_wrap_around() {
    let mut cases = Cases::default();
    cases.spoilt(
        OneOp::custom("Anything").feed(f32("x", &[1])).output(f32("y", &[1])).model(),
        |m| m.subgraphs[0].operators[0].custom_options = Buffer::Range { offset: u64::MAX, size: 2 },
        "subgraphs[0].operators[0].large_custom_options_offset: 2 bytes at offset 18446744073709551615 exceed the file of",
    );
}

/// A missing required option is named in the error, also if all options are missing.
#[test]
fn d08_custom_options_absent() {
    let mut cases = Cases::default();
    let missing = [
        ("TFLite_Detection_PostProcess", "max_detections"),
        ("Mfcc", "upper_frequency_limit"),
        ("AudioSpectrogram", "window_size"),
        ("MaxPoolWithArgmax", "padding"),
        ("MaxPoolingWithArgmax2D", "padding"),
        ("MaxUnpooling2D", "padding"),
        ("Convolution2DTransposeBias", "padding"),
        ("NumericVerify", "tolerance"),
        ("aeq.hadamard_rotation", "hadamard_size"),
        ("SignalDelay", "delay_length"),
        ("SignalEnergy", "end_index"),
        ("SignalFilterBank", "num_channels"),
        ("SignalFilterBankLog", "input_correction_bits"),
        ("SignalFilterBankSpectralSubtraction", "alternate_smoothing"),
        ("SignalFramer", "frame_size"),
        ("SignalIrfft", "fft_length"),
        ("SignalOverlapAdd", "frame_step"),
        ("SignalPCAN", "snr_shift"),
        ("SignalRfft", "fft_length"),
        ("SignalStacker", "num_channels"),
        ("SignalWindow", "shift"),
    ];
    for (op, key) in missing {
        for options in [vec![], vec![1, 2, 3]] {
            cases.spoilt(sound(op, 0), |m| custom_options(m, options), format!("'{key}'"));
        }
    }
    let mut boxes = sound("TFLite_Detection_PostProcess", 0);
    custom_options(&mut boxes, FlexBuilder::default().int("max_detections", 3).finish());
    cases.model(
        boxes,
        "TFLite_Detection_PostProcess (node 0, output 'output 0'): the custom options lack 'max_classes_per_detection'",
    );
}

#[test]
fn d20_buffers() {
    let mut cases = Cases::default();
    cases.spoilt(
        sound("CONV_2D", 0),
        |m| m.subgraphs[0].tensors[1].buffer = 9999,
        "subgraphs[0].tensors[1].buffer: buffer index 9999, model has 3 buffers",
    );
    cases.spoilt(
        sound("CONV_2D", 0),
        |m| m.buffers[1] = Buffer::Inline(vec![0; 215]),
        "subgraphs[0].tensors[1].buffer: the buffer has 215 bytes, type and shape need 216",
    );
}

/// Every op with the options of another op: an error that names both, or the options are not read.
#[test]
fn options_of_another_union_type() {
    const OTHER: TableInfo = LocalResponseNormalizationOptions::INFO;
    let mut refused = 0;
    for Sound { op, mut model, inputs } in op_models::all() {
        let Some((tag, _)) = &mut model.subgraphs[0].operators[0].options else { continue };
        *tag = OTHER.tag as u8;
        let inputs: Vec<(usize, &[u8])> = inputs.iter().map(|(i, bytes)| (*i, &bytes[..])).collect();
        if let Err(error) = run_with(model.finish(), Quota::default(), &inputs) {
            assert!(error.starts_with(op), "{op}: {error}");
            let text = format!("its options have union type {}, but this op expects ", OTHER.tag);
            assert!(error.contains(&text), "{op}: {error}");
            refused += 1;
        }
    }
    assert!(refused > 20, "only {refused} models were refused");
}

/// Truncated and random flexbuffers as custom options of an op that no plugin serves, and truncated files: an error,
/// never a panic.
#[test]
fn truncated_files_and_options() {
    let mut model = OneOp::custom("Flexible").feed(f32("x", &[1])).output(f32("y", &[1])).model();
    for length in 0..40 {
        model.subgraphs[0].operators[0].custom_options =
            Buffer::Inline((0..length).map(|i: u8| i.wrapping_mul(17)).collect());
        let error = run(model.finish()).expect_err("nothing serves it");
        assert!(error.contains("custom op Flexible version 1"), "{error}");
    }
    let bytes = sound("CONV_2D", 1).finish();
    for end in 0..bytes.len() {
        assert!(run(bytes[..end].to_vec()).is_err(), "the first {end} of {} bytes ran", bytes.len());
    }
}
