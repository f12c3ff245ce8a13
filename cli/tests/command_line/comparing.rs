//! `compare`: two sides on the same inputs, and values of another runtime.

use serde_json::Value;

use crate::{arenite, fail, json, path, stderr, stdout, succeed};

#[test]
fn the_cpu_delegate_agrees_with_the_reference_ops() {
    let (model, image) = (path("digits_f32.tflite"), path("samples/7.png"));
    let got =
        json(&["compare", &model, "--delegate", "none", "--delegate", "cpu", "--image", &image, "--json"]);
    assert_eq!(got["first"], Value::Null);
    assert_eq!(got["outputs"].as_array().unwrap().len(), 1);
    assert!(got["outputs"][0]["difference"]["cosine"].as_f64().unwrap() > 0.9999, "{got}");
    let text = succeed(&["compare", &model, "--image", &image]);
    assert!(text.contains("they agree within 0.001"), "{text}");
    let planners = succeed(&["compare", &model, "--against-planner", "naive"]);
    assert!(planners.contains("planner naive"), "{planners}");
}

#[test]
fn the_first_tensor_that_differs_from_a_dump_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("dumps").display().to_string();
    let model = path("digits_f32.tflite");
    let none = ["compare", &model, "--delegate", "none", "--delegate", "none"];
    succeed(&[&none[..], &["--write-dumps", &dir]].concat());
    let with_dumps = ["compare", &model, "--delegate", "none", "--dumps", &dir];
    assert!(succeed(&with_dumps).contains("they agree"));

    let report = json(&[&with_dumps[..], &["--json"]].concat());
    let third = &report["tensors"][2];
    let file = folder.path().join("dumps").join(format!("{}.npy", third["tensor"]));
    let mut bytes = std::fs::read(&file).unwrap();
    let end = bytes.len();
    bytes[end - 8..].copy_from_slice(&1e6f64.to_le_bytes());
    std::fs::write(&file, bytes).unwrap();

    let output = arenite(&[&with_dumps[..], &["--json"]].concat());
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stderr(&output).contains("differ first at tensor"), "{}", stderr(&output));
    let got: Value = serde_json::from_str(stdout(&output)).unwrap();
    assert_eq!(got["first"], 2);
    assert_eq!(got["nodes"], serde_json::json!([2]), "its inputs agree");
    let difference = &got["tensors"][2]["difference"];
    assert_eq!(difference["values"][0], 1e6);
    let shape = third["shape"].as_array().unwrap();
    let last: Vec<u64> = shape.iter().map(|dim| dim.as_u64().unwrap() - 1).collect();
    assert_eq!(difference["at"], serde_json::json!(last));
}

#[test]
fn a_difference_inside_a_partition_names_its_nodes() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().display().to_string();
    let model = path("digits_f32.tflite");
    succeed(&["compare", &model, "--write-dumps", &dir]);
    let got = json(&["compare", &model, "--dumps", &dir, "--json"]);
    let output = got["tensors"].as_array().unwrap().last().unwrap()["tensor"].as_u64().unwrap();
    let file = folder.path().join(format!("{output}.npy"));
    let mut bytes = std::fs::read(&file).unwrap();
    let end = bytes.len();
    bytes[end - 8..].copy_from_slice(&9f64.to_le_bytes());
    std::fs::write(&file, bytes).unwrap();
    let output = arenite(&["compare", &model, "--dumps", &dir]);
    assert!(stdout(&output).contains("it arose among 15 nodes from 0 to 14"), "{}", stdout(&output));
}

/// The dumps have every tensor; from the third node on they are wrong.
#[test]
fn the_first_tensor_that_differs_inside_a_partition_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().display().to_string();
    let model = path("digits_f32.tflite");
    let reference = ["compare", &model, "--delegate", "none", "--delegate", "none", "--json"];
    let report = json(&[&reference[..], &["--write-dumps", &dir]].concat());
    let tensors: Vec<u64> =
        report["tensors"].as_array().unwrap().iter().map(|c| c["tensor"].as_u64().unwrap()).collect();
    for tensor in &tensors[2..] {
        let file = folder.path().join(format!("{tensor}.npy"));
        let mut bytes = std::fs::read(&file).unwrap();
        let end = bytes.len();
        bytes[end - 8..].copy_from_slice(&1e6f64.to_le_bytes());
        std::fs::write(&file, bytes).unwrap();
    }
    let compare = ["compare", &model, "--dumps", &dir];
    let output = arenite(&[&compare[..], &["--json"]].concat());
    let got: Value = serde_json::from_str(stdout(&output)).unwrap();
    assert_eq!(got["nodes"].as_array().unwrap().len(), tensors.len(), "the partition has all nodes");
    let inside = &got["inside"];
    assert_eq!((&inside["first"]["tensor"], &inside["nodes"]), (&tensors[2].into(), &serde_json::json!([2])));
    assert_eq!((&inside["fused"], &inside["error"]), (&Value::Null, &Value::Null));
    assert!(
        stderr(&output).contains(&format!("differ first at tensor {} '", tensors[2])),
        "{}",
        stderr(&output)
    );
    let text = stdout(&arenite(&compare)).to_owned();
    assert!(
        text.contains("inside the partition") && text.contains("arose in node 2, whose inputs agree"),
        "{text}"
    );
}

#[test]
fn sides_that_make_no_sense_are_refused() {
    let model = path("digits_f32.tflite");
    fail(&["compare", &model, "--delegate", "none"], 1, &["compared with itself"]);
    fail(&["compare", &model, "--dumps", &path("samples")], 1, &["named after a tensor"]);
    fail(&["compare", &model, "--against-planner", "nosuch"], 1, &["nosuch"]);
}
