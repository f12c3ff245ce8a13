#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| arenite_tests::fuzz::config(bytes));
