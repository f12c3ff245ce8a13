"""`arenite.Predictor`: a model as a function of batches of rows, for Ray Data, Spark and the like."""

import copyreg
import os
import threading

__all__ = ["ERROR", "Predictor"]

ERROR = "__error__"
"""The column with the text of a row's error; None for a row without one."""


class Predictor(type):
    """Runs a model on batches of rows: `predictor(batch)` returns the batch with the model's outputs as columns.

        predictor = arenite.Predictor("classifier.tflite", column="picture", top=1)
        ray.data.read_parquet(pictures).map_batches(
            predictor, compute=ray.data.ActorPoolStrategy(size=2), batch_size=256
        ).write_parquet(answers)

    A column with PNG, JPEG or BMP files as bytes is decoded, as `Model.picture` does.

    It is small and can be pickled. The model is loaded in the first call in each process, and shared by all predictors with
    the same arguments there.

    The result has the columns of the batch without the model's inputs, a column for each output, and the column
    `__error__`: None, or why this row has no outputs. The outputs of such a row are zeros. An error costs only its row:
    if the model fails on several rows, they are run one by one.

    Ray Data runs classes on actors, so a predictor is a class: `predictor()` loads the model and makes an object that takes
    batches, too.
    """

    def __new__(
        cls,
        source,
        *arguments,
        column=None,
        columns=None,
        preprocess=None,
        batch_size=32,
        top=None,
        labels=None,
        keep=None,
        mean=(),
        std=(),
        **settings,
    ):
        """Describes the model. Nothing is read.

        Args:
            source: The path of a .tflite file that each worker can read, or the bytes of one.
            column: The column with the values of the model's only input; without it, the one with the input's name.
            columns: For several inputs: a dict from the names of inputs to those of columns.
            preprocess: Takes the values of a row's columns, in the order of the inputs, and returns the model's inputs for
                the row without the dimension of the batch: an array, or a tuple with one for each input. An exception
                becomes the row's error. Without it, bytes for an input of numbers are decoded as a picture; others are taken as
                they are.
            batch_size: Rows that the model runs at once. If a node fixes the batch size, it is the file's. The last rows are
                filled up with zeros.
            top: Adds the columns `label` and `score` of the best class; with 2 or more, lists of the best ones.
            labels: The names of the classes; without it, those in the file's metadata.
            keep: The columns to keep; without it, all but the inputs'.
            mean, std: For pictures, as for `Model.picture`.
            settings: As for `Model`. The default of `threads` is 1.

        Raises:
            ValueError: Both `column` and `columns` are given, or a number is less than 1.
        """
        if arguments:
            # A class statement, or a pickle by value.
            return super().__new__(cls, source, *arguments)
        fields = (source, column, columns, preprocess, batch_size, top, labels, keep, mean, std, settings)
        description = _Description(*fields)
        return super().__new__(cls, "Predictor", (_Worker,), {"description": description, "__module__": __name__})

    def __init__(cls, *arguments, **settings):
        super().__init__(cls)

    def __call__(cls, *batch):
        """The batch with the model's outputs. Without a batch, an object that takes batches.

        Args:
            batch: A dict of arrays or lists, a pandas.DataFrame or a pyarrow.Table. The result has the same type.

        Raises:
            KeyError: The batch lacks a column of the model's inputs.
            arenite.Error: The model cannot be loaded.
        """
        return cls.description(*batch) if batch else super().__call__()

    def __repr__(cls):
        return repr(cls.description)


class _Worker:
    """A predictor whose model is loaded."""

    description = None

    def __init__(self):
        self.description.load()

    def __call__(self, batch):
        return self.description(batch)


class _Description:
    """What a predictor does."""

    def __init__(self, source, column, columns, preprocess, batch_size, top, labels, keep, mean, std, settings):
        if column is not None and columns is not None:
            raise ValueError("both column and columns are given: leave one out")
        for name, value in ("batch_size", batch_size), ("top", top):
            if value is not None and value < 1:
                raise ValueError(f"{name} is {value}: give 1 or more")
        self.source = source
        self.column = column
        self.columns = columns
        self.preprocess = preprocess
        self.batch_size = batch_size
        self.top = top
        self.labels = None if labels is None else list(labels)
        self.keep = None if keep is None else list(keep)
        self.mean, self.std = mean, std
        self.settings = settings

    def __call__(self, batch):
        table, restore = _columns_of(batch)
        return restore(self._predict(table))

    def _predict(self, table):
        loaded = self.load()
        names = self._input_columns(loaded, table)
        count = len(next(iter(table.values()), ()))
        rows = _Rows(count, loaded)
        values = [table[name] for name in names]
        for i in range(count):
            rows.put(i, self._inputs(loaded, [column[i] for column in values]))
        rows.run(loaded)
        dropped = names if self.keep is None else [name for name in table if name not in self.keep]
        result = {name: column for name, column in table.items() if name not in dropped and name != ERROR}
        result.update(rows.outputs())
        if self.top is not None:
            result.update(_ranked(rows, self.labels or loaded.labels, self.top))
        result[ERROR] = rows.errors
        return result

    def _input_columns(self, loaded, table):
        """The columns of the model's inputs."""
        columns = self.columns or {}
        if self.column is not None:
            if len(loaded.ports) != 1:
                names = ", ".join(port.name for port in loaded.ports)
                raise ValueError(f"the model has {len(loaded.ports)} inputs: give columns for {names}")
            columns = {loaded.ports[0].name: self.column}
        names = [columns.get(port.name, port.name) for port in loaded.ports]
        for name in names:
            if name not in table:
                raise KeyError(f"the batch has no column '{name}'; its columns: {', '.join(table)}")
        return names

    def _inputs(self, loaded, values):
        """The inputs of a row as arrays, or the text of an error."""
        import numpy

        try:
            if self.preprocess is not None:
                values = self.preprocess(*values)
                values = values if isinstance(values, tuple) else (values,)
            else:
                values = [self._decoded(loaded, port, value) for port, value in zip(loaded.ports, values)]
            arrays = [numpy.asarray(value) for value in values]
            if len(arrays) != len(loaded.ports):
                return f"ValueError: preprocess returned {len(arrays)} inputs; the model has {len(loaded.ports)}"
            for array, port in zip(arrays, loaded.ports):
                if not _fits(array, port):
                    return f"ValueError: input '{port.name}' has shape {array.shape}, the model takes {port.shape[1:]}"
                if array.dtype == object and port.type != "STRING":
                    return f"TypeError: input '{port.name}' is no array of numbers"
            return arrays
        except Exception as error:
            return _text(error)

    def _decoded(self, loaded, port, value):
        """The pixels of a picture; other values as they are."""
        if port.type == "STRING" or not isinstance(value, (bytes, bytearray, memoryview)):
            return value
        array = loaded.model.picture(value, input=port.name, mean=self.mean, std=self.std)
        # Without the dimension of the batch.
        return array[0] if array.shape[0] == 1 else array

    def load(self):
        """The model of this process."""
        key = (_key(self.source), self.batch_size, _key(self.settings))
        with _LOCK:
            if key not in _LOADED:
                # Keeps the arguments, because the key may have the `id` of one.
                _LOADED[key] = (_Loaded(self.source, self.batch_size, self.settings), self.source, self.settings)
            return _LOADED[key][0]

    def __repr__(self):
        source = repr(self.source) if not isinstance(self.source, bytes) else f"{len(self.source)} bytes"
        return f"<arenite.Predictor {source}, {self.batch_size} rows at once>"


_LOADED = {}
_LOCK = threading.Lock()


def _fork():
    """Models can be used in a child, but another thread may have held the lock."""
    global _LOCK
    _LOCK = threading.Lock()


def _key(value):
    """A text that is equal for equal arguments."""
    import hashlib
    import pickle

    if isinstance(value, str):
        return value
    try:
        return hashlib.sha256(pickle.dumps(value)).hexdigest()
    except Exception:
        # Functions without a name, for example.
        return f"object {id(value)}"


class _Loaded:
    """A model with the batch size that it runs."""

    def __init__(self, source, batch_size, settings):
        from arenite.errors import BatchFixed
        from arenite.model import Model

        settings = {"threads": 1, **settings}
        try:
            self.model = Model(source, batch=batch_size, **settings)
        except BatchFixed:
            self.model = Model(source, **settings)
        self.ports = self.model.inputs
        self.labels = self.model.labels()
        sizes = {port.shape[0] if port.shape else 0 for port in self.ports}
        self.size = next(iter(sizes)) if len(sizes) == 1 else 0
        if self.size == -1:
            self.size = batch_size
        if self.size < 1:
            shapes = ", ".join(map(str, self.ports))
            raise ValueError(f"the first dimension of all inputs must be the batch's, and it is not: {shapes}")

    def run(self, arrays):
        """The outputs for at most `size` rows; `arrays` has a list of rows for each input."""
        import numpy

        count = len(arrays[0])
        stacked = []
        for rows in arrays:
            filled = list(rows) + [numpy.zeros_like(rows[0])] * (self.size - count)
            stacked.append(numpy.stack(filled))
        outputs = self.model(*stacked)
        for name, value in outputs.items():
            if value.ndim == 0 or len(value) != self.size:
                raise ValueError(f"output '{name}' has shape {value.shape}; its first dimension must be {self.size}")
        return {name: value[:count] for name, value in outputs.items()}


class _Rows:
    """The inputs, outputs and errors of the rows of a batch."""

    def __init__(self, count, loaded):
        import numpy

        self.count = count
        self.inputs = {}
        self.errors = numpy.full(count, None, object)
        self.results = {}
        self._empty = loaded.model.outputs

    def put(self, i, inputs):
        if isinstance(inputs, str):
            self.errors[i] = inputs
        else:
            self.inputs[i] = inputs

    def run(self, loaded):
        """Runs rows of equal shapes together."""
        groups = {}
        for i, arrays in self.inputs.items():
            groups.setdefault(tuple((array.shape, array.dtype.str) for array in arrays), []).append(i)
        for rows in groups.values():
            for start in range(0, len(rows), loaded.size):
                self._run_some(loaded, rows[start : start + loaded.size])

    def _run_some(self, loaded, rows):
        try:
            outputs = loaded.run([[self.inputs[i][k] for i in rows] for k in range(len(loaded.ports))])
        except Exception as error:
            if len(rows) == 1:
                self.errors[rows[0]] = _text(error)
                return
            for i in rows:
                self._run_some(loaded, [i])
            return
        for k, i in enumerate(rows):
            self.results[i] = {name: value[k] for name, value in outputs.items()}

    def outputs(self):
        """A column for each output."""
        import numpy

        columns = {}
        for port in self._empty:
            values = [self.results[i][port.name] for i in sorted(self.results)]
            form = values[0] if values else numpy.zeros([max(dim, 1) for dim in port.shape[1:]], numpy.float32)
            if any(value.shape != form.shape for value in values):
                column = numpy.empty(self.count, object)
                for i, value in zip(sorted(self.results), values):
                    column[i] = value
            else:
                column = numpy.zeros((self.count, *form.shape), form.dtype)
                if values:
                    column[sorted(self.results)] = values
            columns[port.name] = column
        return columns


def _ranked(rows, labels, top):
    """The columns `label` and `score`."""
    import numpy

    names, scores = numpy.full(rows.count, None, object), numpy.full(rows.count, None, object)
    for i, outputs in rows.results.items():
        fits = (value.ravel() for value in outputs.values() if not labels or value.size == len(labels))
        values = next(fits, None)
        if values is None:
            rows.errors[i] = f"ValueError: no output has a score for each of {len(labels)} labels"
            continue
        best = numpy.argsort(-values.astype(float), kind="stable")[:top]
        found = [labels[k] if labels else f"class {k}" for k in best]
        names[i], scores[i] = (found[0], float(values[best[0]])) if top == 1 else (found, values[best].astype(float).tolist())
    return {"label": names, "score": scores}


def _fits(array, port):
    """Whether a row has the shape of an input without the dimension of the batch."""
    wanted = port.shape[1:]
    return array.ndim == len(wanted) and all(dim in (-1, size) for size, dim in zip(array.shape, wanted))


def _text(error):
    return f"{type(error).__name__}: {error}"


def _columns_of(batch):
    """The columns of a batch by name, and a function that makes a batch of columns."""
    if isinstance(batch, dict):
        return batch, lambda columns: columns
    kind = type(batch).__module__.partition(".")[0]
    if kind == "pyarrow":
        return _arrow_columns(batch), _arrow_table
    if kind == "pandas":
        return {name: batch[name].tolist() for name in batch.columns}, _frame
    raise TypeError(f"a batch is a dict of columns, a pandas.DataFrame or a pyarrow.Table, not {type(batch).__name__}")


def _arrow_columns(table):
    columns = {}
    for name in table.column_names:
        column = table.column(name)
        columns[name] = column.to_numpy() if not column.type.num_fields else column.to_pylist()
    return columns


def _arrow_table(columns):
    import pyarrow

    return pyarrow.table({name: pyarrow.array(_listed(column)) for name, column in columns.items()})


def _frame(columns):
    import pandas

    return pandas.DataFrame({name: _listed(column) for name, column in columns.items()})


def _listed(column):
    """An array as a list of values or nested lists, unless it has one dimension."""
    if getattr(column, "ndim", 1) > 1:
        return [row.tolist() for row in column]
    if getattr(column, "dtype", None) == object:
        return [value.tolist() if hasattr(value, "tolist") else value for value in column]
    return column


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_fork)

copyreg.pickle(Predictor, lambda predictor: (_predictor, (predictor.description,)))


def _predictor(description):
    fields = dict(vars(description))
    return Predictor(fields.pop("source"), **fields.pop("settings"), **fields)
