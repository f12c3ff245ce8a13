"""`arenite.Model`."""

import hashlib
import os

from arenite import _native, ops as _ops, reports
from arenite.errors import Error, InvalidModel, TensorError

__all__ = ["Model"]


class Model(_native.Model):
    """A model that any number of threads can call at the same time.

    It has an interpreter for each call that runs; calls release the GIL. It cannot be changed. It can be pickled: as its
    path and the SHA-256 of the file, or, if it was made of bytes, as these. After a fork, the child makes interpreters of
    its own.

        model = arenite.Model("classifier.tflite")
        probabilities = model(image)["probabilities"]
    """

    def __new__(
        cls,
        source,
        *,
        signature=None,
        delegates=(),
        planner=None,
        threads=None,
        config=None,
        require=None,
        ops=(),
        batch=None,
    ):
        """Reads a model.

        Args:
            source: The path of a .tflite file, or the bytes of one.
            signature: The signature to run. Without it: the only one, or the main subgraph.
            delegates: Delegates in the order in which they claim nodes: names, pairs of a name and a dict of options, or
                what `arenite.interpreter.load_delegate` returns. The CPU delegate comes last; `"none"`, alone, leaves it
                out.
            planner: The name of a planner, or a function (see `arenite.register_planner`).
            threads: The number of threads of a call; None is one for each processor. Calls at the same time use one each.
            config: Text in the format of `arenite.toml`, or a path of such a file that ends in `.toml`.
            require: The name of a delegate that must run every node.
            ops: Custom ops that Python functions compute: a dict from names to functions, or a list of `arenite.Op`.
                They replace registered ops and plugins' ops of the same names.
            batch: The batch size in place of the file's; -1 is any, one for each call. See `rebatch`.

        Raises:
            FileNotFoundError: There is no such file.
            InvalidModel: It is no valid model.
            NotFound: There is no such delegate, planner or signature.
            DelegateError: The delegate of `require` leaves nodes to others. The text says which, and why.
            BatchFixed: A node fixes the batch size. The text names it.
        """
        content, path = _read(source)
        settings = _Settings(delegates, planner, threads, config, ops, batch)
        try:
            self = super().__new__(cls, content, settings, signature, path)
        except Error as error:
            error.file = path
            raise
        self._path = path
        self._sha256 = hashlib.sha256(content).hexdigest() if path else None
        self._content = None if path else content
        # A pickle contains the functions that the model calls, and no others.
        settings.ops = [op for op in settings.ops if op.name in self._custom_ops]
        self._settings = settings
        self._signature = signature
        self._require = require
        if require is not None:
            self.placement()._require(require)
        return self

    async def run_async(self, *inputs, raw=False, timeout=None, deadline=None, **named):
        """As a call, on a thread of asyncio's default executor. A cancelled task does not stop the call; a `timeout` or
        `deadline` does."""
        # Here and below, so that `import arenite` is fast.
        import asyncio

        return await asyncio.to_thread(self, *inputs, raw=raw, timeout=timeout, deadline=deadline, **named)

    def rebatch(self, size):
        """The same model for another batch size: dimension 0 of the inputs, and of the outputs that follow them.

        The file may fix the batch size, usually to 1. This tries the new size, and refuses it if a node or an output does
        not follow. Memory is planned again.

        Args:
            size: 1 or more; -1 is any size, which each call chooses. Each change plans memory again.

        Raises:
            BatchFixed: `node` and `op` are the node that fixes the batch size.
        """
        return self._changed(batch=size)

    def _changed(self, **changes):
        """The same model with other arguments."""
        given = self._settings
        arguments = {
            "signature": self._signature,
            "delegates": given.given,
            "planner": given.given_planner,
            "threads": given.threads or None,
            "config": given.config,
            "ops": given.ops,
            "batch": given.batch,
            "require": self._require,
            **changes,
        }
        made = Model(self._content if self._path is None else self._path, **arguments)
        made._check(self._sha256)
        return made

    def _check(self, sha256):
        """Checks that the file is the one with this SHA-256."""
        if sha256 and self._sha256 != sha256:
            raise InvalidModel(
                f"the file '{self._path}' changed: its SHA-256 was {sha256} and is {self._sha256} now. Make the model again, "
                "or put the file back",
                file=self._path,
            )

    @property
    def path(self):
        """The path of the file; None if the model was made of bytes."""
        return self._path

    @property
    def inputs(self):
        """The inputs, as `Port`."""
        return [reports.Port(**port) for port in self._input_ports]

    @property
    def outputs(self):
        """The outputs, as `Port`."""
        return [reports.Port(**port) for port in self._output_ports]

    def labels(self):
        """The names of the classes, from TensorFlow Lite's metadata in the file or Ultralytics' `metadata.json`: a list for
        the first output that has any; an empty list if the file has none."""
        return next((labels for labels in self._labels() if labels), [])

    def picture(self, source, *, input=None, mean=(), std=()):
        """Decodes a PNG, JPEG or BMP file as the model takes it: upright, resized, normalized and quantized.

        `python -m arenite run --help` has the rules, under "Pictures".

        Args:
            source: The path of the file, or its bytes.
            input: The name of the input; without it, the only one.
            mean, std: A pixel p from 0 to 255 becomes (p - mean) / std: a number, or one per channel. Without them, they come
                from the file's metadata, or else from the input's type and quantization: p / 127.5 - 1 for floats.

        Returns:
            An array of the input's type for a batch of one: [1,H,W,C], [1,H,W] or [H,W,C].

        Raises:
            FileNotFoundError: There is no such file.
            TensorError: The file is no picture or is damaged, it has more than 64 megapixels, or the input cannot hold one.
        """
        return self._picture(_Encoded(source, mean, std), input)

    def classify(self, *inputs, top=5, labels=None, **named):
        """Runs a model with one score per class, and ranks the classes.

        Args:
            inputs, named: As for a call.
            top: How many classes to return.
            labels: The names of the classes; without it, `labels()`, or else `class 0`, `class 1`, …

        Returns:
            A list of pairs (label, score), best first; equal scores in the order of the classes. For a batch of more than
            one, a list of such lists.

        Raises:
            TensorError: No output has one score per class, or as many as there are labels.
        """
        import numpy

        labels = self.labels() if labels is None else list(labels)
        outputs = self(*inputs, **named)
        count = len(labels)
        scores = next((value for value in outputs.values() if _has_scores(value, count)), None)
        if scores is None:
            shapes = ", ".join(f"{name} {list(value.shape)}" for name, value in outputs.items())
            raise TensorError(f"no output has a score for each of {count or 'several'} classes: {shapes}", file=self._path)
        rows = scores.reshape(-1, scores.shape[-1])
        order = numpy.argsort(-rows.astype(float), axis=1, kind="stable")[:, :top]
        ranked = [
            [(labels[i] if labels else f"class {i}", row[i].item()) for i in best] for row, best in zip(rows, order)
        ]
        return ranked[0] if len(ranked) == 1 else ranked

    def plan(self):
        """The memory plan, as `Plan`: the tensors, where they are, and from which to which node.

        Raises:
            Error: The signature runs another subgraph than the main one, whose plan this is.
        """
        name = os.path.basename(self._path) if self._path else "model"
        report = self._report()
        if report["memory"] is None:
            raise Error("plan() shows the main subgraph's memory, and the signature runs another subgraph", file=self._path)
        return reports.Plan(report, self._plan_svg(name))

    def placement(self):
        """What runs each node, as `Placement`, with the reasons of delegates that do not."""
        return reports.Placement(self._report())

    def profile(self, *inputs, runs=20, **named):
        """The time of each node, as `Profile`, over `runs` calls with these inputs after one that is not counted."""
        import json

        return reports.Profile(json.loads(self._profile(runs, inputs, named)))

    def _report(self):
        import json

        return json.loads(self._inspection(self._path))

    def __repr__(self):
        inputs, outputs = (", ".join(map(str, ports)) for ports in (self.inputs, self.outputs))
        name = repr(self._path) if self._path else f"{len(self._content)} bytes"
        return f"<arenite.Model {name}: {inputs} -> {outputs}>"

    def __reduce__(self):
        return _restored, (self._content or self._path, self._sha256, self._settings, self._signature, self._require)


def _has_scores(value, count):
    """Whether an output has `count` scores, or without a count some, for each element of the batch."""
    shape = getattr(value, "shape", ())
    if not shape or (shape[-1] != count if count else shape[-1] < 2):
        return False
    return all(dim == 1 for dim in shape[1:-1])


def _restored(source, sha256, settings, signature, require):
    model = Model(
        source,
        signature=signature,
        delegates=settings.given,
        planner=settings.given_planner,
        threads=settings.threads or None,
        config=settings.config,
        require=require,
        ops=settings.ops,
        batch=settings.batch,
    )
    model._check(sha256)
    return model


def _read(source):
    """The bytes of a model, and its path."""
    if isinstance(source, (bytes, bytearray, memoryview)):
        return bytes(source), None
    path = os.path.abspath(os.fsdecode(os.fspath(source)))
    with open(path, "rb") as file:
        return file.read(), path


class _Encoded:
    """What the native class decodes pictures with."""

    def __init__(self, source, mean, std):
        self.content, path = _read(source)
        self.name = path or f"{len(self.content)} bytes"
        self.mean, self.std = (list(value) if hasattr(value, "__iter__") else [value] for value in (mean, std))
        if not all(value > 0 for value in self.std):
            raise ValueError(f"std is {std}: give numbers above 0")


class _Settings:
    """What the native class builds interpreters with."""

    without_default = False
    preserve_all = False

    def __init__(self, delegates, planner, threads, config, ops, batch):
        if isinstance(delegates, str):
            delegates = [delegates]
        self.given = list(delegates)
        self.delegates = [entry for delegate in self.given for entry in _entries(delegate)]
        libraries = [getattr(delegate, "_library", None) for delegate in self.given]
        self.libraries = [library for library in libraries if library]
        self.planner_function = _ops._planner(planner)
        self.planner = planner if self.planner_function is None else None
        # A registered planner goes into a pickle as a function.
        self.given_planner = planner if self.planner_function is None else self.planner_function.plan
        self.ops = _ops._ops(ops)
        if batch is not None and batch != -1 and batch < 1:
            raise ValueError(f"the batch size is {batch}: give 1 or more, or -1 for any")
        self.batch = batch
        self.threads = 0 if threads is None else threads
        if config is not None and os.fspath(config).endswith(".toml"):
            with open(config, encoding="utf-8") as file:
                config = file.read()
        self.config = config


def _entries(delegate):
    """Names and options, as text."""
    if hasattr(delegate, "_entries"):
        return delegate._entries()
    if isinstance(delegate, str):
        return [(delegate, [])]
    name, options = delegate
    options = options.items() if hasattr(options, "items") else options
    return [(name, [(str(key), _text(value)) for key, value in options])]


def _text(value):
    return str(value).lower() if isinstance(value, bool) else str(value)
