#!/usr/bin/env bash
# Merges what a campaign found in `corpus/` into `seeds/`: of each target the smallest set of files with the same coverage, at most
# 240 KB of it, small files first. Files with a name of their own stay.
set -euo pipefail
cd "$(dirname "$0")"
program=$(./build.sh)
most=$((240 * 1024))
for folder in corpus/*/; do
    name=$(basename "$folder")
    [ $# = 0 ] || grep -qw "$name" <<<"$*" || continue
    merged=$(mktemp -d)
    mkdir -p "seeds/$name"
    FUZZ_TARGET=$name "$program" -merge=1 -timeout=10 -detect_leaks=0 -rss_limit_mb=4096 "$merged" "seeds/$name" "$folder" \
        >"logs/$name.merge" 2>&1 || echo "$name: the merge ended early, see logs/$name.merge" >&2
    # Files that a merge wrote before are named after their contents.
    find "seeds/$name" -type f -regextype posix-extended -regex '.*/[0-9a-f]{40}' -delete
    bytes=0
    while read -r size path; do
        # A seed with a name is there already.
        ! cmp -s "$path" /dev/null || continue
        bytes=$((bytes + size))
        [ "$bytes" -le "$most" ] || break
        cp "$path" "seeds/$name/"
    done < <(find "$merged" -type f -printf '%s %p\n' | sort -n)
    rm -r "$merged"
    printf '%-14s %5s files %8s\n' "$name" "$(find "seeds/$name" -type f | wc -l)" "$(du -sb "seeds/$name" | cut -f 1)"
done
