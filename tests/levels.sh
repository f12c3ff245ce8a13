#!/usr/bin/env bash
# Runs the tests whose results depend on the instruction set once more, up to each level that the machine has below its best.
#
#   tests/levels.sh [LEVEL…]        without LEVEL: scalar avx2 avxvnni avx512 avx512vnni amx neon neondot neoni8mm
#
# Nothing is compiled that `cargo test --workspace` has not compiled. A test depends on the level if its binary has the delegate `cpu`,
# which reads ARENITE_ISA, but for those named below. Levels with which the delegate uses the same
# instructions as with one before are left out, and so is the machine's best, with which `cargo test` has run all tests.
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- scalar avx2 avxvnni avx512 avx512vnni amx neon neondot neoni8mm

# These have the delegate, and their results do not depend on the level, or not enough for their time: arenite_kernels runs every kernel
# that the machine has, gpu, micro, schema and plugins are about other code, hostile and techniques about files and plans, and programs
# (of the C library) compiles each program again.
independent=" arenite_kernels gpu hostile micro plugins programs schema techniques "

model=$PWD/examples/digits/digits_f32.tflite
binaries=$(mktemp)
log=$(mktemp)
trap 'rm -f "$binaries" "$log"' EXIT
cargo test --workspace --no-run --message-format=json 2>/dev/null |
    sed -n 's/.*"manifest_path":"\([^"]*\)\/Cargo.toml".*"overflow_checks":[a-z]*,"test":true}.*"executable":"\([^"]*\)".*/\1 \2/p' |
    while read -r folder binary; do
        name=${binary##*/}
        case "$independent" in *" ${name%-*} "*) continue ;; esac
        if grep -q ARENITE_ISA "$binary"; then echo "$folder $binary"; fi
    done >"$binaries"
[ -s "$binaries" ] || { echo "no test has the delegate 'cpu'" >&2; exit 1; }

# The features that the delegate uses up to a level.
used() { ARENITE_ISA=$1 "$arenite" bench --seconds 0 -v "$model" 2>&1 | sed -n 's/.*instruction set \([^ ]*\) of .*/\1/p' | head -1; }
arenite=$PWD/target/debug/arenite

failed=0
seen=" $(used amx+neoni8mm) "
[ "$seen" != "  " ] || { echo "$arenite -v does not say which instruction set it uses" >&2; exit 1; }
for level; do
    features=$(used "$level")
    case "$seen" in *" $features "*) echo "== $level: as before ($features)"; continue ;; esac
    seen+="$features "
    begun=$SECONDS
    while read -r folder binary; do
        name=${binary##*/}
        if ! (cd "$folder" && CARGO_MANIFEST_DIR=$folder ARENITE_ISA=$level "$binary" >"$log" 2>&1 </dev/null); then
            echo "== $level: ${name%-*} in $folder fails:"
            cat "$log"
            failed=1
        fi
    done <"$binaries"
    echo "== $level ($features): $(wc -l <"$binaries") binaries, $((SECONDS - begun)) s"
done
exit $failed
