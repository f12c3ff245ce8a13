"""Times arenite.interpreter, arenite.Model and ai_edge_litert by turns, and prints the fastest round of each.

    python bench.py MODEL...                ns per set + invoke + get, and how much slower a call of Model is than the
                                            same calls of arenite.interpreter
    python bench.py --threads N MODEL...    calls per second of N threads: over one Model, over an interpreter each, and of
                                            one thread over one interpreter
"""

import argparse
import importlib
import threading
import time

import numpy as np

import arenite

CALLS = 1000
SECONDS = 12
PACKAGES = ("arenite", "ai_edge_litert")


def interpreted(package, path):
    """A call of set_tensor, invoke and get_tensor, and the input that it sets."""
    interpreter = importlib.import_module(package + ".interpreter").Interpreter(path)
    interpreter.allocate_tensors()
    given, wanted = interpreter.get_input_details()[0], interpreter.get_output_details()[0]["index"]
    value = np.zeros(given["shape"], given["dtype"])

    def call():
        interpreter.set_tensor(given["index"], value)
        interpreter.invoke()
        return interpreter.get_tensor(wanted)

    return call, value


def by_turns(seconds, measures):
    """The smallest result of each function."""
    best = dict.fromkeys(measures, float("inf"))
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for name, measure in measures.items():
            best[name] = min(best[name], measure())
    return best


def time_calls(path, seconds):
    calls = {package: interpreted(package, path)[0] for package in PACKAGES}
    value = interpreted("arenite", path)[1]
    reals = value.astype(np.float32)
    model = arenite.Model(path, threads=1)
    calls["Model, raw"] = lambda: model(value, raw=True)
    calls["Model"] = lambda: model(reals)

    def measure(call):
        start = time.perf_counter()
        for _ in range(CALLS):
            call()
        return time.perf_counter() - start

    best = by_turns(seconds, {name: lambda call=call: measure(call) for name, call in calls.items()})
    times = {name: round(seconds / CALLS * 1e9) for name, seconds in best.items()}
    more = {name: times[name] - times["arenite"] for name in ("Model, raw", "Model")}
    print(path, times, "more than arenite.interpreter:", more)


def time_threads(path, seconds, count):
    model = arenite.Model(path, threads=1)
    value = interpreted("arenite", path)[1]
    over_model = [lambda: model(value, raw=True)] * count
    groups = {f"{count} threads, one Model": over_model, "1 thread, one Model": over_model[:1]}
    for package in PACKAGES:
        made = [interpreted(package, path)[0] for _ in range(count)]
        groups[f"{count} threads, {package}, an interpreter each"] = made
        groups[f"1 thread, {package}"] = made[:1]
    # As many calls as take a twentieth of a second, after one that prepares the model.
    over_model[0]()
    start = time.perf_counter()
    over_model[0]()
    rounds = max(1, round(0.05 / (time.perf_counter() - start)))

    def measure(calls):
        barrier = threading.Barrier(len(calls))
        starts, ends = [], []

        def run(call):
            barrier.wait()
            starts.append(time.perf_counter())
            for _ in range(rounds):
                call()
            ends.append(time.perf_counter())

        threads = [threading.Thread(target=run, args=(call,)) for call in calls]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return (max(ends) - min(starts)) / (rounds * len(calls))

    best = by_turns(seconds, {name: lambda calls=calls: measure(calls) for name, calls in groups.items()})
    print(path)
    for name, seconds in best.items():
        print(f"  {name}: {1 / seconds:.1f} calls per second")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, help="measure this many threads")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="for each model, %(default)s by default")
    parser.add_argument("models", nargs="+", metavar="MODEL")
    given = parser.parse_args()
    for path in given.models:
        if given.threads:
            time_threads(path, given.seconds, given.threads)
        else:
            time_calls(path, given.seconds)


main()
