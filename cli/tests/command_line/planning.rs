//! `inspect` and `plan`: nodes, planners, plans, banks, bounds.

use arenite_model::tensor_type::{BOOL, INT32, INT64};
use arenite_model::writer::{ModelBuilder, Operator, SubGraph, Tensor};
use serde_json::Value;

use crate::{fail, json, path, succeed};

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
    let words = ["unknown planner 'aren'", "did you mean 'arena'"];
    fail(&["run", &path("digits_f32.tflite"), "--planner", "aren"], 1, &words);
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
        text.contains("no assignment has more traffic in the fastest bank") && text.contains("100.0 %"),
        "{text}"
    );
    fail(&["plan", &model, "--bank", "fast=1K"], 1, &["no bank has room for it"]);
    fail(&["plan", &model, "--bank", "fast"], 2, &["is not NAME=BYTES"]);
}

/// Writes a table of records and returns its path.
fn table(folder: &tempfile::TempDir, lines: &str) -> String {
    let path = folder.path().join("table.jsonl");
    std::fs::write(&path, lines).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn buffers_that_live_until_the_end_come_first() {
    let folder = tempfile::tempdir().unwrap();
    let records = r#"{"records": [{"size": 200, "first_task": 0, "last_task": 1},
        {"size": 10, "first_task": 0}, {"size": 20, "first_task": 0, "last_task": 4294967295}]}"#;
    let got = json(&["plan", &table(&folder, &records.replace('\n', "")), "--planner", "arena", "--json"]);
    assert_eq!(got["plans"][0]["offsets"], serde_json::json!([30, 0, 10]));
}

/// Textures share an object if it is large enough along both axes. If nodes may run in any order, records of parallel
/// branches may be alive at the same time.
#[test]
fn objects_with_extents_and_readers_are_assigned() {
    let folder = tempfile::tempdir().unwrap();
    let record = |extents: &str, first: u32, more: &str| {
        format!(r#"{{"extents": {extents}, "first_task": {first}, "last_task": {}{more}}}"#, first + 1)
    };
    let textures = [record("[4, 4]", 0, ""), record("[8, 4]", 1, ""), record("[4, 2]", 2, "")].join(",");
    let textures = table(&folder, &format!(r#"{{"records": [{textures}]}}"#));
    let got = json(&["plan", &textures, "--planner", "greedy-in-order", "--json"]);
    let plan = &got["plans"][0];
    assert_eq!(plan["object_ids"], serde_json::json!([0, 1, 0]));
    assert_eq!(plan["object_extents"], serde_json::json!([[4, 4, 1], [8, 4, 1]]));
    assert_eq!(plan["total_bytes"], 48);
    let words = ["it hands out no shared objects; those that do: ", "greedy-in-order"];
    fail(&["plan", &textures], 1, &words);
    fail(&["plan", &textures, "--align", "64"], 1, &["no addresses: omit --align"]);
    let words = ["no addresses and cannot be assigned to banks: omit --bank"];
    fail(&["plan", &textures, "--planner", "naive", "--bank", "a=1K"], 1, &words);

    let objects = |readers: [&str; 4]| {
        let record = |(i, readers): (usize, &&str)| record("[16]", 2 * i as u32, readers);
        let records = readers.iter().enumerate().map(record).collect::<Vec<_>>().join(",");
        let branches = table(&folder, &format!(r#"{{"records": [{records}]}}"#));
        json(&["plan", &branches, "--planner", "greedy-in-order", "--json"])["plans"][0]["object_ids"].clone()
    };
    // Only the last record may reuse an object if nodes run in any order; in sequence, each may.
    assert_eq!(objects([""; 4]), serde_json::json!([0, 0, 0, 0]));
    let of = |list: &str| format!(r#", "readers": {list}"#);
    let branches = [of("[1, 2]"), of("[3]"), of("[3]"), of("[]")];
    assert_eq!(objects(branches.each_ref().map(String::as_str)), serde_json::json!([0, 1, 2, 0]));
}

#[test]
fn plans_are_drawn_in_characters() {
    let text = succeed(&["plan", &path("digits_i8.tflite"), "--ascii"]);
    let rows: Vec<&str> = text.lines().filter(|line| line.ends_with('|')).collect();
    assert!((8..=24).contains(&rows.len()), "{text}");
    assert!(rows.last().unwrap().starts_with("      0 B |"), "{text}");
    assert!(text.contains("digits_i8: ") && text.contains("\n  A "), "{text}");
}

/// Every intermediate value is readable after a run with `naive`, and the arena is their sum.
#[test]
fn naive_keeps_every_value() {
    let model = path("digits_f32.tflite");
    let plan =
        |arguments: &[&str]| json(&[&["plan", &model, "--delegate", "none", "--json"], arguments].concat());
    let naive = plan(&["--planner", "naive"]);
    let tensors = naive["plans"][0]["tensors"].as_array().unwrap();
    let mut ranges: Vec<[u64; 2]> = tensors
        .iter()
        .map(|tensor| [tensor["offset"].as_u64().unwrap(), tensor["bytes"].as_u64().unwrap()])
        .collect();
    ranges.sort_unstable();
    assert!(ranges.windows(2).all(|pair| pair[0][0] + pair[0][1] <= pair[1][0]), "{naive}");
    let all = plan(&["--planner", "naive", "--preserve-all"]);
    assert_eq!(naive["plans"][0]["total_bytes"], all["plans"][0]["total_bytes"]);
}

#[test]
fn small_machines_have_two_planners() {
    let model = path("digits_i8.tflite");
    let head = |arguments: &[&str]| {
        let got = json(&[&["plan", &model, "--micro", "--json"], arguments].concat());
        (got["planner"].as_str().unwrap().to_owned(), got["models"][0]["head_bytes"].as_u64().unwrap())
    };
    let (greedy, linear) = (head(&[]), head(&["--planner", "linear"]));
    assert_eq!((greedy.0.as_str(), linear.0.as_str()), ("micro-greedy", "linear"));
    assert!(greedy.1 < linear.1, "{greedy:?} {linear:?}");
    assert_eq!(head(&["--planner", "micro-greedy"]), greedy);
    assert_eq!(head(&["--preserve-all"]), linear);
    let words = ["'micro-greedy' and 'linear', not 'exact'", "--embed"];
    fail(&["plan", &model, "--micro", "--planner", "exact"], 1, &words);
    for option in [&["--techniques", "none"][..], &["--capacity", "9"], &["--align", "8"], &["--ascii"]] {
        let arguments = [&["plan", &model, "--micro"], option].concat();
        fail(&arguments, 2, &["cannot be used with"]);
    }
}

/// A model with an embedded plan still gives the same results.
#[test]
fn a_plan_is_written_into_the_model() {
    let model = path("digits_i8.tflite");
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("planned.tflite");
    let out = out.to_str().unwrap();
    let text = succeed(&["plan", &model, "--planner", "exact", "--embed", out]);
    assert!(text.contains("with a plan for"), "{text}");
    let (old, new) = (std::fs::read(&model).unwrap(), std::fs::read(out).unwrap());
    assert!(new.len() > old.len() && new.ends_with(&old), "the old model follows the plan");
    let answers = |model: &str| json(&["run", model, "--delegate", "none", "--json"])["outputs"].clone();
    assert_eq!(answers(&model), answers(out));
    fail(&["plan", &model, &model, "--embed", out], 1, &["--embed takes exactly one model"]);
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
fn buffers_inside_partitions_are_planned_drawn_and_listed() {
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
fn a_model_above_the_capacity_is_reported() {
    let model = path("digits_f32.tflite");
    let got = json(&["plan", &model, "--capacity", "1000", "--timeout", "1", "--json"]);
    assert_eq!(got["plans"][0]["fits"], false);
    assert!(succeed(&["plan", &model, "--capacity", "1000"]).contains("too large"));
}

#[test]
fn inputs_are_planned_at_their_given_shapes() {
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
    assert_eq!(total(&["--resize", "tokens=1x384"]), 2 * 4 * 384);
    assert_eq!(total(&["--resize", "0=2x16"]), 2 * 128);
    fail(&["plan", file, "--resize", "token=1"], 1, &["token", "tokens"]);
    fail(&["plan", file, "--input", "tokens"], 2, &["is not NAME=SHAPE"]);
}

/// WHERE of 4 × 3 elements, or RANGE, followed by ABS of the result.
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
fn results_of_unknown_shape_are_listed_with_a_bound() {
    let folder = tempfile::tempdir().unwrap();
    for (op, bound, words) in [
        ("WHERE", Some(4 * 3 * 2 * 8), "'found' of WHERE (step 0): at most 192 bytes"),
        ("RANGE", None, "'found' of RANGE (step 0): unbounded: its length depends on its inputs' values"),
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
