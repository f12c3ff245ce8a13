//! Files that are larger than memory, and files that change while their model is in use.

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use arenite::{Error, Interpreter, Model, Resource};
use arenite_tests::op_models;

/// The length of a sparse file that occupies one page on disk.
const SPARSE: u64 = 1 << 40;

#[test]
fn a_file_larger_than_memory_is_refused_by_its_length() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("sparse.tflite");
    let mut file = File::options().create_new(true).read(true).write(true).open(&path).expect("a file");
    file.write_all(&op_models::all()[0].model.finish()).expect("it is written");
    file.set_len(SPARSE).expect("the file system has files with holes");
    for refused in [Model::from_file(&path), Model::from_file_part(&file, 0, SPARSE)] {
        let error = refused.expect_err("it is too large");
        assert!(matches!(error, Error::Quota { resource: Resource::Bytes, needed: SPARSE, .. }), "{error}");
    }
}

/// Passes the file's path to the child process.
const FILE: &str = "ARENITE_TEST_CHANGING_FILE";

/// Loads, builds and runs a file, again and again, while another process writes to it. Does nothing unless the variable
/// is set.
#[test]
fn child() {
    let Some(path) = std::env::var_os(FILE) else { return };
    let mut answers = 0;
    for _ in 0..150 {
        answers += usize::from(use_file(Path::new(&path)).is_ok());
    }
    println!("{answers} answers");
}

fn use_file(path: &Path) -> arenite::Result<()> {
    let model = Model::from_file(path)?;
    let mut interpreter = Interpreter::builder(&model).build()?;
    interpreter.allocate()?;
    interpreter.invoke()?;
    interpreter.invoke()
}

/// A file that changes leads to results or errors, never to a signal: it is copied before it is verified.
#[test]
fn a_file_that_is_rewritten_and_truncated_while_in_use_does_no_harm() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("changing.tflite");
    let sounds = op_models::all();
    let dense = sounds.iter().find(|sound| sound.op == "FULLY_CONNECTED").expect("one exists");
    let whole = dense.model.finish();
    std::fs::write(&path, &whole).expect("a file");
    let test = std::env::current_exe().expect("this program");
    let child = Command::new(test)
        .args(["files::child", "--exact", "--nocapture"])
        .env(FILE, &path)
        .stdout(Stdio::piped())
        .spawn();
    let mut child = child.expect("it starts");
    let mut random = arenite_tests::mutants::Random(7);
    while child.try_wait().expect("it is a child").is_none() {
        change(&path, &whole, &mut random).expect("the file is written");
    }
    let ended = child.wait_with_output().expect("it has ended");
    let text = String::from_utf8_lossy(&ended.stdout);
    assert!(ended.status.success() && text.contains(" answers"), "{:?}: {text}", ended.status);
}

/// Overwrites words in place, truncates the file, or restores it.
fn change(path: &Path, whole: &[u8], random: &mut arenite_tests::mutants::Random) -> std::io::Result<()> {
    let mut file = File::options().write(true).open(path)?;
    match random.below(4) {
        0 => file.set_len(random.below(whole.len()) as u64),
        1 => {
            file.seek(SeekFrom::Start(random.below(whole.len() / 4) as u64 * 4))?;
            file.write_all(&(random.number() as u32).to_le_bytes())
        }
        _ => file.write_all(whole),
    }
}
