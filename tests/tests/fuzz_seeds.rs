//! The committed fuzzing corpora and past findings, as ordinary tests.

use std::path::Path;

use arenite_tests::fuzz::TARGETS;

/// Runs all files of a target.
fn each_seed(target: &str) {
    let (_, run) = TARGETS.iter().find(|(name, _)| *name == target).expect("the target folder exists");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds").join(target);
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

/// One test per target, so that they run in parallel.
macro_rules! targets {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            each_seed(stringify!($name));
        })*

        /// The targets for GPU delegates are run in `tests/gpu`.
        #[test]
        fn every_target_has_a_test() {
            let named = [$(stringify!($name)),*];
            let missing = TARGETS.iter().map(|(name, _)| name).filter(|name| !named.contains(name));
            assert_eq!(missing.collect::<Vec<_>>(), [&"programs", &"opencl", &"vulkan"]);
        }
    };
}

targets! {
    described model micro graphs options config records planners pictures npy labels caches
}
