#!/usr/bin/env bash
# Compares the instructions of one invocation in the micro interpreter, in the smallest arena, with the large runtime
# (reference ops, one thread), as counted by valgrind: `tests/micro_speed.sh MODEL.tflite …`; without models, the small
# ones of the shared corpus. Fails if the micro interpreter needs over 5 % more. Takes a minute, plus the build.
set -euo pipefail
cd "$(dirname "$0")/.."

shared=${ARENITE_SHARED:-../shared}
if [ $# -eq 0 ]; then
    set -- "$shared"/models/{hello_world,ad01,kws}_{f32,int8}/model.tflite "$shared"/models/{micro_speech_int8,keyword_scrambled,str_ww_int8}/model.tflite
fi
cargo build --release -q -p arenite-tests --bin micro_speed
program=${CARGO_TARGET_DIR:-target}/release/micro_speed

# `count MODEL N [OPTION]`: the instructions of a process that runs the model N times.
count() {
    valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null "$program" "$1" --invocations "${@:2}" 2>&1 |
        sed -n 's/.*I *refs: *//p' | tr -d ,
}

# `mean MODEL N [OPTION]`: the mean instructions of an invocation, over N invocations after the second.
mean() {
    echo $((($(count "$1" $(($2 + 2)) "${@:3}") - $(count "$1" 2 "${@:3}")) / $2))
}

# `one MODEL [OPTION]`: the instructions of one invocation. The instructions before the first invocation vary by some
# thousands from start to start, so for small models many invocations are counted.
one() {
    local few
    few=$(mean "$1" 4 "${@:2}")
    if [ "$few" -lt 1000000 ]; then mean "$1" 200 "${@:2}"; else echo "$few"; fi
}

slow=0
printf '%-24s %14s %14s %8s %9s\n' model micro large ratio 'per node'
for model in "$@"; do
    micro=$(one "$model" --micro)
    large=$(one "$model")
    ratio=$(awk "BEGIN { printf \"%.3f\", $micro / $large }")
    per_node=$(((micro - large) / $("$program" "$model" --nodes)))
    printf '%-24s %14d %14d %8s %9d\n' "$(basename "$(dirname "$model")")" "$micro" "$large" "$ratio" $per_node
    if [ $((micro * 100)) -gt $((large * 105)) ]; then
        slow=1
    fi
done
exit $slow
