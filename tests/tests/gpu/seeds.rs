//! The committed fuzzing corpora of the targets that need a GPU.

use std::path::Path;
use std::process::Command;

use arenite_tests::fuzz::TARGETS;

use crate::backends;

#[test]
fn random_graphs_with_other_values_and_shapes_stay_within_bounds() {
    for backend in backends() {
        let found = TARGETS.iter().find(|(name, _)| *name == backend.delegate);
        let (name, run) = found.expect("every backend has a target");
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds").join(name);
        let entries = std::fs::read_dir(&folder).expect("the seeds are committed");
        let mut paths: Vec<_> = entries.map(|entry| entry.expect("the folder can be read").path()).collect();
        // Each seed may compile another graph. Only past findings and a few others run here.
        paths.sort_by_key(|path| {
            (
                path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"bytes_")),
                path.clone(),
            )
        });
        for path in paths.iter().take(8) {
            run(&std::fs::read(path).expect("the seed can be read"));
        }
    }
}

/// A process compiles each program once, and stores it in the cache folder that was configured first. So this test runs
/// in its own process.
#[test]
fn damaged_programs_are_recompiled() {
    const CHILD: &str = "ARENITE_TEST_DAMAGED_PROGRAMS";
    if !backends().any(|backend| backend.delegate == "opencl") {
        return;
    }
    if std::env::var_os(CHILD).is_none() {
        let mut test = Command::new(std::env::current_exe().expect("this test"));
        test.args(["--exact", "seeds::damaged_programs_are_recompiled", "--nocapture"]).env(CHILD, "1");
        let output = test.output().expect("it starts");
        let said =
            String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && said.contains("1 passed"), "{said}");
        return;
    }
    let (_, run) = TARGETS.iter().find(|(name, _)| *name == "programs").expect("the target folder exists");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds/programs");
    for entry in std::fs::read_dir(&folder).expect("the seeds are committed") {
        let path = entry.expect("the folder can be read").path();
        run(&std::fs::read(path).expect("the seed can be read"));
    }
}
