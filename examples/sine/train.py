"""Trains a net of three layers to compute sin(x) for x in 0..2π, and writes it to sine.tflite.

    python3 examples/sine/train.py        needs numpy, and `arenite` in PATH or ARENITE
"""

import json
import math
import os
import pathlib
import subprocess

import numpy as np

HERE = pathlib.Path(__file__).parent
SIZES = [(16, 1), (16, 16), (1, 16)]
STEPS, RATE, SEED = 20_000, 0.01, 1


def layers(random):
    return [[random.normal(0, math.sqrt(2 / size[1]), size), np.zeros(size[0])] for size in SIZES]


def run(net, x):
    """The values in front of each layer, and the result."""
    values = [x]
    for i, (weights, bias) in enumerate(net):
        sums = values[-1] @ weights.T + bias
        values.append(np.maximum(sums, 0) if i + 1 < len(net) else sums)
    return values


def gradients(net, values, error):
    found = []
    for i in reversed(range(len(net))):
        found.append([error.T @ values[i], error.sum(0)])
        error = error @ net[i][0] * (values[i] > 0)
    return found[::-1]


def train():
    random = np.random.default_rng(SEED)
    net = layers(random)
    means = [[np.zeros_like(part) for part in layer] for layer in net]
    squares = [[np.zeros_like(part) for part in layer] for layer in net]
    for step in range(1, STEPS + 1):
        x = random.uniform(0, 2 * math.pi, (64, 1))
        values = run(net, x)
        error = 2 * (values[-1] - np.sin(x)) / len(x)
        rate = RATE * 0.5 * (1 + math.cos(math.pi * step / STEPS))
        for layer, change, mean, square in zip(net, gradients(net, values, error), means, squares):
            for p, g in enumerate(change):
                mean[p] = 0.9 * mean[p] + 0.1 * g
                square[p] = 0.999 * square[p] + 0.001 * g * g
                scaled = mean[p] / (1 - 0.9**step) / (np.sqrt(square[p] / (1 - 0.999**step)) + 1e-8)
                layer[p] -= rate * scaled
    return net


def write(net):
    def constant(name, values):
        shape = ",".join(map(str, values.shape))
        numbers = ",".join(repr(float(np.float32(v))) for v in values.ravel())
        return f"{name}:FLOAT32[{shape}] value=({numbers})"

    nodes, x = [], "x:FLOAT32[1,1]"
    for i, (weights, bias) in enumerate(net):
        last = i + 1 == len(net)
        y = "y" if last else f"h{i}"
        options = json.dumps({"fused_activation_function": "NONE" if last else "RELU"})
        inputs = f"{x}, {constant(f'weights_{i}', weights)}, {constant(f'bias_{i}', bias)}"
        nodes.append(f"{y}:FLOAT32[1,{len(bias)}] = FULLY_CONNECTED({inputs}) {options}")
        x = y
    program = os.environ.get("ARENITE", "arenite")
    subprocess.run([program, "new-model", "--force", HERE / "sine.tflite", *nodes], check=True)


if __name__ == "__main__":
    net = train()
    x = np.linspace(0, 2 * math.pi, 1000)[:, None]
    print("largest error:", float(np.abs(run(net, x)[-1] - np.sin(x)).max()))
    write(net)
