#!/bin/sh
# Builds packages for this machine's architecture into a folder: a tarball, five .deb files, and the crates.
#
#   dist/build.sh [--no-crates] [FOLDER]      default: target/dist; existing packages are replaced
#
# It needs Rust and cc, and for the .deb files dpkg-deb, which is part of Debian. dist/test.sh tests the packages.
set -eu

usage() { sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p;}' "$0"; }

crates=yes
out=
for argument in "$@"; do
  case $argument in
    --help) usage; exit 0 ;;
    --no-crates) crates=no ;;
    -*) echo "$0: unknown option $argument" >&2; usage >&2; exit 2 ;;
    *) out=$argument ;;
  esac
done
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
target=$(cd "$root" && cargo metadata --format-version 1 --no-deps | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')
out=${out:-$target/dist}
mkdir -p "$out"
out=$(cd "$out" && pwd)
rm -rf "$out"/crates "$out"/*.deb "$out"/*.tar.gz "$out/SHA256SUMS" "$target"/package/*.crate
cd "$root"

version=$(cargo pkgid -p arenite-c | sed 's/.*[#@]//')
major=${version%%.*}
# Makes packages reproducible: files have the date of the last commit.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}
export SOURCE_DATE_EPOCH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
stage=$work/stage
step() { printf '== %s\n' "$*"; }

step "library, headers, program, plugins"
# The packages of one command share their features. The program is built alone, as everywhere else, so that cargo
# compiles its crates only once.
plugins="flex opencl vulkan" # Only plugins that are not linked in need a folder.
cargo build --release -p arenite-cli
# shellcheck disable=SC2046,SC2086 # lists
ARENITE_PREFIX=/usr cargo build --release -p arenite-c -p arenite-c-testing -p arenite-tflite \
  $(printf -- '-p arenite-plugin-%s ' $plugins)
DESTDIR=$stage ffi/c/install.sh /usr
install -D "$target/release/arenite" "$stage/usr/bin/arenite"
for plugin in $plugins; do
  file=$stage/usr/lib/arenite/plugins/libarenite_plugin_$plugin.so
  install -D -m 644 "$target/release/libarenite_plugin_$plugin.so" "$file"
  strip --strip-unneeded "$file"
done
install -m 644 "$target/release/libtensorflowlite_c.so" "$target/release/libarenite_testing.so" "$stage/usr/lib/"
strip "$stage/usr/bin/arenite"
strip --strip-unneeded "$stage/usr/lib/libtensorflowlite_c.so" "$stage/usr/lib/libarenite_testing.so"

step "manual, completions, examples"
share=$stage/usr/share
cargo run --release -q -p arenite-cli --example manual -- "$work/manual"
examples=$share/doc/arenite/examples
mkdir -p "$share/man" "$examples" "$share/licenses/arenite"
cp -R "$work/manual/man/man1" "$share/man/"
gzip -9n "$share"/man/man1/*.1
install -D -m 644 "$work/manual/bash/arenite.bash" "$share/bash-completion/completions/arenite"
install -D -m 644 "$work/manual/zsh/_arenite" "$share/zsh/vendor-completions/_arenite"
install -D -m 644 "$work/manual/fish/arenite.fish" "$share/fish/vendor_completions.d/arenite.fish"
cp CHANGELOG.md OPERATORS.md "$share/doc/arenite/"
cp ffi/c/examples/*.c ffi/cpp/examples/*.cpp "$examples/"
cp examples/digits/digits_*.tflite examples/digits/labels.txt examples/digits/samples/7.pgm examples/digits/samples/7.png "$examples/"
cp -R ffi/go "$examples/go"
cp LICENSE-APACHE LICENSE-MIT "$share/licenses/arenite/"

step "the book"
"$here/book/build.sh" "$share/doc/arenite/book"
find "$stage" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +

step "tarball"
name=arenite-$version-$(uname -m)-linux
tar -C "$stage" --transform "s|^usr|$name|" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" \
  -cf - usr | gzip -9n > "$out/$name.tar.gz"

if command -v dpkg-deb >/dev/null; then
  step "Debian packages"
  "$here/debian.sh" "$stage" "$version" "$out"
else
  step "Debian packages: skipped, dpkg-deb is not installed"
fi

if [ "$crates" = yes ]; then
  step "crates"
  # Published crates only. With --no-verify they are not compiled again from their archives.
  published=$(find . -path ./target -prune -o -name Cargo.toml -print | xargs grep -L '^publish = false' | sort |
    xargs awk 'FNR == 2 && $1 == "name" { gsub(/"/, ""); print "-p", $3 }')
  # shellcheck disable=SC2086 # a list of options
  cargo package --no-verify --allow-dirty $published
  mkdir -p "$out/crates"
  cp "$target"/package/*.crate "$out/crates/"
fi
cd "$out"
find . -type f ! -name SHA256SUMS | sort | xargs sha256sum > SHA256SUMS
step "packages of arenite $version (libarenite.so.$major) in $out"
