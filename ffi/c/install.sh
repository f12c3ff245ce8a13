#!/bin/sh
# Builds libarenite in release and installs it below PREFIX, for C and C++: include/, lib/, lib/pkgconfig/, lib/cmake/arenite/.
#
#   ffi/c/install.sh PREFIX [--features LIST] [--no-default-features]
#
#   --features LIST         what arenite-c has beside the default, as `flex`: ffi/c/README.md lists them
#   --no-default-features   only what --features names
#
# DESTDIR is put in front of PREFIX, for packages; CC links the dynamic library, with LDFLAGS.
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
      [ $# -gt 1 ] || { echo "$0: --features needs a list, as flex" >&2; exit 2; }
      features="$features --features $2"
      shift ;;
    --no-default-features) features="$features $1" ;;
    -*) echo "$0: unknown option $1" >&2; usage >&2; exit 2 ;;
    *)
      [ -z "$prefix" ] || { echo "$0: one PREFIX is needed, there are $prefix and $1" >&2; exit 2; }
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

# The prefix is where the runtime looks for lib/arenite/plugins.
# shellcheck disable=SC2086 # a list of options
ARENITE_PREFIX=$prefix cargo build --release -p arenite-c $features
built=$(cargo metadata --format-version 1 --no-deps | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')/release
version=$(cargo pkgid -p arenite-c | sed 's/.*[#@]//')
major=${version%%.*}
# What a program needs that links the static library.
libs="-lgcc_s -lutil -lrt -lpthread -lm -ldl -lc"
list=$(echo "$libs" | tr " " ";")

mkdir -p "$root/include" "$root/lib/pkgconfig" "$root/lib/cmake/arenite"
cp -R include/. ../cpp/include/. "$root/include/"
cp "$built/libarenite_c.a" "$root/lib/libarenite.a"
# rustc gives the dynamic library no symbol versions: it hands the linker a version script of its own. So it is linked here, of the
# static one; what no exported function needs is left out.
# shellcheck disable=SC2086 # lists of options and libraries
"${CC:-cc}" -shared ${LDFLAGS:-} -o "$root/lib/libarenite.so.$version" -Wl,-soname,"libarenite.so.$major" -Wl,--version-script=arenite.map \
  -Wl,--whole-archive "$built/libarenite_c.a" -Wl,--no-whole-archive -Wl,--gc-sections -Wl,-O1 -Wl,--as-needed \
  -Wl,-z,relro,-z,now -Wl,--no-undefined $libs
# Names that nobody links against are a fifth of the libraries.
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
echo "installed arenite $version below $root"
