//! `run` and `bench`: results, outputs, inputs, profiles.

use arenite_abi::testing::FlexBuilder;
use arenite_model::tensor_type::{FLOAT32, INT8};
use arenite_model::writer::{ModelBuilder, Operator, SubGraph, Tensor, bytes_of};
use serde_json::Value;
use tempfile::TempDir;

use crate::{arenite, digits, fail, json, path, stderr, stdout, succeed};

/// The lowest probability in `expected.json` comes from LiteRT; rounding may differ on other processors.
const PROBABILITY_SLACK: f64 = 0.01;

#[test]
fn every_digit_is_recognised_by_both_models() {
    let expected = std::fs::read_to_string(digits("expected.json")).unwrap();
    let expected: Value = serde_json::from_str(&expected).unwrap();
    let samples = expected["samples"].as_object().unwrap();
    assert_eq!(samples.len(), 10);
    for (sample, models) in samples {
        for kind in ["f32", "i8"] {
            let model = path(&format!("digits_{kind}.tflite"));
            let (image, labels) = (path(sample), path("labels.txt"));
            let got = json(&["run", &model, "--image", &image, "--labels", &labels, "--top", "2", "--json"]);
            let top = &got["top"][0];
            assert_eq!(top["index"], models[kind]["top"], "{sample} {kind}");
            assert_eq!(top["label"], models[kind]["top"].to_string(), "{sample} {kind}");
            let lowest = models[kind]["lowest"].as_f64().unwrap() - PROBABILITY_SLACK;
            assert!(top["confidence"].as_f64().unwrap() >= lowest, "{sample} {kind}: {top}");
            assert_eq!(got["top"].as_array().unwrap().len(), 2);
        }
    }
}

#[test]
fn labels_are_printed_with_their_confidence() {
    let (image, labels) = (path("samples/7.png"), path("labels.txt"));
    let text =
        succeed(&["run", &path("digits_i8.tflite"), "--image", &image, "--labels", &labels, "--top", "1"]);
    let words: Vec<&str> = text.split_whitespace().collect();
    assert_eq!(words[1..], ["%", "7", "(class", "7)"], "{text}");
    assert!(words[0].parse::<f64>().unwrap() > 90.0, "{text}");
    assert!(!text.contains('\x1b'), "colours are for terminals");
}

#[test]
fn the_best_classes_are_shown_without_labels() {
    let image = path("samples/7.png");
    let text = succeed(&["run", &path("digits_i8.tflite"), "--image", &image, "--top", "1"]);
    let words: Vec<&str> = text.split_whitespace().collect();
    assert_eq!(words[1..], ["%", "class", "7"], "{text}");
}

/// Writes a model with the nodes that `build` adds to its one subgraph.
pub(crate) fn write_model(folder: &TempDir, build: impl FnOnce(&mut ModelBuilder, &mut SubGraph)) -> String {
    let (mut model, mut graph) = (ModelBuilder::new(), SubGraph::new("main"));
    build(&mut model, &mut graph);
    model.subgraph(graph);
    let file = folder.path().join("model.tflite");
    std::fs::write(&file, model.finish()).expect("cannot write the model");
    file.display().to_string()
}

#[test]
fn outputs_that_are_not_scores_are_shown_and_written_although_labels_fail() {
    let folder = tempfile::tempdir().unwrap();
    let model = write_model(&folder, |model, graph| {
        let op = model.builtin("NEG", 1);
        let x = graph.input(Tensor::new("x", FLOAT32, &[2, 3]));
        let y = graph.output(Tensor::new("y", FLOAT32, &[2, 3]));
        graph.operator(Operator::new(op, &[x], &[y]));
    });
    let (labels, out) = (path("labels.txt"), folder.path().join("out"));
    let arguments = ["run", &model, "--labels", &labels, "--output-dir", out.to_str().unwrap()];
    fail(&arguments, 1, &["output 0 'y' is FLOAT32 [2,3]", "as --labels needs"]);
    assert!(out.join("out_0.npy").is_file(), "the output is written");
    let output = arenite(&[&arguments[..], &["--json"]].concat());
    let got: Value = serde_json::from_slice(&output.stdout).expect("stdout is one JSON value");
    assert!(got["error"].as_str().unwrap().contains("as --labels needs"), "{got}");
    assert_eq!(got["outputs"][0]["count"], 6);
}

/// A detector with two boxes at most, four anchors and two classes beside the background.
fn write_detector(folder: &TempDir) -> String {
    write_model(folder, |model, graph| {
        let op = model.custom("TFLite_Detection_PostProcess", 1);
        let boxes = graph.input(Tensor::new("boxes", FLOAT32, &[1, 4, 4]));
        let scores = graph.input(Tensor::new("scores", FLOAT32, &[1, 4, 3]));
        let anchors =
            [[0.5f32, 0.5, 0.2, 0.4], [0.2, 0.2, 0.1, 0.1], [0.8, 0.8, 0.1, 0.1], [0.1, 0.9, 0.1, 0.1]];
        let anchors = model.buffer(bytes_of(&anchors.concat()));
        let anchors = graph.tensor(Tensor::new("anchors", FLOAT32, &[4, 4]).buffer(anchors));
        let outputs = [("b", &[1, 2, 4][..]), ("c", &[1, 2]), ("s", &[1, 2]), ("n", &[1])]
            .map(|(name, shape)| graph.output(Tensor::new(name, FLOAT32, shape)));
        let options = FlexBuilder::default().int("max_detections", 2).int("max_classes_per_detection", 1);
        let options =
            options.int("num_classes", 2).float("nms_score_threshold", 0.0).float("nms_iou_threshold", 0.5);
        let scales = ["x_scale", "y_scale", "w_scale", "h_scale"];
        let options = scales.into_iter().fold(options, |options, key| options.float(key, 1.0));
        graph.operator(
            Operator::new(op, &[boxes, scores, anchors], &outputs).custom_options(options.finish()),
        );
    })
}

/// Class 1 at the first anchor with 0.9, class 0 at the third with 0.2.
const SCORES: &str = "scores=0,0,0.9,0,0,0,0,0.2,0,0,0,0";

#[test]
fn detected_objects_are_listed_with_their_boxes() {
    let folder = tempfile::tempdir().unwrap();
    let model = write_detector(&folder);
    let labels = folder.path().join("labels.txt");
    std::fs::write(&labels, "cat\ndog\n").unwrap();
    let given = ["run", &model, "--input", "boxes=zeros", "--input", SCORES];
    let text = succeed(&[&given[..], &["--labels", labels.to_str().unwrap()]].concat());
    assert_eq!(text, "  90.0 %  dog  x 0.30..0.70  y 0.40..0.60\n");

    let got = json(&[&given[..], &["--threshold", "0.1", "--json"]].concat());
    let reading = &got["readings"][0];
    assert_eq!(
        (&reading["kind"], &reading["outputs"]),
        (&Value::from("detections"), &serde_json::json!([0, 1, 2, 3]))
    );
    assert_eq!(reading["detections"][1]["label"], "class 0");

    let text = succeed(&[&given[..], &["--threshold", "0.95"]].concat());
    assert_eq!(text, "no object with a score of 0.95 or more; --threshold changes the limit\n");
}

#[test]
fn boxes_are_drawn_into_a_png() {
    let folder = tempfile::tempdir().unwrap();
    let (model, drawn) = (write_detector(&folder), folder.path().join("drawn.png"));
    let given = ["run", &model, "--input", "boxes=zeros", "--input", SCORES];
    let text = succeed(&[&given[..], &["--draw", drawn.to_str().unwrap()]].concat());
    assert!(text.ends_with("drawn.png\n"), "{text}");
    let picture = image::open(&drawn).unwrap().to_rgb8();
    let at = |x: f32, y: f32| {
        let (width, height) = picture.dimensions();
        picture.get_pixel((width as f32 * x) as u32, (height as f32 * y) as u32).0
    };
    assert_ne!(at(0.3, 0.5), [0; 3], "the left edge");
    assert_eq!(at(0.5, 0.5), [0; 3], "inside");

    let nothing = folder.path().join("nothing.png");
    let digits = path("digits_f32.tflite");
    fail(
        &["run", &digits, "--draw", nothing.to_str().unwrap()],
        1,
        &["nothing.png is not written", "as --draw needs"],
    );
    assert!(!nothing.exists());
}

#[test]
fn labels_packed_into_the_model_name_its_classes() {
    let model =
        format!("{}/../common/answers/src/tests/digits_with_metadata.tflite", env!("CARGO_MANIFEST_DIR"));
    let text = succeed(&["run", &model, "--image", &path("samples/7.png"), "--top", "1"]);
    assert_eq!(text.split_whitespace().skip(2).collect::<Vec<_>>(), ["seven", "(class", "7)"], "{text}");
}

#[test]
fn inputs_are_given_as_numbers_bytes_or_sound() {
    let folder = tempfile::tempdir().unwrap();
    let model = write_model(&folder, |model, graph| {
        let (op, dequantize) = (model.builtin("NEG", 1), model.builtin("DEQUANTIZE", 2));
        let x = graph.input(Tensor::new("x", FLOAT32, &[4]));
        let q = graph.input(Tensor::new("q", INT8, &[3]).quantized(0.5, 7));
        let y = graph.output(Tensor::new("y", FLOAT32, &[4]));
        let z = graph.output(Tensor::new("z", FLOAT32, &[3]));
        graph.operator(Operator::new(op, &[x], &[y]));
        graph.operator(Operator::new(dequantize, &[q], &[z]));
    });
    let run = |x: &str, q: &str| {
        let got = json(&["run", &model, "--input", x, "--input", q, "--json"]);
        [0, 1].map(|i| serde_json::from_value::<Vec<f32>>(got["outputs"][i]["values"].clone()).unwrap())
    };
    assert_eq!(run("x=1.5", "q=-2,0,3.5"), [vec![-1.5; 4], vec![-2.0, 0.0, 3.5]]);
    let raw = folder.path().join("x.raw");
    std::fs::write(&raw, bytes_of(&[1.0f32, 2.0, 3.0, 4.0])).unwrap();
    let wav = folder.path().join("x.WAV");
    let spec = hound::WavSpec {
        channels: 2,
        sample_rate: 16_000,
        bits_per_sample: 16,
        sample_format: hound::SampleFormat::Int,
    };
    let mut writer = hound::WavWriter::create(&wav, spec).unwrap();
    [16384i16, 0, -32768, -32768].into_iter().for_each(|sample| writer.write_sample(sample).unwrap());
    writer.finalize().unwrap();
    assert_eq!(
        run(&format!("x=raw:{}", raw.display()), "q=zeros"),
        [vec![-1.0, -2.0, -3.0, -4.0], vec![0.0; 3]]
    );
    assert_eq!(
        run(&format!("x={}", wav.display()), "q=zeros")[0],
        [-0.25, 1.0, 0.0, 0.0],
        "mixed, then silence"
    );

    let short = folder.path().join("short.raw");
    std::fs::write(&short, [0; 15]).unwrap();
    let argument = format!("x=raw:{}", short.display());
    fail(&["run", &model, "--input", &argument], 1, &["short.raw", "15 bytes", "has 16 bytes"]);
    fail(&["run", &model, "--input", "x=1,2"], 1, &["has 4 elements, but 2 numbers are given"]);
    fail(&["run", &model, "--input", "x=missing.wav"], 1, &["missing.wav"]);
}

/// With a picture, further inputs such as states start at real zero.
#[test]
fn inputs_beside_a_picture_are_zero() {
    let folder = tempfile::tempdir().unwrap();
    let model = write_model(&folder, |model, graph| {
        let (op, dequantize) = (model.builtin("NEG", 1), model.builtin("DEQUANTIZE", 2));
        let image = graph.input(Tensor::new("image", FLOAT32, &[1, 8, 8, 1]));
        let state = graph.input(Tensor::new("state", INT8, &[3]).quantized(0.5, 7));
        let negated = graph.output(Tensor::new("negated", FLOAT32, &[1, 8, 8, 1]));
        let real = graph.output(Tensor::new("real", FLOAT32, &[3]));
        graph.operator(Operator::new(op, &[image], &[negated]));
        graph.operator(Operator::new(dequantize, &[state], &[real]));
    });
    let got = json(&["run", &model, "--image", &path("samples/7.png"), "--json"]);
    assert_eq!(got["inputs"][1]["source"], "zeros");
    assert_eq!(got["outputs"][1]["values"], serde_json::json!([0.0, 0.0, 0.0]));
}

#[test]
fn written_outputs_equal_the_printed_ones() {
    let dir = tempfile::tempdir().unwrap();
    let (input, out) = (format!("image={}", path("cases/i8/in_0.npy")), dir.path().display().to_string());
    let model = path("digits_i8.tflite");
    let arguments = ["run", &model, "--input", &input, "--output-dir", &out, "--values", "10", "--json"];
    let got = json(&arguments);
    let file = std::fs::read(dir.path().join("out_0.npy")).unwrap();
    let npy = npyz::NpyFile::new(&file[..]).unwrap();
    assert_eq!(npy.shape(), [1, 10]);
    let written: Vec<i8> = npy.into_vec().unwrap();
    let printed: Vec<i8> = serde_json::from_value(got["outputs"][0]["values"].clone()).unwrap();
    assert_eq!(written, printed);
    let expected = std::fs::read(digits("cases/i8/out_0.npy")).unwrap();
    assert_eq!(file[file.len() - 10..], expected[expected.len() - 10..], "LiteRT's answer");
}

#[test]
fn a_signature_and_the_main_subgraph_agree() {
    let model = path("digits_f32.tflite");
    let input = format!("image={}", path("cases/f32/in_0.npy"));
    let by_position = format!("0={}", path("cases/f32/in_0.npy"));
    let main = json(&["run", &model, "--input", &by_position, "--json"]);
    let signature = json(&["run", &model, "--signature", "serving_default", "--input", &input, "--json"]);
    assert_eq!(main["outputs"][0]["values"], signature["outputs"][0]["values"]);
    assert_eq!(signature["outputs"][0]["name"], "probabilities");
}

#[test]
fn random_inputs_depend_on_the_seed_and_are_announced() {
    let model = path("digits_f32.tflite");
    let run = |seed: &str| arenite(&["run", &model, "--seed", seed]);
    let (first, again, other) = (run("1"), run("1"), run("2"));
    assert_eq!(stdout(&first), stdout(&again));
    assert_ne!(stdout(&first), stdout(&other));
    assert!(stderr(&first).contains("input 0 'image' (FLOAT32 [1,16,16,1]) is random, seed 1"));
}

#[test]
fn a_profile_has_a_row_and_a_trace_an_event_per_node() {
    let dir = tempfile::tempdir().unwrap();
    let trace = dir.path().join("trace.json").display().to_string();
    let model = path("digits_f32.tflite");
    let options = ["--delegate", "none", "--seconds", "0", "--profile", "--trace", &trace, "--json"];
    let got = json(&[&["bench", &model][..], &options].concat());
    let ops = got["ops"].as_array().unwrap();
    assert_eq!(ops.len(), 15);
    assert_eq!((&ops[0]["op"], &ops[14]["op"]), (&"CONV_2D".into(), &"SOFTMAX".into()));
    let percent: f64 = ops.iter().map(|op| op["percent"].as_f64().unwrap()).sum();
    assert!((percent - 100.0).abs() < 1e-6);
    let trace: Value = serde_json::from_str(&std::fs::read_to_string(&trace).unwrap()).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    let of = |category: &str| events.iter().filter(|e| e["cat"] == category).collect::<Vec<_>>();
    for stage in ["load_model", "graph", "allocate", "plan"] {
        assert_eq!(of(stage).len(), 1, "{stage}");
    }
    let (invocations, nodes) = (of("invoke"), of("node"));
    assert!(invocations.len() >= 2);
    assert_eq!(nodes.len(), 15 * invocations.len());
    assert_eq!(nodes[0]["name"], "CONV_2D (node 0)");
    let end = |event: &Value| event["ts"].as_f64().unwrap() + event["dur"].as_f64().unwrap();
    assert!(
        nodes[0]["ts"].as_f64() >= invocations[0]["ts"].as_f64() && end(nodes[14]) <= end(invocations[0])
    );
}

/// The cache must not mistake another model with the same path, length, inode and modification time for the first one.
#[test]
fn a_cache_tells_models_apart_by_their_weights() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (model, cache) = (folder.path().join("model.tflite"), folder.path().join("cache"));
    std::fs::create_dir(&cache).expect("cannot create the folder");
    let bytes = std::fs::read(digits("digits_f32.tflite")).expect("cannot read the model");
    let mut changed = bytes.clone();
    // Flips the signs of the floats in the largest constant.
    let view = arenite_model::Model::new(&bytes).expect("the model is valid");
    let buffers = (0..view.buffer_count()).map(|index| view.buffer(index));
    let largest = buffers.max_by_key(|data| data.len()).expect("weights");
    let start = largest.as_ptr().addr() - bytes.as_ptr().addr();
    changed[start..][..largest.len()].iter_mut().skip(3).step_by(4).for_each(|byte| *byte ^= 0x80);
    std::fs::write(&model, &bytes).expect("cannot write the model");
    let time = std::fs::metadata(&model)
        .and_then(|about| about.modified())
        .expect("cannot read the modification time");
    let run = |delegate: &str| {
        let (model, image) = (model.to_str().expect("the path is UTF-8"), path("samples/7.png"));
        json(&["run", model, "--image", &image, "--json", "--delegate", delegate])["outputs"].clone()
    };
    let cached = format!("cpu:cache={}", cache.display());
    let first = run("cpu");
    for start in ["cold", "warm"] {
        assert_eq!(run(&cached), first, "{start}");
    }
    std::fs::write(&model, &changed).expect("cannot write the model");
    std::fs::File::options()
        .write(true)
        .open(&model)
        .and_then(|file| file.set_modified(time))
        .expect("cannot set the modification time");
    let second = run("cpu");
    assert_ne!(second, first);
    for start in ["cold", "warm"] {
        assert_eq!(run(&cached), second, "{start}");
    }
}
