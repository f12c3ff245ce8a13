#!/bin/sh
# Runs TensorFlow's binding for Node.js, unmodified, on our library: builds it as npm does, replaces its library with
# ours, and compares the results of networks with stored ones, with and without an external delegate.
#
#   ffi/tflite/tests/node/run.sh FOLDER    one folder per network: model.tflite, case.json, in_K.npy, out_K.npy
#
# Needs network access, npm, a C++ compiler and make. Downloads and builds are kept in cargo's target folder.
set -eu

[ $# = 1 ] || { sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p;}' "$0"; exit 2; }
models=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
cd "$here"
cargo build --release -p arenite-tflite
target=$(cargo metadata --format-version 1 --no-deps | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')
work=$target/tfjs-tflite-node
mkdir -p "$work"
cd "$work"
if [ ! -d package ]; then
  npm pack --silent tfjs-tflite-node@0.0.2
  tar xzf tfjs-tflite-node-0.0.2.tgz
fi
cd package
[ -f build/Release/node_tflite_binding.node ] || npm install --silent --legacy-peer-deps
case $(uname -m) in
  aarch64) libraries=cc_deps/linux_arm64 ;;
  *) libraries=cc_deps/linux_amd64 ;;
esac
[ -f "$libraries/theirs.so" ] || mv "$libraries/libtensorflowlite_c.so" "$libraries/theirs.so"
cp "$target/release/libtensorflowlite_c.so" "$libraries/libtensorflowlite_c.so"
cc -shared -fPIC -O2 -Wall -Wextra -Werror -I cc_deps/include "$here/delegate.c" -o "$work/libtest_delegate.so" -lm \
  -L "$libraries" -ltensorflowlite_c
# The binding's library that loads external delegates asks for a version of each symbol, which our symbols lack.
node "$here/answers.js" "$work/package" "$models" "$work/libtest_delegate.so"
