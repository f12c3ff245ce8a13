#!/usr/bin/env bash
# The fuzzing campaign: `tests/fuzz/run.sh MINUTES [TARGET…]` divides the minutes among all targets, or the named ones,
# and prints a table: executions, executions per second, findings, files of the corpus. Exits with 1 after a finding:
# its file is in `artifacts/`, and `FUZZ_TARGET=NAME PROGRAM FILE` reproduces it. Needs the nightly toolchain;
# `build.sh` builds the program.
#
#   FUZZ_JOBS=2      the number of targets that run at the same time (default 1)
#   FUZZ_SEED=N      libFuzzer's seed (default: a different one each time)
set -euo pipefail
cd "$(dirname "$0")"
[ $# -ge 1 ] || { echo "usage: tests/fuzz/run.sh MINUTES [TARGET…]" >&2; exit 2; }
minutes=$1
shift

# Target, and its share of the time.
shares="described 14
model 14
graphs 14
micro 8
arenite_calls 10
tflite_calls 6
descriptors 4
planners 4
opencl 8
vulkan 8
options 2
config 2
records 2
pictures 3
npy 2
labels 1
caches 3
programs 1"
if [ $# -gt 0 ]; then
    shares=$(for name in "$@"; do grep "^$name " <<<"$shares" || { echo "no target '$name'" >&2; exit 2; }; done)
fi
program=$(./build.sh)
total=$(awk '{ sum += $2 } END { print sum }' <<<"$shares")
mkdir -p corpus artifacts logs

# Runs the target $1 for $2 seconds.
one() {
    local name=$1 seconds=$2 flags=()
    mkdir -p "corpus/$name" "artifacts/$name" "seeds/$name"
    case $name in
    # Drivers do not free all memory, and compile the first program slowly.
    opencl | vulkan | programs) flags=(-detect_leaks=0 -timeout=60 -rss_limit_mb=4096) ;;
    *) flags=(-timeout=10 -rss_limit_mb=2048) ;;
    esac
    local begun=$SECONDS rc=0
    # Entropic scheduling and printing new functions take longer than the executions. An execution may wait for a
    # driver's compiler and end late.
    FUZZ_TARGET=$name timeout -k 10 $((seconds + 120)) "$program" -max_total_time="$seconds" -max_len=4096 \
        -print_final_stats=1 -print_funcs=0 -entropic=0 -artifact_prefix="artifacts/$name/" "${flags[@]}" ${FUZZ_SEED:+-seed="$FUZZ_SEED"} \
        "corpus/$name" "seeds/$name" >"logs/$name" 2>&1 || rc=$?
    local executions
    executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "logs/$name" | tail -n 1)
    local finds=0
    if [ -z "${ARENITE_GPU:-}" ] && grep -q 'this machine has no device' "logs/$name"; then
        printf '%-14s skipped: this machine has no device for it\n' "$name"
        rm -f "artifacts/$name"/*
        return 0
    fi
    [ "$rc" = 0 ] || finds=1
    printf '%-14s %10s %8s %6s %7s\n' "$name" "${executions:-?}" \
        "$((${executions:-0} / (SECONDS > begun ? SECONDS - begun : 1)))" "$finds" "$(find "corpus/$name" -type f | wc -l)"
    [ "$rc" = 0 ] || {
        echo "  exit $rc: $(grep -m 1 -a -E 'panicked at|ERROR:' "logs/$name" || tail -n 1 "logs/$name")"
        return 1
    }
}

printf '%-14s %10s %8s %6s %7s\n' target executions per/s finds corpus
failed=0
running=0
jobs=${FUZZ_JOBS:-1}
while read -r name share; do
    if [ "$running" -ge "$jobs" ]; then
        wait -n || failed=1
        running=$((running - 1))
    fi
    # Each job has the full number of minutes.
    one "$name" "$(awk "BEGIN { s = $minutes * 60 * $jobs * $share / $total; print int(s < 1 ? 1 : s) }")" &
    running=$((running + 1))
done <<<"$shares"
while [ "$running" -gt 0 ]; do
    wait -n || failed=1
    running=$((running - 1))
done
[ "$failed" = 0 ] || { echo "findings: see tests/fuzz/artifacts and tests/fuzz/logs" >&2; exit 1; }
