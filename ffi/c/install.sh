#!/bin/sh
# Builds libarenite in release mode and installs it under PREFIX, for C and C++: include/, lib/, lib/pkgconfig/,
# lib/cmake/arenite/.
#
#   ffi/c/install.sh PREFIX [--features LIST] [--no-default-features]
#
#   --features LIST         more features of arenite-c, for example `flex`: ffi/c/README.md lists them
#   --no-default-features   only the features in --features
#
# DESTDIR is prepended to PREFIX, for packages. CC links the dynamic library, with LDFLAGS.
set -eu

usage() {
  sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p;}' "$0"
}

prefix=
features=
while [ $# -gt 0 ]; do
  case $1 in
    --help) usage; exit 0 ;;
    --features)
      [ $# -gt 1 ] || { echo "$0: --features needs a list, for example: flex" >&2; exit 2; }
      features="$features --features $2"
      shift ;;
    --no-default-features) features="$features $1" ;;
    -*) echo "$0: unknown option $1" >&2; usage >&2; exit 2 ;;
    *)
      [ -z "$prefix" ] || { echo "$0: only one PREFIX is permitted, but $prefix and $1 were given" >&2; exit 2; }
      prefix=$1 ;;
  esac
  shift
done
[ -n "$prefix" ] || { usage >&2; exit 2; }
case $prefix in
  /*) ;;
  *) prefix=$(pwd)/$prefix ;;
esac
root=${DESTDIR:-}$prefix
here=$(cd "$(dirname "$0")" && pwd)
cd "$here"

# The runtime looks for lib/arenite/plugins in the prefix.
# shellcheck disable=SC2086 # a list of options
ARENITE_PREFIX=$prefix cargo build --release -p arenite-c $features
built=$(cargo metadata --format-version 1 --no-deps | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')/release
version=$(cargo pkgid -p arenite-c | sed 's/.*[#@]//')
major=${version%%.*}
# Libraries that a program needs to link the static library.
libs="-lgcc_s -lutil -lrt -lpthread -lm -ldl -lc"
list=$(echo "$libs" | tr " " ";")

mkdir -p "$root/include" "$root/lib/pkgconfig" "$root/lib/cmake/arenite"
cp -R include/. ../cpp/include/. ../../core/abi/include/. "$root/include/"
cp "$built/libarenite_c.a" "$root/lib/libarenite.a"
# rustc passes its own version script to the linker, so its dynamic library has no symbol versions. So the dynamic
# library is linked here from the static one; code that no exported function needs is removed.
# shellcheck disable=SC2086 # lists of options and libraries
"${CC:-cc}" -shared ${LDFLAGS:-} -o "$root/lib/libarenite.so.$version" -Wl,-soname,"libarenite.so.$major" -Wl,--version-script=arenite.map \
  -Wl,--whole-archive "$built/libarenite_c.a" -Wl,--no-whole-archive -Wl,--gc-sections -Wl,-O1 -Wl,--as-needed \
  -Wl,-z,relro,-z,now -Wl,--no-undefined $libs
# Symbol names that are not needed for linking are a fifth of the libraries.
if command -v strip >/dev/null; then
  strip --strip-unneeded "$root/lib/libarenite.a" "$root/lib/libarenite.so.$version"
fi
ln -sf "libarenite.so.$version" "$root/lib/libarenite.so.$major"
ln -sf "libarenite.so.$major" "$root/lib/libarenite.so"

fill() {
  sed -e "s|@VERSION@|$version|g" -e "s|@VERSION_MAJOR@|$major|g" \
    -e "s|@LIBS_PRIVATE@|$libs|g" -e "s|@LIBS_LIST@|$list|g" "$1" > "$2"
}
fill arenite.pc.in "$root/lib/pkgconfig/arenite.pc"
fill areniteConfig.cmake.in "$root/lib/cmake/arenite/areniteConfig.cmake"
fill areniteConfigVersion.cmake.in "$root/lib/cmake/arenite/areniteConfigVersion.cmake"
echo "installed arenite $version in $root"
