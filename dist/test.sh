#!/bin/sh
# Tests the packages built by dist/build.sh. It unpacks each kind into a clean folder and uses only the files in it: the
# program, its manual and its plugins; the library from C (pkg-config), C++ (CMake) and Go, which must give the same
# scores for a picture; the GPU delegates from the program and from C, where drivers are installed. With
# ARENITE_GPU=required a missing driver is an error.
#
#   dist/test.sh [--install] [FOLDER]      FOLDER has the packages; default: target/dist
#
# Parts that need a missing tool are skipped with a message. --install installs the tools with apt-get, as root.
set -eu

usage() { sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p;}' "$0"; }

install=no
packages=
for argument in "$@"; do
  case $argument in
    --help) usage; exit 0 ;;
    --install) install=yes ;;
    -*) echo "$0: unknown option $argument" >&2; usage >&2; exit 2 ;;
    *) packages=$argument ;;
  esac
done
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
if [ "$install" = yes ]; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -qq --no-install-recommends \
    binutils bash cmake g++ gcc golang-go groff-base make pkg-config > /dev/null
fi
packages=${packages:-$(cd "$root" && cargo metadata --format-version 1 --no-deps |
  sed 's/.*"target_directory":"\([^"]*\)".*/\1/')/dist}
packages=$(cd "$packages" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Uses nothing but the contents of the packages.
unset ARENITE_PLUGIN_PATH LD_LIBRARY_PATH PKG_CONFIG_PATH CMAKE_PREFIX_PATH
failed=0

fail() { echo "FAILED: $*" >&2; failed=1; }
ok() { echo "ok: $*"; }
# `check WHAT COMMAND...`
check() {
  what=$1
  shift
  if "$@" > "$work/log" 2>&1; then ok "$what"; else fail "$what: $*"; cat "$work/log" >&2; fi
}
have() {
  for tool in "$@"; do
    command -v "$tool" > /dev/null || { echo "skipped: $tool is not installed"; return 1; }
  done
}

# `program PREFIX EXAMPLES`: the program runs, finds the plugins next to it, and has a valid manual and completions.
program() {
  answer=$("$1/bin/arenite" run "$2/digits_i8.tflite" --image "$2/7.png" --labels "$2/labels.txt" --top 1)
  case $answer in *"% "*"7"*"(class 7)"*) ok "the program says seven" ;; *) fail "the program says: $answer" ;; esac
  check "the program finds the plugin in its prefix" sh -c "'$1/bin/arenite' plugins | grep -q 'lib/arenite/plugins'"
  check "the GPU delegates" sh -c "'$1/bin/arenite' plugins | grep -q org.arenite.opencl && '$1/bin/arenite' plugins | grep -q org.arenite.vulkan"
  check "the book" grep -q 'Start in ten minutes' "$1/share/doc/arenite/book/index.html"
  check "completions for bash" bash -n "$1/share/bash-completion/completions/arenite"
  if have groff gzip; then
    for page in "$1"/share/man/man1/*.gz; do
      check "$(basename "$page")" sh -c "test -z \"\$(gzip -dc '$page' | groff -Kutf8 -man -Tutf8 -ww 2>&1 > /dev/null)\""
    done
  fi
}

# `symbols PREFIX`: the library exports only its own functions, each with a version, and has the right SONAME.
symbols() {
  have nm readelf || return 0
  library=$1/lib/libarenite.so
  tflite=$(nm -D --defined-only "$1/lib/libtensorflowlite_c.so" | grep -c ' T TfLite')
  [ "$tflite" -ge 51 ] && ok "libtensorflowlite_c.so has $tflite functions" || fail "libtensorflowlite_c.so has $tflite functions"
  check "SONAME" sh -c "readelf -d '$library' | grep -q 'SONAME.*\[libarenite.so.0\]'"
  exported=$(nm -D --defined-only "$library" | awk '$2 != "A" { print $3 }')
  other=$(printf '%s\n' "$exported" | grep -v '^ar_.*@@ARENITE_0' || true)
  [ -z "$other" ] && ok "$(printf '%s\n' "$exported" | wc -l) functions, each with a version" || fail "unexpected exports: $other"
}

# `languages PREFIX EXAMPLES FOLDER`: builds programs in FOLDER and compares their results.
languages() {
  export PKG_CONFIG_PATH="$1/lib/pkgconfig" LD_LIBRARY_PATH="$1/lib"
  mkdir -p "$3"
  programs=
  if have cc pkg-config; then
    flags=$(pkg-config --cflags arenite)
    # shellcheck disable=SC2046,SC2086 # lists of options
    check "C by pkg-config" cc -std=c11 -Wall -Wextra -Werror "$here/tests/scores.c" $flags $(pkg-config --libs arenite) -o "$3/c"
    # shellcheck disable=SC2046,SC2086
    check "C by pkg-config, statically" cc -std=c11 "$here/tests/scores.c" $flags "$1/lib/libarenite.a" \
      $(pkg-config --static --libs-only-l arenite | sed 's/-larenite //') -o "$3/c_static"
    programs="$3/c $3/c_static"
    # shellcheck disable=SC2086
    check "tests of an op in C" cc -std=c11 "$root/ffi/c/tests/c/op_test.c" $flags -L"$1/lib" -larenite_testing -lm -o "$3/op_test"
    check "tests of an op in C, run" "$3/op_test"
    if have readelf; then
      check "the program requires a symbol version" sh -c "readelf -V '$3/c' | grep -q ARENITE_0.1"
    fi
    # A program finds the plugins in its own prefix.
    mkdir -p "$1/bin" && cp "$3/c" "$1/bin/scores"
    check "a program of C finds the plugin" sh -c "'$1/bin/scores' --plugins | grep -q org.arenite.flex"
    rm "$1/bin/scores"
  fi
  if have cmake c++ make; then
    check "C++ by CMake" cmake -S "$here/tests/cmake" -B "$3/cmake" "-DCMAKE_PREFIX_PATH=$1" -DCMAKE_BUILD_TYPE=Release
    check "C++ by CMake, built" cmake --build "$3/cmake"
    # shellcheck disable=SC2046
    check "the example in C++" c++ -std=c++17 "$2/classify.cpp" $(pkg-config --cflags --libs arenite) -o "$3/classify"
    names_seven "$3/classify" "$2/digits_i8.tflite" "$2/7.pgm"
    programs="$programs $3/cmake/scores_arenite $3/cmake/scores_arenite_static"
  fi
  if have go pkg-config cc; then
    check "Go by pkg-config" sh -c "cd '$2/go' && go build -o '$3/go' ./examples/classify"
    programs="$programs $3/go"
    names_seven "$3/go" -softmax "$2/digits_f32.tflite" "$2/7.pgm"
  fi
  for model in digits_f32 digits_i8; do
    compare "$2/$model.tflite" "$2/7.pgm" "$3/expected"
  done
}

# `gpus PREFIX EXAMPLES FOLDER`: the program and the program in C, which find the plugins in their prefix, run all nodes
# of a model on each GPU delegate, with the scores of the CPU up to 0.001.
gpus() {
  for delegate in opencl vulkan; do
    if ! "$1/bin/arenite" devices | awk -v wanted="$delegate" '$1 == "delegate" { here = $2 == wanted }
        here && $1 ~ /^[0-9]+$/ { found = 1 } END { exit !found }'; then
      if [ "${ARENITE_GPU:-}" = required ]; then fail "no device for $delegate, and ARENITE_GPU=required"; else
        echo "skipped: no device for $delegate"; fi
      continue
    fi
    answer=$("$1/bin/arenite" run "$2/digits_f32.tflite" --image "$2/7.png" --labels "$2/labels.txt" --top 1 \
      --delegate "$delegate" --require) || true
    case $answer in
      *"% "*"7"*"(class 7)"*) ok "the program says seven on $delegate" ;;
      *) fail "the program on $delegate says: $answer" ;;
    esac
    [ -x "$3/c" ] || continue
    mkdir -p "$1/bin" && cp "$3/c" "$1/bin/scores"
    for model in digits_f32 digits_i8; do
      "$1/bin/scores" "$2/$model.tflite" "$2/7.pgm" > "$3/cpu_scores" || fail "$model on the CPU"
      "$1/bin/scores" "$2/$model.tflite" "$2/7.pgm" "$delegate" > "$3/gpu_scores" || fail "$model on $delegate"
      # One step of the scores of digits_i8 is 1/256.
      off=$(paste "$3/cpu_scores" "$3/gpu_scores" | awk -v step="$model" '
        { off = $2 - $4; if (off < 0) off = -off; if (off > most) most = off }
        END { print most + 0, NR == 10 && most <= (step == "digits_i8" ? 0.004 : 0.001) ? "fits" : "differs" }')
      case $off in
        *fits) ok "a program of C on $delegate: $model is off by ${off% *}" ;;
        *) fail "$model on $delegate is off by $off" ;;
      esac
    done
    rm "$1/bin/scores"
  done
}

# `names_seven PROGRAM ARGUMENTS...`
names_seven() {
  answer=$("$@") || true
  case $answer in "7 (9"*) ok "$(basename "$1") says $answer" ;; *) fail "$*: $answer" ;; esac
}

# `compare MODEL PICTURE FILE`: all programs must print the same scores, with 7 as the best class.
compare() {
  rm -f "$3"
  for program in $programs; do
    options=
    [ "$(basename "$program")" != go ] || options=-scores
    # shellcheck disable=SC2086 # none or one
    scores=$("$program" $options "$1" "$2") || fail "$program $1"
    [ -f "$3" ] || printf '%s\n' "$scores" > "$3"
    [ "$scores" = "$(cat "$3")" ] || { fail "$program prints different scores:"; printf '%s\n' "$scores" >&2; }
  done
  [ -f "$3" ] || return 0
  best=$(sort -k 2 -g -r "$3" | head -n 1)
  case $best in
    "7 0.9"*) ok "$(basename "$1"): $best, the same by $(echo "$programs" | wc -w) programs" ;;
    *) fail "$1: $best" ;;
  esac
}

# `prefix NAME PREFIX`
prefix() {
  echo "== $1"
  examples=$(dirname "$(find "$2/share/doc" -name classify.cpp)")
  program "$2" "$examples"
  symbols "$2"
  languages "$2" "$examples" "$work/build-$1"
  gpus "$2" "$examples" "$work/build-$1"
}

tarball=$(find "$packages" -name '*.tar.gz')
mkdir "$work/tar" "$work/deb"
tar -C "$work/tar" -xzf "$tarball"
prefix tarball "$work/tar/$(basename "$tarball" .tar.gz)"
if have dpkg-deb; then
  for package in "$packages"/*.deb; do
    dpkg-deb -x "$package" "$work/deb"
  done
  prefix deb "$work/deb/usr"
fi
exit $failed
