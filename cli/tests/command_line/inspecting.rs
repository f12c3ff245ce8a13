//! `inspect`: options, weights and multiply-accumulates of nodes.

use serde_json::{Value, json};

use arenite_model::tensor_type::{FLOAT32, INT8, INT32};
use arenite_model::writer::{ModelBuilder, Operator, SubGraph, Tensor, bytes_of};

use crate::{fail, json, path, succeed};

fn node<'r>(report: &'r Value, op: &str) -> &'r Value {
    let nodes = report["subgraphs"][0]["nodes"].as_array().unwrap();
    nodes.iter().find(|node| node["op"] == op).expect("the model has such a node")
}

fn option<'r>(node: &'r Value, name: &str) -> &'r Value {
    let options = node["facts"]["options"].as_array().unwrap();
    &options.iter().find(|option| option["name"] == name).expect("the op has such an option")["value"]
}

#[test]
fn options_of_nodes_have_the_schemas_names() {
    let report = json(&["inspect", &path("digits_f32.tflite"), "--json"]);
    let conv = node(&report, "CONV_2D");
    assert_eq!(option(conv, "padding"), "SAME");
    assert_eq!(option(conv, "fused_activation_function"), "RELU");
    assert_eq!(option(conv, "stride_w"), 1);
    assert_eq!(option(node(&report, "MAX_POOL_2D"), "filter_height"), 2);
    assert_eq!(option(node(&report, "SOFTMAX"), "beta"), &json!(1.0));
}

/// The first layer has 24 filters of 3x3 taps on one channel, on 16x16 pixels; the last one 32 inputs and 10 outputs.
#[test]
fn weights_and_multiply_accumulates_follow_from_shapes() {
    let report = json(&["inspect", &path("digits_f32.tflite"), "--json"]);
    let nodes = report["subgraphs"][0]["nodes"].as_array().unwrap();
    let dense = nodes.iter().rfind(|node| node["op"] == "FULLY_CONNECTED").unwrap();
    assert_eq!(node(&report, "CONV_2D")["facts"]["macs"], 16 * 16 * 24 * 9);
    assert_eq!(node(&report, "CONV_2D")["facts"]["weight_bytes"], 4 * (24 * 9 + 24));
    assert_eq!(dense["facts"]["macs"], 32 * 10);
    assert_eq!(dense["facts"]["weight_bytes"], 4 * (32 * 10 + 10));
    assert_eq!(node(&report, "SOFTMAX")["facts"]["macs"], Value::Null);
}

#[test]
fn one_node_is_shown_in_full() {
    let model = path("digits_i8.tflite");
    let text = succeed(&["inspect", &model, "--node", "0"]);
    for part in ["CONV_2D", "runs on", "padding SAME", "stride_w 1", "MACs     55,296", "filter", "bias"] {
        assert!(text.contains(part), "'{part}' is missing in: {text}");
    }
    assert!(text.lines().count() < 30, "{text}");
    let none = succeed(&["inspect", &model, "--node", "0", "--delegate", "none"]);
    assert!(none.contains("org.arenite.ops"), "{none}");
    let got = json(&["inspect", &model, "--node", "0", "--json"]);
    assert_eq!(got["inputs"][1]["operand"], "filter");
    assert_eq!(got["inputs"][1]["tensor"]["type"], "INT8");
    fail(&["inspect", &model, "--node", "99"], 1, &["node 99 does not exist", "15"]);
}

#[test]
fn one_tensor_is_shown_by_index_and_by_name() {
    let model = path("digits_i8.tflite");
    let whole = json(&["inspect", &model, "--json"]);
    let filter = whole["subgraphs"][0]["nodes"][0]["inputs"][1].as_u64().unwrap();
    let got = json(&["inspect", &model, "--tensor", &filter.to_string(), "--json"]);
    assert_eq!(got["producer"], Value::Null);
    assert_eq!(got["consumers"][0], json!({"node": 0, "op": "CONV_2D"}));
    assert_eq!(got["values"]["count"], 24 * 9);
    assert!(got["values"]["min"].as_i64().unwrap() >= -127, "{got}");
    let name = got["tensor"]["name"].as_str().unwrap();
    let text = succeed(&["inspect", &model, "--tensor", name]);
    for part in [name, "INT8", "scale", "read by     node 0 CONV_2D", "216", "real"] {
        assert!(text.contains(part), "'{part}' is missing in: {text}");
    }
    fail(&["inspect", &model, "--tensor", "nonsense"], 1, &["'nonsense' does not exist"]);
}

#[test]
fn ops_have_totals() {
    let got = json(&["inspect", &path("digits_f32.tflite"), "--json"]);
    let nodes = got["subgraphs"][0]["nodes"].as_array().unwrap();
    let macs: u64 = nodes.iter().filter_map(|node| node["facts"]["macs"].as_u64()).sum();
    assert_eq!(got["totals"]["macs"], macs);
    let text = succeed(&["inspect", &path("digits_f32.tflite")]);
    assert!(text.contains("in total"), "{text}");
}

/// 2.97e-35 has 34 zeros behind the point.
#[test]
fn tiny_scales_have_an_exponent() {
    let folder = tempfile::tempdir().unwrap();
    let (mut model, mut graph) = (ModelBuilder::new(), SubGraph::new("main"));
    let op = model.builtin("RESHAPE", 1);
    let x = graph.input(Tensor::new("x", INT8, &[1]).quantized(2.97e-35, 0));
    let y = graph.output(Tensor::new("y", INT8, &[]).quantized(2.97e-35, 0));
    graph.operator(Operator::new(op, &[x], &[y]));
    model.subgraph(graph);
    let file = folder.path().join("tiny.tflite");
    std::fs::write(&file, model.finish()).unwrap();
    let text = succeed(&["inspect", file.to_str().unwrap()]);
    assert!(text.contains("2.97e-35"), "{text}");
    assert!(!text.contains("0.00000000"), "{text}");
}

/// The node's shape input is a constant with a batch of 1.
#[test]
fn the_node_that_fixes_the_batch_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, fixed: i32| {
        let (mut model, mut graph) = (ModelBuilder::new(), SubGraph::new("main"));
        let (abs, reshape) = (model.builtin("ABS", 1), model.builtin("RESHAPE", 1));
        let shape = model.buffer(bytes_of(&[fixed, 6]));
        let x = graph.input(Tensor::new("x", FLOAT32, &[1, 2, 3]));
        let middle = graph.tensor(Tensor::new("middle", FLOAT32, &[1, 2, 3]));
        let shape = graph.tensor(Tensor::new("shape", INT32, &[2]).buffer(shape));
        let y = graph.output(Tensor::new("y", FLOAT32, &[1, 6]));
        graph.operator(Operator::new(abs, &[x], &[middle]));
        graph.operator(Operator::new(reshape, &[middle, shape], &[y]));
        model.subgraph(graph);
        let file = folder.path().join(name);
        std::fs::write(&file, model.finish()).unwrap();
        file.display().to_string()
    };
    let fixed = json(&["inspect", &write("fixed.tflite", 1), "--json"]);
    assert_eq!(fixed["batch"]["resizable"], false);
    assert_eq!((&fixed["batch"]["node"], &fixed["batch"]["op"]), (&json!(1), &json!("RESHAPE")));
    let text = succeed(&["inspect", &write("open.tflite", -1)]);
    assert!(text.contains("--resize can change it"), "{text}");
}
