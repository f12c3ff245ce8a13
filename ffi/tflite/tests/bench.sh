#!/bin/sh
# Compares the cost of a call in our library and in TensorFlow Lite's of 2022, alternately: set the input, run the
# model, read the output.
#
#   ffi/tflite/tests/bench.sh MODEL.tflite
#
# Needs npm and a C compiler. Downloads and builds are kept in cargo's target folder.
set -eu

[ $# = 1 ] || { sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p;}' "$0"; exit 2; }
model=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
here=$(cd "$(dirname "$0")" && pwd)
cd "$here"
cargo build --release -p arenite-tflite
target=$(cargo metadata --format-version 1 --no-deps | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')
work=$target/tfjs-tflite-node-bench
mkdir -p "$work/ours" "$work/theirs"
if [ ! -f "$work/theirs/libtensorflowlite_c.so" ]; then
  (cd "$work" && npm pack --silent tfjs-tflite-node@0.0.2 && tar xzf tfjs-tflite-node-0.0.2.tgz)
  case $(uname -m) in
    aarch64) machine=arm64 ;;
    *) machine=amd64 ;;
  esac
  cp "$work/package/cc_deps/linux_$machine/libtensorflowlite_c.so" "$work/theirs/"
fi
cp "$target/release/libtensorflowlite_c.so" "$work/ours/"
for which in ours theirs; do
  cc -O2 -Wall -Wextra -Werror -std=c11 -D_POSIX_C_SOURCE=200809L c/bench.c -o "$work/$which/bench" \
    "$work/$which/libtensorflowlite_c.so" "-Wl,-rpath,$work/$which"
done
for turn in 1 2 3; do
  for which in ours theirs; do
    printf '%s, turn %s: ' "$which" "$turn"
    "$work/$which/bench" "$model"
  done
done
