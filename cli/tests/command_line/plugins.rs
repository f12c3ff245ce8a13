//! `plugins` and `devices`: lists, load failures, and ops that several plugins offer.

use std::path::Path;
use std::process::Command;

use arenite_model::tensor_type::FLOAT32;
use arenite_model::writer::{ModelBuilder, Operator, SubGraph, Tensor};
use serde_json::Value;

use crate::{arenite, fail, json, path, stderr, succeed};

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
    let text = succeed(&["plugins"]);
    assert!(text.contains("planners: arena, best-fit, both-ends, equality"));
    assert!(text.contains(" ops; --all lists them") && !text.contains("CONV_2D"), "{text}");
    assert!(succeed(&["plugins", "--all"]).contains("CONV_2D"));
}

#[test]
fn a_broken_library_is_listed_with_the_reason() {
    let dir = tempfile::tempdir().unwrap();
    let library = dir.path().join(format!("libbroken.{}", std::env::consts::DLL_EXTENSION));
    std::fs::write(&library, b"not a library").unwrap();
    let folder = dir.path().display().to_string();
    let output = arenite(&["plugins", &folder, "--json"]);
    assert_eq!(output.status.code(), Some(1), "a folder given as DIR must load");
    let got: Value = serde_json::from_slice(&output.stdout).expect("stdout is one JSON value");
    assert_eq!(json(&["plugins", "--plugin-dir", &folder, "--json"])["failures"], got["failures"]);
    let failure = &got["failures"][0];
    assert_eq!(failure["path"], library.display().to_string());
    let reason = failure["reason"].as_str().unwrap();
    assert!(!reason.is_empty() && !reason.contains("libbroken"), "the path is not repeated: {reason}");
    let config = dir.path().join("strict.toml");
    std::fs::write(&config, "schema = 1\n[plugins]\ndirs = [\".\"]\nstrict = true\n").unwrap();
    fail(&["plugins", "--config", &config.display().to_string()], 1, &["libbroken"]);
}

#[test]
fn plugin_folders_without_plugins_are_noted() {
    let folder = tempfile::tempdir().unwrap();
    let output = arenite(&["plugins", &folder.path().display().to_string()]);
    assert_eq!(output.status.code(), Some(0));
    assert!(stderr(&output).contains("contains no plugin"), "{}", stderr(&output));
    fail(&["plugins", &path("README.md")], 1, &["README.md", "give the folder that contains it"]);
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

/// Compiles plugins/template/c/cube.c into a folder, as a plugin of this name. Returns false without a C compiler.
pub(crate) fn compile_cube(name: &str, folder: &Path) -> bool {
    let cube = Path::new(env!("CARGO_MANIFEST_DIR")).join("../plugins/template/c/cube.c");
    compile_plugin(&std::fs::read_to_string(cube).unwrap().replace("org.arenite.cube", name), name, folder)
}

/// Compiles a plugin into a folder. Returns false without a C compiler.
pub(crate) fn compile_plugin(source: &str, name: &str, folder: &Path) -> bool {
    let file = folder.join(format!("{name}.c"));
    std::fs::write(&file, source).unwrap();
    let mut command = Command::new("cc");
    command.args(["-std=c11", "-shared", "-fPIC", "-I"]);
    command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/abi/include")).arg(file);
    let library = folder.join(format!("{name}.{}", std::env::consts::DLL_EXTENSION));
    command.arg("-o").arg(library).status().is_ok_and(|status| status.success())
}

/// If two plugins offer an op, the first one in the folder serves it, unless the configuration prefers the other.
#[test]
fn two_plugins_with_the_same_op_are_both_shown() {
    let folder = tempfile::tempdir().unwrap();
    if !compile_cube("org.example.a", folder.path()) || !compile_cube("org.example.b", folder.path()) {
        println!("skipped: no C compiler on this machine");
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

/// The delegate `far`, written in C, has one device and keeps its results there. Its plugin is not linked in.
#[test]
fn devices_and_facts_of_partitions_are_shown() {
    assert_eq!(json(&["devices", "--json"]), serde_json::json!({"delegates": []}));
    assert!(succeed(&["devices"]).starts_with("no delegate has devices"));
    let folder = tempfile::tempdir().unwrap();
    let far = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ffi/c/tests/c/far.c");
    if !compile_plugin(&std::fs::read_to_string(far).unwrap(), "far", folder.path()) {
        println!("skipped: no C compiler on this machine");
        return;
    }
    let plugins = folder.path().display().to_string();
    let listed = json(&["devices", "--plugin-dir", &plugins, "--json"]);
    let device = serde_json::json!({"index": 0, "name": "Attic", "driver": "Example 1.0", "kind": "cpu",
        "memory_bytes": 4096, "limits": [{"key": "stairs", "value": 39}]});
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
    assert!(succeed(&with(&["inspect", &model], &plugins)).contains("device  Attic"));

    let got =
        json(&with(&["bench", &model, "--seconds", "0", "--profile", "--trace", &trace, "--json"], &plugins));
    assert_eq!((&got["facts"], &got["device_bytes"]), (&told, &8.into()));
    assert_eq!(got["ops"][0]["op"], "far: negate far away");
    assert!(succeed(&with(&["bench", &model, "--seconds", "0"], &plugins)).contains("read    8 bytes"));
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

/// The printed digest is in the form that `[plugins] sha256` takes.
#[test]
fn the_digest_of_a_library_is_listed_and_can_be_required() {
    let folder = tempfile::tempdir().unwrap();
    if !compile_cube("org.example.a", folder.path()) {
        println!("skipped: no C compiler on this machine");
        return;
    }
    let plugins = folder.path().display().to_string();
    let got = json(&["plugins", &plugins, "--json"]);
    let listed = got["plugins"].as_array().unwrap();
    let cube = listed.iter().find(|plugin| plugin["id"] == "org.example.a").unwrap();
    let digest = cube["sha256"].as_str().unwrap();
    assert!(digest.len() == 64 && digest.bytes().all(|byte| byte.is_ascii_hexdigit()), "{digest}");
    assert!(succeed(&["plugins", &plugins]).contains(&format!("  SHA-256 {digest}\n")));
    let ops = listed.iter().find(|plugin| plugin["id"] == "org.arenite.ops").unwrap();
    assert_eq!(ops["sha256"], Value::Null);

    let config = folder.path().join("digests.toml");
    let file = format!("org.example.a.{}", std::env::consts::DLL_EXTENSION);
    let loaded = |digest: &str| {
        let text =
            format!("schema = 1\n[plugins]\ndirs = [\".\"]\nsha256 = {{ \"{file}\" = \"{digest}\" }}\n");
        std::fs::write(&config, text).unwrap();
        let got = json(&["plugins", "--config", &config.display().to_string(), "--json"]);
        got["plugins"].as_array().unwrap().iter().any(|plugin| plugin["id"] == "org.example.a")
    };
    assert!(loaded(digest));
    assert!(!loaded(&"0".repeat(64)));
}
