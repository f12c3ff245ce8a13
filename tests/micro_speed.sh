#!/usr/bin/env bash
# Instructions of one invocation in the micro interpreter, beside the large runtime with reference ops on one thread, as valgrind counts
# them: `tests/micro_speed.sh MODEL.tflite …`, or no model for the small ones of the shared corpus. The micro interpreter has as much memory
# as the model needs, where it expands each node anew, or room to keep them expanded; fails where it needs more than 5 % more then.
set -euo pipefail
cd "$(dirname "$0")/.."

shared=${ARENITE_SHARED:-../shared}
if [ $# -eq 0 ]; then
    set -- "$shared"/models/{hello_world,ad01,kws}_{f32,int8}/model.tflite "$shared"/models/{micro_speech_int8,keyword_scrambled,str_ww_int8}/model.tflite
fi
cargo build --release -q -p arenite-tests --bin micro_speed
program=${CARGO_TARGET_DIR:-target}/release/micro_speed

# `count MODEL N [OPTION …]`: instructions of a process that runs it so often.
count() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" "$1" --invocations "${@:2}" 2>&1 |
        sed -n 's/.*Collected : //p'
}

# `one MODEL [OPTION …]`: instructions of one invocation.
one() {
    echo $((($(count "$1" 12 "${@:2}") - $(count "$1" 2 "${@:2}")) / 10))
}

slow=0
printf '%-24s %14s %14s %14s %8s\n' model 'least arena' '64 KiB more' large ratio
for model in "$@"; do
    least=$(one "$model" --micro)
    micro=$(one "$model" --micro --room 65536)
    large=$(one "$model")
    ratio=$(awk "BEGIN { printf \"%.3f\", $micro / $large }")
    printf '%-24s %14d %14d %14d %8s\n' "$(basename "$(dirname "$model")")" "$least" "$micro" "$large" "$ratio"
    if [ $((micro * 100)) -gt $((large * 105)) ]; then
        slow=1
    fi
done
exit $slow
