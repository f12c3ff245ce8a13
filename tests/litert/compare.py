"""Runs random graphs of odd structure on LiteRT and on arenite, three invocations each, and compares all outputs, bit by bit. Where they
differ, numpy decides.

    compare.py LIBRARY [--first SEED] [--graphs N] [--show SEED] [--save DIR]

LIBRARY has TensorFlow Lite's C interface: arenite's libtensorflowlite_c.so, or another build. Exit status: 0 if numpy agrees with
the library wherever LiteRT differs, 1 if not. README.md explains the differences."""
import argparse
import collections
import pathlib
import pickle
import signal
import subprocess
import sys

import numpy as np

from odd import Odd
from oracle import Oracle

SECONDS = 20


def child(which, first, count):
    """Runs graphs in a child process, because LiteRT may crash. Yields (seed, answers) until that happens."""
    with subprocess.Popen(
        [sys.executable, __file__, "--child", which, "--first", str(first), "--graphs", str(count)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            while True:
                yield pickle.load(process.stdout)
        except (EOFError, pickle.UnpicklingError):
            process.kill()


def serve(which, first, count):
    import os

    from runners import Library, LiteRT

    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    runner = LiteRT() if which == "litert" else Library(which)
    for seed in range(first, first + count):
        odd = Odd(seed)
        signal.alarm(SECONDS)  # Ends the process if a graph hangs.
        pickle.dump((seed, runner.run(odd.bytes, odd.feeds, odd.resizes)), out)
        out.flush()


def answers(which, first, count):
    """The answers per seed; None if the process crashes."""
    end, found = first + count, {}
    while first < end:
        for seed, answer in child(which, first, end - first):
            found[seed] = answer
            first = seed + 1
        if first < end:
            found[first] = None
            first += 1
    return found


def same(want, got):
    """Whether both invocations were refused, or gave the same types, shapes and bytes."""
    if isinstance(want, str) or isinstance(got, str):
        return isinstance(want, str) and isinstance(got, str)
    return len(want) == len(got) and all(equal(a, b) for a, b in zip(want, got))


def equal(a, b):
    if a[:2] != b[:2]:
        return False
    floats = lambda value: np.frombuffer(value, np.float32)
    return a[2] == b[2] or (a[0] == 1 and np.array_equal(floats(a[2]), floats(b[2]), equal_nan=True))


def agrees(wanted, got):
    return got is not None and len(wanted) == len(got) and all(map(same, wanted, got))


def verdict(seed, want, got):
    if want is None:
        return "LiteRT crashes"
    if got is None:
        return "it crashes"
    if want and isinstance(want[0], str):
        return "refused by both" if got and isinstance(got[0], str) else "only LiteRT refuses"
    for a, b in zip(want, got):
        if not same(a, b):
            if isinstance(a, str):
                return "only LiteRT refuses later"
            return "LiteRT differs from numpy" if agrees(Oracle().run(Odd(seed)), got) else "differs"
    return "same"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", nargs="?", help="the library to compare with LiteRT")
    parser.add_argument("--first", type=int, default=0, help="the first graph's seed")
    parser.add_argument("--graphs", type=int, default=2000, help="the number of graphs")
    parser.add_argument("--show", type=int, help="print the answers of both for this seed")
    parser.add_argument("--save", type=pathlib.Path, help="the folder for models that differ")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args()
    np.seterr(all="ignore")
    if options.child:
        return serve(options.child, options.first, options.graphs)
    if not options.library:
        parser.error("the library is missing")
    if options.show is not None:
        for which in ("litert", options.library):
            print(which, *(answers(which, options.show, 1)[options.show] or ["crashes"]), sep="\n  ")
        return 0
    want = answers("litert", options.first, options.graphs)
    got = answers(options.library, options.first, options.graphs)
    verdicts, classes, unknown = collections.Counter(), collections.Counter(), []
    for seed in range(options.first, options.first + options.graphs):
        result = verdict(seed, want[seed], got[seed])
        verdicts[result] += 1
        if result == "LiteRT differs from numpy":
            classes[", ".join(sorted(Odd(seed).kinds))] += 1
        if result in ("differs", "it crashes"):
            unknown.append(seed)
            if options.save:
                options.save.mkdir(parents=True, exist_ok=True)
                (options.save / f"{seed}.tflite").write_bytes(Odd(seed).bytes)
    for name, count in verdicts.most_common():
        print(f"{count:8} {name}")
    for name, count in classes.most_common():
        print(f"{count:8} LiteRT differs with: {name}")
    print("seeds that differ:", *unknown)
    return 1 if unknown else 0


if __name__ == "__main__":
    sys.exit(main())
