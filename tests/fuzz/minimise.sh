#!/usr/bin/env bash
# `tests/fuzz/minimise.sh [TARGET…]` merges the findings in `corpus/` into `seeds/`: for each target the smallest set of
# files with the same coverage, at most 240 KB, small files first. Seeds whose name is not a digest are kept, whatever
# they cover. If a merge fails, the target keeps its seeds and the script exits with 1.
set -euo pipefail
cd "$(dirname "$0")"
program=$(./build.sh)
most=$((240 * 1024))
failed=0
mkdir -p logs
merged=$(mktemp -d)
trap 'rm -rf "$merged"' EXIT

digests() { find "$1" -maxdepth 1 -type f -regextype posix-extended -regex '.*/[0-9a-f]{40}' "${@:2}"; }
named() { find "$1" -maxdepth 1 -type f -regextype posix-extended -not -regex '.*/[0-9a-f]{40}' "${@:2}"; }

for folder in corpus/*/; do
    [ -d "$folder" ] || continue
    name=$(basename "$folder")
    [ $# = 0 ] || grep -qxF "$name" <<<"$(printf '%s\n' "$@")" || continue
    rm -rf "${merged:?}/$name"
    mkdir -p "$merged/$name" "seeds/$name"
    case $name in
    opencl | vulkan | programs) timeout=60 ;;
    *) timeout=10 ;;
    esac
    FUZZ_TARGET=$name "$program" -merge=1 -timeout=$timeout -detect_leaks=0 -rss_limit_mb=4096 \
        "$merged/$name" "seeds/$name" "$folder" >"logs/$name.merge" 2>&1 || {
        echo "$name: the merge failed and the seeds are unchanged: see tests/fuzz/logs/$name.merge" >&2
        failed=1
        continue
    }
    # libFuzzer names a file after the SHA-1 digest of its contents.
    known=$(named "seeds/$name" -exec sha1sum {} + | cut -d ' ' -f 1)
    digests "seeds/$name" -delete
    bytes=0
    while read -r size path; do
        ! grep -qxF "$(basename "$path")" <<<"$known" || continue
        bytes=$((bytes + size))
        [ "$bytes" -le "$most" ] || break
        cp "$path" "seeds/$name/"
    done < <(find "$merged/$name" -type f -printf '%s %p\n' | sort -n)
    printf '%-14s %5s files %8s bytes\n' "$name" "$(find "seeds/$name" -type f | wc -l)" \
        "$(find "seeds/$name" -type f -printf '%s\n' | awk '{ sum += $1 } END { print sum + 0 }')"
done
exit "$failed"
