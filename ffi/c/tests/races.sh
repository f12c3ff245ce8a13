#!/usr/bin/env bash
# Runs tests/c/threads.c under ThreadSanitizer: the program, the library and Rust's standard library are all built with it. Needs the
# nightly toolchain with rust-src (`rustup component add rust-src --toolchain nightly`), and cc. Fails where two threads race.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
target=$(rustc +nightly -vV | sed -n 's/^host: //p')
built=${CARGO_TARGET_DIR:-../../target}/races
RUSTFLAGS=-Zsanitizer=thread cargo +nightly build -Z build-std --target "$target" --target-dir "$built" -p arenite-c

# Rust's copy of the sanitizer's functions serves the program, too.
runtime=$(rustc +nightly --print sysroot)/lib/rustlib/$target/lib/librustc-nightly_rt.tsan.a
cc -std=c11 -g -fsanitize=thread -D_POSIX_C_SOURCE=200809L -Iinclude -c tests/c/threads.c -o "$folder/threads.o"
cc "$folder/threads.o" -Wl,--whole-archive "$runtime" -Wl,--no-whole-archive "$built/$target/debug/libarenite_c.a" \
    -lgcc_s -lutil -lrt -lpthread -lm -ldl -rdynamic -o "$folder/threads"
# Without address randomization, of which some kernels have more than the sanitizer can map.
TSAN_OPTIONS="halt_on_error=1 exitcode=66" setarch -R "$folder/threads" ../../examples/digits/digits_i8.tflite
echo "no race in 8 threads of 1,000 invocations"
