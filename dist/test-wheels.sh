#!/usr/bin/env bash
# Tests the wheels that dist/wheels.sh built for this machine: installs them into a fresh environment of each
# interpreter, and runs the package's tests there.
#
#   dist/test-wheels.sh [--sdist] [FOLDER [PYTHON...]]      default: target/wheels, and every Python in PATH
#
#   --sdist   also builds the source distribution in an empty environment without network (as root; about 5 minutes)
set -euo pipefail
usage() { sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p;}' "$0"; }
fail() {
    echo "FAILED: $*" >&2
    exit 1
}

sdist=
case ${1-} in
--help) usage && exit 0 ;;
--sdist) sdist=yes && shift ;;
-*) usage >&2 && exit 2 ;;
esac
root=$(cd "$(dirname "$0")/.." && pwd)
wheels=${1:-$root/target/wheels}
wheels=$(cd "$wheels" && pwd)
[ $# = 0 ] || shift
pythons=("$@")
# All versions of pyenv, not only the selected one.
if command -v pyenv >/dev/null; then PYENV_VERSION=$(pyenv versions --bare | paste -sd:) && export PYENV_VERSION; fi
if [ ${#pythons[@]} = 0 ]; then
    for name in python3.10 python3.11 python3.12 python3.13 python3.14 python3.14t; do
        # A name can belong to a version manager that lacks this version.
        if "$name" -c 'import ensurepip' 2>/dev/null; then pythons+=("$name"); else echo "skipped: no $name"; fi
    done
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset PYTHONPATH ARENITE_PLUGIN_PATH

# `install PYTHON FOLDER` makes an environment with the wheels in it, and nothing of the source tree.
install() {
    "$1" -m venv "$2"
    "$2/bin/pip" install --quiet --disable-pip-version-check numpy ml_dtypes flatbuffers pandas pillow pytest
    "$2/bin/pip" install --quiet ai-edge-litert==2.3.0 2>/dev/null || echo "without ai-edge-litert"
    "$2/bin/pip" install --quiet --no-index --no-deps --find-links "$wheels" arenite arenite-flex
}

for python in "${pythons[@]}"; do
    echo "== $("$python" -VV)"
    install "$python" "$work/venv"
    bin=$work/venv/bin
    "$bin/python" -m arenite plugins | grep -q "org.arenite.flex.*arenite_flex" ||
        fail "$python does not find arenite-flex"
    (cd "$root/ffi/python/tests" && "$bin/python" -m pytest -q -p no:cacheprovider .) || fail "the tests with $python"
    rm -rf "$work/venv"
done

if [ -n "$sdist" ]; then
    echo "== the source distribution, without network"
    python=${pythons[0]}
    "$python" -m venv "$work/venv"
    "$work/venv/bin/pip" install --quiet --disable-pip-version-check 'maturin>=1.9,<2' numpy
    # An empty home of cargo: all crates come from the archive.
    unshare --net env PATH="$work/venv/bin:$PATH" CARGO_HOME="$work/cargo" CARGO_NET_OFFLINE=true \
        "$work/venv/bin/pip" install --quiet --no-index --no-build-isolation "$(ls "$wheels"/arenite-*.tar.gz)"
    "$work/venv/bin/python" -m arenite run "$root/examples/digits/digits_i8.tflite" \
        --image "$root/examples/digits/samples/7.png" | grep -q "class 7" ||
        fail "the program from the source distribution"
fi
echo "ok"
