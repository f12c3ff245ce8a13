//! Names that contain control characters, in every place that shows names.

use std::process::Output;

use arenite_model::tensor_type::FLOAT32;
use arenite_model::writer::{ModelBuilder, Operator, SubGraph, Tensor};
use tempfile::TempDir;

use super::{arenite, path, stderr, stdout};

const NAME: &str = "x\x1b[2J\x1b]0;owned\x07\nerror: forged\u{9b}\u{202e}\r\nwarning: forged";

/// A model in which every name is [`NAME`]. Its op is ABS or a custom op of that name.
fn model(folder: &TempDir, is_custom: bool) -> String {
    let (mut model, mut graph) = (ModelBuilder::new(), SubGraph::new(NAME));
    let tensor = || Tensor::new(NAME, FLOAT32, &[2]);
    let (x, y) = (graph.input(tensor()), graph.output(tensor()));
    let code = if is_custom { model.custom(NAME, 1) } else { model.builtin("ABS", 1) };
    graph.operator(Operator::new(code, &[x], &[y]));
    model.subgraph(graph);
    model.description = Some(NAME.to_owned());
    model.metadata(NAME, NAME.as_bytes());
    model.signature(NAME, 0, &[(NAME, x)], &[(NAME, y)]);
    let file = folder.path().join(if is_custom { "custom.tflite" } else { "abs.tflite" });
    std::fs::write(&file, model.finish()).unwrap();
    file.display().to_string()
}

fn assert_clean(arguments: &[&str], output: &Output) {
    for text in [stdout(output), stderr(output)] {
        let hidden = |c: char| c != '\n' && c.is_control() || c == '\u{202e}';
        assert!(!text.contains(hidden), "{arguments:?}: {text:?}");
        let forged = |line: &str| line.starts_with("error: forged") || line.starts_with("warning: forged");
        assert!(!text.lines().any(forged), "{arguments:?}: {text}");
    }
}

/// Runs a command that must exit with `status` and print the escaped name on one of its streams.
fn shows_escapes(arguments: &[&str], status: i32) {
    let output = arenite(arguments);
    assert_clean(arguments, &output);
    let text = format!("{}{}", stdout(&output), stderr(&output));
    assert_eq!(output.status.code(), Some(status), "{arguments:?}: {text}");
    assert!(text.contains(r"\u{1b}[2J"), "{arguments:?}: {text}");
}

#[test]
fn reports_show_control_characters_as_escapes() {
    let folder = tempfile::tempdir().unwrap();
    let (abs, custom) = (model(&folder, false), model(&folder, true));
    for arguments in [
        &["run", &abs][..],
        &["run", &abs, "-vvv"],
        &["run", &abs, "--signature", NAME],
        &["inspect", &abs],
        &["bench", &abs, "--seconds", "0", "--profile"],
    ] {
        shows_escapes(arguments, 0);
    }
    shows_escapes(&["inspect", &custom], 1);
    for arguments in [&["plan", &abs][..], &["plan", &custom], &["plan", &abs, "-vvv"]] {
        assert_clean(arguments, &arenite(arguments));
    }
}

#[test]
fn errors_show_control_characters_as_escapes() {
    let folder = tempfile::tempdir().unwrap();
    let (abs, custom) = (model(&folder, false), model(&folder, true));
    for arguments in [
        &["run", &custom][..],
        &["run", &abs, "--resize", "0=1x1x1x1x1x1x1x1x1"],
        &["run", &abs, "--resize", "nothing=2"],
        &["run", &abs, "--signature", "nothing"],
        &["run", &abs, "--input", "0=text:x"],
    ] {
        shows_escapes(arguments, 1);
    }
}

#[test]
fn labels_show_control_characters_as_escapes() {
    let folder = tempfile::tempdir().unwrap();
    let labels = folder.path().join("labels.txt");
    std::fs::write(&labels, format!("{NAME}\n").repeat(10)).unwrap();
    let labels = labels.display().to_string();
    shows_escapes(&["run", &path("digits_f32.tflite"), "--labels", &labels], 0);
}

#[test]
fn json_keeps_names_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let report = super::json(&["inspect", &model(&folder, false), "--json"]);
    assert_eq!(report["subgraphs"][0]["tensors"][0]["name"], NAME);
}
