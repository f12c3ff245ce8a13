"""The smallest graphs for which LiteRT differs: minimal.py LIBRARY prints the outputs of the library and of LiteRT in two invocations."""
import sys

import numpy as np

from model import Model
from runners import Library, LiteRT

F, I, BOOL = np.float32, np.int32, np.bool_
A, B = np.array([1, 2], F), np.array([10, 20], F)


def shape():
    """y = -v;  v = shape(x)"""
    model = Model()
    graph = model.graph()
    x, v, y = graph.input(F, [2, 3]), graph.tensor(I, [2], variable=True), graph.tensor(I, [2])
    graph.op("NEG", [v], [y], "NegOptions")
    graph.op("SHAPE", [x], [v], "ShapeOptions", outType=2)
    graph.graph.outputs = [y]
    return model, [np.zeros(6, F)]


def branch():
    """(y, z) = if 0 < c then (a + b, the same) else (a - b, the same)"""
    model = Model()
    graph = model.graph()
    c, a, b = graph.input(I, []), graph.input(F, [2]), graph.input(F, [2])
    zero, chosen = graph.tensor(I, [], data=0), graph.tensor(BOOL, [])
    graph.op("LESS", [zero, c], [chosen])
    graph.graph.outputs = [graph.tensor(F, [2]), graph.tensor(F, [2])]
    graph.op("IF", [chosen, a, b], graph.graph.outputs, "IfOptions", thenSubgraphIndex=1, elseSubgraphIndex=2)
    for op, options in (("ADD", "AddOptions"), ("SUB", "SubOptions")):
        graph = model.graph(op)
        a, b, t = graph.input(F, [2]), graph.input(F, [2]), graph.tensor(F, [2])
        graph.op(op, [a, b], [t], options)
        graph.graph.outputs = [t, t]
    return model, [np.int32(1), A, B]


def loop():
    """three times (a, b) = (b, a)"""
    model = Model()
    graph = model.graph()
    a, b, zero = graph.input(F, [2]), graph.input(F, [2]), graph.tensor(I, [], data=0)
    graph.graph.outputs = [graph.tensor(I, []), graph.tensor(F, [2]), graph.tensor(F, [2])]
    subgraphs = dict(condSubgraphIndex=1, bodySubgraphIndex=2)
    graph.op("WHILE", [zero, a, b], graph.graph.outputs, "WhileOptions", **subgraphs)
    graph = model.graph("condition")
    i, goes_on, limit = graph.input(I, []), graph.tensor(BOOL, []), graph.tensor(I, [], data=3)
    graph.input(F, [2]), graph.input(F, [2])
    graph.op("LESS", [i, limit], [goes_on])
    graph.graph.outputs = [goes_on]
    graph = model.graph("body")
    i, a, b = graph.input(I, []), graph.input(F, [2]), graph.input(F, [2])
    one, following = graph.tensor(I, [], data=1), graph.tensor(I, [])
    graph.op("ADD", [i, one], [following], "AddOptions")
    graph.graph.outputs = [following, b, a]
    return model, [A, B]


for make in (shape, branch, loop):
    model, feed = make()
    print(make.__doc__)
    for name, runner in (("LiteRT", LiteRT()), (sys.argv[1], Library(sys.argv[1]))):
        for outputs in runner.run(model.bytes(), [[value.tobytes() for value in feed]] * 2, {}):
            print("   ", name, *(np.frombuffer(data, {1: F, 2: I}[type]) for type, _, data in outputs))
