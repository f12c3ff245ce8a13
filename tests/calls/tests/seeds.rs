//! The committed corpora and past findings of these fuzz targets, as ordinary tests.

use std::path::Path;

use arenite_test_calls::TARGETS;

#[test]
fn every_seed_passes() {
    for (target, run) in TARGETS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/seeds").join(target);
        let mut count = 0;
        for entry in std::fs::read_dir(&folder).expect("the seeds are committed") {
            let path = entry.expect("the folder can be read").path();
            let bytes = std::fs::read(&path).expect("the seed can be read");
            if std::panic::catch_unwind(|| run(&bytes)).is_err() {
                panic!("{} fails, see the output above", path.display());
            }
            count += 1;
        }
        assert!(count > 0, "{} has no seeds", folder.display());
    }
}
