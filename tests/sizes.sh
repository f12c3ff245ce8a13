#!/usr/bin/env bash
# Builds the C library with its default features and with all features, installs both, links a static classification
# program, and prints the sizes. Fails if one exceeds its limit below. A limit may only grow with features that users
# requested, and the commit must name them.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
too_large=0

# `size NAME FILE LIMIT`: prints the size of a file and checks it against the limit.
size() {
    local bytes
    bytes=$(stat -Lc %s "$2")
    printf '%-44s %9d bytes, at most %9d\n' "$1" "$bytes" "$3"
    if [ "$bytes" -gt "$3" ]; then
        echo "$1 has grown" >&2
        too_large=1
    fi
}

ffi/c/install.sh "$folder/all" --features flex >"$folder/log" 2>&1 || { cat "$folder/log" >&2; exit 1; }
size "libarenite.so, with all" "$folder/all/lib/libarenite.so" 11890000
ffi/c/install.sh "$folder/few" --no-default-features --features avx2,neon >"$folder/log" 2>&1 || { cat "$folder/log" >&2; exit 1; }
size "libarenite.so, AVX2 and NEON, without exact" "$folder/few/lib/libarenite.so" 8495000
ffi/c/install.sh "$folder/default" >"$folder/log" 2>&1 || { cat "$folder/log" >&2; exit 1; }
size "libarenite.so" "$folder/default/lib/libarenite.so" 9548000
if command -v cc >/dev/null; then
    cc -std=c11 -O2 -s -Wl,--gc-sections -I "$folder/default/include" ffi/c/examples/classify.c "$folder/default/lib/libarenite.a" \
        -lgcc_s -lutil -lrt -lpthread -lm -ldl -o "$folder/classify"
    size "classify, linked statically" "$folder/classify" 8708000
fi
exit $too_large
