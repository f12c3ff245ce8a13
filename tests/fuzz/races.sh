#!/usr/bin/env bash
# Runs multithreaded code under ThreadSanitizer: the tests of the thread pool, and models that run at the same time with
# several threads each. Rust's standard library is rebuilt with it, which needs rust-src (`rustup component add rust-src
# --toolchain nightly`). `ffi/c/tests/races.sh` does the same through the C library.
set -euo pipefail
cd "$(dirname "$0")/../.."
triple=$(rustc +nightly -vV | sed -n 's/^host: //p')
[ -d "$(rustc +nightly --print sysroot)/lib/rustlib/src/rust/library" ] || {
    echo "rust-src is missing: rustup component add rust-src --toolchain nightly" >&2
    exit 1
}
export CARGO_INCREMENTAL=0 RUSTFLAGS="-Zsanitizer=thread"
export TSAN_OPTIONS="halt_on_error=1 exitcode=66"
# Without address randomization: with it, some kernels use addresses that the sanitizer cannot map.
run() {
    setarch -R cargo +nightly test -Z build-std --target "$triple" --target-dir tests/fuzz/target/races "$@"
}
run -p arenite-runtime --lib pool
run -p arenite-tests --test threads
echo "no races found"
