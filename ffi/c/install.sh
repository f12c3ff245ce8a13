#!/bin/sh
# Builds libarenite in release and installs it below PREFIX: include/, lib/, lib/pkgconfig/, lib/cmake/arenite/.
# Usage: ffi/c/install.sh PREFIX        (DESTDIR is put in front of PREFIX, for packages)
set -eu

if [ $# -ne 1 ]; then
  echo "usage: $0 PREFIX" >&2
  exit 2
fi
case $1 in
  /*) prefix=$1 ;;
  *) prefix=$(pwd)/$1 ;;
esac
root=${DESTDIR:-}$prefix
here=$(cd "$(dirname "$0")" && pwd)
cd "$here"

# The prefix is where the runtime looks for lib/arenite/plugins.
ARENITE_PREFIX=$prefix cargo build --release -p arenite-c
built=$(cargo metadata --format-version 1 --no-deps | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')/release
version=$(cargo pkgid -p arenite-c | sed 's/.*[#@]//')
major=${version%%.*}
# What a program needs that links the static library.
libs="-lgcc_s -lutil -lrt -lpthread -lm -ldl -lc"
list=$(echo "$libs" | tr " " ";")

mkdir -p "$root/include" "$root/lib/pkgconfig" "$root/lib/cmake/arenite"
cp include/*.h "$root/include/"
cp "$built/libarenite.a" "$root/lib/"
cp "$built/libarenite.so" "$root/lib/libarenite.so.$version"
ln -sf "libarenite.so.$version" "$root/lib/libarenite.so.$major"
ln -sf "libarenite.so.$major" "$root/lib/libarenite.so"

fill() {
  sed -e "s|@PREFIX@|$prefix|g" -e "s|@VERSION@|$version|g" -e "s|@VERSION_MAJOR@|$major|g" \
    -e "s|@LIBS_PRIVATE@|$libs|g" -e "s|@LIBS_LIST@|$list|g" "$1" > "$2"
}
fill arenite.pc.in "$root/lib/pkgconfig/arenite.pc"
fill areniteConfig.cmake.in "$root/lib/cmake/arenite/areniteConfig.cmake"
fill areniteConfigVersion.cmake.in "$root/lib/cmake/arenite/areniteConfigVersion.cmake"
echo "installed arenite $version below $root"
