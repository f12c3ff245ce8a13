"""Custom ops and planners as Python functions."""

import collections
import operator

from arenite.reports import Port

__all__ = ["Node", "Op", "Record", "register_op", "register_planner", "unregister_op", "unregister_planner"]


class Op:
    """A custom op whose nodes a Python function computes.

        cube = arenite.Op("Cube", lambda x: x**3, shapes=lambda x: x)
        model = arenite.Model("cubes.tflite", ops=[cube])

    Attributes:
        name: The custom op's name in the model.
        function: Takes an array for each input, None for an absent one, and returns an array, or a tuple with one for
            each output. The arrays are copies, which it may change and keep. Quantized tensors come and go as they are
            stored. What it returns must have the output's type, or one that NumPy casts to it as "same_kind".
        shapes: Takes a tuple for each input, the shape, and returns the shape of the output, or a list with one for each
            output. Without it, outputs have the shape that the function returns; the memory of later nodes is then
            planned in each call whose shapes change.
        takes_node: Whether the function takes the keyword argument `node`, a `Node`.
        stateful: Whether the result depends on more than the inputs. If not, nodes with constant inputs are computed once.

    An exception of either function ends the call of the model and reaches its caller.
    """

    __slots__ = ("function", "name", "shapes", "stateful", "takes_node")

    def __init__(self, name, function, shapes=None, *, takes_node=False, stateful=False):
        if not isinstance(name, str):
            raise TypeError(f"the name of an op is text, not {type(name).__name__}")
        for value in (function, *([] if shapes is None else [shapes])):
            if not callable(value):
                raise TypeError(f"op '{name}' needs a function; {value!r} cannot be called")
        self.name = name
        self.function = function
        self.shapes = shapes
        self.takes_node = bool(takes_node)
        self.stateful = bool(stateful)

    def __call__(self, *inputs, **keywords):
        """Calls the function."""
        return self.function(*inputs, **keywords)

    def __repr__(self):
        return f"<arenite.Op {self.name}: {getattr(self.function, '__qualname__', self.function)}>"

    def __reduce__(self):
        return _restored, (self.name, self.function, self.shapes, self.takes_node, self.stateful)


def _restored(name, function, shapes, takes_node, stateful):
    return Op(name, function, shapes, takes_node=takes_node, stateful=stateful)


class Node:
    """A node, as the function of an `Op` gets it.

    Attributes:
        op: The name of the op.
        version: Its version.
        subgraph, index: The subgraph, and the position in its execution plan.
        options: The custom options, as bytes; usually a FlexBuffer.
        inputs, outputs: The tensors, as `Port`; None for an absent input.
    """

    def __init__(self, op, version, subgraph, index, options, inputs, outputs):
        self.op = op
        self.version = version
        self.subgraph = subgraph
        self.index = index
        self.options = options
        self.inputs = [port and Port(**port) for port in inputs]
        self.outputs = [port and Port(**port) for port in outputs]

    def __repr__(self):
        return f"<arenite.ops.Node {self.index} {self.op} of subgraph {self.subgraph}>"


Record = collections.namedtuple("Record", "size alignment first_node last_node fixed_offset tensor")
Record.__doc__ = """A buffer for which a planner finds a place.

Attributes:
    size: Its bytes.
    alignment: Its offset must be a multiple of this number.
    first_node, last_node: The steps between which it is in use, both inclusive; `last_node` is None if it is in use until
        the end.
    fixed_offset: The offset that it must have, or None.
    tensor: The index of the tensor, None for scratch memory. A buffer that several tensors share has the first one.
"""


_OPS = {}
_PLANNERS = {}


def register_op(op, function=None, shapes=None, *, takes_node=False, stateful=False):
    """Registers a custom op for all models and interpreters that are made later.

        arenite.register_op("Cube", lambda x: x**3)

        @arenite.register_op("Cube")
        def cube(x):
            return x**3

    Args:
        op: The custom op's name, or an `Op`. A later registration replaces an earlier one of the same name.
        function, shapes, takes_node, stateful: As for `Op`.

    Returns:
        The `Op`; without a function, a decorator that returns the function unchanged.
    """
    if isinstance(op, Op):
        _OPS[op.name] = op
        return op
    if function is not None:
        return register_op(Op(op, function, shapes, takes_node=takes_node, stateful=stateful))

    def decorate(function):
        register_op(op, function, shapes, takes_node=takes_node, stateful=stateful)
        return function

    return decorate


def unregister_op(name):
    """Removes a registered op. Models that exist keep it.

    Raises:
        KeyError: No op of this name is registered.
    """
    del _OPS[name]


def register_planner(name, function):
    """Registers a planner for all models that are made later, as `planner=name`.

    Args:
        name: Its name.
        function: Takes a list of `Record` and returns an offset for each. It must be pure: the same records give the same
            offsets. The runtime checks the answer; if two buffers overlap, the error names both.
    """
    if not callable(function):
        raise TypeError(f"planner '{name}' needs a function; {function!r} cannot be called")
    _PLANNERS[name] = function


def unregister_planner(name):
    """Removes a registered planner. Models that exist keep it.

    Raises:
        KeyError: No planner of this name is registered.
    """
    del _PLANNERS[name]


class _PlannerFunction:
    """What the native class registers."""

    def __init__(self, given):
        if callable(given):
            self.name, self.plan = f"python:{getattr(given, '__name__', type(given).__name__)}", given
        else:
            self.name, self.plan = given, _PLANNERS[given]

    def function(self, records):
        return [operator.index(offset) for offset in self.plan([Record(*record) for record in records])]


def _planner(given):
    """The `_PlannerFunction` of a function or a registered name; None for the name of a plugin's planner, and for None."""
    return _PlannerFunction(given) if callable(given) or given in _PLANNERS else None


def _ops(given):
    """Registered ops and those of an argument `ops`: a dict from names to functions, or `Op`s. The latter win."""
    ops = dict(_OPS)
    ops.update((op.name, op) for op in _given(given))
    return list(ops.values())


def _given(given):
    """The `Op`s of an argument `ops`."""
    if hasattr(given, "items"):
        return [_named(name, value) for name, value in given.items()]
    ops = list(given)
    for op in ops:
        if not isinstance(op, Op):
            raise TypeError(f"{op!r} is no op: give a dict from names to functions, or a list of arenite.Op")
    return ops


def _named(name, value):
    """An `Op` of this name."""
    if isinstance(value, Op):
        return _restored(name, value.function, value.shapes, value.takes_node, value.stateful)
    return Op(name, value)
