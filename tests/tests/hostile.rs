//! Malformed models as an application meets them: load, build, allocate, invoke. Each ends in an error that names the
//! field or the tensor, within a second of processor time, and never in a panic.

use arenite_abi::schema::{
    AddOptions, BatchMatMulOptions, Conv2DOptions, DepthwiseConv2DOptions, FullyConnectedOptions,
    GatherOptions, LocalResponseNormalizationOptions, OptionsTable, Pool2DOptions, SlidingWindow, TableInfo,
    TransposeConvOptions, padding,
};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use arenite::{Error, Interpreter, Model, Quota, Registry, Status};
use arenite_abi::testing::FlexBuilder;
use arenite_model::tensor_type::{BOOL, FLOAT32, STRING};
use arenite_model::writer::{
    Buffer, Level, ModelBuilder, Operator, SubGraph, Tensor, Value, bytes_of, bytes_of_strings,
};
use arenite_test_clock::Clock;
use arenite_tests::micro::{self, Aligned};
use arenite_tests::mutants::{self, Random};
use arenite_tests::op_models::{self, OneOp, Sound, f32, i32};
use arenite_tests::options::Fields;

fn registry() -> Arc<Registry> {
    static REGISTRY: OnceLock<Arc<Registry>> = OnceLock::new();
    let make = || {
        let mut registry = Registry::new();
        for plugin in arenite_tests::plugins() {
            registry.add_plugin(plugin).expect("the plugins are well formed");
        }
        Arc::new(registry)
    };
    Arc::clone(REGISTRY.get_or_init(make))
}

/// Loads, builds, allocates and invokes with zeroed inputs, as an application would.
fn run(bytes: Vec<u8>) -> Result<Vec<Vec<u8>>, String> {
    run_with(bytes, Quota::default(), &[])
}

fn run_with(bytes: Vec<u8>, quota: Quota, inputs: &[(usize, &[u8])]) -> Result<Vec<Vec<u8>>, String> {
    let clock = Clock::start();
    let result = (|| -> arenite::Result<Vec<Vec<u8>>> {
        let model = Model::from_bytes(bytes.clone())?;
        let mut interpreter =
            Interpreter::builder(&model).registry(registry()).threads(1).quota(quota).build()?;
        interpreter.allocate()?;
        for &(i, bytes) in inputs {
            interpreter.input_mut(i)?.copy_from_bytes(bytes)?;
        }
        interpreter.invoke()?;
        (0..interpreter.output_count()).map(|i| Ok(interpreter.output(i)?.bytes()?.to_vec())).collect()
    })();
    let took = clock.spent();
    assert!(took < Duration::from_secs(1), "{took:?} for {:?}", result.map(|_| ()));
    beside_micro(&bytes, inputs, &result);
    result.map_err(|error| {
        let panicked = matches!(error, Error::Node { status: Status::Panicked, .. });
        assert!(!panicked, "{error}");
        error.to_string()
    })
}

/// The micro interpreter refuses what the large runtime refuses, but for what exceeds a quota.
fn beside_micro(bytes: &[u8], inputs: &[(usize, &[u8])], wanted: &arenite::Result<Vec<Vec<u8>>>) {
    static OPS: OnceLock<Vec<arenite_micro::OpRegistration>> = OnceLock::new();
    let (ops, model) = (OPS.get_or_init(micro::ops), Aligned::of(bytes));
    let clock = Clock::start();
    let result = micro::run_once(model.as_slice(), ops, Aligned::new(0xa5, 1 << 20).bytes_mut(), inputs);
    assert!(clock.spent() < Duration::from_secs(1), "{:?}: {result:?}", clock.spent());
    match (&result, wanted) {
        (Ok(_), Ok(_)) => {}
        (Ok(_), Err(error)) if error.to_string().contains("the quota is") => {}
        (Ok(_), Err(error)) => panic!("it runs in the micro interpreter, instead of: {error}"),
        (Err(error), _) => assert!(error.status() != Status::Panicked, "{error}"),
    }
}

/// The sound model of `op`, number `n` of those that there are.
fn sound(op: &str, n: usize) -> ModelBuilder {
    let mut models = op_models::all().into_iter().filter(|sound| sound.op == op);
    models.nth(n).expect("op_models has it").model
}

/// A list of `(model, what the error must say)`.
#[derive(Default)]
struct Cases(Vec<Case>);

type Case = (Result<Vec<Vec<u8>>, String>, String);

impl Cases {
    fn spoilt(
        &mut self,
        mut model: ModelBuilder,
        spoil: impl FnOnce(&mut ModelBuilder),
        text: impl Into<String>,
    ) {
        spoil(&mut model);
        self.model(model, text);
    }

    fn model(&mut self, model: ModelBuilder, text: impl Into<String>) {
        self.0.push((run(model.finish()), text.into()));
    }

    fn fed(&mut self, model: ModelBuilder, inputs: &[(usize, Vec<u8>)], text: impl Into<String>) {
        let inputs: Vec<(usize, &[u8])> = inputs.iter().map(|(i, bytes)| (*i, &bytes[..])).collect();
        self.0.push((run_with(model.finish(), Quota::default(), &inputs), text.into()));
    }
}

impl Drop for Cases {
    /// All that are wrong at once.
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        let wrong: Vec<String> = self
            .0
            .iter()
            .filter_map(|(result, text)| match result {
                Ok(_) => Some(format!("it ran, instead of: {text}")),
                Err(error) => {
                    (!error.contains(text.as_str())).then(|| format!("wanted: {text}\n   got: {error}"))
                }
            })
            .collect();
        assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
        assert!(!self.0.is_empty());
    }
}

/// Sets the field in `slot` of the node's options.
fn option(model: &mut ModelBuilder, slot: u16, value: Value) {
    let options = model.subgraphs[0].operators[0].options.as_mut().expect("it has options");
    options.1.slots.retain(|(s, _)| *s != slot);
    options.1.slots.push((slot, value));
}

/// Sets the node's custom options.
fn custom_options(model: &mut ModelBuilder, options: Vec<u8>) {
    model.subgraphs[0].operators[0].custom_options = Buffer::Inline(options);
}

/// Sets the data of the node's input `i`, a constant.
fn constant(model: &mut ModelBuilder, i: usize, data: Vec<u8>) {
    let graph = &model.subgraphs[0];
    let tensor = graph.operators[0].inputs[i] as usize;
    let buffer = graph.tensors[tensor].buffer as usize;
    assert_ne!(buffer, 0, "input {i} is constant");
    model.buffers[buffer] = Buffer::Inline(data);
}

#[test]
fn every_sound_model_runs() {
    for Sound { op, model, inputs } in op_models::all() {
        let inputs: Vec<(usize, &[u8])> = inputs.iter().map(|(i, bytes)| (*i, &bytes[..])).collect();
        let outputs = run_with(model.finish(), Quota::default(), &inputs);
        assert!(outputs.as_ref().is_ok_and(|o| !o.is_empty()), "{op}: {outputs:?}");
    }
}

#[test]
fn d01_subgraphs_absent() {
    let mut cases = Cases::default();
    cases.spoilt(sound("ADD", 0), |m| m.subgraphs.clear(), "subgraphs: absent or empty");
}

#[test]
fn d02_buffer_wraps_around() {
    let mut cases = Cases::default();
    cases.spoilt(
        sound("CONV_2D", 0),
        |m| m.buffers[1] = Buffer::Range { offset: u64::MAX - 63, size: 216 },
        "buffers[1]: 216 bytes at offset 18446744073709551552 do not lie in the file of",
    );
}

#[test]
fn d03_custom_options_wrap_around() {
    let mut cases = Cases::default();
    cases.spoilt(
        OneOp::custom("Anything").feed(f32("x", &[1])).output(f32("y", &[1])).model(),
        |m| m.subgraphs[0].operators[0].custom_options = Buffer::Range { offset: u64::MAX, size: 2 },
        "subgraphs[0].operators[0].large_custom_options_offset: 2 bytes at offset 18446744073709551615 do not lie",
    );
}

#[test]
fn d04_input_absent() {
    let mut cases = Cases::default();
    cases.spoilt(
        sound("ADD", 0),
        |m| m.subgraphs[0].operators[0].inputs = vec![0, -1],
        "ADD (node 0, output 'y'): input 1 is absent, this op needs it",
    );
}

/// Every op, with every input absent, missing, or doubled, and every output missing or doubled.
#[test]
fn d04_any_input_or_output_absent() {
    let mut refused = 0;
    for Sound { op, model, .. } in op_models::all() {
        let node = &model.subgraphs[0].operators[0];
        let mut spoilt: Vec<Operator> = Vec::new();
        for i in 0..node.inputs.len() {
            let mut absent = node.clone();
            absent.inputs[i] = -1;
            let mut missing = node.clone();
            missing.inputs.remove(i);
            let mut doubled = node.clone();
            doubled.inputs.push(node.inputs[i]);
            spoilt.extend([absent, missing, doubled]);
        }
        spoilt.push(Operator { inputs: vec![], ..node.clone() });
        spoilt.push(Operator { outputs: vec![], ..node.clone() });
        for node in spoilt {
            let mut model = model.clone();
            if node.outputs.is_empty() {
                model.subgraphs[0].outputs.clear();
            }
            model.subgraphs[0].operators[0] = node;
            if let Err(error) = run(model.finish()) {
                assert!(error.starts_with(&format!("{op} (node 0")), "{op}: {error}");
                refused += 1;
            }
        }
    }
    assert!(refused > 150, "only {refused} were refused");
}

#[test]
fn d05_subgraph_output_absent() {
    let mut cases = Cases::default();
    cases.spoilt(
        sound("ADD", 0),
        |m| m.subgraphs[0].outputs = vec![-1],
        "subgraphs[0].outputs[0]: tensor index -1, subgraph has 3 tensors",
    );
}

#[test]
fn d06_output_is_a_constant() {
    let mut cases = Cases::default();
    cases.spoilt(
        sound("CONV_2D", 0),
        |m| m.subgraphs[0].operators[0].outputs = vec![1],
        "subgraphs[0].operators[0].outputs[0]: tensor 1 is a constant",
    );
}

#[test]
fn d07_read_before_written() {
    let mut cases = Cases::default();
    cases.spoilt(
        sound("ADD", 0),
        |m| {
            let later = m.subgraphs[0].tensor(f32("later", &[2, 3]));
            m.subgraphs[0].operators[0].inputs[0] = later;
            let relu = m.builtin("RELU", 1);
            m.subgraphs[0].operator(Operator::new(relu, &[1], &[later]));
        },
        "subgraphs[0].operators[0].inputs[0]: tensor 3 is read before operators[1] writes it",
    );
}

/// Each option that an op cannot do without is missed by name, also where there are none at all.
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
        "TFLite_Detection_PostProcess (node 0, output 'boxes'): the custom options lack 'max_classes_per_detection'",
    );
}

#[test]
fn d09_split_into_nothing() {
    let mut cases = Cases::default();
    for n in [0, -1, i32::MAX] {
        cases.spoilt(
            sound("SPLIT", 0),
            |m| option(m, 0, Value::I32(n)),
            format!("SPLIT (node 0, output 'a'): its options ask for {n} parts, it has 2 outputs"),
        );
    }
}

#[test]
fn d10_sparse_indices() {
    let sparse = |segments: &[i32], indices: &[i32]| {
        let mut model = sound("DENSIFY", 0);
        let sparsity = model.subgraphs[0].tensors[0].sparsity.as_mut().expect("it is sparse");
        sparsity.levels[1] = Level::Sparse { segments: segments.to_vec(), indices: indices.to_vec() };
        model
    };
    let mut cases = Cases::default();
    cases.model(
        sparse(&[0, 1, i32::MAX], &[1, 0]),
        "sparsity.dim_metadata[1].array_indices: has 2 entries, must have 2147483647",
    );
    cases.model(
        sparse(&[0, 1, 2], &[1, 1 << 28]),
        "sparsity.dim_metadata[1].array_indices[1]: is 268435456, must be inside the dimension",
    );
}

#[test]
fn d11_a_subgraph_calls_itself() {
    let mut cases = Cases::default();
    let text = "is called while it runs, by itself or by a subgraph that it calls; recursion is refused";
    for (slot, target) in [(0, 0), (1, 0)] {
        cases.spoilt(
            sound("WHILE", 0),
            |m| option(m, slot, Value::I32(target)),
            format!("subgraph 0 {text}"),
        );
        cases.spoilt(sound("IF", 0), |m| option(m, slot, Value::I32(target)), format!("subgraph 0 {text}"));
    }
    cases.spoilt(sound("CALL_ONCE", 0), |m| option(m, 0, Value::I32(0)), "subgraph 0");
    // The branch of an IF is the IF's own kind: 1 runs 1.
    cases.spoilt(
        sound("IF", 0),
        |m| {
            let mut nested = m.subgraphs[0].clone();
            nested.inputs = vec![1];
            nested.operators[0].inputs = vec![2, 1];
            nested.tensors.insert(2, Tensor::new("yes", BOOL, &[]));
            nested.tensors[2].buffer = m.buffer(vec![1]);
            nested.operators[0].outputs = vec![3];
            nested.outputs = vec![3];
            m.subgraphs[1] = nested;
        },
        format!("subgraph 1 {text}"),
    );
}

#[test]
fn d12_a_composite_is_its_own_decomposition() {
    let mut cases = Cases::default();
    let spoil = |m: &mut ModelBuilder| {
        let options = m.subgraphs[0].operators[0].options_2.as_mut().expect("it has options");
        options.1.slots.retain(|(slot, _)| *slot != 1);
        options.1.slots.push((1, Value::I32(0)));
    };
    cases.spoilt(sound("STABLEHLO_COMPOSITE", 0), spoil, "subgraph 0 is called while it runs");
}

#[test]
fn d13_a_loop_without_end() {
    let endless = op_models::control::counting_loop(0).finish();
    let quota = Quota { calls: 1000, ..Quota::default() };
    let error = run_with(endless.clone(), quota, &[]).expect_err("it does not end");
    assert!(
        error.starts_with("WHILE (node 0, output 'n'): running subgraph ")
            && error
                .contains("in a loop that may not end, needs 1001 calls, the quota is 1000; raise `calls`"),
        "{error}"
    );
    let quota = Quota { time: Some(Duration::from_millis(50)), ..Quota::default() };
    let error = run_with(endless, quota, &[]).expect_err("it does not end");
    assert!(error.contains("time"), "{error}");
}

/// Subgraphs that call one another, deeper than the quota.
#[test]
fn d13_deep_nesting() {
    let nested = |levels: usize| {
        let mut model = op_models::control::composite();
        let node = model.subgraphs[0].clone();
        model.subgraphs.truncate(1);
        for level in 1..levels {
            model.subgraph(node.clone());
            let options = model.subgraphs[level - 1].operators[0].options_2.as_mut().expect("it has options");
            options.1.slots.push((1, Value::I32(level as i32)));
            options.1.slots.remove(1);
        }
        let leaf = op_models::control::composite().subgraphs.remove(1);
        let options = model.subgraphs[levels - 1].operators[0].options_2.as_mut().expect("it has options");
        options.1.slots.push((1, Value::I32(levels as i32)));
        options.1.slots.remove(1);
        model.subgraph(leaf);
        model.finish()
    };
    let input = bytes_of(&[1.0f32, -3.0]);
    let run = |levels| run_with(nested(levels), Quota::default(), &[(0, &input[..])]);
    assert_eq!(run(40), Ok(vec![bytes_of(&[2.0f32, -6.0])]));
    let error = run(100).expect_err("deeper than the quota");
    assert!(error.contains("needs 65 levels, the quota is 64; raise `depth` in [quota]"), "{error}");
}

#[test]
fn d15_read_before_assigned() {
    let error = run(op_models::control::variable(false).finish()).expect_err("nobody assigned it");
    assert_eq!(
        error,
        "READ_VARIABLE (node 1, output 'y'): the variable is read before it was assigned (ASSIGN_VARIABLE), into 'y'"
    );
    assert_eq!(run(op_models::control::variable(true).finish()), Ok(vec![bytes_of(&[1.0f32, -3.0])]));
}

#[test]
fn d14_signature_of_no_subgraph() {
    let mut cases = Cases::default();
    cases.spoilt(
        sound("ADD", 0),
        |m| m.signature("serving_default", 99, &[("a", 0)], &[("y", 2)]),
        "signature_defs[0].subgraph_index: subgraph index 99, model has 1 subgraphs",
    );
}

#[test]
fn d16_no_permutation() {
    let mut cases = Cases::default();
    for perm in [[0, 0], [0, 2], [-3, 0], [i32::MAX, i32::MIN]] {
        let text =
            format!("TRANSPOSE (node 0, output 'y'): 'perm' is {perm:?}; it must name each of 2 axes once");
        cases.spoilt(sound("TRANSPOSE", 0), |m| constant(m, 1, bytes_of(&perm)), text);
    }
}

#[test]
fn d17_slice_outside() {
    let mut cases = Cases::default();
    for fed in 0..2 {
        for (begin, size) in [(1 << 28, 1), (-1, 1), (0, 1 << 28), (1 << 30, i32::MAX), (0, -2)] {
            let text = format!(
                "SLICE (node 0, output 'y'): {size} elements from {begin} on leave axis 1 of input 'x', which is [2, 3]"
            );
            let (begin, size) = (bytes_of(&[0, begin]), bytes_of(&[1, size]));
            if fed == 1 {
                cases.fed(sound("SLICE", 1), &[(1, begin), (2, size)], text);
            } else {
                cases.spoilt(
                    sound("SLICE", 0),
                    |m| {
                        constant(m, 1, begin);
                        constant(m, 2, size);
                    },
                    text,
                );
            }
        }
    }
}

#[test]
fn d18_quantization() {
    let mut cases = Cases::default();
    let spoil = |scale: f32, zero_point: i64| {
        move |m: &mut ModelBuilder| {
            let tensor = &mut m.subgraphs[0].tensors[0];
            *tensor = tensor.clone().quantized(scale, zero_point);
        }
    };
    let quantized = 1;
    cases.spoilt(
        sound("ADD", quantized),
        spoil(0.0, 0),
        "quantization.scale[0]: is 0, must be finite and positive",
    );
    cases.spoilt(
        sound("ADD", quantized),
        spoil(f32::NAN, 0),
        "subgraphs[0].tensors[0].quantization.scale[0]: is NaN, must be finite and positive",
    );
    cases.spoilt(
        sound("ADD", quantized),
        spoil(0.5, 1 << 40),
        "subgraphs[0].tensors[0].quantization.zero_point[0]: is 1099511627776, must be a value of",
    );
}

/// Scales that are finite and positive and yet extreme, and no quantization at all: an error or a result.
#[test]
fn d18_extreme_scales_of_every_op() {
    for Sound { op, model, .. } in op_models::all() {
        for t in 0..model.subgraphs[0].tensors.len() {
            let tensor = &model.subgraphs[0].tensors[t];
            if tensor.quantization.is_none() {
                continue;
            }
            for scale in [None, Some(f32::MIN_POSITIVE), Some(1e-45), Some(f32::MAX), Some(1e-9), Some(1e9)] {
                let mut model = model.clone();
                let tensor = &mut model.subgraphs[0].tensors[t];
                match scale {
                    None => tensor.quantization = None,
                    Some(scale) => *tensor = tensor.clone().quantized(scale, 0),
                }
                if let Err(error) = run(model.finish()) {
                    assert!(error.starts_with(op) || error.starts_with("subgraphs[0]"), "{op}: {error}");
                }
            }
        }
    }
}

#[test]
fn d19_shapes() {
    let mut cases = Cases::default();
    cases.spoilt(
        sound("ADD", 0),
        |m| m.subgraphs[0].tensors[0].shape = vec![65536; 4],
        "subgraphs[0].tensors[0].shape: the tensor's size overflows",
    );
    cases.spoilt(
        sound("ADD", 0),
        |m| m.subgraphs[0].tensors[0].shape = vec![1, -4],
        "subgraphs[0].tensors[0].shape[1]: is -4, must be 0 or more",
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

/// Strides, dilations, filter sizes and multipliers that are 0, negative or huge.
#[test]
fn d21_strides_dilations_filters() {
    let mut cases = Cases::default();
    let strides = [(1, "stride along the width is"), (2, "stride along the height is")];
    let dilations = |w, h| [(w, "dilation along the width is"), (h, "dilation along the height is")];
    let filters =
        [(3, "the filter has N taps along the width"), (4, "the filter has N taps along the height")];
    for (op, fields) in [
        ("CONV_2D", [strides, dilations(4, 5)]),
        ("DEPTHWISE_CONV_2D", [strides, dilations(5, 6)]),
        ("AVERAGE_POOL_2D", [strides, filters]),
        ("MAX_POOL_2D", [strides, filters]),
    ] {
        for (slot, what) in fields.concat() {
            for value in [0, -1, i32::MIN] {
                let what = if what.contains(" N ") {
                    what.replace(" N ", &format!(" {value} "))
                } else {
                    format!("{what} {value}")
                };
                let text = format!("{op} (node 0, output 'y'): {what}; it must be above zero");
                cases.spoilt(sound(op, 0), |m| option(m, slot, Value::I32(value)), text.clone());
                cases.spoilt(sound(op, 1), |m| option(m, slot, Value::I32(value)), text);
            }
            // A huge one may be in order: then the output is small.
            let mut model = sound(op, 0);
            option(&mut model, slot, Value::I32(i32::MAX));
            let _ = run(model.finish());
        }
    }
    for value in [0, -1, i32::MIN] {
        for (slot, pair) in [(1, [2, value]), (2, [value, 2])] {
            let text = format!(
                "TRANSPOSE_CONV (node 0, output 'y'): its strides are {pair:?}; they must be 1 to 32767"
            );
            cases.spoilt(sound("TRANSPOSE_CONV", 0), |m| option(m, slot, Value::I32(value)), text);
        }
    }
    for strides in [[1, 0], [0, 0]] {
        let text = "STRIDED_SLICE (node 0, output 'y'): the stride of entry";
        cases.spoilt(sound("STRIDED_SLICE", 0), |m| constant(m, 3, bytes_of(&strides)), text);
        let inputs = [(2, bytes_of(&[2, 6])), (3, bytes_of(&strides))];
        cases.fed(sound("STRIDED_SLICE", 1), &inputs, text);
    }
    for op in ["CONV_2D", "DEPTHWISE_CONV_2D", "TRANSPOSE_CONV"] {
        for shape in [[0, 3, 3, 2], [3, 0, 3, 2], [3, 3, 0, 2], [3, 3, 3, 0]] {
            let spoil = |m: &mut ModelBuilder| m.subgraphs[0].tensors[1].shape = shape.to_vec();
            cases.spoilt(sound(op, 0), spoil, format!("{shape:?}"));
        }
    }
}

#[test]
fn d22_gather_outside() {
    let mut cases = Cases::default();
    for n in [0, 2] {
        for (index, text) in [(1 << 28, "index 268435456"), (-(1 << 28), "index -268435456"), (4, "index 4")]
        {
            let indices = bytes_of(&[0, index]);
            cases.spoilt(sound("GATHER", n), |m| constant(m, 1, indices.clone()), text);
            cases.fed(sound("GATHER", n + 1), &[(1, indices)], text);
        }
    }
}

#[test]
fn d23_strings() {
    let strings = |data: Vec<u8>| {
        let one = OneOp::new("GATHER").constant(Tensor::new("s", STRING, &[2]), data);
        let one = one.constant(i32("indices", &[1]), bytes_of(&[0])).output(Tensor::new("y", STRING, &[1]));
        one.options::<GatherOptions>(|o| o).model()
    };
    assert_eq!(
        run(strings(bytes_of_strings(&["one", "two"])).finish()),
        Ok(vec![bytes_of_strings(&["one"])])
    );
    let mut cases = Cases::default();
    cases.model(strings(bytes_of(&[i32::MAX, 16, 17, 18])), "subgraphs[0].tensors[0].buffer: ");
    cases.model(strings(bytes_of(&[2, 16, 18, 17, 0])), "subgraphs[0].tensors[0].buffer: ");
    cases.model(strings(bytes_of(&[2, 16, i32::MAX, i32::MAX, 0])), "subgraphs[0].tensors[0].buffer: ");
    cases.model(strings(bytes_of(&[2])), "subgraphs[0].tensors[0].buffer: ");
    cases.model(strings(bytes_of(&[1, 12, 12])), "subgraphs[0].tensors[0].buffer: ");
}

#[test]
fn d24_two_producers() {
    let mut cases = Cases::default();
    cases.spoilt(
        sound("ADD", 0),
        |m| m.subgraphs[0].operators.extend_from_within(..),
        "subgraphs[0].operators[1].outputs[0]: tensor 2 is already written by operators[0]",
    );
    cases.spoilt(
        sound("ADD", 0),
        |m| m.subgraphs[0].operators[0].outputs = vec![0],
        "subgraphs[0].operators[0].outputs[0]: tensor 0 is an input of the subgraph",
    );
}

#[test]
fn d25_a_tensor_of_1_tib() {
    let mut cases = Cases::default();
    let huge = [1 << 20, 1 << 18];
    let one = OneOp::new("RELU").feed(f32("x", &huge)).output(f32("y", &huge));
    cases.model(one.model(), "1099511627776");
}

/// Small inputs whose outputs only the op's arithmetic makes huge: as constants in `allocate`, fed in `invoke`.
#[test]
fn d25_outputs_that_arithmetic_makes_huge() {
    let mut cases = Cases::default();
    let text = "the quota is";
    let big = 1 << 20;
    for (op, n, i, data) in [
        ("PAD", 0, 1, bytes_of(&[big, big, big, big])),
        ("RESIZE_BILINEAR", 0, 1, bytes_of(&[big, big])),
        ("RESIZE_NEAREST_NEIGHBOR", 0, 1, bytes_of(&[big, big])),
    ] {
        cases.spoilt(sound(op, n), |m| constant(m, i, data.clone()), text);
        cases.fed(sound(op, n + 1), &[(i, data)], text);
    }
    // Sizes that do not fit 64 bits, nor a dimension 32.
    for (op, n, i, data) in [
        ("PAD", 0, 1, bytes_of(&[i32::MAX; 4])),
        ("RESIZE_BILINEAR", 0, 1, bytes_of(&[i32::MAX; 2])),
        ("RESIZE_NEAREST_NEIGHBOR", 0, 1, bytes_of(&[i32::MAX; 2])),
        ("RESHAPE", 0, 1, bytes_of(&[i32::MAX; 2])),
        ("TRANSPOSE_CONV", 0, 0, bytes_of(&[1, i32::MAX, i32::MAX, 3])),
    ] {
        cases.spoilt(sound(op, n), |m| constant(m, i, data.clone()), "(node 0, output 'y'): ");
        if op != "TRANSPOSE_CONV" {
            cases.fed(sound(op, n + 1), &[(i, data)], "(node 0, output 'y'): ");
        }
    }
    let wide = |name: &str, shape: &[i32]| f32(name, shape);
    let add = OneOp::new("ADD").feed(wide("a", &[1 << 24, 1])).feed(wide("b", &[1, 1 << 24]));
    cases.model(add.output(f32("y", &[1, 1])).options::<AddOptions>(|o| o).model(), text);
    let matmul = OneOp::new("BATCH_MATMUL").feed(wide("a", &[1 << 24, 1])).feed(wide("b", &[1, 1 << 24]));
    cases.model(matmul.output(f32("y", &[1, 1])).options::<BatchMatMulOptions>(|o| o).model(), text);
}

#[test]
fn quota_of_bytes_nodes_and_time() {
    let quota = Quota { bytes: 100, ..Quota::default() };
    let error = run_with(sound("CONV_2D", 0).finish(), quota, &[]).expect_err("more than 100 bytes");
    assert!(error.contains("the quota is 100; raise `bytes` in [quota] if that is right"), "{error}");
    let quota = Quota { nodes: 0, ..Quota::default() };
    let error = run_with(sound("CONV_2D", 0).finish(), quota, &[]).expect_err("one node");
    assert_eq!(error, "the model needs 1 nodes, the quota is 0; raise `nodes` in [quota] if that is right");
    let quota = Quota { time: Some(Duration::ZERO), ..Quota::default() };
    let error = run_with(sound("CONV_2D", 0).finish(), quota, &[]).expect_err("no time at all");
    assert!(error.contains("time"), "{error}");
}

/// The padding SAME, one step at a time.
fn window<T: SlidingWindow>(o: Fields<T>) -> Fields<T> {
    let [rows, columns] = T::STRIDES;
    o.set(T::PADDING, padding::SAME).set(rows, 1).set(columns, 1)
}

/// One node that would run for hours stops when its time is over.
#[test]
fn time_inside_one_node() {
    let quota = Quota { time: Some(Duration::from_millis(50)), ..Quota::default() };
    let side = 1024;
    let (x, y) = (|| f32("x", &[1, side, side, 1]), || f32("y", &[1, side, side, 1]));
    let filter = |shape: &[i32]| f32("w", shape);
    let mut models = Vec::new();
    for op in ["MAX_POOL_2D", "AVERAGE_POOL_2D"] {
        let fill =
            |o| window(o).set(Pool2DOptions::FILTER_WIDTH, side).set(Pool2DOptions::FILTER_HEIGHT, side);
        models.push((op, OneOp::new(op).feed(x()).output(y()).options(fill).model()));
    }
    let conv = |op| OneOp::new(op).feed(x()).feed(filter(&[1, side, side, 1])).output(y());
    models.push(("CONV_2D", conv("CONV_2D").options(window::<Conv2DOptions>).model()));
    let depthwise =
        conv("DEPTHWISE_CONV_2D").options(|o| window(o).set(DepthwiseConv2DOptions::DEPTH_MULTIPLIER, 1));
    models.push(("DEPTHWISE_CONV_2D", depthwise.model()));
    let shape = OneOp::new("TRANSPOSE_CONV").constant(i32("shape", &[4]), bytes_of(&[1, side, side, 1]));
    let one = shape.feed(filter(&[1, side, side, 1])).feed(x()).output(y());
    models.push(("TRANSPOSE_CONV", one.options(window::<TransposeConvOptions>).model()));
    let wide = [4096, 4096];
    let one = OneOp::new("FULLY_CONNECTED").feed(f32("x", &wide)).feed(filter(&wide)).output(f32("y", &wide));
    models.push(("FULLY_CONNECTED", one.options::<FullyConnectedOptions>(|o| o).model()));
    let one = OneOp::new("BATCH_MATMUL").feed(f32("x", &wide)).feed(filter(&wide)).output(f32("y", &wide));
    models.push(("BATCH_MATMUL", one.options::<BatchMatMulOptions>(|o| o).model()));
    for (op, model) in models {
        // Asserts that it takes less than a second, too.
        let error = run_with(model.finish(), quota, &[]).expect_err("it takes longer");
        println!("{op}: {error}");
        assert!(error.contains("time"), "{op}: {error}");
    }
}

#[test]
fn metadata_of_no_buffer() {
    let mut cases = Cases::default();
    cases.spoilt(
        sound("ADD", 0),
        |m| m.metadata.push(("m".into(), 9999)),
        "metadata[0].buffer: buffer index 9999, model has 1 buffers",
    );
}

#[test]
fn operator_code_out_of_range() {
    let mut cases = Cases::default();
    cases.spoilt(
        sound("ADD", 0),
        |m| m.subgraphs[0].operators[0].opcode_index = 1 << 31,
        "subgraphs[0].operators[0].opcode_index: operator code index 2147483648, model has 1 operator codes",
    );
}

/// Every op with the options of another: an error that names both, or they are not read.
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
            let text = format!("its options are of union type {}, this op reads ", OTHER.tag);
            assert!(error.contains(&text), "{op}: {error}");
            refused += 1;
        }
    }
    assert!(refused > 20, "only {refused} were refused");
}

#[test]
fn rank_9() {
    let mut cases = Cases::default();
    let one = OneOp::new("RELU").feed(f32("x", &[1; 9])).output(f32("y", &[1; 9]));
    cases.model(one.model(), "tensor 'x' (index 0': it has rank 9, the highest is 8");
}

/// Truncated and random flexbuffers as custom options: nothing serves the op, and nothing falls over before.
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

/// 10⁵ nodes in a row, which a delegate that takes every other one would cut into as many partitions.
#[test]
fn d_also_many_nodes() {
    let mut model = ModelBuilder::new();
    let codes = [model.builtin("RELU", 1), model.builtin("NEG", 1)];
    let mut graph = SubGraph::new("main");
    let mut last = graph.input(Tensor::new("x", FLOAT32, &[4]));
    for i in 0..100_000 {
        let next = graph.tensor(Tensor::new("t", FLOAT32, &[4]));
        graph.operator(Operator::new(codes[i % 2], &[last], &[next]));
        last = next;
    }
    graph.outputs.push(last);
    model.subgraph(graph);
    let bytes = model.finish();
    let clock = Clock::start();
    let model = Model::from_bytes(bytes).expect("it is sound");
    let quota = Quota { nodes: 99_999, ..Quota::default() };
    let build = Interpreter::builder(&model).registry(registry()).quota(quota).build();
    assert!(build.is_err_and(|error| error.to_string().contains("the model needs 100000 nodes")));
    let mut interpreter = Interpreter::builder(&model)
        .registry(registry())
        .threads(1)
        .build()
        .expect("within the default quota");
    interpreter.allocate().expect("every node is served");
    interpreter.invoke().expect("it runs");
    clock.at_most(20);
}

// ── Mutations ──────────────────────────────────────────────────────────────────────────────────────────────────────

/// How many mutations: 20,000, or as `ARENITE_MUTATIONS` says; the seed changes with the number.
fn mutations() -> usize {
    let asked = std::env::var("ARENITE_MUTATIONS").ok();
    asked.map_or(20_000, |text| text.parse().expect("ARENITE_MUTATIONS is a number"))
}

/// Runs the bytes, and says which they are if that panics.
fn survives(what: &str, case: usize, bytes: &[u8]) {
    let clock = Clock::start();
    let result = std::panic::catch_unwind(|| arenite_tests::fuzz::model(bytes));
    assert!(result.is_ok(), "{what}, mutation {case} panicked");
    assert!(clock.spent() < Duration::from_secs(2), "{what}, mutation {case}: {:?}", clock.spent());
}

#[test]
fn mutated_bytes_never_panic() {
    let digits = |name: &str| {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/digits").join(name);
        (name.to_owned(), std::fs::read(path).expect("it is committed"))
    };
    let mut files = vec![digits("digits_f32.tflite"), digits("digits_i8.tflite")];
    files.extend(op_models::all().into_iter().map(|sound| (sound.op.to_owned(), sound.model.finish())));
    let each = mutations() / files.len();
    let mut random = Random(2 * mutations() as u64);
    for (name, bytes) in &files {
        for case in 0..each {
            let mut bytes = bytes.clone();
            mutants::spoil_bytes(&mut bytes, &mut random);
            survives(name, case, &bytes);
        }
    }
}

/// The file stays well formed, what it says does not: shapes, types, options, constants, quantization, wiring.
#[test]
fn mutated_models_never_panic() {
    let models = op_models::all();
    let each = mutations() / models.len();
    let mut random = Random(2 * mutations() as u64 + 1);
    for Sound { op, model, .. } in &models {
        for case in 0..each {
            let mut model = model.clone();
            mutants::spoil_model(&mut model, &mut random);
            survives(op, case, &model.finish());
        }
    }
}
