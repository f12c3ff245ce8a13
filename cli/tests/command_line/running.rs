//! `run` and `bench`: answers, outputs, inputs, profiles.

use serde_json::Value;

use crate::{arenite, digits, json, path, stderr, stdout, succeed};

/// The lowest probability in `expected.json` is LiteRT's; another processor may round differently.
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
fn written_outputs_are_those_that_are_printed() {
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
fn bench_reports_exactly_its_fields() {
    let model = path("digits_i8.tflite");
    let got = json(&["bench", &model, "--seconds", "0.05", "--warmup", "1", "--threads", "1", "--json"]);
    let fields: Vec<&str> = got.as_object().unwrap().keys().map(String::as_str).collect();
    let mut expected = [
        "init_ms",
        "first_ms",
        "min_ms",
        "median_ms",
        "p90_ms",
        "runs",
        "arena_bytes",
        "persistent_bytes",
        "delegate_bytes",
        "device_bytes",
        "peak_rss_bytes",
        "facts",
    ];
    expected.sort_unstable();
    assert_eq!(fields, expected);
    let number = |field: &str| got[field].as_f64().unwrap();
    assert!(number("min_ms") > 0.0 && number("min_ms") <= number("median_ms"));
    assert!(number("median_ms") <= number("p90_ms"));
    assert!(number("runs") >= 1.0 && number("arena_bytes") > 0.0);
}

#[test]
fn a_profile_has_a_row_per_node_and_a_trace_an_event() {
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

/// Another model under the path of the first, as long, with its inode and time of change, has weights of its own.
#[test]
fn a_cache_keeps_weights_by_what_they_are() {
    let folder = tempfile::tempdir().expect("a folder");
    let (model, cache) = (folder.path().join("model.tflite"), folder.path().join("cache"));
    std::fs::create_dir(&cache).expect("a folder");
    let bytes = std::fs::read(digits("digits_f32.tflite")).expect("it is there");
    let mut changed = bytes.clone();
    // The floats of the largest constant get another sign.
    let view = arenite_model::Model::new(&bytes).expect("it is sound");
    let buffers = (0..view.buffer_count()).map(|index| view.buffer(index));
    let largest = buffers.max_by_key(|data| data.len()).expect("weights");
    let start = largest.as_ptr().addr() - bytes.as_ptr().addr();
    changed[start..][..largest.len()].iter_mut().skip(3).step_by(4).for_each(|byte| *byte ^= 0x80);
    std::fs::write(&model, &bytes).expect("it can be written");
    let time = std::fs::metadata(&model).and_then(|about| about.modified()).expect("it has one");
    let run = |delegate: &str| {
        let (model, image) = (model.to_str().expect("text"), path("samples/7.png"));
        json(&["run", model, "--image", &image, "--json", "--delegate", delegate])["outputs"].clone()
    };
    let cached = format!("cpu:cache={}", cache.display());
    let first = run("cpu");
    for start in ["cold", "warm"] {
        assert_eq!(run(&cached), first, "{start}");
    }
    std::fs::write(&model, &changed).expect("it can be written");
    std::fs::File::options()
        .write(true)
        .open(&model)
        .and_then(|file| file.set_modified(time))
        .expect("it is ours");
    let second = run("cpu");
    assert_ne!(second, first);
    for start in ["cold", "warm"] {
        assert_eq!(run(&cached), second, "{start}");
    }
}
