//! `new-model`: models from lines of text, run with the ops that they name.

use arenite_abi::flexbuffer::FlexMap;
use arenite_model::Model;
use tempfile::TempDir;

use crate::plugins::{compile_cube, compile_plugin};
use crate::{arenite, fail, json, stderr, succeed};

/// A file name in a folder.
fn file(folder: &TempDir, name: &str) -> String {
    folder.path().join(name).display().to_string()
}

#[test]
fn a_model_with_a_custom_op_runs_on_its_plugin() {
    let folder = tempfile::tempdir().unwrap();
    if !compile_cube("org.example.cube", folder.path()) {
        println!("skipped: no C compiler on this machine");
        return;
    }
    let (model, plugins) = (file(&folder, "cube.tflite"), folder.path().display().to_string());
    let text = succeed(&["new-model", &model, "y:FLOAT32[1,4] = Cube(x:FLOAT32[1,4])"]);
    assert!(text.contains("input 0 'x'  FLOAT32 [1,4]") && text.contains("output 0 'y'"), "{text}");
    assert!(text.contains("a plugin for Cube"), "{text}");
    let run = ["run", &model, "--plugin-dir", &plugins, "--input", "x=1,2,-3,0.5", "--json"];
    let got = json(&run);
    assert_eq!(got["outputs"][0]["values"], serde_json::json!([1.0, 8.0, -27.0, 0.125]), "{got}");
    fail(&["run", &model], 1, &["Cube"]);
}

/// Frames of two samples; their cubes are the features.
#[test]
fn an_audio_front_end_uses_the_plugins_of_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    if !compile_cube("org.example.cube", folder.path()) {
        println!("skipped: no C compiler on this machine");
        return;
    }
    let [front, model, sound] = ["front.tflite", "abs.tflite", "clip.wav"].map(|name| file(&folder, name));
    succeed(&["new-model", &front, "y:FLOAT32[2] = Cube(x:FLOAT32[2])"]);
    succeed(&["new-model", &model, "y:FLOAT32[4] = ABS(x:FLOAT32[4])"]);
    let spec = hound::WavSpec {
        channels: 1,
        sample_rate: 16_000,
        bits_per_sample: 32,
        sample_format: hound::SampleFormat::Float,
    };
    let mut writer = hound::WavWriter::create(&sound, spec).unwrap();
    [0.5f32, -0.5, 0.25, 1.0].into_iter().for_each(|sample| writer.write_sample(sample).unwrap());
    writer.finalize().unwrap();
    let (frontend, input) = (format!("{front}:stride=2"), format!("0={sound}"));
    let run = ["run", &model, "--frontend", &frontend, "--input", &input, "--json"];
    fail(&run, 1, &["Cube"]);
    let plugins = folder.path().display().to_string();
    let got = json(&[&run[..], &["--plugin-dir", &plugins]].concat());
    assert_eq!(got["outputs"][0]["values"], serde_json::json!([0.125, 0.125, 0.015625, 1.0]), "{got}");
}

#[test]
fn an_op_that_forgets_an_output_is_named() {
    let folder = tempfile::tempdir().unwrap();
    if !compile_cube("org.example.cube", folder.path()) {
        println!("skipped: no C compiler on this machine");
        return;
    }
    let source = std::fs::read_to_string(folder.path().join("org.example.cube.c")).unwrap();
    let (head, tail) = source.split_once("  for (uint64_t i = 0; i < x->bytes").unwrap();
    let source = format!("{head}  (void)from, (void)to;\n{}", tail.split_once('\n').unwrap().1);
    let source = source.replace("\"Cube\"", "\"Lazy\"").replace("org.example.cube", "org.example.lazy");
    assert!(compile_plugin(&source, "org.example.lazy", folder.path()));
    let (model, plugins) = (file(&folder, "m.tflite"), folder.path().display().to_string());
    // The input is read again, so the output has memory of its own.
    for (op, warns) in [("Cube", false), ("Lazy", true)] {
        let nodes = [format!("h:FLOAT32[4] = {op}(x:FLOAT32[4])"), "y:FLOAT32[4] = ADD(h, x)".to_owned()];
        succeed(&["new-model", &model, "--force", &nodes[0], &nodes[1]]);
        let output = arenite(&["run", &model, "--plugin-dir", &plugins, "--input", "0=2"]);
        assert!(output.status.success(), "{}", stderr(&output));
        let named = stderr(&output).contains("Lazy of org.example.lazy did not write output 'h'");
        assert_eq!(named, warns, "{}", stderr(&output));
    }
}

#[test]
fn nodes_are_connected_by_the_names_of_their_tensors() {
    let folder = tempfile::tempdir().unwrap();
    let model = file(&folder, "m.tflite");
    let nodes = [
        "h:INT8[-1,2] scale=0.5 zero_point=3 = QUANTIZE(x:FLOAT32[-1,2])",
        "y:FLOAT32[-1,2] = DEQUANTIZE(h)",
        "z:FLOAT32[-1,2] = ADD(y, w:FLOAT32[2] value=(1,2)) {\"fused_activation_function\": \"RELU\"}",
        "s:FLOAT32[-1,2] = SOFTMAX(z) {\"beta\": 2}",
    ];
    let command: Vec<&str> = ["new-model", &model, "--json"].into_iter().chain(nodes).collect();
    let made = json(&command);
    assert_eq!(made["inputs"], serde_json::json!([{"name": "x", "type": "FLOAT32", "shape": [1, 2]}]));
    assert_eq!((&made["outputs"][0]["name"], made["ops"].as_array().unwrap().len()), (&"s".into(), 4));
    let inspected = json(&["inspect", &model, "--json"]);
    let main = &inspected["subgraphs"][0];
    assert_eq!(main["tensors"][0]["shape_signature"], serde_json::json!([-1, 2]));
    let options = &main["nodes"][2]["facts"]["options"];
    assert!(options.to_string().contains("\"RELU\""), "{options}");
    let run = ["run", &model, "--resize", "0=3x2", "--input", "0=-3", "--json"];
    let got = json(&run);
    assert_eq!(got["outputs"][0]["shape"], serde_json::json!([3, 2]));
    // -3 + 1 and -3 + 2 are negative, so RELU makes both 0, and their softmax is one half.
    assert_eq!(got["outputs"][0]["values"], serde_json::json!(vec![0.5; 6]));
}

#[test]
fn options_of_custom_ops_are_flexbuffers_or_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let model = file(&folder, "m.tflite");
    let options =
        r#"{"n": 2, "rate": 0.1, "mode": "fast", "on": true, "dims": [1, 2], "in": {"a": [0.5, 1]}}"#;
    let first = format!("h:FLOAT32[1] = A@3(x:FLOAT32[1], -) {options}");
    succeed(&["new-model", &model, &first, "y:FLOAT32[1] = B(h) hex:00fF10"]);
    let bytes = std::fs::read(&model).unwrap();
    let read = Model::new(&bytes).unwrap();
    let graph = read.subgraph(0).unwrap();
    let (a, b) = (graph.operators().get(0).unwrap(), graph.operators().get(1).unwrap());
    assert_eq!(
        (read.operator_code(&a).unwrap().version(), a.inputs().iter().collect::<Vec<_>>()),
        (3, vec![0, -1])
    );
    assert_eq!(b.custom_options(), [0, 0xff, 0x10]);
    let map = FlexMap::from_bytes(a.custom_options()).unwrap();
    assert_eq!((map.i64("n", 0).unwrap(), map.str("mode", "").unwrap()), (2, "fast"));
    assert_eq!((map.f32("rate", 0.0).unwrap(), map.bool("on", false).unwrap()), (0.1, true));
    assert_eq!(map.get("dims").unwrap().unwrap().as_vector().unwrap().len(), 2);
    let inner = map.get("in").unwrap().unwrap().as_map().unwrap();
    let list = inner.get("a").unwrap().unwrap().as_vector().unwrap();
    assert_eq!(list.iter().map(|x| x.unwrap().as_f64().unwrap()).collect::<Vec<_>>(), [0.5, 1.0]);
}

#[test]
fn a_file_is_replaced_only_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let model = file(&folder, "m.tflite");
    std::fs::write(&model, "mine").unwrap();
    let command = ["new-model", &model, "y:FLOAT32[1] = ABS(x:FLOAT32[1])"];
    fail(&command, 1, &["m.tflite: the file exists", "--force"]);
    assert_eq!(std::fs::read(&model).unwrap(), b"mine");
    succeed(&[&command[..], &["--force"]].concat());
    succeed(&["run", &model]);
}

#[test]
fn mistakes_are_refused_with_the_remedy_and_write_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let model = file(&folder, "m.tflite");
    for (nodes, words) in [
        (
            &["y:FLOAT32[1] = ABS(x)"][..],
            &["node 'y:FLOAT32[1] = ABS(x)': 'x' has no type", "x:FLOAT32[1,4]"][..],
        ),
        (&["y:FLOAT32[1] = ADD(x:FLOAT32[1], x:FLOAT32[1])"], &["'x' has a type already"]),
        (&["y:FLOAT32[1] = ABS(x:FLOAT32[1])", "y = ABS(x)"], &["another node writes 'y'"]),
        (&["y:FLOAT32[1] = ABS(x:FLOAT32[1])", "x = ABS(y)"], &["an earlier node reads 'x'"]),
        (&["y:FLOAT32[1] value=1 = ABS(x:FLOAT32[1])"], &["'y' is an output"]),
        (&["y:FLOAT32[3] = ABS(x:FLOAT32[3] value=(1,2))"], &["3 elements, but 2 values", "one for all"]),
        (&["y:INT8[1] = ABS(x:INT8[1] value=300)"], &["300 does not fit INT8", "-128 to 127"]),
        (&["y:INT8[1] = ABS(x:INT8[1] scale=0.1 value=99)"], &["stored as 990", "larger scale"]),
        (&["y:INT8[1] = ABS(x:INT8[1] value=0.5)"], &["0.5 is not an integer"]),
        (&["y:FLOAT32[1] = ABS(x:FLOAT32[1] scale=1)"], &["which has no scale"]),
        (&["y:FLOAT32[1] = ABS(x:STRING[1] value=1)"], &["STRING cannot be written as numbers"]),
        (&["y:FLOAT32[1] = ABS(x:FLOAT32[-2])"], &["a dimension of -2"]),
        (
            &["y:FLOAT32[1] = SOFTMAX(x:FLOAT32[1]) {\"bta\": 1}"],
            &["option 'bta' is unknown; the op has beta"],
        ),
        (
            &["y:FLOAT32[1] = SOFTMAX(x:FLOAT32[1]) {\"beta\": \"a\"}"],
            &["option 'beta' is \"a\"; expected FLOAT32"],
        ),
        (&["y:FLOAT32[1] = FLOOR(x:FLOAT32[1]) {\"n\": 1}"], &["FLOOR has no options"]),
        (&["y:FLOAT32[1] = ABS(x:FLOAT32[1]) hex:00"], &["ABS is a builtin op"]),
        (&["y:FLOAT32[1] = A(x:FLOAT32[1]) hex:0"], &["two hexadecimal digits per byte"]),
        (&["y:FLOAT32[1] = A(x:FLOAT32[1]) {\"n\": }"], &["options: expected value"]),
        (&["y:FLOAT32[1] = A(x:FLOAT32[9999999,9999999] value=1)"], &["at most"]),
        (&["y:FLOAT32[1] = A(x\u{1b}:FLOAT32[1])"], &["control characters"]),
    ] {
        let command: Vec<&str> =
            ["new-model", model.as_str()].into_iter().chain(nodes.iter().copied()).collect();
        fail(&command, 1, words);
        assert!(!std::path::Path::new(&model).exists(), "{nodes:?}");
    }
    let output = arenite(&["new-model", &model]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
}
