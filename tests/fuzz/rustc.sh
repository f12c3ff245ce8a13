#!/usr/bin/env bash
# Cargo's RUSTC_WRAPPER: adds coverage counters to the crates that fuzzing should explore. Kernels, which are large and
# do not branch on file contents, and third-party crates are excluded: libFuzzer reads all counters after each
# execution.
case " $* " in
*" --crate-name arenite_kernels "*) ;;
*" --crate-name build_script"* | *"proc-macro"*) ;;
*" --crate-name arenite"* | *" --crate-name tensorflowlite_c "* | *" --crate-name npyz "* | *" --crate-name fuzz "*)
    exec "$@" -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=3 \
        -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
        -Cllvm-args=-sanitizer-coverage-trace-compares
    ;;
esac
exec "$@"
