//! Conformance cases of `examples/` and, if it is installed, of a part of the corpus as ordinary tests.
//!
//! The corpus is looked up in `ARENITE_SHARED`, or else in the folder `shared` next to the workspace. Without it, the
//! tests that need it print a note and pass.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use arenite_tests::run::Setup;
use arenite_tests::selection::Selection;
use arenite_tests::source;
use arenite_tests::suite::{self, Summary};

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A part of the corpus, if it is installed.
fn shared(part: &str) -> Option<PathBuf> {
    let root =
        std::env::var_os("ARENITE_SHARED").map_or_else(|| workspace().join("../shared"), PathBuf::from);
    let path = root.join(part);
    let found = path.exists();
    if !found {
        eprintln!("skipped: {} does not exist; set ARENITE_SHARED to the corpus", path.display());
    }
    found.then_some(path)
}

fn run(path: &Path, setup: &Setup) -> Summary {
    let cases = source::find(path).unwrap();
    let selection = Selection::all().unwrap().ops(["T1"]);
    suite::run(cases, &selection, setup, NonZeroUsize::MIN, |_| {})
}

#[track_caller]
fn assert_passes(path: &Path, setup: &Setup) {
    let summary = run(path, setup);
    assert!(summary.totals.passed > 0, "{}: no case ran", path.display());
    assert_eq!(summary.totals.failed, 0, "{}:\n{summary}", path.display());
}

#[test]
fn digits() {
    let setup = Setup::linked_in().unwrap();
    let summary = run(&workspace().join("examples/digits/cases"), &setup);
    assert_eq!((summary.totals.passed, summary.totals.failed), (2, 0), "{summary}");
}

#[test]
fn digits_with_each_planner() {
    let planners = Setup::linked_in().unwrap().registry.planner_names();
    assert!(planners.len() >= 2, "{planners:?}");
    for planner in planners {
        let setup = Setup { planner: Some(planner), threads: Some(2), ..Setup::linked_in().unwrap() };
        assert_passes(&workspace().join("examples/digits/cases"), &setup);
    }
}

/// A case fails if an expected value differs from the output by more than the tolerance.
#[test]
fn a_wrong_answer_is_reported() {
    let cases = workspace().join("examples/digits/cases/f32");
    let folder = tempfile::tempdir().unwrap();
    for entry in std::fs::read_dir(&cases).unwrap() {
        let path = entry.unwrap().path();
        std::fs::copy(&path, folder.path().join(path.file_name().unwrap())).unwrap();
    }
    let model = workspace().join("examples/digits/digits_f32.tflite");
    std::fs::copy(model, folder.path().join("model.tflite")).unwrap();
    let text = std::fs::read_to_string(folder.path().join("case.json")).unwrap();
    let text = text.replace("../../digits_f32.tflite", "model.tflite");
    std::fs::write(folder.path().join("case.json"), text).unwrap();
    let setup = Setup::linked_in().unwrap();
    assert_eq!(run(folder.path(), &setup).totals.failed, 0);

    let file = folder.path().join("set3_out_0.npy");
    let mut bytes = std::fs::read(&file).unwrap();
    let last = bytes.len() - 4;
    bytes[last..].copy_from_slice(&2.0f32.to_le_bytes());
    std::fs::write(&file, bytes).unwrap();
    let summary = run(folder.path(), &setup);
    assert_eq!(summary.totals.failed, 1);
    let message = &summary.failures[0].messages[0];
    assert!(message.starts_with("set 3: output 0 'probabilities': at [0, 9] got "), "{message}");
    assert!(message.contains("want 2.0; 1 of 10 differ"), "{message}");
}

#[test]
fn corpus_by_family() {
    for family in ["add", "conv", "concat", "reshape", "softmax", "strided_slice", "transpose"] {
        let Some(path) = shared(&format!("conformance/{family}.zip")) else { return };
        assert_passes(&path, &Setup::linked_in().unwrap());
    }
}

#[test]
fn corpus_of_small_models() {
    for name in ["hello_world_f32", "hello_world_int8", "kws_int8", "ad01_f32", "resnet8_int8"] {
        let Some(path) = shared(&format!("models/{name}")) else { return };
        assert_passes(&path, &Setup::linked_in().unwrap());
    }
}
