#!/bin/sh
# Builds the book in docs/ as HTML: about a minute the first time, for mdBook's library.
#
#   dist/book/build.sh [FOLDER]      default: target/book/html; what is there is replaced
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$(dirname "$here")")
target=$(cd "$root" && cargo metadata --format-version 1 --no-deps | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')/book
out=${1:-$target/html}
CARGO_TARGET_DIR=$target cargo run -q --locked --manifest-path "$here/Cargo.toml" -- "$root/docs" "$out"
# Only pages, not what they are made from.
rm -f "$out/book.toml"
echo "the book is in $out"
