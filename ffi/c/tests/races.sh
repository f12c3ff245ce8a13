#!/usr/bin/env bash
# Runs tests/c/threads.c under ThreadSanitizer. The program, the library and Rust's standard library are all built with
# it. Needs cc and the nightly toolchain with rust-src (`rustup component add rust-src --toolchain nightly`). Fails if
# there is a data race.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
target=$(rustc +nightly -vV | sed -n 's/^host: //p')
built=${CARGO_TARGET_DIR:-../../target}/races
RUSTFLAGS=-Zsanitizer=thread cargo +nightly build -Z build-std --target "$target" --target-dir "$built" -p arenite-c

# The program uses Rust's copy of the sanitizer's runtime.
runtime=$(rustc +nightly --print sysroot)/lib/rustlib/$target/lib/librustc-nightly_rt.tsan.a
cc -std=c11 -g -fsanitize=thread -D_POSIX_C_SOURCE=200809L -Iinclude -c tests/c/threads.c -o "$folder/threads.o"
cc "$folder/threads.o" -Wl,--whole-archive "$runtime" -Wl,--no-whole-archive "$built/$target/debug/libarenite_c.a" \
    -lgcc_s -lutil -lrt -lpthread -lm -ldl -rdynamic -o "$folder/threads"
# Without address randomization, since some kernels use more random bits than the sanitizer supports.
TSAN_OPTIONS="halt_on_error=1 exitcode=66" setarch -R "$folder/threads" ../../examples/digits/digits_i8.tflite
echo "no data races in 8 threads with 1,000 invocations each"
