"""LiteRT with XNNPACK on one signature of a language model, for `arenite-bench language`.

The first input is the signature's key, the others are the inputs of the signature, in the order of their names. A run
is one invocation; copying the returned caches to the inputs of the next one is not timed.
"""

from importlib.metadata import version

import numpy as np
from ai_edge_litert.interpreter import Interpreter

import protocol


class Network:
    def __init__(self, model, threads):
        self.interpreter = Interpreter(model_path=model, num_threads=threads)

    def allocate(self):
        """The signature is allocated with its inputs."""

    def set_inputs(self, data):
        wrapper = self.interpreter._interpreter
        signature = data[0].decode()
        runner = self.interpreter.get_signature_runner(signature)
        subgraph = wrapper.GetSubgraphIndexFromSignature(signature)
        wrapper.AllocateTensors(subgraph)
        details = runner.get_input_details()
        for name, raw in zip(sorted(details), data[1:], strict=True):
            detail = details[name]
            array = np.frombuffer(raw, detail["dtype"]).reshape(detail["shape"])
            wrapper.SetTensor(detail["index"], array, subgraph)
        self.invoke = lambda: wrapper.Invoke(subgraph)


if __name__ == "__main__":
    protocol.serve("litert", version("ai-edge-litert"), Network)
