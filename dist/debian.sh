#!/bin/sh
# debian.sh STAGE VERSION FOLDER: makes Debian packages from the files in STAGE, which dist/build.sh prepared.
#
#   libarenite0        the dynamic library
#   libarenite-dev     headers of C and C++, the static library, pkg-config, CMake, examples
#   arenite            the program, its manual, completions
#   arenite-flex       the plugin with TensorFlow's ops
#   arenite-gpu        the GPU delegates
#   arenite-tflite     libtensorflowlite_c.so, TensorFlow Lite's C interface
set -eu

stage=$1
version=$2
out=$3
major=${version%%.*}
arch=$(dpkg --print-architecture)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The newest version of glibc required by one of these files.
glibc() {
  for file in "$@"; do
    objdump -T "$file"
  done | sed -n 's/.*(\{0,1\}GLIBC_\([0-9][0-9.]*\).*/\1/p' | sort -V | tail -n 1
}

# `put PACKAGE PATH...` moves paths from the stage to a package.
put() {
  package=$1
  shift
  for path in "$@"; do
    mkdir -p "$work/$package/$(dirname "$path")"
    mv "$stage/$path" "$work/$package/$path"
  done
}

# `pack PACKAGE SECTION DEPENDS SUMMARY TEXT` writes the control files and builds the archive.
pack() {
  folder=$work/$1
  mkdir -p "$folder/DEBIAN" "$folder/usr/share/doc/$1"
  cp "$work/copyright" "$folder/usr/share/doc/$1/copyright"
  (cd "$folder" && find usr -type f | LC_ALL=C sort | xargs md5sum) > "$folder/DEBIAN/md5sums"
  cat > "$folder/DEBIAN/control" <<CONTROL
Package: $1
Source: arenite
Version: $version
Architecture: $arch
Maintainer: The arenite authors <maintainers@arenite.invalid>
Installed-Size: $(du -sk "$folder/usr" | cut -f 1)
Depends: $3
Section: $2
Priority: optional
Homepage: https://github.com/arenite/arenite
Description: $4
 $5
CONTROL
  find "$folder" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
  find "$folder" -type d -exec chmod 755 {} +
  dpkg-deb --root-owner-group -Zxz --build "$folder" "$out/$1_${version}_$arch.deb"
}

{
  printf 'arenite %s\n\nEither of two licences, as you like.\n' "$version"
  for licence in "$stage"/usr/share/licenses/arenite/*; do
    printf '\n== %s\n\n' "$(basename "$licence")"
    cat "$licence"
  done
} > "$work/copyright"
rm -r "$stage/usr/share/licenses"

library=usr/lib/libarenite.so
libc=$(glibc "$stage/$library.$version" "$stage/usr/bin/arenite" "$stage"/usr/lib/*.so "$stage"/usr/lib/arenite/plugins/*.so)
needs="libc6 (>= $libc), libgcc-s1"
put "libarenite$major" "$library.$version" "$library.$major"
mkdir -p "$work/libarenite$major/DEBIAN"
printf 'libarenite %s libarenite%s (>= %s)\n' "$major" "$major" "$version" > "$work/libarenite$major/DEBIAN/shlibs"
printf 'activate-noawait ldconfig\n' > "$work/libarenite$major/DEBIAN/triggers"
put arenite-flex usr/lib/arenite/plugins/libarenite_plugin_flex.so
put arenite-gpu usr/lib/arenite/plugins/libarenite_plugin_opencl.so usr/lib/arenite/plugins/libarenite_plugin_vulkan.so
put arenite-tflite usr/lib/libtensorflowlite_c.so
put arenite usr/bin usr/share/man usr/share/bash-completion usr/share/zsh usr/share/fish usr/share/doc/arenite/book
put libarenite-dev usr/include "$library" usr/lib/libarenite.a usr/lib/libarenite_testing.so usr/lib/pkgconfig usr/lib/cmake usr/share/doc
mkdir -p "$work/libarenite-dev/usr/share/doc/libarenite-dev"
mv "$work/libarenite-dev/usr/share/doc/arenite"/* "$work/libarenite-dev/usr/share/doc/libarenite-dev/"
rmdir "$work/libarenite-dev/usr/share/doc/arenite"
left=$(find "$stage" ! -type d)
[ -z "$left" ] || { printf '%s: files in no package:\n%s\n' "$0" "$left" >&2; exit 1; }

pack "libarenite$major" libs "$needs" "inference runtime for .tflite models: the library" \
  "Loads, verifies and runs .tflite models. Operators, memory planners and delegates are plugins behind a stable ABI."
pack libarenite-dev libdevel "libarenite$major (= $version), libc6-dev" "inference runtime for .tflite models: C and C++" \
  "Headers of C and C++, the static library, files for pkg-config and CMake, and examples."
pack arenite misc "$needs" "inference runtime for .tflite models: the program" \
  "Runs, measures and inspects .tflite models, and draws their memory plans."
pack arenite-flex libs "$needs" "inference runtime for .tflite models: TensorFlow's ops" \
  "A plugin for TensorFlow's ops, which converters keep with the prefix Flex. Programs that load arenite's plugins find it."
pack arenite-gpu libs "$needs" "inference runtime for .tflite models: GPU delegates" \
  "The delegates opencl and vulkan. The driver of your GPU provides libOpenCL.so.1 or libvulkan.so.1."
pack arenite-tflite libs "$needs" "TensorFlow Lite's C interface on arenite" \
  "A libtensorflowlite_c.so for programs built against TensorFlow Lite's, without changes."
