//! The program as its users meet it: the digits example, every command, and what is said when something is wrong.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use arenite_model::tensor_type::{BOOL, FLOAT32, INT32, INT64};
use arenite_model::writer::{ModelBuilder, Operator, SubGraph, Tensor};
use serde_json::Value;

/// The lowest probability in `expected.json` is LiteRT's; another processor may round differently.
const PROBABILITY_SLACK: f64 = 0.01;

fn digits(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/digits").join(file)
}

fn path(file: &str) -> String {
    digits(file).display().to_string()
}

fn arenite(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_arenite"))
        .args(arguments)
        .env_remove("ARENITE_PLUGIN_PATH")
        .output()
        .expect("the program starts")
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).expect("stdout is UTF-8")
}

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).expect("stderr is UTF-8")
}

/// Runs a command that must succeed.
fn succeed(arguments: &[&str]) -> String {
    let output = arenite(arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
    stdout(&output).to_owned()
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&succeed(arguments)).expect("stdout is one JSON value")
}

/// Runs a command that must end with `status` and an error that has all `words`.
fn fail(arguments: &[&str], status: i32, words: &[&str]) {
    let output = arenite(arguments);
    let error = stderr(&output);
    assert_eq!(output.status.code(), Some(status), "{arguments:?}: {error}");
    assert!(error.contains("error: "), "{error}");
    for word in words {
        assert!(error.contains(word), "'{word}' is missing in: {error}");
    }
}

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

#[test]
fn inspect_shows_nodes_tensors_and_a_plan_within_its_bounds() {
    let got = json(&["inspect", &path("digits_i8.tflite"), "--delegate", "none", "--json"]);
    let main = &got["subgraphs"][0];
    assert_eq!(
        (main["nodes"].as_array().unwrap().len(), main["tensors"].as_array().unwrap().len()),
        (15, 35)
    );
    assert_eq!(main["nodes"][0]["op"], "CONV_2D");
    let served = &main["nodes"][0]["served_by"];
    assert_eq!((&served["kind"], &served["id"]), (&"plugin".into(), &"org.arenite.ops".into()));
    assert_eq!(got["signatures"][0]["key"], "serving_default");
    let plan = &got["memory"]["plans"][0];
    let total = plan["total_bytes"].as_u64().unwrap();
    assert!(total >= plan["lower_bound"].as_u64().unwrap());
    let buffers = plan["buffers"].as_array().unwrap();
    let ends = buffers.iter().filter(|b| b["size"] != 0);
    let ends = ends.map(|b| b["offset"].as_u64().unwrap() + b["size"].as_u64().unwrap());
    assert_eq!(ends.max(), Some(total));
    let text = succeed(&["inspect", &path("digits_i8.tflite"), "--delegate", "none"]);
    for word in ["DEPTHWISE_CONV_2D", "org.arenite.ops", "probabilities", "lower bound", "serving_default"] {
        assert!(text.contains(word), "{word} is missing");
    }
}

#[test]
fn the_planner_can_be_chosen() {
    let arena = |planner: &str| {
        let got = json(&["inspect", &path("digits_f32.tflite"), "--planner", planner, "--json"]);
        assert_eq!(got["memory"]["planner"], planner);
        got["memory"]["arena_bytes"].as_u64().unwrap()
    };
    assert!(arena("arena") < arena("naive"));
    let words = ["there is no planner 'aren'", "did you mean 'arena'"];
    fail(&["run", &path("digits_f32.tflite"), "--planner", "aren"], 1, &words);
}

#[test]
fn plugins_lists_what_is_linked_in() {
    let got = json(&["plugins", "--json"]);
    let plugins = got["plugins"].as_array().unwrap();
    let ids: Vec<&str> = plugins.iter().map(|p| p["id"].as_str().unwrap()).collect();
    assert!(ids.contains(&"org.arenite.ops") && ids.contains(&"org.arenite.planners"), "{ids:?}");
    let ops = plugins.iter().find(|p| p["id"] == "org.arenite.ops").unwrap();
    assert_eq!((&ops["abi"], &ops["path"]), (&"1.0".into(), &Value::Null));
    assert!(
        ops["ops"].as_array().unwrap().iter().any(|op| op["name"] == "CONV_2D" && op["min_version"] == 1)
    );
    assert!(succeed(&["plugins"]).contains("planners: arena, best-fit, both-ends, equality"));
}

#[test]
fn a_library_that_is_no_plugin_is_listed_with_the_reason() {
    let dir = tempfile::tempdir().unwrap();
    let library = dir.path().join(format!("libbroken.{}", std::env::consts::DLL_EXTENSION));
    std::fs::write(&library, b"no library").unwrap();
    let got = json(&["plugins", &dir.path().display().to_string(), "--json"]);
    let failure = &got["failures"][0];
    assert_eq!(failure["path"], library.display().to_string());
    assert!(!failure["reason"].as_str().unwrap().is_empty());
    let config = dir.path().join("strict.toml");
    std::fs::write(&config, "schema = 1\n[plugins]\ndirs = [\".\"]\nstrict = true\n").unwrap();
    fail(&["plugins", "--config", &config.display().to_string()], 1, &["libbroken"]);
}

#[test]
fn wrong_usage_is_status_2_and_helps() {
    fail(&["run"], 2, &["<MODEL>", "--help"]);
    fail(&["run", "m.tflite", "--imge", "x.png"], 2, &["--imge", "--image"]);
    fail(&["run", "m.tflite", "--input", "in.npy"], 2, &["write K=FILE.npy"]);
    fail(&["run", "m.tflite", "--resize", "0=1xa"], 2, &["'a' is no dimension"]);
    fail(&["run", "m.tflite", "--threads", "0"], 2, &["a number from 1 to"]);
    fail(&["bench", "m.tflite", "--seconds", "-1"], 2, &["seconds"]);
    let output = arenite(&["run", "--json"]);
    let error: Value = serde_json::from_str(stdout(&output)).unwrap();
    assert!(error["error"].as_str().unwrap().contains("<MODEL>"));
}

#[test]
fn failures_are_status_1_and_name_the_file() {
    let model = path("digits_i8.tflite");
    fail(&["run", "missing.tflite"], 1, &["missing.tflite"]);
    fail(&["inspect", &path("labels.txt")], 1, &["labels.txt"]);
    fail(&["run", &model, "--image", "missing.png"], 1, &["missing.png"]);
    fail(&["run", &model, "--input", "0=missing.npy"], 1, &["missing.npy"]);
    fail(&["run", &model, "--input", "5=x.npy"], 1, &["no input '5'", "0 'image'"]);
    fail(&["run", &model, "--labels", "missing.txt"], 1, &["missing.txt"]);
    fail(&["run", &model, "--plugin-dir", "missing-dir"], 1, &["missing-dir"]);
    fail(&["run", &model, "--delegate", "warp"], 1, &["no delegate 'warp'"]);
    fail(&["run", &model, "--signature", "other"], 1, &["no signature 'other'", "serving_default"]);
    let output = arenite(&["run", "missing.tflite", "--json"]);
    let error: Value = serde_json::from_str(stdout(&output)).unwrap();
    assert!(error["error"].as_str().unwrap().contains("missing.tflite"));
}

#[test]
fn arrays_of_another_type_or_shape_are_refused_with_advice() {
    let floats = format!("0={}", path("cases/f32/in_0.npy"));
    let words =
        ["float32", "INT8", "np.clip(np.round(array / 0.007843138) -1, -128, 127)", "astype(np.int8)"];
    fail(&["run", &path("digits_i8.tflite"), "--input", &floats], 1, &words);
    let scores = format!("0={}", path("cases/f32/out_0.npy"));
    let words = ["[1,10]", "[1,16,16,1]", "--resize 0=1x10"];
    fail(&["run", &path("digits_f32.tflite"), "--input", &scores], 1, &words);
}

#[test]
fn labels_of_another_number_than_the_classes_are_noted() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("labels.txt");
    let noted = |lines: &str| {
        std::fs::write(&file, lines).unwrap();
        let labels = file.display().to_string();
        let output = arenite(&["run", &path("digits_f32.tflite"), "--labels", &labels]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        stderr(&output).contains("names 9 classes, the model has 10")
    };
    assert!(noted("0\n1\n2\n3\n4\n5\n6\n7\n8\n"));
    assert!(!noted("0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n\n"));
}

#[test]
fn inputs_of_the_wrong_kind_are_named() {
    let model = path("digits_f32.tflite");
    fail(&["run", &model, "--input", "0=text:x"], 1, &["input 0 'image'", "holds no strings"]);
    fail(&["run", &model, "--image", &path("README.md")], 1, &["README.md: is no png, jpeg or bmp picture"]);
    fail(&["run", &model, "--image", "a.png", "--mean", "a", "--std", "1"], 2, &["a number is needed"]);
}

#[test]
fn plugin_folders_that_give_nothing_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let output = arenite(&["plugins", &folder.path().display().to_string()]);
    assert_eq!(output.status.code(), Some(0));
    assert!(stderr(&output).contains("has no plugin"), "{}", stderr(&output));
    fail(&["plugins", &path("README.md")], 1, &["README.md", "give the folder that it lies in"]);
}

#[test]
fn help_is_there_for_every_command() {
    let help = succeed(&["--help"]);
    for command in ["run", "bench", "inspect", "plugins"] {
        assert!(help.contains(command));
        let help = succeed(&[command, "--help"]);
        for option in
            ["--config", "--plugin-dir", "--delegate", "--planner", "--threads", "--json", "--verbose"]
        {
            assert!(help.contains(option), "{command} --help lacks {option}");
        }
    }
    assert!(succeed(&["--version"]).starts_with("arenite "));
}

#[test]
fn tensors_are_assigned_to_banks() {
    let model = path("digits_f32.tflite");
    let folder = tempfile::tempdir().unwrap();
    let (svg, html) = (folder.path().join("plan.svg"), folder.path().join("plan.html"));
    let pictures = ["--svg", svg.to_str().unwrap(), "--html", html.to_str().unwrap()];
    let arguments =
        ["plan", &model, "--delegate", "none", "--bank", "fast=4K", "--bank", "slow=1M", "--json"];
    let got = json(&[&arguments[..], &pictures].concat());
    let report = &got["banks"][0];
    let bank = |i: usize, field: &str| report["banks"][i][field].as_u64().unwrap();
    assert!(bank(0, "total_bytes") <= 4096 && bank(1, "total_bytes") <= 1 << 20, "{report}");
    assert!(bank(0, "traffic_bytes") > 0 && bank(1, "traffic_bytes") > 0, "{report}");
    let tensors = report["tensors"].as_array().unwrap();
    let traffic: u64 = tensors.iter().map(|tensor| tensor["traffic_bytes"].as_u64().unwrap()).sum();
    assert_eq!(traffic, bank(0, "traffic_bytes") + bank(1, "traffic_bytes"));
    for tensor in tensors {
        let end = tensor["offset"].as_u64().unwrap() + tensor["bytes"].as_u64().unwrap();
        let i = usize::from(tensor["bank"] == "slow");
        assert!(end <= bank(i, "total_bytes"), "{tensor}");
    }
    assert!(std::fs::read_to_string(&svg).unwrap().contains(">fast</text>"));
    assert!(std::fs::read_to_string(&html).unwrap().contains("\"banks fast, slow\""));
    let text = succeed(&["plan", &model, "--delegate", "none", "--bank", "fast=1M"]);
    assert!(
        text.contains("no assignment serves more from the fastest") && text.contains("100.0 %"),
        "{text}"
    );
    fail(&["plan", &model, "--bank", "fast=1K"], 1, &["no bank has room for it"]);
    fail(&["plan", &model, "--bank", "fast"], 2, &["256K, 16M and 1G are understood"]);
}

/// A model with a plan in it still gives its answers.
#[test]
fn a_plan_is_written_into_the_model() {
    let model = path("digits_i8.tflite");
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("planned.tflite");
    let out = out.to_str().unwrap();
    let text = succeed(&["plan", &model, "--planner", "exact", "--embed", out]);
    assert!(text.contains("stands in the model"), "{text}");
    let (old, new) = (std::fs::read(&model).unwrap(), std::fs::read(out).unwrap());
    assert!(new.len() > old.len() && new.ends_with(&old), "the old model stands behind the plan");
    let answers = |model: &str| json(&["run", model, "--delegate", "none", "--json"])["outputs"].clone();
    assert_eq!(answers(&model), answers(out));
    fail(&["plan", &model, &model, "--embed", out], 1, &["--embed takes one model"]);
}

#[test]
fn every_planner_plans_what_runs() {
    for model in ["digits_f32.tflite", "digits_i8.tflite"].map(path) {
        let got = json(&["plan", &model, "--planner", "all", "--json"]);
        let plans = got["plans"].as_array().unwrap();
        assert!(plans.len() >= 10, "{plans:?}");
        for plan in plans {
            let planner = plan["planner"].as_str().unwrap();
            let run = ["bench", &model, "--planner", planner, "--seconds", "0.01", "--warmup", "1", "--json"];
            let ran = json(&run);
            assert_eq!(plan["total_bytes"], ran["arena_bytes"], "{planner}");
            let inspected = json(&["inspect", &model, "--planner", planner, "--json"]);
            let memory = &inspected["memory"]["plans"][0];
            assert_eq!(plan["total_bytes"], memory["total_bytes"], "{planner}");
            assert_eq!(plan["lower_bound_bytes"], memory["lower_bound"], "{planner}");
            assert_eq!(plan["steps"], memory["steps"], "{planner}");
        }
        let compared = &json(&["plan", &model, "--compare", "--json"])["compared"][0]["techniques"];
        let total = |technique: &str| {
            let rows = compared.as_array().unwrap();
            rows.iter().find(|row| row["technique"] == technique).unwrap()["total_bytes"].as_u64().unwrap()
        };
        let portfolio = plans.iter().find(|plan| plan["planner"] == "portfolio").unwrap();
        assert_eq!(portfolio["total_bytes"].as_u64().unwrap(), total("reorder"));
        assert!(total("reorder") <= total("TFLite"));
    }
}

#[test]
fn the_insides_of_partitions_are_planned_drawn_and_listed() {
    let model = path("digits_f32.tflite");
    let folder = tempfile::tempdir().unwrap();
    let (svg, html) = (folder.path().join("plan.svg"), folder.path().join("plan.html"));
    let pictures = ["--svg", svg.to_str().unwrap(), "--html", html.to_str().unwrap()];
    let got = json(&[&["plan", &model, "--json"], &pictures[..]].concat());
    let plan = &got["plans"][0];
    let tensors = plan["tensors"].as_array().unwrap();
    let inside = |tensor: &&Value| tensor["op"].as_str().unwrap().starts_with("cpu: ");
    assert!(tensors.iter().filter(inside).count() >= 10, "{plan}");
    assert!(tensors.iter().any(|tensor| tensor["op"] == "cpu: CONV_2D"), "{plan}");
    let end = |tensor: &Value| tensor["offset"].as_u64().unwrap() + tensor["bytes"].as_u64().unwrap();
    assert_eq!(tensors.iter().map(end).max(), plan["total_bytes"].as_u64());
    for picture in [svg, html] {
        assert!(std::fs::read_to_string(&picture).unwrap().contains("cpu: CONV_2D"), "{}", picture.display());
    }
    let text = succeed(&["plan", &model]);
    let size = format!("{} buffers in {} steps", plan["buffer_count"], plan["steps"]);
    assert!(text.contains(&size), "{size}: {text}");
    let banks = json(&["plan", &model, "--bank", "fast=4K", "--bank", "slow=1M", "--json"]);
    assert_eq!(banks["banks"][0]["tensors"].as_array().unwrap().len(), tensors.len());
    let outside = json(&["plan", &model, "--delegate", "none", "--json"]);
    assert!(!outside["plans"][0]["tensors"].as_array().unwrap().iter().any(|tensor| inside(&tensor)));
    let text = succeed(&["inspect", &model]);
    assert!(text.contains("records in") && text.contains("inside"), "{text}");
    let inspected = json(&["inspect", &model, "--json"]);
    let buffers = inspected["memory"]["plans"][0]["buffers"].as_array().unwrap();
    assert!(buffers.iter().filter(|buffer| buffer["inside"] == "cpu").count() >= 10, "{inspected}");
}

#[test]
fn a_model_that_is_too_large_is_told() {
    let model = path("digits_f32.tflite");
    let got = json(&["plan", &model, "--capacity", "1000", "--timeout", "1", "--json"]);
    assert_eq!(got["plans"][0]["fits"], false);
    assert!(succeed(&["plan", &model, "--capacity", "1000"]).contains("too large"));
}

#[test]
fn inputs_are_planned_as_large_as_they_will_be() {
    let (mut model, mut graph) = (ModelBuilder::new(), SubGraph::new("main"));
    let x = graph.input(Tensor::new("tokens", INT32, &[1, 16]));
    let y = graph.output(Tensor::new("y", INT32, &[1, 16]));
    let code = model.builtin("NEG", 1);
    graph.operator(Operator::new(code, &[x], &[y]));
    model.subgraph(graph);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("model.tflite");
    std::fs::write(&file, model.finish()).unwrap();
    let file = file.to_str().unwrap();
    let total = |arguments: &[&str]| {
        let got = json(&[&["plan", file, "--json"], arguments].concat());
        got["plans"][0]["total_bytes"].as_u64().unwrap()
    };
    assert_eq!(total(&[]), 2 * 64);
    assert_eq!(total(&["--input", "tokens=1x384"]), 2 * 4 * 384);
    assert_eq!(total(&["--input", "0=2x16"]), 2 * 128);
    fail(&["plan", file, "--input", "token=1"], 1, &["token", "tokens"]);
    fail(&["plan", file, "--input", "tokens"], 2, &["is not NAME=SHAPE"]);
}

/// WHERE of 4 × 3, or RANGE; then ABS of what comes out.
fn model_of_unknown_shapes(op: &str) -> Vec<u8> {
    let (mut model, mut graph) = (ModelBuilder::new(), SubGraph::new("main"));
    let inputs = match op {
        "WHERE" => vec![graph.input(Tensor::new("mask", BOOL, &[4, 3]))],
        _ => ["start", "limit", "delta"].map(|name| graph.input(Tensor::new(name, INT32, &[]))).to_vec(),
    };
    let (ty, shape): (_, &[i32]) = if op == "WHERE" { (INT64, &[1, 2]) } else { (INT32, &[1]) };
    let x = graph.tensor(Tensor::new("found", ty, shape));
    let y = graph.output(Tensor::new("y", ty, shape));
    let code = model.builtin(op, 1);
    graph.operator(Operator::new(code, &inputs, &[x]));
    let code = model.builtin("NEG", 1);
    graph.operator(Operator::new(code, &[x], &[y]));
    model.subgraph(graph);
    model.finish()
}

#[test]
fn results_of_unknown_shape_are_told_with_a_bound() {
    let folder = tempfile::tempdir().unwrap();
    for (op, bound, words) in [
        ("WHERE", Some(4 * 3 * 2 * 8), "'found' of WHERE (step 0): at most 192 bytes"),
        ("RANGE", None, "'found' of RANGE (step 0): unbounded: its inputs' values say how long it is"),
    ] {
        let file = folder.path().join(format!("{op}.tflite"));
        std::fs::write(&file, model_of_unknown_shapes(op)).unwrap();
        let file = file.to_str().unwrap();
        let got = json(&["plan", file, "--json"]);
        assert_eq!(got["unknown"][0]["most_bytes"].as_u64(), bound, "{got}");
        let text = succeed(&["plan", file]);
        assert!(text.contains(words) && text.contains("1 of 2 steps are planned"), "{text}");
        assert!(got["plans"][0]["total_bytes"].as_u64().is_some(), "{got}");
    }
}

#[test]
#[cfg(not(feature = "flex"))]
fn a_model_with_a_flex_op_says_which_plugin_to_add() {
    let (mut model, mut graph) = (ModelBuilder::new(), SubGraph::new("main"));
    let op = model.custom("FlexErf", 1);
    let x = graph.input(Tensor::new("x", FLOAT32, &[1]));
    let y = graph.output(Tensor::new("y", FLOAT32, &[1]));
    graph.operator(Operator::new(op, &[x], &[y]));
    model.subgraph(graph);
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("erf.tflite");
    std::fs::write(&file, model.finish()).unwrap();
    let words = ["FlexErf", "org.arenite.flex", "-p arenite-plugin-flex", "feature `flex`", "--plugin-dir"];
    fail(&["run", &file.display().to_string()], 1, &words);
}

/// Runs a model with a configuration of these lines after its schema.
fn configured(command: &str, lines: &str) -> Output {
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path().join("arenite.toml");
    std::fs::write(&config, format!("schema = 1\n{lines}\n")).unwrap();
    let seconds: &[&str] = if command == "bench" { &["--seconds", "0"] } else { &[] };
    let model = path("digits_i8.tflite");
    arenite(&[&[command, &model, "--config", &config.display().to_string()], seconds].concat())
}

#[test]
fn settings_that_contradict_one_another_are_refused() {
    let model = path("digits_i8.tflite");
    let both = ["run", &model, "--delegate", "none", "--delegate", "cpu"];
    fail(&both, 1, &["'none' stands for no delegate, but 'cpu' is named too: leave one of them out"]);
    fail(&["run", &model, "--delegate", "none:isa=avx2"], 1, &["'none' stands", "no option 'isa'"]);
    let output = configured("run", "[[delegate]]\nuse = \"cpu\"\n[[delegate]]\nuse = \"none\"");
    assert!(
        stderr(&output).contains("arenite.toml:5:7: `delegate[1].use`: 'none' stands"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn an_unknown_instruction_set_is_refused() {
    let run = |delegate: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_arenite"));
        command.args(["run", &path("digits_i8.tflite"), "--delegate", delegate]);
        command
            .env("ARENITE_ISA", "sse9")
            .env_remove("ARENITE_PLUGIN_PATH")
            .output()
            .expect("the program starts")
    };
    let refused = run("cpu");
    let error =
        "error: delegate 'cpu': ARENITE_ISA: there is no instruction set 'sse9'; known are scalar, avx2";
    assert!(stderr(&refused).contains(error), "{}", stderr(&refused));
    assert_eq!((refused.status.code(), run("none").status.code()), (Some(1), Some(0)));
}

#[test]
fn the_instruction_set_and_its_kernels_are_told() {
    let run = |more: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_arenite"));
        command.args(["run", &path("digits_i8.tflite"), more]).env_remove("ARENITE_PLUGIN_PATH");
        stderr(&command.env("ARENITE_ISA", "scalar").output().expect("the program starts")).to_owned()
    };
    let (set, kernels) = ("instruction set scalar of ", ", u8i8_gemm_2x8__scalar, ");
    let (v, vv) = (run("-v"), run("-vv"));
    assert!(v.contains(set) && !v.contains(kernels), "{v}");
    assert!(vv.contains(set) && vv.contains(kernels), "{vv}");
}

#[test]
fn a_wrong_option_of_a_delegate_is_an_error_even_if_it_may_be_missing() {
    for command in ["run", "bench"] {
        for on_missing in ["error", "skip"] {
            let lines = format!(
                "[[delegate]]\nuse = \"cpu\"\non_missing = \"{on_missing}\"\noptions = {{ threads = 2 }}"
            );
            let output = configured(command, &lines);
            assert_eq!(output.status.code(), Some(1), "{command} {on_missing}");
            let error = "error: delegate 'cpu': unknown option 'threads'; known: isa, winograd, cache\n";
            assert!(stderr(&output).ends_with(error), "{}", stderr(&output));
        }
        let absent = configured(command, "[[delegate]]\nuse = \"warp\"\non_missing = \"skip\"");
        assert_eq!((absent.status.code(), stderr(&absent).contains("warp")), (Some(0), false));
    }
}

/// Puts plugins/template/c/cube.c in a folder, as a plugin of this name; whether there is a compiler to do it.
fn compile_cube(name: &str, folder: &Path) -> bool {
    let cube = Path::new(env!("CARGO_MANIFEST_DIR")).join("../plugins/template/c/cube.c");
    compile_plugin(&std::fs::read_to_string(cube).unwrap().replace("org.arenite.cube", name), name, folder)
}

/// Puts a plugin in a folder; whether there is a compiler to do it.
fn compile_plugin(source: &str, name: &str, folder: &Path) -> bool {
    let file = folder.join(format!("{name}.c"));
    std::fs::write(&file, source).unwrap();
    let mut command = Command::new("cc");
    command.args(["-std=c11", "-shared", "-fPIC", "-I"]);
    command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../ffi/c/include")).arg(file);
    let library = folder.join(format!("{name}.{}", std::env::consts::DLL_EXTENSION));
    command.arg("-o").arg(library).status().is_ok_and(|status| status.success())
}

/// Of two plugins with one op the first of its folder serves it, unless the configuration prefers the other.
#[test]
fn of_two_plugins_with_one_op_both_are_shown() {
    let folder = tempfile::tempdir().unwrap();
    if !compile_cube("org.example.a", folder.path()) || !compile_cube("org.example.b", folder.path()) {
        println!("left out: there is no C compiler on this machine");
        return;
    }
    let plugins = folder.path().display().to_string();
    let (mut model, mut graph) = (ModelBuilder::new(), SubGraph::new("main"));
    let op = model.custom("Cube", 1);
    let x = graph.input(Tensor::new("x", FLOAT32, &[1]));
    let y = graph.output(Tensor::new("y", FLOAT32, &[1]));
    graph.operator(Operator::new(op, &[x], &[y]));
    model.subgraph(graph);
    let (model_file, config) = (folder.path().join("cube.tflite"), folder.path().join("arenite.toml"));
    std::fs::write(&model_file, model.finish()).unwrap();
    std::fs::write(&config, "schema = 1\n[ops.Cube]\nprefer = [\"*.b\"]\n").unwrap();
    let (model_file, config) = (model_file.display().to_string(), config.display().to_string());
    for (preference, [first, second]) in [
        (&[][..], ["org.example.a", "org.example.b"]),
        (&["--config", &config], ["org.example.b", "org.example.a"]),
    ] {
        let own = [&["--plugin-dir", &plugins], preference].concat();
        let listed = json(&[&["plugins", "--json"], &own[..]].concat());
        let contested = serde_json::json!([{"name": "Cube", "custom": true, "plugins": [first, second]}]);
        assert_eq!(listed["contested_ops"], contested);
        let text = succeed(&[&["plugins"], &own[..]].concat());
        assert!(text.contains(&format!("Cube (custom)  {first}, {second}")), "{text}");

        let got = json(&[&["inspect", &model_file, "--json"], &own[..]].concat());
        let server = serde_json::json!({"kind": "plugin", "id": first, "others": [second]});
        assert_eq!(got["subgraphs"][0]["nodes"][0]["served_by"], server);
        let text = succeed(&[&["inspect", &model_file], &own[..]].concat());
        assert!(text.contains(&format!("{first} (also in {second})")), "{text}");
    }
    assert_eq!(json(&["plugins", "--json"])["contested_ops"], serde_json::json!([]));
}

/// The delegate `far` in C has one device, and keeps what it negates there. Its plugin is not linked in.
#[test]
fn devices_and_what_partitions_tell_are_shown() {
    assert_eq!(json(&["devices", "--json"]), serde_json::json!({"delegates": []}));
    assert!(succeed(&["devices"]).starts_with("no delegate has devices"));
    let folder = tempfile::tempdir().unwrap();
    let far = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ffi/c/tests/c/far.c");
    if !compile_plugin(&std::fs::read_to_string(far).unwrap(), "far", folder.path()) {
        println!("left out: there is no C compiler on this machine");
        return;
    }
    let plugins = folder.path().display().to_string();
    let listed = json(&["devices", "--plugin-dir", &plugins, "--json"]);
    let device = serde_json::json!({"index": 0, "name": "Attic", "driver": "Example 1.0", "kind": "cpu",
        "memory_bytes": 4096, "limits": {"stairs": "39"}});
    let far = serde_json::json!({"delegate": "far", "devices": [device], "error": null});
    assert_eq!(listed, serde_json::json!({"delegates": [far]}));
    let text = succeed(&["devices", "--plugin-dir", &plugins]);
    assert!(text.contains("0  Attic  cpu, 4,096 bytes; Example 1.0") && text.contains("stairs 39"), "{text}");

    let model = folder.path().join("negation.tflite");
    let (mut builder, mut graph) = (ModelBuilder::new(), SubGraph::new("main"));
    let op = builder.builtin("NEG", 1);
    let (x, y) =
        (graph.input(Tensor::new("x", FLOAT32, &[2])), graph.output(Tensor::new("y", FLOAT32, &[2])));
    graph.operator(Operator::new(op, &[x], &[y]));
    builder.subgraph(graph);
    std::fs::write(&model, builder.finish()).unwrap();
    let (model, trace) =
        (model.display().to_string(), folder.path().join("trace.json").display().to_string());
    fn with<'a>(command: &[&'a str], plugins: &'a str) -> Vec<&'a str> {
        [command, &["--plugin-dir", plugins, "--delegate", "far"]].concat()
    }
    let told = serde_json::json!([{"delegate": "far", "subgraph": 0, "partition": 0, "facts": [
        {"key": "device", "value": "Attic"}, {"key": "read", "value": 8, "unit": "bytes"}]}]);
    let inspected = json(&with(&["inspect", &model, "--json"], &plugins));
    assert_eq!(inspected["facts"][0]["facts"][1]["value"], 0, "nothing ran");
    assert_eq!(inspected["memory"]["device_bytes"], 8);
    assert!(succeed(&with(&["inspect", &model], &plugins)).contains("Attic  device"));

    let got =
        json(&with(&["bench", &model, "--seconds", "0", "--profile", "--trace", &trace, "--json"], &plugins));
    assert_eq!((&got["facts"], &got["device_bytes"]), (&told, &8.into()));
    assert_eq!(got["ops"][0]["op"], "far: negate far away");
    assert!(succeed(&with(&["bench", &model, "--seconds", "0"], &plugins)).contains("8 bytes  read"));
    let trace: Value = serde_json::from_str(&std::fs::read_to_string(&trace).unwrap()).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    let of = |category: &str| events.iter().filter(|e| e["cat"] == category).collect::<Vec<_>>();
    let (nodes, steps) = (of("node"), of("step"));
    assert_eq!((nodes.len(), steps.len()), (6, 6));
    assert_eq!((&steps[0]["name"], &steps[0]["dur"]), (&"negate far away".into(), &3.0.into()));
    assert_eq!(steps[0]["ts"], nodes[0]["ts"]);

    let html = folder.path().join("plan.html");
    let plan = json(&with(&["plan", &model, "--html", html.to_str().unwrap(), "--json"], &plugins));
    let objects = &plan["plans"][1];
    assert_eq!(objects["problem"], "negation, device of far, partition 0");
    assert_eq!((&objects["planner"], &objects["total_bytes"]), (&"greedy-in-order".into(), &16.into()));
    assert_eq!(objects["object_ids"], serde_json::json!([0, 1]));
    assert!(std::fs::read_to_string(html).unwrap().contains("record 1 in object 1"));
}
