//! The whole way with arenite as its own peer: processes, turns, start, answers, report.

use std::process::Command;

use serde_json::Value;

fn bench(arguments: &[&str]) -> String {
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/digits/digits_f32.tflite");
    let run = Command::new(env!("CARGO_BIN_EXE_arenite-bench"))
        .args([
            "run",
            "--models",
            model,
            "--threads",
            "1",
            "--seconds",
            "0.02",
            "--slice",
            "5",
            "--starts",
            "1",
        ])
        .args(["--without", "litert", "--without", "onnxruntime"])
        .args(arguments)
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8(run.stdout).unwrap()
}

#[test]
fn twins_take_turns_and_agree() {
    let report: Value = serde_json::from_str(&bench(&["--with", "twin={self} serve", "--json"])).unwrap();
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
    let report: Value = serde_json::from_str(&bench(&["--with", "broken=false", "--json"])).unwrap();
    let scores = report["cases"][0]["scores"].as_array().unwrap();
    assert!(scores[0]["min_ms"].as_f64().unwrap() > 0.0);
    let failure = scores[1]["failure"].as_str().unwrap();
    assert!(failure.starts_with("broken: the process ended"), "{failure}");
}
