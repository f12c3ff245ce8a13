//! Every file is formatted by rustfmt, including files that `cargo fmt` does not see: modules that a macro declares.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::thread;

use crate::Complaint;

/// The number of files per rustfmt process.
const BATCH: usize = 100;

/// Runs `rustfmt --check` over `files` below `root`; `None` if rustfmt is not installed.
pub fn check(rustfmt: &str, root: &Path, files: &[&str]) -> Option<Vec<Complaint>> {
    Command::new(rustfmt).arg("--version").output().ok().filter(|done| done.status.success())?;
    let batches: Vec<&[&str]> = files.chunks(BATCH).collect();
    let workers = thread::available_parallelism().map_or(1, usize::from).min(8);
    let found: Vec<Complaint> = thread::scope(|scope| {
        let threads: Vec<_> = (0..workers)
            .map(|first| {
                let mine = batches.iter().skip(first).step_by(workers);
                scope.spawn(move || {
                    mine.flat_map(|batch| check_batch(rustfmt, root, batch)).collect::<Vec<_>>()
                })
            })
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("a worker only runs rustfmt")).collect()
    });
    Some(first_of_each_file(found))
}

fn check_batch(rustfmt: &str, root: &Path, files: &[&str]) -> Vec<Complaint> {
    let run =
        Command::new(rustfmt).current_dir(root).args(["--check", "--edition", "2024"]).args(files).output();
    let failed = |why: &str| {
        vec![Complaint::new(files[0], 1, format!("rustfmt failed on this file or a later one: {why}"))]
    };
    let output = match run {
        Ok(output) => output,
        Err(error) => return failed(&error.to_string()),
    };
    let found = complaints(root, &String::from_utf8_lossy(&output.stdout));
    if found.is_empty() && !output.status.success() {
        return failed(String::from_utf8_lossy(&output.stderr).trim());
    }
    found
}

/// One complaint per `Diff in FILE:LINE:`.
fn complaints(root: &Path, output: &str) -> Vec<Complaint> {
    let places = output.lines().filter_map(|line| line.strip_prefix("Diff in "));
    let split = places.filter_map(|place| place.strip_suffix(':')?.rsplit_once(':'));
    let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    split
        .map(|(file, line)| {
            let file = Path::new(file).strip_prefix(&root).unwrap_or(Path::new(file)).display().to_string();
            let message = format!(
                "not formatted: run `rustfmt --edition 2024 {file}`; `cargo fmt` does not see modules that \
                 a macro declares"
            );
            Complaint::new(file, line.parse().unwrap_or(1), message)
        })
        .collect()
}

/// rustfmt follows `mod`, so several batches may report the same file.
fn first_of_each_file(found: Vec<Complaint>) -> Vec<Complaint> {
    let mut files = BTreeMap::new();
    for complaint in found {
        let first = files.entry(complaint.file.clone()).or_insert_with(|| complaint.clone());
        if complaint.line < first.line {
            *first = complaint;
        }
    }
    files.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_not_formatted_fails() {
        let root = tempfile::tempdir().unwrap();
        std::fs::write(root.path().join("good.rs"), "fn f() {}\n").unwrap();
        std::fs::write(root.path().join("bad.rs"), "fn f() {}\n\n\nfn  g() {}\n").unwrap();
        std::fs::write(root.path().join("wrong.rs"), "fn f( {}\n").unwrap();
        let Some(found) = check("rustfmt", root.path(), &["good.rs", "bad.rs"]) else { return };
        let want = "bad.rs:1: not formatted: run `rustfmt --edition 2024 bad.rs`; `cargo fmt` does not see \
                    modules that a macro declares";
        assert_eq!(found.iter().map(Complaint::to_string).collect::<Vec<_>>(), [want]);
        assert_eq!(check("rustfmt", root.path(), &["good.rs"]), Some(Vec::new()));
        let found = check("rustfmt", root.path(), &["wrong.rs"]).unwrap();
        assert!(
            found[0]
                .to_string()
                .starts_with("wrong.rs:1: rustfmt failed on this file or a later one: error:"),
            "{found:?}"
        );
    }

    #[test]
    fn without_rustfmt_nothing_is_checked() {
        assert_eq!(check("a-program-that-does-not-exist", Path::new("."), &["x.rs"]), None);
    }

    #[test]
    fn each_file_is_reported_once() {
        let found = [("a", 5), ("b", 1), ("a", 2)].map(|(file, line)| Complaint::new(file, line, ""));
        assert_eq!(
            first_of_each_file(found.into()),
            [Complaint::new("a", 2, ""), Complaint::new("b", 1, "")]
        );
    }
}
