"""A float network of convolutions as ncnn reads it: a text of layers and a file of weights.

    convert(MODEL.tflite, FOLDER) -> (text, weights, name of the input, names of the outputs)

Taken are CONV_2D, DEPTHWISE_CONV_2D, FULLY_CONNECTED, ADD, PAD, pools, means over images, SOFTMAX and RESHAPE at the end, with RELU and
RELU6: MobileNets and ResNets.
"""

import pathlib
import struct

import numpy as np
from ai_edge_litert import schema_py_generated as schema

CODES = {code: name for name, code in vars(schema.BuiltinOperator).items() if isinstance(code, int)}
ACTIVATIONS = {0: {}, 1: {9: 1}, 3: {9: 3, -23310: "2,0.0,6.0"}}
SAME = schema.Padding.SAME


class Graph:
    def __init__(self, path):
        self.tables = schema.ModelT.InitFromPackedBuf(pathlib.Path(path).read_bytes())
        self.graph = self.tables.subgraphs[0]
        self.lines, self.blobs, self.weights = [], 0, []
        # The blob of each tensor; reshaped tensors share a blob.
        self.names = {}
        self.uses = {}
        for op in self.graph.operators:
            for t in op.inputs:
                self.uses[t] = self.uses.get(t, 0) + 1

    def constant(self, t):
        buffer = self.tables.buffers[self.graph.tensors[t].buffer].data
        return np.frombuffer(bytes(buffer), np.float32).reshape(self.shape(t))

    def store(self, weights, bias):
        """The data of a layer: weights after a tag for f32, and a bias, which is always present."""
        bias = self.constant(bias) if bias >= 0 else np.zeros(len(weights), np.float32)
        self.weights += [struct.pack("<I", 0), weights.tobytes(), bias.tobytes()]

    def shape(self, t):
        return [int(n) for n in self.graph.tensors[t].shape]

    def layer(self, kind, inputs, outputs, parameters=None):
        blobs = " ".join(inputs + outputs)
        options = " ".join(f"{key}={value}" for key, value in (parameters or {}).items())
        self.lines.append(f"{kind} l{len(self.lines)} {len(inputs)} {len(outputs)} {blobs} {options}")
        self.blobs += len(outputs)

    def take(self, t):
        """The next copy of a blob; a blob that several layers read is split once."""
        copies = self.names[t]
        return copies.pop() if len(copies) > 1 else copies[0]

    def give(self, t, name):
        uses = self.uses.get(t, 0)
        self.names[t] = [name]
        if uses > 1:
            self.names[t] = [f"{name}_{i}" for i in range(uses)]
            self.layer("Split", [name], list(self.names[t]))

    def put(self, kind, op, inputs, parameters, activation=0):
        """A layer and the activation after it, which the layer itself does not support."""
        to = f"b{op.outputs[0]}"
        inner = to if activation == 0 else f"{to}_x"
        self.layer(kind, [self.take(t) for t in inputs], [inner], parameters)
        if activation == 1:
            self.layer("ReLU", [inner], [to])
        elif activation == 3:
            self.layer("Clip", [inner], [to], {0: "0.0", 1: "6.0"})
        self.give(op.outputs[0], to)


def pads(size, taps, stride, dilation, padding):
    if padding != SAME:
        return 0, 0
    reach = (taps - 1) * dilation + 1
    missing = max((-(-size // stride) - 1) * stride + reach - size, 0)
    return missing // 2, missing - missing // 2


def convolution(g, op, depthwise):
    options = op.builtinOptions
    x, w, bias = op.inputs
    weights = g.constant(w)
    _, height, width, channels = g.shape(x)
    # [filter][row][column][channel], or [1][row][column][channel] => ncnn's [filter][channel][row][column].
    weights = weights.transpose(3, 0, 1, 2) if depthwise else weights.transpose(0, 3, 1, 2)
    filters, _, rows, columns = weights.shape
    top, bottom = pads(height, rows, options.strideH, options.dilationHFactor, options.padding)
    left, right = pads(width, columns, options.strideW, options.dilationWFactor, options.padding)
    parameters = {
        0: filters, 1: columns, 11: rows, 2: options.dilationWFactor, 12: options.dilationHFactor,
        3: options.strideW, 13: options.strideH, 4: left, 15: right, 14: top, 16: bottom,
        5: 1, 6: weights.size, **ACTIVATIONS[options.fusedActivationFunction],
    }  # fmt: skip
    g.store(weights, bias)
    kind = "ConvolutionDepthWise" if depthwise else "Convolution"
    g.put(kind, op, [x], {**parameters, 7: channels} if depthwise else parameters)


def dense(g, op):
    x, w, bias = op.inputs
    weights = g.constant(w)
    activation = ACTIVATIONS[op.builtinOptions.fusedActivationFunction]
    g.store(weights, bias)
    g.put("InnerProduct", op, [x], {0: weights.shape[0], 1: 1, 2: weights.size, **activation})


def pool(g, op, kind):
    options = op.builtinOptions
    _, height, width, _ = g.shape(op.inputs[0])
    top, bottom = pads(height, options.filterHeight, options.strideH, 1, options.padding)
    left, right = pads(width, options.filterWidth, options.strideW, 1, options.padding)
    parameters = {
        0: kind, 1: options.filterWidth, 11: options.filterHeight, 2: options.strideW, 12: options.strideH,
        3: left, 14: right, 13: top, 15: bottom, 5: 1,
    }  # fmt: skip
    g.put("Pooling", op, op.inputs, parameters, options.fusedActivationFunction)


def pad(g, op):
    buffer = g.tables.buffers[g.graph.tensors[op.inputs[1]].buffer].data
    _, (top, bottom), (left, right), _ = np.frombuffer(bytes(buffer), np.int32).reshape(4, 2).tolist()
    g.put("Padding", op, op.inputs[:1], {0: top, 1: bottom, 2: left, 3: right, 4: 0, 5: "0.0"})


def convert(path, folder):
    g = Graph(path)
    for t in g.graph.inputs:
        g.layer("Input", [], [f"b{t}"])
        g.give(t, f"b{t}")
    for op in g.graph.operators:
        code = g.tables.operatorCodes[op.opcodeIndex]
        name = CODES[max(code.builtinCode, code.deprecatedBuiltinCode)]
        match name:
            case "CONV_2D" | "DEPTHWISE_CONV_2D":
                convolution(g, op, name == "DEPTHWISE_CONV_2D")
            case "FULLY_CONNECTED":
                dense(g, op)
            case "MAX_POOL_2D" | "AVERAGE_POOL_2D":
                pool(g, op, int(name == "AVERAGE_POOL_2D"))
            case "PAD":
                pad(g, op)
            case "ADD":
                g.put("BinaryOp", op, op.inputs, {0: 0}, op.builtinOptions.fusedActivationFunction)
            case "MEAN":
                g.put("Pooling", op, op.inputs[:1], {0: 1, 4: 1})
            case "SOFTMAX":
                g.put("Softmax", op, op.inputs, {0: 0, 1: 1})
            case "RESHAPE":
                g.names[op.outputs[0]] = g.names[op.inputs[0]]
            case _:
                raise ValueError(f"{name} cannot be converted")
    folder = pathlib.Path(folder)
    text, weights = folder / "model.param", folder / "model.bin"
    text.write_text("\n".join(["7767517", f"{len(g.lines)} {g.blobs}", *g.lines, ""]))
    weights.write_bytes(b"".join(g.weights))
    return text, weights, f"b{g.graph.inputs[0]}", [g.names[t][0] for t in g.graph.outputs]
