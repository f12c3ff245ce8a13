//! `run --each`: sequences, states, front ends.

use std::path::Path;

use arenite_abi::testing::FlexBuilder;
use arenite_model::tensor_type::{FLOAT32, INT8, INT16};
use arenite_model::writer::{Operator, Tensor, bytes_of};
use npyz::WriterBuilder;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::running::write_model;
use crate::{arenite, fail, json, path, stderr, succeed};

/// Writes a model that adds an input to its state.
fn write_sum(folder: &TempDir, state: [&str; 2]) -> String {
    write_model(folder, |model, graph| {
        let op = model.builtin("ADD", 1);
        let x = graph.input(Tensor::new("x", FLOAT32, &[1, 2]));
        let before = graph.input(Tensor::new(state[0], FLOAT32, &[1, 2]));
        let after = graph.output(Tensor::new(state[1], FLOAT32, &[1, 2]));
        graph.operator(Operator::new(op, &[x, before], &[after]));
    })
}

/// Writes a model with one node of one input and one output.
fn write_unary(folder: &TempDir, op: &str, ty: i32, count: i32) -> String {
    write_model(folder, |model, graph| {
        let op = model.builtin(op, 1);
        let x = graph.input(Tensor::new("x", ty, &[1, count]));
        let y = graph.output(Tensor::new("y", ty, &[1, count]));
        graph.operator(Operator::new(op, &[x], &[y]));
    })
}

/// Writes 16-bit samples at 16 kHz.
fn write_wav(folder: &TempDir, samples: impl IntoIterator<Item = i16>) -> String {
    let file = folder.path().join("sound.wav");
    let spec = hound::WavSpec {
        channels: 1,
        sample_rate: 16_000,
        bits_per_sample: 16,
        sample_format: hound::SampleFormat::Int,
    };
    let mut writer = hound::WavWriter::create(&file, spec).unwrap();
    samples.into_iter().for_each(|sample| writer.write_sample(sample).unwrap());
    writer.finalize().unwrap();
    file.display().to_string()
}

fn write_npy(file: &Path, shape: &[u64], values: &[f32]) {
    let options = npyz::WriteOptions::new().default_dtype().shape(shape);
    let mut writer = options.writer(std::fs::File::create(file).unwrap()).begin_nd().unwrap();
    writer.extend(values.iter().copied()).unwrap();
    writer.finish().unwrap();
}

/// The values of output 0 in each step.
fn values(report: &Value) -> Value {
    let steps = report["steps"].as_array().expect("steps");
    steps.iter().map(|step| step["outputs"][0]["values"].clone()).collect()
}

const FEED: [&str; 6] = ["--input", "x=1,2", "--input", "x=10,20", "--input", "x=100,200"];

#[test]
fn a_state_with_matching_names_is_carried_from_step_to_step() {
    let folder = tempfile::tempdir().unwrap();
    let model = write_sum(&folder, ["state_in", "state_out"]);
    let run = |more: &[&str]| json(&[&["run", &model, "--each", "--json"], &FEED[..], more].concat());
    let got = run(&[]);
    assert_eq!(values(&got), json!([[1.0, 2.0], [11.0, 22.0], [111.0, 222.0]]));
    assert_eq!(got["state"], json!([{ "input": "state_in", "output": "state_out" }]));
    assert_eq!(
        values(&run(&["--input", "state_in=0.5"])),
        json!([[1.5, 2.5], [11.5, 22.5], [111.5, 222.5]]),
        "the first state is given"
    );
    let got = run(&["--state", "none", "--input", "state_in=zeros"]);
    assert_eq!(values(&got), json!([[1.0, 2.0], [10.0, 20.0], [100.0, 200.0]]));

    let text = succeed(&[&["run", &model, "--each"], &FEED[..]].concat());
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "state: output 'state_out' becomes input 'state_in' of the next step");
    assert_eq!(lines[3], "step 2     output 0  min 111  max 222  values  111 222");
    assert!(lines[4].starts_with("3 steps, "), "{text}");
}

#[test]
fn other_pairs_of_states_are_given_and_checked() {
    let folder = tempfile::tempdir().unwrap();
    let model = write_sum(&folder, ["memory", "result"]);
    let output = arenite(&[&["run", &model, "--each"], &FEED[..]].concat());
    assert!(stderr(&output).contains("if it is the model's state, add --state 1=0"), "{}", stderr(&output));
    let got = json(&[&["run", &model, "--each", "--state", "memory=0", "--json"], &FEED[..]].concat());
    assert_eq!(values(&got), json!([[1.0, 2.0], [11.0, 22.0], [111.0, 222.0]]));
    let with = |state| [&["run", &model, "--each", "--state", state], &FEED[..]].concat();
    fail(&with("memory=missing"), 1, &["unknown output 'missing'", "0 'result'"]);
    fail(&with("x=result"), 1, &["input 0 'x' of --state gets its values elsewhere as well"]);
}

/// An output that the configuration ties needs no `--state`, and `--state` cannot change it.
#[test]
fn a_tied_state_keeps_its_value() {
    let folder = tempfile::tempdir().unwrap();
    let model = write_model(&folder, |model, graph| {
        let op = model.builtin("ADD", 1);
        let x = graph.input(Tensor::new("x", FLOAT32, &[1, 2]));
        let before = graph.input(Tensor::new("memory", FLOAT32, &[1, 2]));
        let after = graph.output(Tensor::new("result", FLOAT32, &[1, 2]));
        graph.operator(Operator::new(op, &[x, before], &[after]));
        model.signature("sum", 0, &[("x", x), ("memory", before)], &[("result", after)]);
    });
    let config = folder.path().join("arenite.toml");
    let text = "schema = 1\n[tie]\npairs = [{ signature = 'sum', output = 'result', input = 'memory' }]\n";
    std::fs::write(&config, text).unwrap();
    let config = config.display().to_string();
    let start = ["run", &model, "--each", "--config", &config, "--json"];
    for signature in [&[][..], &["--signature", "sum"]] {
        let run = |more: &[&str]| json(&[&start[..], &FEED, signature, more].concat());
        assert_eq!(values(&run(&[])), json!([[1.0, 2.0], [11.0, 22.0], [111.0, 222.0]]));
        let given = run(&["--input", "memory=0.5", "--state", "none"]);
        assert_eq!(values(&given), json!([[1.5, 2.5], [11.5, 22.5], [111.5, 222.5]]));
        let state = [&start[..], &FEED, signature, &["--state", "memory=result"]].concat();
        fail(&state, 1, &["input 1 'memory' of --state gets its values elsewhere as well"]);
    }
    let got = json(&["config", "--config", &config, "--json"]);
    let settings = got["settings"].as_array().unwrap();
    assert!(settings.iter().any(|setting| setting["key"] == "tie.pairs[0].output"), "{got}");
}

#[test]
fn sequences_are_rows_of_arrays_of_one_length() {
    let folder = tempfile::tempdir().unwrap();
    let model = write_sum(&folder, ["a", "b"]);
    let rows = folder.path().join("rows.npy");
    for shape in [&[3, 1, 2][..], &[3, 2]] {
        write_npy(&rows, shape, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let rows = format!("x={}", rows.display());
        let got = json(&["run", &model, "--each", "--input", &rows, "--input", "a=10", "--json"]);
        assert_eq!(values(&got), json!([[11.0, 12.0], [13.0, 14.0], [15.0, 16.0]]));
    }
    let given = format!("x={}", rows.display());
    let short = ["run", &model, "--each", "--input", &given, "--input", "a=1", "--input", "a=2"];
    fail(&short, 1, &["input 0 'x' (FLOAT32 [1,2]) has 3 steps", "has 2 steps", "the same length"]);
    fail(&["run", &model, "--each", "--input", "x=1"], 1, &["--each needs a sequence"]);
    write_npy(&rows, &[3, 5], &[0.0; 15]);
    fail(&["run", &model, "--each", "--input", &given], 1, &["its shape is [3,5]", "which counts the steps"]);
}

#[test]
fn sound_is_fed_frame_by_frame_and_outputs_are_stacked() {
    let folder = tempfile::tempdir().unwrap();
    let model = write_unary(&folder, "NEG", FLOAT32, 4);
    let sound = write_wav(&folder, (0..10).map(|i| i * -2048));
    let out = folder.path().join("out");
    let given = format!("x={sound}");
    let run = |more: &[&str]| json(&[&["run", &model, "--each", "--input", &given, "--json"], more].concat());
    let got = run(&["--output-dir", out.to_str().unwrap()]);
    assert_eq!(got["steps"].as_array().unwrap().len(), 3, "the last frame is half silence");
    assert_eq!(got["steps"][2]["outputs"][0]["values"].as_array().unwrap()[2..], [-0.0, -0.0]);
    let file = std::fs::read(out.join("out_0.npy")).unwrap();
    let npy = npyz::NpyFile::new(&file[..]).unwrap();
    assert_eq!(npy.shape(), [3, 1, 4]);
    let written: Vec<f32> = npy.into_vec().unwrap();
    assert_eq!(written[..3], [0.0, 0.0625, 0.125]);

    let got = run(&["--hop", "2"]);
    let steps = got["steps"].as_array().unwrap();
    assert_eq!(steps.len(), 4);
    assert_eq!(steps[1]["seconds"], 2.0 / 16_000.0);
    assert_eq!(steps[1]["outputs"][0]["values"][0], json!(written[2]));
}

/// The op delays by one sample, so the first sample of a frame comes from the frame before.
#[test]
fn ops_keep_their_state_between_steps() {
    let folder = tempfile::tempdir().unwrap();
    let model = write_model(&folder, |model, graph| {
        let op = model.custom("SignalDelay", 1);
        let x = graph.input(Tensor::new("x", INT16, &[2]));
        let y = graph.output(Tensor::new("y", INT16, &[2]));
        let options = FlexBuilder::default().int("delay_length", 1).finish();
        graph.operator(Operator::new(op, &[x], &[y]).custom_options(options));
    });
    let sound = write_wav(&folder, [1, 2, 3, 4]);
    let got = json(&["run", &model, "--each", "--input", &format!("x={sound}"), "--json"]);
    assert_eq!(values(&got), json!([[0, 1], [2, 3]]), "INT16 without a scale holds the samples");
}

#[test]
fn pictures_are_classified_one_after_the_other() {
    let model = path("digits_i8.tflite");
    let (seven, three) = (path("samples/7.png"), path("samples/3.png"));
    let pictures = ["run", &model, "--image", &seven, "--image", &three];
    let text = succeed(&[&pictures[..], &["--each", "--labels", &path("labels.txt")]].concat());
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("step 0") && lines[0].ends_with("%  7  (class 7)"), "{text}");
    assert!(lines[1].contains("3.png") && lines[1].ends_with("%  3  (class 3)"), "{text}");
    fail(&pictures, 1, &["--image is given 2 times", "add --each"]);
}

/// Three frames of features of a rising tone, in 1/25.6, from tflite-micro's audio_preprocessor_float.tflite.
const FEATURES: [[i16; 40]; 3] = [
    [
        602, 586, 651, 603, 663, 607, 662, 602, 653, 583, 585, 564, 633, 593, 650, 596, 653, 597, 648, 587,
        637, 589, 643, 592, 641, 587, 631, 586, 632, 584, 626, 579, 621, 578, 617, 572, 615, 570, 607, 571,
    ],
    [
        425, 0, 0, 0, 0, 0, 493, 564, 659, 606, 659, 593, 570, 0, 0, 0, 0, 0, 556, 574, 641, 585, 632, 552,
        529, 476, 599, 563, 625, 568, 610, 533, 607, 561, 616, 555, 599, 556, 607, 547,
    ],
    [
        490, 236, 0, 0, 0, 0, 0, 0, 0, 342, 625, 603, 661, 593, 565, 0, 0, 0, 302, 0, 0, 0, 406, 526, 635,
        588, 631, 515, 430, 292, 531, 552, 620, 559, 593, 507, 579, 550, 608, 537,
    ],
];

/// A rising triangular tone.
fn tone() -> impl Iterator<Item = i16> {
    let mut phase = 0i32;
    (0..1120).map(move |i| {
        phase = (phase + 1200 + 3 * i) % 65_536;
        (if phase < 32_768 { phase } else { 65_535 - phase } / 2 - 8192) as i16
    })
}

#[test]
fn the_front_end_micro_computes_the_features_of_micro_speech() {
    let folder = tempfile::tempdir().unwrap();
    let model = write_unary(&folder, "NEG", FLOAT32, 120);
    let given = format!("x={}", write_wav(&folder, tone()));
    let got = json(&["run", &model, "--input", &given, "--frontend", "micro", "--values", "120", "--json"]);
    let got: Vec<f32> = serde_json::from_value(got["outputs"][0]["values"].clone()).unwrap();
    let wanted: Vec<f32> = FEATURES.as_flattened().iter().map(|&v| -f32::from(v) / 25.6).collect();
    assert_eq!(got, wanted);
}

#[test]
fn a_model_as_front_end_runs_frame_by_frame() {
    let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let front_end = write_unary(&other, "NEG", FLOAT32, 2);
    let model = write_unary(&folder, "NEG", FLOAT32, 4);
    let given = format!("x={}", write_wav(&folder, [16_384, 0, -16_384, 8_192]));
    let run = |stride: &str| {
        let front_end = format!("{front_end}{stride}");
        let front_end = front_end.as_str();
        ["run", &model, "--input", &given, "--frontend", front_end, "--json"].map(str::to_owned)
    };
    let got = json(&run(":stride=1").each_ref().map(String::as_str));
    assert_eq!(
        got["outputs"][0]["values"],
        json!([0.5, 0.0, 0.0, -0.5]),
        "two frames of two samples, one apart"
    );
    fail(&run("").each_ref().map(String::as_str), 1, &["takes frames of 2 samples", ":stride=2"]);
    fail(&run(":width=1").each_ref().map(String::as_str), 1, &["has no option 'width'"]);
}

#[test]
fn sound_for_an_input_of_features_is_refused_with_the_ways_out() {
    let folder = tempfile::tempdir().unwrap();
    let model = write_model(&folder, |model, graph| {
        let op = model.builtin("DEQUANTIZE", 2);
        let x = graph.input(Tensor::new("x", INT8, &[1, 49, 10, 1]).quantized(0.58, 83));
        let y = graph.output(Tensor::new("y", FLOAT32, &[1, 49, 10, 1]));
        graph.operator(Operator::new(op, &[x], &[y]));
    });
    let given = format!("x={}", write_wav(&folder, [0; 500]));
    fail(
        &["run", &model, "--input", &given],
        1,
        &["input 0 'x' (INT8 [1,49,10,1])", "it takes features", "--frontend MODEL.tflite:stride=N"],
    );
    succeed(&["run", &model, "--input", &given, "--frontend", "none"]);
}

#[test]
fn outputs_of_a_signature_are_written_under_its_names() {
    let folder = tempfile::tempdir().unwrap();
    let model = write_model(&folder, |model, graph| {
        let op = model.builtin("NEG", 1);
        let buffer = model.buffer(bytes_of(&[1.0f32]));
        let x = graph.tensor(Tensor::new("x", FLOAT32, &[1]).buffer(buffer));
        let outputs = ["a/b", "c"].map(|name| graph.output(Tensor::new(name, FLOAT32, &[1])));
        for y in outputs {
            graph.operator(Operator::new(op, &[x], &[y]));
        }
        model.signature("main", 0, &[], &[("scores", outputs[1]), ("../box", outputs[0])]);
    });
    let out = folder.path().join("out");
    let arguments = ["run", &model, "--signature", "main", "--output-dir", out.to_str().unwrap()];
    let got = json(&[&arguments[..], &["--json"]].concat());
    let mut files: Vec<String> = std::fs::read_dir(&out)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    assert_eq!(files, ["_box.npy", "scores.npy"]);
    for output in got["outputs"].as_array().unwrap() {
        let (name, file) = (output["name"].as_str().unwrap(), output["file"].as_str().unwrap());
        assert!(file.ends_with(if name == "scores" { "scores.npy" } else { "_box.npy" }), "{name} {file}");
    }
}
