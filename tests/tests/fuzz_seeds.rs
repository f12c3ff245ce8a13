//! The committed seeds of the fuzz targets, as ordinary tests.

use std::path::Path;

fn each_seed(target: &str, run: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds").join(target);
    let mut count = 0;
    for entry in std::fs::read_dir(&folder).expect("the seeds are committed") {
        let path = entry.expect("the folder can be read").path();
        run(&std::fs::read(&path).expect("the seed can be read"));
        count += 1;
    }
    assert!(count > 0, "{} has no seeds", folder.display());
}

#[test]
fn models() {
    each_seed("model", arenite_tests::fuzz::model);
}

#[test]
fn options() {
    each_seed("options", arenite_tests::fuzz::options);
}

#[test]
fn configs() {
    each_seed("config", arenite_tests::fuzz::config);
}

#[test]
fn records() {
    each_seed("records", arenite_tests::fuzz::records);
}
