//! The committed corpora of the fuzz targets `opencl` and `vulkan`.

use std::path::Path;

use arenite_tests::fuzz::TARGETS;

use crate::backends;

#[test]
fn random_graphs_with_other_values_and_shapes_stay_within_bounds() {
    for backend in backends() {
        let found = TARGETS.iter().find(|(name, _)| *name == backend.delegate);
        let (name, run) = found.expect("each backend has a target");
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds").join(name);
        let entries = std::fs::read_dir(&folder).expect("the seeds are committed");
        // Each may compile another graph: a few show that all goes together.
        for entry in entries.take(8) {
            let path = entry.expect("the folder can be read").path();
            run(&std::fs::read(path).expect("the seed can be read"));
        }
    }
}
