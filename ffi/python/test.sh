#!/usr/bin/env bash
# Installs the package with pip into a fresh environment and tests it there: its own tests, those of the drop-in next to
# ai_edge_litert, batches on a cluster of Ray, plugins at run time, arenite-flex, the stubs, the wheel's size, the time
# of an import. Views and ops in Python also run under valgrind, and in other versions of Python.
#
#   ffi/python/test.sh [PYTHON]     PYTHON: an interpreter from 3.10 on, python3 by default
set -euo pipefail
cd "$(dirname "$0")"
here=$PWD
python=${1:-python3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# .ci/run prints at once what is written here.
{ : >&3; } 2>/dev/null || exec 3>&1

"$python" -m venv "$work/venv"
bin=$work/venv/bin
"$bin/pip" install --quiet --disable-pip-version-check numpy ml_dtypes flatbuffers pandas pillow pytest \
    mypy 'maturin>=1.16,<2' hatchling

# With the build of this environment's maturin, so that nothing is compiled that a `cargo build --release` has compiled.
MATURIN_PEP517_ARGS="--compression-level 9" PATH="$bin:$PATH" "$bin/pip" wheel --quiet --no-deps --no-build-isolation --wheel-dir "$work" .
wheel=$(ls "$work"/arenite-*.whl)
"$bin/pip" install --quiet --no-deps "$wheel"
echo "wheel: $(basename "$wheel"), $(stat -c %s "$wheel") bytes"
[ "$(stat -c %s "$wheel")" -lt 6000000 ] || { echo "the wheel has 6 MB or more" >&2; exit 1; }

# The source distribution has each crate of the workspace that it needs. dist/sdist.py adds all others.
"$bin/maturin" sdist --out "$work/sdist"
tar -xzf "$work"/sdist/arenite-*.tar.gz -C "$work/sdist"
cargo metadata --offline --format-version 1 --manifest-path "$work"/sdist/arenite-*/Cargo.toml >/dev/null

# Plugins for the tests. The first line has those that dist/build.sh packs, so that cargo compiles them once.
cargo build --release --quiet -p arenite-plugin-flex -p arenite-plugin-opencl -p arenite-plugin-vulkan \
    -p arenite-plugin-template -p arenite-test-other-layout
target=$(cargo metadata --format-version 1 --no-deps | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')
export ARENITE_TEST_PLUGINS=$target/release

# `with_or_without PACKAGE TESTS`: only if pip has no such package for this version of Python, these tests are left out.
with_or_without() {
    "$bin/pip" install --quiet "$1" 2>"$work/pip.log" && return
    grep -q "No matching distribution found" "$work/pip.log" || { cat "$work/pip.log" >&2 && exit 1; }
    echo "left out: $2, which need $1, which pip does not have for $("$python" -V)" | tee /dev/fd/3
}
with_or_without ai-edge-litert==2.3.0 "comparisons with ai_edge_litert"
with_or_without 'ray[data]' "batches on a cluster"

cd tests
"$bin/python" imports.py
"$bin/python" -m pytest -q -rs -p no:cacheprovider --durations=5 .
# Errors of Python itself are not counted, only those with a frame in this package or in NumPy's arrays.
if command -v valgrind >/dev/null; then
    PYTHONMALLOC=malloc valgrind --quiet --num-callers=40 --log-file="$work/valgrind.log" \
        "$bin/python" -m pytest -q -p no:cacheprovider test_views.py test_ops.py \
        -k "(arenite or test_ops) and not (second_thread or many_threads or processes)"
    if grep -E "_native\.abi3|_multiarray_umath" "$work/valgrind.log"; then
        echo "valgrind found errors in views or in ops" >&2
        exit 1
    fi
else
    echo "left out: views and ops under valgrind, which is not installed" | tee /dev/fd/3
fi
# The same wheel in other versions of Python: what depends on the version is how arrays are made and shared.
# dist/test-wheels.sh runs all tests in all versions.
pyenv_versions=$(pyenv versions --bare 2>/dev/null | paste -sd:) || true
for other in python3.10 python3.11 python3.12 python3.13; do
    PYENV_VERSION=$pyenv_versions "$other" -m venv --clear "$work/other" 2>/dev/null || continue
    if [ "$("$work/other/bin/python" -V)" = "$("$bin/python" -V)" ]; then continue; fi
    "$work/other/bin/python" -V
    "$work/other/bin/pip" install --quiet --disable-pip-version-check numpy ml_dtypes flatbuffers pytest "$wheel"
    "$work/other/bin/python" -m pytest -q -p no:cacheprovider test_interpreter.py test_views.py test_ops.py
done

cd "$work"
"$bin/python" -m mypy.stubtest arenite --allowlist "$here/tests/stubs.txt"
"$bin/python" -m arenite --version

PATH="$bin:$PATH" "$bin/pip" wheel --quiet --no-deps --no-build-isolation --wheel-dir "$work" "$here/flex"
"$bin/pip" install --quiet --no-deps "$work"/arenite_flex-*.whl
"$bin/python" -m arenite plugins | grep "org.arenite.flex.*arenite_flex"
