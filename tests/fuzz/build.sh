#!/usr/bin/env bash
# Builds one program with all fuzz targets, `target/fuzz/<triple>/release/fuzz`, and prints its path. Uses nightly, with
# AddressSanitizer, coverage counters, overflow checks and debug assertions.
set -euo pipefail
cd "$(dirname "$0")"
triple=$(rustc +nightly -vV | sed -n 's/^host: //p')
RUSTC_WRAPPER="$PWD/rustc.sh" CARGO_INCREMENTAL=0 \
    RUSTFLAGS="-Zsanitizer=address -Cdebug-assertions -Coverflow-checks --cfg fuzzing" \
    cargo +nightly build --quiet --release --target "$triple" --target-dir target/fuzz "$@" >&2
echo "$PWD/target/fuzz/$triple/release/fuzz"
