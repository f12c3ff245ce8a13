"""A contender's side of the protocol: one JSON request per line on stdin, one JSON reply per line on stdout.

    open     {model, threads, inputs: [file]}  -> {load_ns, first_ns, before: {rss, pss}}
    run      {for_ns, batch}                   -> {ns: [of one invocation, mean over a batch]}
    resize   {model, threads, inputs: [file], shapes}  -> {ns: {load, allocate, first, run, again, same, there, back}, refused}
    memory   {}                                -> {rss, pss}
    outputs  {folder}                          -> {outputs: [{file, type, shape, scale, zero_point}]}

A reply may be {error: text} instead. `src/protocol.rs` is the same for arenite.
"""

import gc
import json
import math
import os
import sys
import time


def memory():
    """Resident bytes of this process; null if the system does not report them."""
    sizes = {"rss": None, "pss": None}
    try:
        with open("/proc/self/smaps_rollup") as file:
            for line in file:
                field, _, rest = line.partition(":")
                if field.lower() in sizes:
                    sizes[field.lower()] = int(rest.split()[0]) * 1024
    except OSError:
        pass
    return sizes


class Session:
    """A loaded model. `Network(path, threads)` loads; it has `allocate`, `set_inputs([bytes])`, `invoke`, `outputs() ->
    [(array, scale, zero_point)]`; and, if shapes can change, `resize([shape])` and `inputs() -> [(shape, bytes of an
    element)]`."""

    def __init__(self, network):
        self.network_type = network
        self.network = None

    def open(self, model, threads, inputs):
        data = [read(path) for path in inputs]
        gc.collect()
        before = memory()
        start = time.perf_counter_ns()
        network = self.network_type(model, threads)
        network.allocate()
        loaded = time.perf_counter_ns()
        network.set_inputs(data)
        first = time.perf_counter_ns()
        network.invoke()
        end = time.perf_counter_ns()
        self.network = network
        return {"load_ns": loaded - start, "first_ns": end - first, "before": before}

    def run(self, for_ns, batch):
        """Runs at least once. One unmeasured batch comes first, because other contenders have filled the caches."""
        invoke, now, turns = self.network.invoke, time.perf_counter_ns, range(batch)
        end = now() + for_ns
        for _ in turns:
            invoke()
        times = []
        while not times or now() < end:
            start = now()
            for _ in turns:
                invoke()
            times.append((now() - start) / batch)
        return {"ns": times}

    def resize(self, model, threads, inputs, shapes):
        data = [read(path) for path in inputs]
        self.network = None
        gc.collect()
        ns = {}
        network = timed(ns, "load", lambda: self.network_type(model, threads))
        timed(ns, "allocate", network.allocate)
        network.set_inputs(data)
        timed(ns, "first", network.invoke)
        timed_often(ns, "run", network.invoke)
        if not hasattr(network, "resize"):
            return {"ns": ns, "refused": "the runtime has no resize"}

        def give(shapes):
            network.resize(shapes)
            network.allocate()

        own = [[int(dim) for dim in shape] for shape, _ in network.inputs()]
        timed_often(ns, "again", network.allocate)
        timed_often(ns, "same", lambda: give(own))
        try:
            for stage, shapes in (("there", shapes), ("back", own)):
                timed(ns, stage, lambda: give(shapes))
                network.set_inputs([bytes(math.prod(map(int, shape)) * size) for shape, size in network.inputs()])
                network.invoke()
        except Exception as error:
            return {"ns": ns, "refused": f"{type(error).__name__}: {error}"}
        return {"ns": ns, "refused": None}

    def memory(self):
        gc.collect()
        return memory()

    def outputs(self, folder):
        listed = []
        for i, (array, scale, zero_point) in enumerate(self.network.outputs()):
            path = os.path.join(folder, f"{i}.bin")
            array.tofile(path)
            listed.append(
                {
                    "file": path,
                    "type": str(array.dtype),
                    "shape": list(array.shape),
                    "scale": scale,
                    "zero_point": zero_point,
                }
            )
        return {"outputs": listed}


def timed(ns, stage, call):
    """Records the time of one call, unless it fails."""
    start = time.perf_counter_ns()
    done = call()
    ns[stage] = time.perf_counter_ns() - start
    return done


def timed_often(ns, stage, call):
    """Records the mean time of a call, over the first number of calls among one, two, four, … that takes 50 µs."""
    count = 1
    while True:
        start = time.perf_counter_ns()
        for _ in range(count):
            call()
        elapsed = time.perf_counter_ns() - start
        if elapsed >= 50_000:
            ns[stage] = elapsed / count
            return
        count *= 2


def read(path):
    with open(path, "rb") as file:
        return file.read()


def serve(name, version, network):
    """Answers requests until stdin ends. Output that libraries print to stdout goes to stderr."""
    replies = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    session = Session(network)
    print(json.dumps({"name": name, "version": version}), file=replies)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            reply = getattr(session, request.pop("do"))(**request)
        except Exception as error:  # any exception of the runtime becomes the reply
            reply = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(reply), file=replies)
