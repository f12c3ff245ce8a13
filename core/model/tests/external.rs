//! Constants in other files: lookup, and errors.
#![forbid(unsafe_code)]

use std::path::Path;

use arenite_model::tensor_type::{FLOAT32, STRING};
use arenite_model::writer::{ModelBuilder, Operator, SubGraph, Tensor, bytes_of, bytes_of_strings};
use arenite_model::{Model, ModelBuffer, ModelError, Source};
use tempfile::TempDir;

/// `y = x + w`, with the four numbers of `w` 16 bytes into a file.
fn model(group: &str) -> ModelBuilder {
    let mut model = ModelBuilder::new();
    model.groups = vec![String::new()];
    model.part("", 0, 1 << 40);
    let weights = model.part(group, 16, 16);
    let add = model.builtin("ADD", 1);
    let mut graph = SubGraph::new("main");
    let x = graph.input(Tensor::new("x", FLOAT32, &[4]));
    let w = graph.tensor(Tensor::new("w", FLOAT32, &[4]).part(weights));
    let y = graph.output(Tensor::new("y", FLOAT32, &[4]));
    graph.operator(Operator::new(add, &[x, w], &[y]));
    model.subgraph(graph);
    model
}

fn weights() -> Vec<u8> {
    [vec![0; 16], bytes_of(&[1.0f32, 2.0, 3.0, 4.0])].concat()
}

fn folder(model: &ModelBuilder, file: &str, weights: &[u8]) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("model.tflite"), model.finish()).expect("a temporary file");
    std::fs::write(folder.path().join(file), weights).expect("a temporary file");
    folder
}

fn load(folder: &Path) -> Result<ModelBuffer, ModelError> {
    ModelBuffer::from_file(folder.join("model.tflite"))
}

fn refused(model: &ModelBuilder, weights: &[u8]) -> String {
    let error = load(folder(model, "weights.bin", weights).path()).expect_err("it must be refused");
    error.to_string()
}

fn constant(buffer: &ModelBuffer) -> Vec<u8> {
    let model = buffer.model();
    let w = model.subgraph(0).and_then(|graph| graph.tensors().get(1)).expect("there are three tensors");
    model.constant(&w).expect("it is a constant").to_vec()
}

#[test]
fn files_next_to_the_model_are_found() {
    let folder = folder(&model("weights.bin"), "weights.bin", &weights());
    let loaded = load(folder.path()).expect("it is valid");
    assert_eq!(constant(&loaded), &weights()[16..]);
    assert_ne!(loaded.origin(), [0; 4]);
    assert_ne!(
        loaded.origin(),
        Source::from_file(folder.path().join("model.tflite")).expect("it exists").origin()
    );
}

#[test]
fn bytes_without_a_path_need_the_groups_from_the_caller() {
    let bytes = model("weights.bin").finish();
    let error = Model::new(&bytes).expect_err("weights are missing").to_string();
    assert!(error.contains("'weights.bin' has constants: load the model from its file"), "{error}");
    let error = ModelBuffer::from_bytes(bytes.clone()).expect_err("weights are missing").to_string();
    assert!(
        error.contains("'weights.bin' has constants, and the model was not loaded from a path"),
        "{error}"
    );

    let mut calls = Vec::new();
    let given = ModelBuffer::with_groups::<ModelError>(Source::from_bytes(bytes), |name| {
        calls.push(name.to_owned());
        Ok(Source::from_bytes(weights()))
    });
    assert_eq!(constant(&given.expect("it is valid")), &weights()[16..]);
    assert_eq!(calls, ["weights.bin"], "the group without a name is not used");
}

#[test]
fn a_group_must_be_in_the_folder() {
    for name in [
        "",
        ".",
        "..",
        "../weights.bin",
        "a/weights.bin",
        "/etc/passwd",
        "a\\b",
        "C:x",
        "x\0y",
        "./weights.bin",
    ] {
        let error = refused(&model(name), &weights());
        assert!(error.contains("must be in the model's folder"), "{name:?}: {error}");
    }
    let error = refused(&model("absent.bin"), &weights());
    assert!(error.contains("absent.bin: "), "{error}");
    let long = refused(&model(&"x".repeat(1 << 20)), &weights());
    assert!(long.len() < 2 << 20, "{} bytes", long.len());
}

#[cfg(unix)]
#[test]
fn a_link_out_of_the_folder_is_refused() {
    use std::os::unix::fs::symlink;
    let (inside, outside) =
        (folder(&model("weights.bin"), "real.bin", &weights()), folder(&model("x"), "far.bin", &weights()));
    let link = inside.path().join("weights.bin");
    symlink("real.bin", &link).expect("a link");
    assert_eq!(constant(&load(inside.path()).expect("the link stays in the folder")), &weights()[16..]);
    std::fs::remove_file(&link).expect("it exists");
    symlink(outside.path().join("far.bin"), &link).expect("a link");
    let error = load(inside.path()).expect_err("the link leaves the folder").to_string();
    assert!(error.contains("'weights.bin' is a link to another folder"), "{error}");
    // A model that is a link has its files next to the link.
    let elsewhere = tempfile::tempdir().expect("a temporary folder");
    symlink(inside.path().join("model.tflite"), elsewhere.path().join("model.tflite")).expect("a link");
    std::fs::write(elsewhere.path().join("weights.bin"), weights()).expect("a temporary file");
    assert_eq!(constant(&load(elsewhere.path()).expect("it is valid")), &weights()[16..]);
}

#[test]
fn parts_are_checked() {
    let check = |change: fn(&mut ModelBuilder), expected: &str| {
        let mut changed = model("weights.bin");
        change(&mut changed);
        let error = refused(&changed, &weights());
        assert!(error.contains(expected), "{error}\nexpected: {expected}");
    };
    check(
        |m| m.parts[1].offset = 17,
        "external_buffers[1]: 16 bytes at offset 17 exceed the file of 32 bytes",
    );
    check(|m| m.parts[1].offset = u64::MAX, "exceed the file of 32 bytes");
    check(|m| m.parts[1].length = u64::MAX, "exceed the file of 32 bytes");
    check(
        |m| m.parts[1].length = 15,
        "subgraphs[0].tensors[1].external_buffer: the buffer has 15 bytes, type and shape need 16",
    );
    check(|m| m.parts[1].group = 2, "external_buffers[1].group: group index 2, model has 2 groups");
    check(|m| m.parts[1].id = m.parts[0].id, "external_buffers[1].id: is 2147483648, must be more than");
    check(
        |m| m.subgraphs[0].tensors[1].external_buffer = 9,
        "tensors[1].external_buffer: is 9, must be the id of an external buffer",
    );
    check(
        |m| m.parts[1].packing = Some("zip".into()),
        "external_buffers[1].packing: a packing other than `unpacked`",
    );
    check(|m| m.subgraphs[0].tensors[1].is_variable = true, "a variable with constant data is not supported");
    check(
        |m| {
            let buffer = m.buffer([0; 16]);
            m.subgraphs[0].tensors[1].buffer = buffer;
        },
        "subgraphs[0].tensors[1].buffer: is 1, must be 0 if there is an external buffer",
    );
    check(|m| m.subgraphs[0].tensors[1].element_type = STRING, "external_buffer");
    let mut plain = model("weights.bin");
    plain.parts[1].packing = Some("unpacked".into());
    load(folder(&plain, "weights.bin", &weights()).path()).expect("it is valid");
}

#[test]
fn files_that_are_no_files_are_refused() {
    let folder = folder(&model("weights.bin"), "other.bin", b"x");
    let path = folder.path().join("weights.bin");
    std::fs::create_dir(&path).expect("a temporary folder");
    let error = load(folder.path()).expect_err("it is a folder").to_string();
    assert!(error.contains("is a directory"), "{error}");
    std::fs::remove_dir(&path).expect("it is empty");
    std::fs::write(&path, b"").expect("a temporary file");
    let error = load(folder.path()).expect_err("it is empty").to_string();
    assert!(error.contains("is empty"), "{error}");
}

#[test]
fn texts_in_another_file_are_verified() {
    let mut changed = model("weights.bin");
    let texts = bytes_of_strings(&[&b"a"[..], b"b", b"c", b"d"]);
    changed.parts[1].length = texts.len() as u64;
    for tensor in &mut changed.subgraphs[0].tensors {
        tensor.element_type = STRING;
    }
    let file = [vec![0; 16], texts].concat();
    load(folder(&changed, "weights.bin", &file).path()).expect("it is valid");
    let error = refused(&changed, &vec![7; file.len()]);
    assert!(error.contains("string data"), "{error}");
}
