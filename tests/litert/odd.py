"""Random graphs of odd structure: variables, IF and WHILE, inputs, constants and repeated tensors as outputs, empty tensors,
scalars, resized inputs."""
import random

import numpy as np

from model import TYPES, Model

F, I, Q, BOOL = np.float32, np.int32, np.int8, np.bool_
SHAPES = [[4], [4], [2, 2], [2, 3], [], [], [0], [0, 3], [1, 4], [1], [3, 1]]
# An op, its options, the types it supports, and whether LiteRT runs it when it writes the variable that it reads.
UNARY = [
    ("ABS", None, (F,), True),
    ("NEG", "NegOptions", (F, I), False),
    ("RELU", None, (F, Q), True),
    ("FLOOR", None, (F,), True),
    ("SQUARE", "SquareOptions", (F,), False),
    ("CEIL", None, (F,), True),
]
BINARY = [
    ("ADD", "AddOptions", (F, I)),
    ("SUB", "SubOptions", (F, I)),
    ("MUL", "MulOptions", (F, I)),
    ("MAXIMUM", "MaximumMinimumOptions", (F, I, Q)),
    ("MINIMUM", "MaximumMinimumOptions", (F, I, Q)),
]


def size(shape):
    return int(np.prod(shape)) if shape else 1


class Scene:
    """A subgraph under construction: its tensors as (number, type, shape), and the numbers of the variables."""

    def __init__(self, graph):
        self.graph, self.pool, self.variables = graph, [], []

    def add(self, type, shape, **more):
        tensor = (self.graph.tensor(type, shape, **more), type, shape)
        self.pool.append(tensor)
        return tensor

    def variable(self, type, shape):
        self.variables.append(self.add(type, shape, variable=True))
        return self.variables[-1]


class Odd:
    """The graph of a seed. `kinds` lists its features; every fifth has no variables."""

    def __init__(self, seed):
        self.random, self.model, self.kinds = random.Random(seed), Model(), set()
        self.has_variables = seed % 5 != 0
        self.bytes, self.feeds, self.resizes = self.make()

    def chance(self, share):
        return self.random.random() < share

    def spec(self):
        return self.random.choice([F, F, F, I, Q]), self.random.choice(SHAPES)

    def numbers(self, type, shape):
        return np.array([self.random.randint(-4, 4) for _ in range(size(shape))], type).reshape(shape)

    def pick(self, scene, fits=lambda tensor: True):
        found = [tensor for tensor in scene.pool if fits(tensor)]
        return self.random.choice(found) if found else None

    def like(self, scene, type, shape):
        """A tensor of this type and shape, occasionally a constant."""
        found = self.pick(scene, lambda tensor: tensor[1] is type and tensor[2] == shape)
        if found and self.chance(0.85):
            return found
        return scene.add(type, shape, data=self.numbers(type, shape))

    def result(self, scene, type, shape, inputs, in_place=False):
        """The output of a node: a new tensor, or a variable."""
        if not self.has_variables or not self.chance(0.35):
            return scene.add(type, shape)[0]
        self.kinds.add("variable")
        graph = scene.graph.graph
        fits = lambda v: v[1] is type and v[2] == shape and (in_place or v[0] not in inputs)
        known = [v for v in scene.variables if fits(v)]
        if not known or self.chance(0.3):
            return scene.variable(type, shape)[0]
        variable = self.random.choice(known)[0]
        written = any(variable in node.outputs for node in graph.operators)
        self.kinds |= {"two writes"} if written else set()
        self.kinds |= {"written input"} if variable in graph.inputs else set()
        self.kinds |= {"in place"} if variable in inputs else set()
        return variable

    def node(self, scene, depth):
        steps = [(30, self.unary), (30, self.binary), (12, self.reshape), (6, self.transpose)]
        steps += [(6, self.concatenation), (4, self.cast), (4, self.dequantize), (4, self.shape)]
        steps += [(8, self.call)] if depth < 2 else []
        step = self.random.choices([step for _, step in steps], [weight for weight, _ in steps])[0]
        step(scene, depth) if step == self.call else step(scene)

    def unary(self, scene):
        op, options, types, in_place = self.random.choice(UNARY)
        x = self.pick(scene, lambda tensor: tensor[1] in types)
        if x:
            y = self.result(scene, x[1], x[2], [x[0]], in_place)
            scene.graph.op(op, [x[0]], [y], options)

    def binary(self, scene):
        op, options, types = self.random.choice(BINARY)
        a = self.pick(scene, lambda tensor: tensor[1] in types)
        if a:
            b = self.like(scene, a[1], a[2])
            y = self.result(scene, a[1], a[2], [a[0], b[0]])
            scene.graph.op(op, [a[0], b[0]], [y], options)

    def reshape(self, scene):
        x = self.pick(scene)
        if not x:
            return
        shape = self.random.choice([s for s in SHAPES if size(s) == size(x[2])] or [x[2]])
        inputs = [x[0]]
        if shape and self.chance(0.6):
            inputs.append(scene.graph.tensor(I, [len(shape)], data=shape))
        y = self.result(scene, x[1], shape, [x[0]])
        scene.graph.op("RESHAPE", inputs, [y], "ReshapeOptions", newShape=shape)

    def transpose(self, scene):
        x = self.pick(scene, lambda tensor: len(tensor[2]) == 2)
        if x:
            axes = scene.graph.tensor(I, [2], data=[1, 0])
            y = self.result(scene, x[1], x[2][::-1], [x[0]])
            scene.graph.op("TRANSPOSE", [x[0], axes], [y], "TransposeOptions")

    def concatenation(self, scene):
        a = self.pick(scene, lambda tensor: len(tensor[2]) == 2 and tensor[2][1])
        if a:
            b = self.like(scene, a[1], a[2])
            y = self.result(scene, a[1], [a[2][0] * 2, a[2][1]], [a[0], b[0]])
            scene.graph.op("CONCATENATION", [a[0], b[0]], [y], "ConcatenationOptions", axis=0)

    def cast(self, scene):
        x = self.like(scene, I, [4])
        scene.graph.op("CAST", [x[0]], [self.result(scene, F, [4], [x[0]])], "CastOptions")

    def dequantize(self, scene):
        x = self.pick(scene, lambda tensor: tensor[1] is Q)
        if x:
            scene.graph.op("DEQUANTIZE", [x[0]], [self.result(scene, F, x[2], [x[0]])], version=2)

    def shape(self, scene):
        x = self.pick(scene)
        if x:
            self.kinds.add("shape")
            y = self.result(scene, I, [len(x[2])], [x[0]])
            scene.graph.op("SHAPE", [x[0]], [y], "ShapeOptions", outType=TYPES[I])

    def call(self, scene, depth):
        xs = [self.pick(scene, lambda tensor: tensor[1] is not BOOL) for _ in range(self.random.randint(1, 2))]
        if None not in xs:
            self.kinds.add("control")
            (self.branch if self.chance(0.6) else self.loop)(scene, xs, depth)

    def subgraph(self, name, specs, depth):
        scene = Scene(self.model.graph(name))
        for type, shape in specs:
            scene.pool.append((scene.graph.input(type, shape), type, shape))
        if self.has_variables and self.chance(0.5):
            scene.variable(*self.spec())
            self.kinds.add("variable")
        return scene

    def outputs(self, scene, specs):
        """Outputs of these types and shapes: inputs and repeated tensors among them."""
        graph = scene.graph.graph
        for type, shape in specs:
            found = self.pick(scene, lambda tensor: tensor[1] is type and tensor[2] == shape)
            if not found or self.chance(0.3):
                a, b = self.like(scene, type, shape), self.like(scene, type, shape)
                found = scene.add(type, shape)
                scene.graph.op("MAXIMUM", [a[0], b[0]], [found[0]], "MaximumMinimumOptions")
            self.kinds |= {"repeated inner output"} if found[0] in graph.outputs else set()
            at = len(graph.outputs)
            if graph.name == "body" and found[0] in graph.inputs and graph.inputs.index(found[0]) != at:
                self.kinds.add("moved loop input")
            graph.outputs.append(found[0])

    def branch(self, scene, xs, depth):
        graph, specs = scene.graph, [x[1:] for x in xs]
        wanted = [self.random.choice(specs) if self.chance(0.7) else self.spec()]
        wanted += [self.random.choice(specs)] if self.chance(0.5) else []
        branches = []
        for name in ("then", "else"):
            inner = self.subgraph(name, specs, depth)
            branches.append(inner.graph.index)
            for _ in range(self.random.randint(0, 3)):
                self.node(inner, depth + 1)
            self.outputs(inner, wanted)
        condition = graph.tensor(BOOL, [])
        sides = [self.like(scene, I, [])[0] for _ in range(2)]
        graph.op(self.random.choice(["LESS", "EQUAL"]), sides, [condition])
        results = [graph.tensor(*spec) for spec in wanted]
        then, other = branches
        inputs = [condition] + [x[0] for x in xs]
        graph.op("IF", inputs, results, "IfOptions", thenSubgraphIndex=then, elseSubgraphIndex=other)
        scene.pool += [(t, *spec) for t, spec in zip(results, wanted)]

    def loop(self, scene, xs, depth):
        graph, specs = scene.graph, [x[1:] for x in xs]
        ports = [(I, [])] + specs
        condition = self.subgraph("condition", ports, depth)
        limit = condition.graph.tensor(I, [], data=[self.random.randint(0, 3)])
        goes_on = condition.graph.tensor(BOOL, [])
        condition.graph.op("LESS", [condition.graph.graph.inputs[0], limit], [goes_on])
        condition.graph.graph.outputs = [goes_on]
        body = self.subgraph("body", ports, depth)
        one, following = body.graph.tensor(I, [], data=[1]), body.graph.tensor(I, [])
        body.graph.op("ADD", [body.graph.graph.inputs[0], one], [following], "AddOptions")
        body.graph.graph.outputs = [following]
        for _ in range(self.random.randint(0, 3)):
            self.node(body, depth + 1)
        self.outputs(body, specs)
        zero = graph.tensor(I, [], data=[0])
        results = [graph.tensor(*port) for port in ports]
        indices = dict(condSubgraphIndex=condition.graph.index, bodySubgraphIndex=body.graph.index)
        graph.op("WHILE", [zero] + [x[0] for x in xs], results, "WhileOptions", **indices)
        scene.pool += [(t, *port) for t, port in zip(results, ports)]

    def make(self):
        scene = self.subgraph("main", [self.spec() for _ in range(self.random.randint(1, 3))], 0)
        graph = scene.graph.graph
        if scene.variables and self.chance(0.12):
            graph.inputs.append(scene.variables[0][0])
            self.kinds.add("input variable")
        for _ in range(self.random.randint(1, 9)):
            self.node(scene, 0)
        of = {t: (type, shape) for t, type, shape in scene.pool}
        results = [t for node in graph.operators for t in node.outputs if t in of]
        outputs = [t for t in results if self.chance(0.6)]
        outputs += [self.pick(scene)[0] for _ in range(self.random.randint(0, 2))]
        if outputs and self.chance(0.15):
            outputs.append(self.random.choice(outputs))
            self.kinds.add("repeated output")
        graph.outputs = outputs or [scene.pool[0][0]]
        shapes = [list(of[t][1]) for t in graph.inputs]
        feeds, resizes = [], {}
        for k in range(3):
            i = self.random.randrange(len(shapes))
            if k and self.chance(0.12) and shapes[i] and not graph.tensors[graph.inputs[i]].isVariable:
                shapes[i][0] = self.random.choice([1, 2, 3, 5, 0])
                resizes[k] = {i: list(shapes[i])}
                self.kinds.add("resized")
            feeds.append([self.numbers(of[t][0], s).tobytes() for t, s in zip(graph.inputs, shapes)])
        return self.model.bytes(), feeds, resizes
