"""Times set + invoke + get in both packages, and Model, by turns. Prints the fastest round of each, in ns per call, and
what a call of Model costs more than the same calls of arenite.interpreter.

    python bench.py MODEL...
"""

import importlib
import sys
import time

import numpy as np

import arenite

CALLS = 1000
SECONDS = 12


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


def measure(path):
    calls = {package: interpreted(package, path)[0] for package in ("arenite", "ai_edge_litert")}
    value = interpreted("arenite", path)[1]
    reals = value.astype(np.float32)
    model = arenite.Model(path, threads=1)
    calls["Model, raw"] = lambda: model(value, raw=True)
    calls["Model"] = lambda: model(reals)
    best = dict.fromkeys(calls, float("inf"))
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        for name, call in calls.items():
            start = time.perf_counter()
            for _ in range(CALLS):
                call()
            best[name] = min(best[name], time.perf_counter() - start)
    return {name: round(seconds / CALLS * 1e9) for name, seconds in best.items()}


for path in sys.argv[1:]:
    times = measure(path)
    more = {name: times[name] - times["arenite"] for name in ("Model, raw", "Model")}
    print(path, times, "more than arenite.interpreter:", more)
