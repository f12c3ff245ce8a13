#!/usr/bin/env bash
# Builds for aarch64 Linux and runs what it built: as it is on an aarch64 machine, else emulated by QEMU.
#
#   tests/aarch64.sh [--install] [SUITE]…
#
# Suites:
#   kernels      the tests of the CPU delegate: each line of each table of microkernels against plain code (the default)
#   conformance  the answers of the reference runtime through the delegate `cpu`, up to each instruction set in turn
#   runtime      the tests of the contract, the runtime and the C library
#
#   --install    first fetch what is missing: with rustup if it is there, and with apt-get as root on Debian 12 or later
#
# ARENITE_SHARED  the corpora [default: shared beside the project; without it, only the cases in examples/digits]
# QEMU_CPU        the machine that QEMU shows, as of `qemu-aarch64-static -cpu help` [default: max]
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

# Whether that compiler has a standard library for the target.
builds() {
    local libraries
    has "$1" && libraries=$("$1" --print target-libdir --target $target 2>/dev/null) &&
        compgen -G "$libraries/libstd-*" >/dev/null
}

# The first compiler that builds for the target; Debian's newer one has a name of its own.
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
        rustup target add $target || echo "rustup has no $target here: trying Debian's compiler"
    fi
    compiler >/dev/null || packages+=(rustc-web libstd-rust-web-dev)
    if [ "$(uname -m)" != aarch64 ]; then
        has aarch64-linux-gnu-gcc || packages+=(gcc-aarch64-linux-gnu)
        [ -e $roots/lib/libc.so.6 ] || packages+=(libc6-dev-arm64-cross)
        has qemu-aarch64-static || packages+=(qemu-user-static)
    fi
    [ ${#packages[@]} -gt 0 ] || return 0
    has apt-get || fail "there is no apt-get; install what stands for ${packages[*]} on this system"
    [ "$(id -u)" = 0 ] || fail "--install needs root for: apt-get install ${packages[*]}"
    apt-get update -q
    DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${packages[@]}"
    compiler >/dev/null || install_library
}

# Debian's standard library for the target is a package of the other architecture, whose files lie beside ours.
install_library() {
    local folder
    folder=$(mktemp -d)
    dpkg --add-architecture arm64
    apt-get update -q
    (cd "$folder" && apt-get download -q libstd-rust-web-dev:arm64 && dpkg -x ./*.deb /)
    rm -r "$folder"
}

# Lets cargo build and run for the target, or says what is missing.
prepare() {
    local hint="tests/aarch64.sh --install fetches it"
    has cargo || fail "there is no cargo: see https://rustup.rs"
    RUSTC=$(compiler) || fail "no compiler has the standard library of $target; $hint"
    export RUSTC
    [ "$(uname -m)" != aarch64 ] || return 0
    has aarch64-linux-gnu-gcc || fail "there is no linker aarch64-linux-gnu-gcc; $hint"
    [ -e $roots/lib/libc.so.6 ] || fail "there is no C library in $roots; $hint"
    has qemu-aarch64-static || fail "there is no qemu-aarch64-static; $hint"
    export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
    export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="qemu-aarch64-static -L $roots"
    export QEMU_CPU="${QEMU_CPU:-max}"
}

kernels() {
    step "aarch64: microkernels"
    cargo test --target $target -p arenite-kernels -p arenite-cpu
}

# Emulated code is slow: it is built for speed.
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

# Emulated code takes longer than the time that one test allows. The C library's programs are for the machine's own compiler.
runtime() {
    local skipped=()
    [ "$(uname -m)" = aarch64 ] || skipped=(--skip take_no_quadratic_time)
    step "aarch64: contract, runtime and C library"
    cargo test --target $target -p arenite-abi -p arenite -- "${skipped[@]}"
    cargo test --target $target -p arenite-c --lib
}

suites=()
wants_install=false
for argument; do
    case $argument in
        --install) wants_install=true ;;
        kernels | conformance | runtime) suites+=("$argument") ;;
        -h | --help) usage && exit ;;
        *) fail "there is no suite '$argument'; suites are kernels, conformance and runtime" ;;
    esac
done
if $wants_install; then install; fi
prepare
for suite in "${suites[@]:-kernels}"; do "$suite"; done
