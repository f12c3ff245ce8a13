"""`arenite.Model`."""

import os

from arenite import _native, reports
from arenite.errors import Error, InvalidModel

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
    ):
        """Reads a model.

        Args:
            source: The path of a .tflite file, or the bytes of one.
            signature: The signature to run. Without it: the only one, or the main subgraph.
            delegates: Delegates in the order in which they claim nodes: names, pairs of a name and a dict of options, or
                what `arenite.interpreter.load_delegate` returns. The CPU delegate comes last; `"none"`, alone, leaves it
                out.
            planner: The name of a planner.
            threads: The number of threads of a call; None is one for each processor. Calls at the same time use one each.
            config: Text in the format of `arenite.toml`, or a path of such a file that ends in `.toml`.
            require: The name of a delegate that must run at least one node.

        Raises:
            FileNotFoundError: There is no such file.
            InvalidModel: It is no valid model.
            NotFound: There is no such delegate, planner or signature.
            DelegateError: The delegate of `require` runs nothing. The text says why.
        """
        # Here and below, not above: `import arenite` is to be fast.
        import hashlib

        content, path = _read(source)
        settings = _Settings(delegates, planner, threads, config)
        try:
            self = super().__new__(cls, content, settings, signature, path)
        except Error as error:
            error.file = path
            raise
        self._path = path
        self._sha256 = hashlib.sha256(content).hexdigest() if path else None
        self._content = None if path else content
        self._settings = settings
        self._signature = signature
        self._require = require
        if require is not None:
            self.placement()._require(require)
        return self

    async def run_async(self, *inputs, raw=False, **named):
        """As a call, on a thread of asyncio's default executor. A cancelled task does not stop the call."""
        import asyncio

        return await asyncio.to_thread(self, *inputs, raw=raw, **named)

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

    def plan(self):
        """The memory plan, as `Plan`: the tensors, where they are, and from which to which node."""
        return reports.Plan(self._report())

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


def _restored(source, sha256, settings, signature, require):
    model = Model(
        source,
        signature=signature,
        delegates=settings.given,
        planner=settings.planner,
        threads=settings.threads or None,
        config=settings.config,
        require=require,
    )
    if sha256 and model._sha256 != sha256:
        raise InvalidModel(
            f"the model was pickled with the file '{source}', whose SHA-256 was {sha256} and is {model._sha256} now: "
            "pickle the model again, or put the file back",
            file=source,
        )
    return model


def _read(source):
    """The bytes of a model, and its path."""
    if isinstance(source, (bytes, bytearray, memoryview)):
        return bytes(source), None
    path = os.path.abspath(os.fsdecode(os.fspath(source)))
    with open(path, "rb") as file:
        return file.read(), path


class _Settings:
    """What the native class builds interpreters with."""

    without_default = False
    preserve_all = False

    def __init__(self, delegates, planner, threads, config):
        if isinstance(delegates, str):
            delegates = [delegates]
        self.given = list(delegates)
        self.delegates = [entry for delegate in self.given for entry in _entries(delegate)]
        libraries = [getattr(delegate, "_library", None) for delegate in self.given]
        self.libraries = [library for library in libraries if library]
        self.planner = planner
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
