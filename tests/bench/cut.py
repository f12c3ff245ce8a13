"""Cuts a model into models of one node each: python cut.py MODEL.tflite FOLDER

Nodes that are alike (op, shapes, types, attributes, which inputs are constants) give one model. What only computes constants
(half-precision weights widened) goes with the node that reads it. FOLDER/index.json tells: file, op, output, count.
"""

import hashlib
import json
import pathlib
import sys

import flatbuffers
from ai_edge_litert import schema_py_generated as schema

CODES = {code: name for name, code in vars(schema.BuiltinOperator).items() if isinstance(code, int)}

# They depend on state, subgraphs or names of the whole model.
WHOLE_ONLY = {"WHILE", "IF", "CALL", "CALL_ONCE", "CUSTOM", "STABLEHLO_COMPOSITE", "VAR_HANDLE", "READ_VARIABLE", "ASSIGN_VARIABLE"}


class Model:
    def __init__(self, path):
        self.tables = schema.ModelT.InitFromPackedBuf(path.read_bytes())
        self.graph = self.tables.subgraphs[0]
        self.producers = {t: op for op in self.graph.operators for t in op.outputs}

    def name(self, op):
        code = self.tables.operatorCodes[op.opcodeIndex]
        return CODES[max(code.builtinCode, code.deprecatedBuiltinCode)]

    def is_constant(self, t):
        """Whether the value is in the file, or computed only from such values."""
        data = self.tables.buffers[self.graph.tensors[t].buffer].data
        if data is not None and len(data):
            return True
        op = self.producers.get(t)
        return op is not None and all(i < 0 or self.is_constant(i) for i in op.inputs)

    def with_producers(self, op):
        """The op, preceded by the ops that compute its constants, in order."""
        ops = []
        for t in op.inputs:
            if t in self.producers and self.is_constant(t):
                ops += [other for other in self.with_producers(self.producers[t]) if other not in ops]
        return ops + [op]

    def kind(self, op):
        """A text that is equal for nodes that compute the same."""

        def of_tensor(t):
            if t < 0:
                return None
            tensor = self.graph.tensors[t]
            values = None
            if self.is_constant(t) and tensor.shape is not None and len(tensor.shape) < 2:
                # The values of axes, shapes and paddings matter.
                data = self.tables.buffers[tensor.buffer].data
                values = None if data is None or len(data) > 64 else bytes(data).hex()
            shape = [] if tensor.shape is None else [int(dim) for dim in tensor.shape]
            return [tensor.type, shape, self.is_constant(t), values if tensor.type in (2, 4) else None]

        options = {} if op.builtinOptions is None else vars(op.builtinOptions)
        options = {key: str(value) for key, value in options.items()}
        parts = [self.name(op), sorted(options.items()), *([of_tensor(t) for t in ts] for ts in (op.inputs, op.outputs))]
        return json.dumps(parts)

    def cut(self, op):
        """The bytes of a model with only this op."""
        ops = self.with_producers(op)
        used = sorted({int(t) for each in ops for ts in (each.inputs, each.outputs) for t in ts if t >= 0})
        place = {t: i for i, t in enumerate(used)} | {-1: -1}
        model = schema.ModelT()
        model.version = 3
        model.operatorCodes = self.tables.operatorCodes
        model.buffers = [schema.BufferT()]
        graph = schema.SubGraphT()
        graph.name = "main"
        graph.tensors = [self.copy(self.graph.tensors[t], model.buffers) for t in used]
        graph.operators = [renamed(each, place) for each in ops]
        graph.inputs = [place[t] for t in dict.fromkeys(op.inputs) if t >= 0 and not self.is_free(t)]
        graph.outputs = [place[t] for t in op.outputs]
        model.subgraphs = [graph]
        builder = flatbuffers.Builder(1 << 20)
        builder.Finish(model.Pack(builder), b"TFL3")
        return bytes(builder.Output())

    def is_free(self, t):
        """Whether it needs no input data."""
        return self.is_constant(t) or self.graph.tensors[t].isVariable

    def copy(self, tensor, buffers):
        copied = schema.TensorT()
        vars(copied).update(vars(tensor))
        data = self.tables.buffers[tensor.buffer].data
        copied.buffer, copied.shapeSignature = 0, None
        if data is not None and len(data):
            copied.buffer = len(buffers)
            buffers.append(schema.BufferT())
            buffers[-1].data = data
        return copied


def renamed(op, place):
    copied = schema.OperatorT()
    vars(copied).update(vars(op))
    copied.inputs = [place[t] for t in op.inputs]
    copied.outputs = [place[t] for t in op.outputs]
    if op.intermediates is not None:
        copied.intermediates = []
    return copied


def main():
    source, folder = map(pathlib.Path, sys.argv[1:3])
    model = Model(source)
    index = {}
    for op in model.graph.operators:
        if model.name(op) in WHOLE_ONLY or all(model.is_constant(t) for t in op.outputs):
            continue
        key = hashlib.sha256(model.kind(op).encode()).hexdigest()
        if key not in index:
            file = folder / f"{len(index):03}_{model.name(op)}.tflite"
            file.write_bytes(model.cut(op))
            output = model.graph.tensors[op.outputs[0]].name.decode()
            index[key] = {"file": str(file), "op": model.name(op), "output": output, "count": 0}
        index[key]["count"] += 1
    (folder / "index.json").write_text(json.dumps(list(index.values())))


if __name__ == "__main__":
    main()
