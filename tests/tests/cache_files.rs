//! Cache files of delegates are keyed by the model's contents: whatever the model file's name and modification time
//! are, no model ever runs with the weights of another. Links are not followed, and reading a named pipe does not
//! block.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use arenite::config::DelegateConfig;
use arenite::{Config, Interpreter, Model};
use arenite_abi::schema::FullyConnectedOptions;
use arenite_model::writer::{ModelBuilder, Operator, SubGraph, bytes_of};
use arenite_tests::op_models::f32;
use arenite_tests::options::WithOptions;
use arenite_tests::successors;

/// A file with two signatures of equal structure: 64 × 64 weights, all 1 in one and all 2 in the other.
fn twins(folder: &Path) -> PathBuf {
    let mut model = ModelBuilder::new();
    let code = model.builtin("FULLY_CONNECTED", 1);
    for (subgraph, (name, weight)) in (0..).zip([("one", 1f32), ("two", 2.0)]) {
        let weights = model.buffer(bytes_of(&[weight; 64 * 64]));
        let mut graph = SubGraph::new(name);
        let x = graph.input(f32("x", &[1, 64]));
        let w = graph.tensor(f32("w", &[64, 64]).buffer(weights));
        let y = graph.output(f32("y", &[1, 64]));
        graph.operator(Operator::new(code, &[x, w], &[y]).with_options::<FullyConnectedOptions>(|o| o));
        model.subgraph(graph);
        model.signature(name, subgraph, &[("x", x)], &[("y", y)]);
    }
    let path = folder.join("twins.tflite");
    std::fs::write(&path, model.finish()).expect("it can be written");
    path
}

fn delegate(cache: &Path) -> DelegateConfig {
    let mut delegate = DelegateConfig::new("cpu");
    delegate.options = vec![("cache".into(), cache.to_str().expect("the name is UTF-8").into())];
    delegate
}

/// The first result of each signature when every input is 1.
fn run(model: &Model, cache: &Path) -> [f32; 2] {
    let mut interpreter = Interpreter::builder(model).delegate(delegate(cache)).build().expect("it builds");
    ["one", "two"].map(|key| {
        let mut signature = interpreter.signature(key).expect("it exists");
        signature.allocate().expect("it allocates");
        signature.input_mut("x").and_then(|x| x.copy_from_slice(&[1f32; 64])).expect("64 floats");
        signature.invoke().expect("it runs");
        signature.output("y").and_then(|y| y.as_slice::<f32>().map(|y| y[0])).expect("floats")
    })
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder exists");
    let mut entries: Vec<PathBuf> = entries.map(|entry| entry.expect("it can be read").path()).collect();
    entries.sort();
    entries
}

#[test]
fn signatures_of_equal_structure_keep_their_weights() {
    let (folder, cache) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let model = Model::from_file(twins(folder.path())).expect("it is sound");
    for start in ["cold", "warm"] {
        assert_eq!(run(&model, cache.path()), [64.0, 128.0], "{start}");
        assert_eq!(entries(cache.path()).len(), 2, "{start}");
    }
}

#[test]
fn a_model_never_runs_with_the_weights_of_its_predecessor() {
    for kind in successors::kinds() {
        let (folder, cache) =
            (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        let path = folder.path().join("model.tflite");
        successors::check(&kind, &path, &DelegateConfig::new("cpu"), &delegate(cache.path()));
    }
}

#[test]
fn a_copy_of_a_model_reuses_its_packed_weights() {
    let (folder, cache) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let path = twins(folder.path());
    let copy = folder.path().join("copy.tflite");
    std::fs::copy(&path, &copy).expect("it can be copied");
    let read = |path: &Path| Model::from_bytes(std::fs::read(path).expect("it exists")).expect("it is sound");
    run(&Model::from_file(path).expect("it is sound"), cache.path());
    let written = entries(cache.path());
    // The modification time shows whether the file was written again.
    let times = || Vec::from_iter(entries(cache.path()).iter().map(|file| modified(file)));
    let before = times();
    for model in [read(&copy), Model::from_file(&copy).expect("it is sound")] {
        assert_eq!(run(&model, cache.path()), [64.0, 128.0]);
        assert_eq!((entries(cache.path()), times()), (written.clone(), before.clone()));
    }
}

fn modified(file: &Path) -> SystemTime {
    std::fs::metadata(file).and_then(|about| about.modified()).expect("it has a time")
}

#[cfg(unix)]
#[test]
fn a_link_at_the_path_of_a_cache_file_is_not_followed() {
    use std::os::unix::fs::PermissionsExt;
    let (folder, cache) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let model = Model::from_file(twins(folder.path())).expect("it is sound");
    run(&model, cache.path());
    let victim = folder.path().join("victim");
    std::fs::write(&victim, "mine").expect("it can be written");
    for file in entries(cache.path()) {
        let mode = std::fs::metadata(&file).expect("it exists").permissions().mode();
        assert_eq!(mode & 0o7777, 0o600, "{}", file.display());
        std::fs::remove_file(&file).expect("it can be removed");
        // The predictable names: the cache file itself, and a temporary file with the process id.
        let beside = file.with_extension(format!("{}.part", std::process::id()));
        for link in [file, beside] {
            std::os::unix::fs::symlink(&victim, link).expect("a link can be made");
        }
    }
    assert_eq!(run(&model, cache.path()), [64.0, 128.0]);
    assert_eq!(std::fs::read_to_string(&victim).expect("it exists"), "mine");
}

/// The result of `f`, which must arrive within ten seconds.
#[cfg(unix)]
fn within_ten_seconds<T: Send + 'static>(what: &str, f: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || sender.send(f()));
    receiver.recv_timeout(Duration::from_secs(10)).unwrap_or_else(|_| panic!("{what} blocks"))
}

#[cfg(unix)]
#[test]
fn a_named_pipe_does_not_block() {
    let (folder, cache) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let make = |path: &Path| {
        let made = std::process::Command::new("mkfifo").arg(path).status().expect("mkfifo is installed");
        assert!(made.success());
    };
    let pipe = folder.path().join("pipe");
    make(&pipe);
    let (model, config) = (pipe.clone(), pipe);
    let error =
        within_ten_seconds("a model", move || Model::from_file(model)).expect_err("a pipe is not a model");
    assert!(error.to_string().contains("is not a regular file"), "{error}");
    let error = within_ten_seconds("a configuration", move || Config::from_file(config))
        .expect_err("a pipe is not a configuration");
    assert!(error.to_string().contains("is not a regular file"), "{error}");

    let model = Model::from_file(twins(folder.path())).expect("it is sound");
    run(&model, cache.path());
    for file in entries(cache.path()) {
        std::fs::remove_file(&file).expect("it can be removed");
        make(&file);
    }
    let path = cache.path().to_owned();
    assert_eq!(within_ten_seconds("a cache", move || run(&model, &path)), [64.0, 128.0]);
}
