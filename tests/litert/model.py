"""Writes .tflite models with the schema of ai-edge-litert."""
import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema

TYPES = {np.float32: 0, np.int32: 2, np.bool_: 6, np.int8: 9}


class Model:
    def __init__(self):
        self.model = schema.ModelT()
        self.model.version = 3
        self.model.operatorCodes, self.model.subgraphs, self.model.buffers = [], [], [schema.BufferT()]
        self.codes = {}

    def code(self, op, version):
        key = (op, version)
        if key not in self.codes:
            code = schema.OperatorCodeT()
            code.builtinCode = getattr(schema.BuiltinOperator, op)
            code.deprecatedBuiltinCode, code.version = min(code.builtinCode, 127), version
            self.codes[key] = len(self.model.operatorCodes)
            self.model.operatorCodes.append(code)
        return self.codes[key]

    def graph(self, name="main"):
        graph = Graph(self, len(self.model.subgraphs), name)
        self.model.subgraphs.append(graph.graph)
        return graph

    def bytes(self):
        builder = flatbuffers.Builder(1024)
        builder.Finish(self.model.Pack(builder), b"TFL3")
        return bytes(builder.Output())


class Graph:
    def __init__(self, model, index, name):
        self.model, self.index, self.graph = model, index, schema.SubGraphT()
        self.graph.name = name
        self.graph.tensors, self.graph.inputs, self.graph.outputs, self.graph.operators = [], [], [], []

    def tensor(self, type, shape, data=None, variable=False):
        tensor = schema.TensorT()
        tensor.name = f"t{len(self.graph.tensors)}"
        tensor.shape, tensor.type, tensor.buffer, tensor.isVariable = list(shape), TYPES[type], 0, variable
        if data is not None:
            buffer = schema.BufferT()
            buffer.data = np.frombuffer(np.ascontiguousarray(np.asarray(data, type)).tobytes(), np.uint8)
            tensor.buffer = len(self.model.model.buffers)
            self.model.model.buffers.append(buffer)
        if type is np.int8:
            tensor.quantization = schema.QuantizationParametersT()
            tensor.quantization.scale, tensor.quantization.zeroPoint = [0.5], [3]
        self.graph.tensors.append(tensor)
        return len(self.graph.tensors) - 1

    def input(self, type, shape):
        self.graph.inputs.append(self.tensor(type, shape))
        return self.graph.inputs[-1]

    def op(self, op, inputs, outputs, options=None, version=1, **fields):
        node = schema.OperatorT()
        node.opcodeIndex = self.model.code(op, version)
        node.inputs, node.outputs = list(inputs), list(outputs)
        if options:
            node.builtinOptions = getattr(schema, options + "T")()
            node.builtinOptionsType = getattr(schema.BuiltinOptions, options)
            for name, value in fields.items():
                setattr(node.builtinOptions, name, value)
        self.graph.operators.append(node)
