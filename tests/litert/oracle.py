"""Computes a graph of odd.py with numpy: nodes run in the file's order, and a variable has the value of the last write."""
import numpy as np
from ai_edge_litert import schema_py_generated as schema

TYPES = {0: np.float32, 2: np.int32, 6: np.bool_, 9: np.int8}
CODES = {np.float32: 1, np.int32: 2, np.bool_: 6, np.int8: 9}
ZERO = 3  # The zero point of all 8-bit tensors; their scale is a half.
NAMES = {code: name for name, code in vars(schema.BuiltinOperator).items() if not name.startswith("_")}
SIMPLE = {
    "ABS": np.abs,
    "NEG": np.negative,
    "RELU": lambda x: np.maximum(x, x.dtype.type(ZERO if x.dtype == np.int8 else 0)),
    "FLOOR": np.floor,
    "SQUARE": np.square,
    "CEIL": np.ceil,
    "ADD": np.add,
    "SUB": np.subtract,
    "MUL": np.multiply,
    "MAXIMUM": np.maximum,
    "MINIMUM": np.minimum,
    "LESS": np.less,
    "EQUAL": np.equal,
    "TRANSPOSE": np.transpose,
    "CONCATENATION": lambda a, b: np.concatenate([a, b]),
    "CAST": lambda x: x.astype(np.float32),
    "DEQUANTIZE": lambda x: ((x.astype(np.int32) - ZERO) * 0.5).astype(np.float32),
    "SHAPE": lambda x: np.array(x.shape, np.int32),
}


class Oracle:
    def run(self, odd):
        self.model, self.variables, done = odd.model.model, {}, []
        main = self.model.subgraphs[0]
        shapes = [list(main.tensors[t].shape) for t in main.inputs]
        for k, feed in enumerate(odd.feeds):
            for i, shape in odd.resizes.get(k, {}).items():
                shapes[i], self.variables = shape, {}
            types = [TYPES[main.tensors[t].type] for t in main.inputs]
            values = [np.frombuffer(d, t).reshape(s) for d, t, s in zip(feed, types, shapes)]
            try:
                outputs = self.call(0, values)
            except (ValueError, IndexError):
                return done + ["refused"]
            done.append([(CODES[y.dtype.type], y.shape, y.tobytes()) for y in outputs])
        return done

    def first(self, tensor):
        """A constant, or the initial value of a variable."""
        data, type = self.model.buffers[tensor.buffer].data, TYPES[tensor.type]
        if tensor.buffer:
            return np.frombuffer(b"" if data is None else bytes(data), type).reshape(tensor.shape)
        return np.full(tensor.shape, ZERO if type is np.int8 else 0, type)

    def call(self, index, inputs):
        graph, values = self.model.subgraphs[index], {}

        def read(t):
            tensor = graph.tensors[t]
            if tensor.isVariable:
                return self.variables.setdefault((index, t), self.first(tensor))
            return values[t] if t in values else self.first(tensor)

        def write(t, value):
            if graph.tensors[t].isVariable:
                self.variables[index, t] = value
            else:
                values[t] = value

        for t, value in zip(graph.inputs, inputs):
            write(t, value)
        for node in graph.operators:
            results = self.node(node, [read(t) for t in node.inputs])
            for t, value in zip(node.outputs, results):
                write(t, value)
        return [read(t) for t in graph.outputs]

    def node(self, node, inputs):
        op = NAMES[self.model.operatorCodes[node.opcodeIndex].builtinCode]
        if op == "RESHAPE":
            return [inputs[0].reshape(node.builtinOptions.newShape)]
        if op == "IF":
            options = node.builtinOptions
            chosen = options.thenSubgraphIndex if inputs[0] else options.elseSubgraphIndex
            return self.call(chosen, inputs[1:])
        if op == "WHILE":
            options = node.builtinOptions
            while self.call(options.condSubgraphIndex, inputs)[0]:
                inputs = self.call(options.bodySubgraphIndex, inputs)
            return inputs
        return [np.asarray(SIMPLE[op](*inputs))]
