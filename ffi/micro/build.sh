#!/usr/bin/env bash
# Builds libarenite_micro.a and lays it beside its headers.
#
#   ffi/micro/build.sh FOLDER [TARGET] [--messages] [--subgraphs]      FOLDER/lib/libarenite_micro.a, FOLDER/include/*.h
#
# TARGET is one of rustc's [default: this machine's]; its library `core` must be there (rustup target add TARGET). With --messages errors
# tell in words and numbers what is wrong, at the price of half as much code again; without, what kind of error it is. With --subgraphs
# models may have control flow, variables and tables.
#
# The library has a section per function and an object per file of the ops: link with `--gc-sections`, which keeps what a program calls.
# What the compiler needs besides (64-bit division, floats where the machine has none) is in it.
set -euo pipefail
folder=$(mkdir -p "$1" && cd "$1" && pwd)
shift
host=$(rustc -vV | sed -n 's/^host: //p')
target=$host
features=()
for argument; do
    case $argument in
        --messages | --subgraphs) features+=(--features "${argument#--}") ;;
        *) target=$argument ;;
    esac
done
cd "$(dirname "$0")"

libraries=$(rustc --print target-libdir --target "$target")
compgen -G "$libraries/libcore-*" >/dev/null || {
    echo "ffi/micro/build.sh: there is no library core for $target: rustup target add $target" >&2
    exit 2
}
cargo rustc --quiet --package arenite-micro-c --no-default-features "${features[@]}" --profile micro --target "$target" --crate-type staticlib
built=$(cargo metadata --format-version 1 --no-deps | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')
archive=$built/$target/micro/libarenite_micro_c.a

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Of the toolchain: an objcopy for every target.
tools=$(rustc --print sysroot)
objcopy() { LD_LIBRARY_PATH=$tools/lib "$tools/lib/rustlib/$host/bin/rust-objcopy" "$@"; }

cp "$archive" "$work/libarenite_micro.a"
# Without tables to unwind: a panic ends the program.
objcopy --wildcard --strip-debug --strip-unneeded --remove-section .llvmbc --remove-section .llvmcmd --remove-section .eh_frame \
    --remove-section '.data.DW.ref.*' "$work/libarenite_micro.a"

mkdir -p "$folder/lib" "$folder/include"
cp "$work/libarenite_micro.a" "$folder/lib"
cp include/*.h ../c/include/arenite_plugin.h "$folder/include"
