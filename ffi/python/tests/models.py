"""Writes small .tflite models: flatbuffers, with the fields that the tests need."""

import struct

import flatbuffers

FLOAT32, FLOAT16, INT32, UINT8, INT64, STRING, BOOL, INT16, COMPLEX64, INT8, FLOAT64 = range(11)
UINT64, RESOURCE, UINT32, UINT16, INT4, BFLOAT16 = 12, 13, 15, 16, 17, 18

RESHAPE, ADD, CUSTOM = 22, 0, 32


class Tensor:
    """A tensor; `data` makes it constant, `signature` has -1 for dimensions that can change.

    `blocks` has the tensors of scales and zero points, the size of a block and the dimension. `sparsity` has the order
    of dimensions, the block map and the levels, see `_sparsity`.
    """

    def __init__(
        self,
        name,
        type,
        shape,
        *,
        data=None,
        signature=None,
        scale=None,
        zero_point=0,
        blocks=None,
        sparsity=None,
    ):
        self.name, self.type, self.shape, self.data, self.signature = name, type, shape, data, signature
        self.scale, self.zero_point, self.blocks = scale, zero_point, blocks
        self.sparsity = sparsity


class Node:
    """A node: the number of the op, or the name of a custom one, and indices of tensors."""

    def __init__(self, op, inputs, outputs):
        self.op, self.inputs, self.outputs = op, inputs, outputs


def model(tensors, nodes, inputs, outputs, signatures=(), others=()):
    """The bytes of a model. A signature is its key, two dicts from names to tensors, and the subgraph unless it is the first.

    `others` are further subgraphs without constants: tensors, nodes, inputs and outputs.
    """
    builder = flatbuffers.Builder(1024)
    buffers = [None] + [tensor.data for tensor in tensors if tensor.data is not None]
    fields = {
        0: ("u32", 3),
        1: ("vector", [_op(builder, node.op) for node in [*nodes, *(node for other in others for node in other[1])]]),
        2: ("vector", _subgraphs(builder, [(tensors, nodes, inputs, outputs), *others])),
        4: ("vector", [_table(builder, {0: ("bytes", data)} if data is not None else {}) for data in buffers]),
    }
    if signatures:
        fields[7] = ("vector", [_signature(builder, *signature) for signature in signatures])
    builder.Finish(_table(builder, fields), b"TFL3")
    return bytes(builder.Output())


def identity(type, shape, **tensor):
    """A model with an input `x` and an output `y` of the same shape, by RESHAPE."""
    rank = len(shape)
    tensors = [
        Tensor("x", type, shape, **tensor),
        Tensor("y", type, shape, **tensor),
        Tensor("shape", INT32, [rank], data=struct.pack(f"<{rank}i", *shape)),
    ]
    return model(tensors, [Node(RESHAPE, [0, 2], [1])], [0], [1])


def once_and_twice():
    """A model with two signatures: y = 2 x in the main subgraph, y = 4 x in another one."""

    def graph(nodes):
        names = "x", *(f"t{i}" for i in range(nodes - 1)), "y"
        chain = [Node(ADD, [i, i], [i + 1]) for i in range(nodes)]
        return [Tensor(name, FLOAT32, [1, 2]) for name in names], chain, [0], [nodes]

    signatures = [("once", {"a": 0}, {"b": 1}), ("twice", {"a": 0}, {"b": 2}, 1)]
    return model(*graph(1), signatures, [graph(2)])


def _op(builder, op):
    if isinstance(op, str):
        return _table(builder, {0: ("i8", CUSTOM), 1: ("string", op), 2: ("i32", 1), 3: ("i32", CUSTOM)})
    return _table(builder, {0: ("i8", min(op, 127)), 2: ("i32", 1), 3: ("i32", op)})


def _subgraphs(builder, graphs):
    first, written = 0, []
    for graph in graphs:
        written.append(_subgraph(builder, *graph, first))
        first += len(graph[1])
    return written


def _subgraph(builder, tensors, nodes, inputs, outputs, first_op):
    buffer, written = 0, []
    for tensor in tensors:
        buffer += tensor.data is not None
        fields = {
            0: ("i32s", tensor.shape),
            1: ("i8", tensor.type),
            2: ("u32", buffer if tensor.data is not None else 0),
            3: ("string", tensor.name),
        }
        if tensor.scale is not None:
            quantization = {2: ("f32s", [tensor.scale]), 3: ("i64s", [tensor.zero_point])}
            fields[4] = ("table", _table(builder, quantization))
        if tensor.blocks is not None:
            scales, zero_points, size, dimension = tensor.blocks
            details = _table(builder, {0: ("i32", scales), 1: ("i32", zero_points), 2: ("i32", size)})
            quantization = {4: ("i8", 2), 5: ("table", details), 6: ("i32", dimension)}
            fields[4] = ("table", _table(builder, quantization))
        if tensor.sparsity is not None:
            fields[6] = ("table", _sparsity(builder, *tensor.sparsity))
        if tensor.signature is not None:
            fields[7] = ("i32s", tensor.signature)
        fields[8] = ("bool", True)
        written.append(_table(builder, fields))
    operators = [
        _table(builder, {0: ("u32", first_op + i), 1: ("i32s", node.inputs), 2: ("i32s", node.outputs)})
        for i, node in enumerate(nodes)
    ]
    return _table(
        builder,
        {
            0: ("vector", written),
            1: ("i32s", inputs),
            2: ("i32s", outputs),
            3: ("vector", operators),
            4: ("string", "main"),
        },
    )


def _sparsity(builder, order, blocks, levels):
    """A level is the size of a dense dimension, or a pair of segments and indices."""
    written = []
    for level in levels:
        if isinstance(level, int):
            written.append(_table(builder, {0: ("i8", 0), 1: ("i32", level)}))
            continue
        segments, indices = (_table(builder, {0: ("i32s", values)}) for values in level)
        fields = {0: ("i8", 1), 2: ("i8", 1), 3: ("table", segments), 4: ("i8", 1), 5: ("table", indices)}
        written.append(_table(builder, fields))
    return _table(builder, {0: ("i32s", order), 1: ("i32s", blocks), 2: ("vector", written)})


def _signature(builder, key, inputs, outputs, subgraph=0):
    def maps(names):
        return [_table(builder, {0: ("string", name), 1: ("u32", tensor)}) for name, tensor in names.items()]

    return _table(builder, {0: ("vector", maps(inputs)), 1: ("vector", maps(outputs)), 2: ("string", key), 4: ("u32", subgraph)})


SCALARS = {"i8": "Int8", "u32": "Uint32", "i32": "Int32", "bool": "Bool"}
LISTS = {"i32s": ("<%di", 4), "i64s": ("<%dq", 8), "f32s": ("<%df", 4)}


def _table(builder, fields):
    """A table of fields by number: a kind and a value each."""
    placed = {slot: (kind, _child(builder, kind, value)) for slot, (kind, value) in fields.items()}
    builder.StartObject(max(fields, default=-1) + 1)
    for slot, (kind, value) in placed.items():
        if kind in SCALARS:
            getattr(builder, f"Prepend{SCALARS[kind]}Slot")(slot, value, None)
        else:
            builder.PrependUOffsetTRelativeSlot(slot, value, 0)
    return builder.EndObject()


def _child(builder, kind, value):
    if kind == "string":
        return builder.CreateString(value)
    if kind == "bytes":
        builder.StartVector(1, len(value), 16)
        builder.head -= len(value)
        builder.Bytes[builder.head : builder.head + len(value)] = value
        return builder.EndVector()
    if kind == "vector":
        builder.StartVector(4, len(value), 4)
        for item in reversed(value):
            builder.PrependUOffsetTRelative(item)
        return builder.EndVector()
    if kind in LISTS:
        text, size = LISTS[kind]
        builder.StartVector(size, len(value), size)
        data = struct.pack(text % len(value), *value)
        builder.head -= len(data)
        builder.Bytes[builder.head : builder.head + len(data)] = data
        return builder.EndVector()
    return value
