"""`arenite.compare` and `arenite.benchmark`."""

import contextlib
import json
import os

from arenite import _native
from arenite.errors import NotFound
from arenite.model import Model
from arenite.reports import Table

__all__ = ["Benchmark", "Comparison", "benchmark", "compare"]


def compare(a, b, data, *, tolerance=1e-3, progress=None):
    """Runs a model in two ways, or next to values of another runtime, and finds the first tensor that differs.

        arenite.compare("none", model, image)             the reference ops, and the model's delegates
        arenite.compare(float_model, int8_model, images)  two files, whose tensors have the same names
        arenite.compare("dumps", model, image)            a folder of .npy files

    Each node's outputs are compared right after it ran, as real numbers: stored values times the tensor's own scale. Two
    values agree if they differ by at most `tolerance` times the largest value of the tensor, or by one step of its scale.
    If the difference arose inside a delegate's partition, the model runs again with the tensors in it kept.

    Args:
        a: The side that is right: a `Model`, the path of a .tflite file, a delegate that runs the model of the other side
            (a name, or a pair of a name and a dict of options; "none" is the reference ops), or a folder with a file for
            each tensor: `N.npy` for tensor N, `NAME.npy` for its name, `out_K.npy` for output K. Integers in it are stored
            values of a quantized tensor, floats are real numbers.
        b: The other side, in the same forms.
        data: The inputs of one call: an array, a tuple of arrays, or a dict by name; or a list or iterator of such inputs.
        tolerance: The largest difference that counts as equal.
        progress: Whether to show a bar, which needs tqdm. None: if there are several inputs and tqdm is installed.

    Returns:
        A `Comparison`, which is true if all tensors agree.

    Raises:
        ValueError: Neither side is a model, both are folders, or `data` is empty.
        RuntimeError: The sides have no tensor in common, or a file cannot be read.
        arenite.Error: A side fails to run.
    """
    expected, got, sides = _sides(a, b)
    comparison = None
    samples = _samples(data)
    count = len(samples) if isinstance(samples, list) else None
    show = progress if progress is not None else count is None or count > 1
    for inputs, named in _bar(samples, count, show, "compare"):
        report = json.loads(_native.compare(expected, got, inputs, named, tolerance))
        one = Comparison(report, sides, tolerance)
        comparison = one if comparison is None else comparison._with(one)
    if comparison is None:
        raise ValueError("the data is empty: give the inputs of at least one call")
    return comparison


class Comparison(Table):
    """The tensors that both sides have, in execution order.

    It is true if all of them agree. The rows have the largest difference of all inputs, and the values there.

    Attributes:
        sides: The names of the two sides.
        tolerance: The largest difference that counts as equal, as a share of the tensor's largest value.
        calls: The number of inputs.
        first: The row of the first tensor that differs, or None. If it was found inside a partition, it is the tensor there.
        nodes: The nodes that compute it from tensors that agree.
        fused: The tensor that a delegate computes otherwise unless it is kept, as a dict, or None.
        outputs: The rows of the model's outputs.
        unused: Names of files in the folder that belong to no tensor.
    """

    columns = ("tensor", "name", "type", "by", "largest", "allowed", "mean", "cosine", "differs")

    def __init__(self, report, sides, tolerance):
        super().__init__([_compared(row) for row in report["tensors"]])
        self.sides = sides
        self.tolerance = tolerance
        self.calls = 1
        self.unused = report["unused"]
        inside = report["inside"] or {}
        self.fused = inside.get("fused")
        at = report["first"]
        self.first = None if at is None else self.rows[at]
        self.nodes = report["nodes"]
        if inside.get("first"):
            self.first, self.nodes = _compared(inside["first"]), inside["nodes"]
        self._outputs = [row["tensor"] for row in report["outputs"]]
        self._place = at

    @property
    def outputs(self):
        return [row for row in self.rows if row["tensor"] in self._outputs]

    def __bool__(self):
        return self.first is None

    def _with(self, other):
        """Adds the comparison of further inputs."""
        rows = {row["tensor"]: row for row in self.rows}
        for row in other.rows:
            known = rows.get(row["tensor"])
            rows[row["tensor"]] = row if known is None else _worse(known, row, self.calls)
        first = min(
            (side for side in (self, other) if side._place is not None), key=lambda side: side._place, default=self
        )
        self.first, self.nodes, self.fused, self._place = first.first, first.nodes, first.fused, first._place
        self.rows = list(rows.values())
        self.calls += other.calls
        return self

    def _summary(self):
        a, b = self.sides
        calls = "" if self.calls == 1 else f" in {self.calls} calls"
        if self.first is None:
            return ["", f"{a} and {b} agree within {self.tolerance}{calls}"]
        first = self.first
        lines = ["", f"{a} and {b} differ{calls}, first at tensor {first['tensor']} '{first['name']}' {first['shape']}:"]
        if first["error"]:
            lines.append(f"  {first['error']}")
        else:
            lines.append(f"  {first['values'][0]} and {first['values'][1]} at {first['at']}; allowed is {first['allowed']:.4g}")
        if self.fused:
            name, node = self.fused["name"], self.fused["node"]
            lines.append(f"  unless tensor '{name}' is kept, which the delegate computes as one with node {node}")
        if self.nodes:
            lines.append(f"  it arose in node {', '.join(map(str, self.nodes))}, whose inputs agree")
        return lines


def _compared(row):
    """A row of the report, flat."""
    difference = row.pop("difference") or dict.fromkeys(("largest", "at", "values", "mean", "cosine", "allowed"))
    return {**row, **difference}


def _worse(a, b, calls):
    """One row for a tensor of several calls."""
    size = lambda row: float("inf") if row["largest"] is None else row["largest"]  # noqa: E731
    worst = dict(a if size(a) >= size(b) else b)
    worst["differs"] = a["differs"] or b["differs"]
    worst["error"] = a["error"] or b["error"]
    if a["mean"] is not None and b["mean"] is not None:
        worst["mean"] = (a["mean"] * calls + b["mean"]) / (calls + 1)
    cosines = [row["cosine"] for row in (a, b) if row["cosine"] is not None]
    worst["cosine"] = min(cosines, default=None)
    return worst


def _sides(a, b):
    """The reference, the model next to it, and the names of both."""
    sides = [_side(a), _side(b)]
    models = [side for side in sides if isinstance(side, Model)]
    if not models:
        raise ValueError(f"neither {a!r} nor {b!r} is a model: give an arenite.Model or the path of a .tflite file")
    names = [_name(side) for side in sides]
    for i, side in enumerate(sides):
        if not isinstance(side, (Model, str)):
            sides[i] = models[0]._changed(delegates=side.delegates, require=None)
    if isinstance(sides[1], str):
        sides.reverse()
        names.reverse()
    if len(models) == 2 and names[0] == names[1]:
        names = [f"{name} ({'first' if i == 0 else 'second'})" for i, name in enumerate(names)]
    return sides[0], sides[1], tuple(names)


class _Delegates:
    """A side that is named by its delegates."""

    def __init__(self, delegates):
        self.delegates = delegates


def _side(given):
    """A `Model`, the path of a folder, or `_Delegates`."""
    if isinstance(given, Model):
        return given
    if isinstance(given, (str, os.PathLike)):
        path = os.fspath(given)
        if path.endswith(".tflite") or os.path.isfile(path):
            return Model(path)
        if os.path.isdir(path):
            return path
        if os.sep in path or not isinstance(given, str):
            raise FileNotFoundError(f"'{path}' is neither a file nor a folder")
        return _Delegates([path])
    return _Delegates([given])


def _name(side):
    if isinstance(side, str):
        return side
    if isinstance(side, Model):
        return os.path.basename(side.path) if side.path else "a model"
    delegate = side.delegates[0]
    name = delegate if isinstance(delegate, str) else delegate[0]
    return "the reference ops" if name == "none" else f"delegate {name}"


def _samples(data):
    """The inputs of each call: a tuple of arrays and a dict."""
    if hasattr(data, "__next__"):
        return map(_sample, data)
    return list(map(_sample, data)) if isinstance(data, list) else [_sample(data)]


def _sample(value):
    if isinstance(value, dict):
        return (), value
    return (value if isinstance(value, tuple) else (value,)), None


def benchmark(models, *inputs, seconds=2.0, runs=None, warmup=3, progress=None, **named):
    """Measures how long models take. Several take turns, so that all see the same load of the machine.

        arenite.benchmark(model, image)
        arenite.benchmark({"cpu": model, "reference": arenite.Model(path, delegates="none")}, image)

    Args:
        models: A `Model` or a path, a list of them, or a dict from names to them. The first is the one that the others are
            compared with.
        inputs, named: The inputs, as for a call; the same for each model. Without any, zeros.
        seconds: The time for each model.
        runs: The number of runs of each model, instead of `seconds`.
        warmup: Runs before the measurement.
        progress: Whether to show a bar, which needs tqdm. None: if it takes a second or more and tqdm is installed.

    Returns:
        A `Benchmark`.

    Raises:
        ValueError: There is no model.
        arenite.Error: A model fails to run.
    """
    named_models = _named_models(models)
    made = list(named_models.values())
    if not inputs and not named:
        named = _zeros(made[0])
    total = seconds * len(made)
    show = progress if progress is not None else runs is not None or total >= 1
    with _time_bar(None if runs is not None else total, show) as update:
        text = _native.benchmark(made, inputs, named or None, _Amount(seconds, runs, warmup), update)
    rows = [{"model": name, **row} for name, row in zip(named_models, json.loads(text))]
    return Benchmark(rows)


class _Amount:
    """How much to measure."""

    def __init__(self, seconds, runs, warmup):
        self.seconds, self.runs, self.warmup = seconds, runs, warmup


class Benchmark(Table):
    """The run times of models in milliseconds, without the copies of inputs and outputs.

    A row has `model`, `runs`, `min_ms`, `median_ms`, `p90_ms`, `p99_ms`, `max_ms`, `mean_ms`, `sd_ms`; `init_ms`, the time
    to build it and plan its memory; `first_ms`, its first run; `memory_bytes`; `threads`; and `ratio`, its time next to the
    first model's, with the 95 % confidence interval from `low` to `high`, or None.
    """

    columns = ("model", "runs", "min_ms", "median_ms", "p90_ms", "mean_ms", "first_ms", "init_ms", "memory_bytes", "ratio")

    def __init__(self, rows):
        for row in rows:
            ratio = row["ratio"] or {}
            row["ratio"], row["low"], row["high"] = (ratio.get(key) for key in ("ratio", "low", "high"))
        super().__init__(rows)

    def _cell(self, row, column):
        return "" if row[column] is None else super()._cell(row, column)

    def _summary(self):
        first = self.rows[0]["model"]
        return [
            f"{row['model']} takes {row['ratio']:.3g} times the time of {first}, {row['low']:.3g} to {row['high']:.3g}"
            for row in self.rows
            if row["low"] is not None
        ]


def _named_models(models):
    if hasattr(models, "items"):
        named = dict(models.items())
    else:
        listed = list(models) if isinstance(models, (list, tuple)) else [models]
        named = {}
        for model in listed:
            name = _name(model) if isinstance(model, Model) else os.path.basename(os.fspath(model))
            named[name if name not in named else f"{name} {len(named) + 1}"] = model
    if not named:
        raise ValueError("no model is given: give one, a list or a dict")
    return {name: model if isinstance(model, Model) else Model(model) for name, model in named.items()}


def _zeros(model):
    """Zeros for each input; dimensions that are open have the size 1."""
    import numpy

    zeros = {}
    for port in model.inputs:
        if port.type in ("RESOURCE", "VARIANT"):
            raise NotFound(f"input '{port.name}' is {port.type}: give a value", tensor=port.name)
        shape = [max(dim, 1) for dim in port.shape]
        zeros[port.name] = numpy.full(shape, b"", object) if port.type == "STRING" else numpy.zeros(shape, port.dtype)
    return zeros


def _tqdm(show):
    """tqdm's class, or None."""
    if not show:
        return None
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return tqdm


def _bar(items, count, show, what):
    """The items, with a bar."""
    bar = _tqdm(show)
    return items if bar is None else bar(items, total=count, desc=what, leave=False)


@contextlib.contextmanager
def _time_bar(seconds, show):
    """A function that receives the seconds that have passed."""
    tqdm = _tqdm(show)
    if tqdm is None:
        yield lambda _: None
        return
    text = "{desc}: {percentage:3.0f}% {bar}" if seconds else "{desc}: {n:.1f} s"
    with tqdm(total=seconds, desc="benchmark", leave=False, bar_format=text) as bar:

        def update(done):
            bar.n = min(done, seconds) if seconds else done
            bar.refresh()

        yield update
