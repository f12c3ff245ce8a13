#!/usr/bin/env bash
# Builds for aarch64 Linux and runs the tests: natively on an aarch64 machine, otherwise emulated by QEMU.
#
#   tests/aarch64.sh [--install] [SUITE]…
#
# Suites:
#   kernels      the tests of the CPU delegate: every microkernel against plain code (the default)
#   conformance  the conformance cases on the delegate `cpu`, limited to each instruction set in turn
#   runtime      the tests of the contract, the runtime and the C library
#
#   --install    install missing packages first: with rustup if available, and, as root on Debian 12 or later, with
#                apt-get
#
# ARENITE_SHARED  the corpora [default: ../shared; without it, only the cases in examples/digits]
# QEMU_CPU        the processor that QEMU emulates, see `qemu-aarch64-static -cpu help` [default: max]
set -euo pipefail
cd "$(dirname "$0")/.."

readonly target=aarch64-unknown-linux-gnu
readonly roots=/usr/aarch64-linux-gnu
readonly shared="${ARENITE_SHARED:-../shared}"

step() { printf '\n== %s\n' "$*"; }
fail() {
    printf 'tests/aarch64.sh: %s\n' "$*" >&2
    exit 2
}
usage() { sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' tests/aarch64.sh; }
has() { command -v "$1" >/dev/null; }

# Whether the compiler $1 has a standard library for the target.
builds() {
    local libraries
    has "$1" && libraries=$("$1" --print target-libdir --target $target 2>/dev/null) &&
        compgen -G "$libraries/libstd-*" >/dev/null
}

# The first compiler that builds for the target; Debian's newer one has another name.
compiler() {
    local rustc
    for rustc in "${RUSTC:-rustc}" /usr/bin/rustc; do
        if builds "$rustc"; then
            echo "$rustc"
            return
        fi
    done
    return 1
}

install() {
    local packages=()
    if ! compiler >/dev/null && has rustup; then
        rustup target add $target || echo "rustup does not have $target: trying Debian's compiler"
    fi
    compiler >/dev/null || packages+=(rustc-web libstd-rust-web-dev)
    if [ "$(uname -m)" != aarch64 ]; then
        has aarch64-linux-gnu-gcc || packages+=(gcc-aarch64-linux-gnu)
        [ -e $roots/lib/libc.so.6 ] || packages+=(libc6-dev-arm64-cross)
        has qemu-aarch64-static || packages+=(qemu-user-static)
    fi
    [ ${#packages[@]} -gt 0 ] || return 0
    has apt-get || fail "apt-get is missing; install your system's equivalents of ${packages[*]}"
    [ "$(id -u)" = 0 ] || fail "--install needs root for: apt-get install ${packages[*]}"
    apt-get update -q
    DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${packages[@]}"
    compiler >/dev/null || install_library
}

# Debian's standard library for the target is a package of the other architecture; its files do not conflict with the
# native ones.
install_library() {
    local folder
    folder=$(mktemp -d)
    dpkg --add-architecture arm64
    apt-get update -q
    (cd "$folder" && apt-get download -q libstd-rust-web-dev:arm64 && dpkg -x ./*.deb /)
    rm -r "$folder"
}

# Configures cargo to build and run for the target, or fails with the missing program.
prepare() {
    local hint="tests/aarch64.sh --install installs it"
    has cargo || fail "cargo is missing: see https://rustup.rs"
    RUSTC=$(compiler) || fail "no compiler has the standard library of $target; $hint"
    export RUSTC
    [ "$(uname -m)" != aarch64 ] || return 0
    has aarch64-linux-gnu-gcc || fail "the linker aarch64-linux-gnu-gcc is missing; $hint"
    [ -e $roots/lib/libc.so.6 ] || fail "the C library is missing in $roots; $hint"
    has qemu-aarch64-static || fail "qemu-aarch64-static is missing; $hint"
    export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
    export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="qemu-aarch64-static -L $roots"
    export QEMU_CPU="${QEMU_CPU:-max}"
}

kernels() {
    step "aarch64: microkernels"
    cargo test --target $target -p arenite-base -p arenite-kernels -p arenite-cpu
    # Debian's compiler has no clippy.
    if [ "$RUSTC" != /usr/bin/rustc ] && cargo clippy --version >/dev/null 2>&1; then
        cargo clippy --target $target -p arenite-base -p arenite-kernels -p arenite-cpu -- -D warnings
    fi
}

# Emulated code is slow, so it is optimized.
conformance() {
    local paths=(examples/digits/cases) suite isa
    for suite in models conformance; do
        [ ! -d "$shared/$suite" ] || paths+=("$shared/$suite")
    done
    for isa in scalar neon neondot neoni8mm; do
        step "aarch64: ${paths[*]}, the CPU delegate up to $isa"
        ARENITE_ISA=$isa cargo run --release --target $target -p arenite-tests --bin conformance -- \
            "${paths[@]}" --delegate cpu
    done
}

# Under emulation some tests exceed their time limits. The C library's programs need a native compiler.
runtime() {
    local skipped=()
    [ "$(uname -m)" = aarch64 ] || skipped=(--skip take_no_quadratic_time --skip run_in_linear_time)
    step "aarch64: contract, runtime and C library"
    cargo test --target $target -p arenite-abi -p arenite-runtime -- "${skipped[@]}"
    cargo test --target $target -p arenite-c --lib
}

suites=()
wants_install=false
for argument; do
    case $argument in
        --install) wants_install=true ;;
        kernels | conformance | runtime) suites+=("$argument") ;;
        -h | --help) usage && exit ;;
        *) fail "unknown suite '$argument'; known: kernels, conformance, runtime" ;;
    esac
done
if $wants_install; then install; fi
prepare
for suite in "${suites[@]:-kernels}"; do "$suite"; done
