//! End-to-end tests with arenite as its own peer: processes, turns, start, outputs, report.

use std::process::Command;

use arenite_model::tensor_type;
use arenite_model::writer::{ModelBuilder, Operator, SubGraph, Tensor};
use serde_json::{Value, json};

const DIGITS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/digits/digits_f32.tflite");

fn bench(command: &str, model: &str, arguments: &[&str]) -> Value {
    let run = Command::new(env!("CARGO_BIN_EXE_arenite-bench"))
        .args([command, "--models", model, "--threads", "1", "--seconds", "0.02", "--slice", "5", "--json"])
        .args(["--without", "litert", "--without", "onnxruntime", "--without", "openvino"])
        .args(arguments)
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    serde_json::from_slice(&run.stdout).unwrap()
}

#[test]
fn twins_take_turns_and_agree() {
    let report = bench("run", DIGITS, &["--starts", "1", "--with", "twin={self} serve"]);
    let case = &report["cases"][0];
    assert_eq!((case["model"].as_str(), case["kind"].as_str()), (Some("digits"), Some("f32")));
    assert!(case["operations"].as_u64().unwrap() > 0);
    for score in case["scores"].as_array().unwrap() {
        assert_eq!(score["failure"], Value::Null);
        assert!(score["samples"].as_u64().unwrap() > 0, "{score}");
        for time in ["min_ms", "median_ms", "load_ms", "first_ms"] {
            assert!(score[time].as_f64().unwrap() > 0.0, "{time} of {score}");
        }
    }
    assert_eq!(case["scores"][0]["difference"]["absolute"].as_f64(), Some(0.0));
    assert_eq!(case["scores"][1]["contender"], "twin");
}

#[test]
fn a_contender_that_fails_is_part_of_the_report() {
    let report = bench("run", DIGITS, &["--starts", "1", "--with", "broken=false"]);
    let scores = report["cases"][0]["scores"].as_array().unwrap();
    assert!(scores[0]["min_ms"].as_f64().unwrap() > 0.0);
    let failure = scores[1]["failure"].as_str().unwrap();
    assert!(failure.starts_with("broken: the process ended"), "{failure}");
}

const ALWAYS: [&str; 6] = ["load", "allocate", "first", "run", "again", "same"];

fn assert_times(score: &Value, stages: &[&str]) {
    assert_eq!(score["failure"], Value::Null);
    assert!(score["rounds"].as_u64().unwrap() >= 5, "{score}");
    for stage in stages {
        assert!(score["stages"][stage]["min_ms"].as_f64().unwrap() > 0.0, "{stage} of {score}");
    }
}

#[test]
fn an_image_becomes_smaller_and_large_again() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("relu.tflite");
    let mut model = ModelBuilder::new();
    let code = model.builtin("RELU", 1);
    let mut graph = SubGraph::new("main");
    let x = graph.input(Tensor::new("x", tensor_type::FLOAT32, &[1, 96, 64, 3]));
    let y = graph.output(Tensor::new("y", tensor_type::FLOAT32, &[1, 96, 64, 3]));
    graph.operator(Operator::new(code, &[x], &[y]));
    model.subgraph(graph);
    std::fs::write(&file, model.finish()).unwrap();
    let report = bench("resize", file.to_str().unwrap(), &["--with", "twin={self} serve"]);
    let case = &report["cases"][0];
    assert_eq!(case["shapes"], json!([[1, 96, 64, 3]]));
    assert_eq!(case["other_shapes"], json!([[1, 64, 32, 3]]));
    let scores = case["scores"].as_array().unwrap();
    assert_eq!(scores.len(), 2);
    for score in scores {
        assert_times(score, &ALWAYS);
        assert_times(score, &["there", "back"]);
        assert_eq!(score["refused"], Value::Null);
    }
}

#[test]
fn a_model_that_refuses_other_shapes_gives_the_reason() {
    let report = bench("resize", DIGITS, &[]);
    let case = &report["cases"][0];
    assert_eq!(case["other_shapes"], json!([[2, 16, 16, 1]]));
    let score = &case["scores"][0];
    assert_times(score, &ALWAYS);
    let refused = score["refused"].as_str().unwrap();
    assert!(refused.starts_with("RESHAPE"), "{refused}");
    assert_eq!(score["stages"]["back"], Value::Null);
}
