#!/usr/bin/env bash
# Builds libarenite_micro.a and copies it and its headers to a folder.
#
#   ffi/micro/build.sh FOLDER [TARGET] [--messages] [--subgraphs] [--sparse]
#
# It writes FOLDER/lib/libarenite_micro.a and FOLDER/include/*.h.
# TARGET is a target of rustc [default: this machine's] whose library `core` is installed (rustup target add TARGET), or
# cortex-m4, the name that `arenite plan --micro --target` has for thumbv7em-none-eabihf.
# With --messages, errors are described in full, which adds about half to the code size; without it, only their kind is
# named. With --subgraphs, models may have control flow and variables; with --sparse, constants of which only
# the non-zero elements are stored.
#
# The library has one section per function: link with `--gc-sections` to keep only the code that the program calls. It
# includes the functions that compiled code needs (64-bit division, software floats).
set -euo pipefail
folder=$(mkdir -p "$1" && cd "$1" && pwd)
shift
host=$(rustc -vV | sed -n 's/^host: //p')
target=$host
features=()
for argument; do
    case $argument in
        --messages | --subgraphs | --sparse) features+=(--features "${argument#--}") ;;
        cortex-m4) target=thumbv7em-none-eabihf ;;
        *) target=$argument ;;
    esac
done
cd "$(dirname "$0")"

libraries=$(rustc --print target-libdir --target "$target")
compgen -G "$libraries/libcore-*" >/dev/null || {
    echo "ffi/micro/build.sh: the library core for $target is missing: rustup target add $target" >&2
    exit 2
}
cargo rustc --quiet --package arenite-micro-c --no-default-features "${features[@]}" --profile micro --target "$target" --crate-type staticlib
built=$(cargo metadata --format-version 1 --no-deps | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')
archive=$built/$target/micro/libarenite_micro_c.a

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The toolchain's objcopy works for every target.
tools=$(rustc --print sysroot)
objcopy() { LD_LIBRARY_PATH=$tools/lib "$tools/lib/rustlib/$host/bin/rust-objcopy" "$@"; }

cp "$archive" "$work/libarenite_micro.a"
# Unwind tables are removed, because a panic ends the program.
objcopy --wildcard --strip-debug --strip-unneeded --remove-section .llvmbc --remove-section .llvmcmd --remove-section .eh_frame \
    --remove-section '.data.DW.ref.*' "$work/libarenite_micro.a"

mkdir -p "$folder/lib" "$folder/include"
cp "$work/libarenite_micro.a" "$folder/lib"
cp include/*.h ../../core/abi/include/arenite_plugin.h "$folder/include"
