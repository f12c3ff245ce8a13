#!/usr/bin/env bash
# Repeats the tests whose results depend on the instruction set, limited to each level below the machine's best.
#
#   tests/levels.sh [LEVEL…]        default: scalar avx2 avxvnni avx512 avx512vnni amx neon neondot neoni8mm
#
# Nothing is compiled beyond what `cargo test --workspace` compiles. A test depends on the level if its binary contains
# the delegate `cpu`, which reads ARENITE_ISA, except for those named below. Levels at which the delegate uses the same
# instructions as at an earlier one are skipped, and so is the machine's best, at which `cargo test` has run all tests.
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- scalar avx2 avxvnni avx512 avx512vnni amx neon neondot neoni8mm

# These contain the delegate, but their results do not depend on the level, or not enough to justify the time:
# arenite_kernels runs every kernel that the machine supports; gpu, micro, schema and plugins test other code; hostile
# and techniques test files and plans; and programs (of the C library) compiles every program again.
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
[ -s "$binaries" ] || { echo "no test contains the delegate 'cpu'" >&2; exit 1; }

# The features that the delegate uses up to a level.
used() { ARENITE_ISA=$1 "$arenite" bench --seconds 0 -v "$model" 2>&1 | sed -n 's/.*instruction set \([^ ]*\) of .*/\1/p' | head -1; }
arenite=$PWD/target/debug/arenite

failed=0
seen=" $(used amx+neoni8mm) "
[ "$seen" != "  " ] || { echo "$arenite -v did not print its instruction set" >&2; exit 1; }
for level; do
    features=$(used "$level")
    case "$seen" in *" $features "*) echo "== $level: same as an earlier level ($features)"; continue ;; esac
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
