//! All fuzz targets; `FUZZ_TARGET` selects the one that runs.
#![no_main]

use std::sync::OnceLock;

use arenite_test_calls as calls;
use arenite_tests::fuzz;
use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};

type Target = fn(&[u8]);

fn target() -> (&'static str, Target) {
    static TARGET: OnceLock<(&str, Target)> = OnceLock::new();
    *TARGET.get_or_init(|| {
        let name = std::env::var("FUZZ_TARGET").unwrap_or_default();
        let mut targets = fuzz::TARGETS.iter().chain(calls::TARGETS);
        *targets.find(|target| target.0 == name).unwrap_or_else(|| panic!("unknown FUZZ_TARGET: {name:?}"))
    })
}

fuzz_target!(|bytes: &[u8]| target().1(bytes));

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    match target().0 {
        // Half of the mutations change models as models.
        "model" | "micro" if seed % 2 == 0 => {
            fuzz::mutate(data.get_mut(..max_size).unwrap_or_default(), size, seed.into())
        }
        _ => fuzzer_mutate(data, size, max_size),
    }
});
