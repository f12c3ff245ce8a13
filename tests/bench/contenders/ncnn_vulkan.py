"""ncnn on the first Vulkan device, in full float precision. The network is built layer by layer, see `ncnn_graph.py`."""

import tempfile
from importlib.metadata import version

import ncnn
import numpy as np

import ncnn_graph
import protocol


class Network:
    def __init__(self, model, threads):
        self.net = ncnn.Net()
        options = self.net.opt
        options.num_threads = threads
        options.use_vulkan_compute = True
        for half in ["use_fp16_packed", "use_fp16_storage", "use_fp16_arithmetic", "use_bf16_packed", "use_bf16_storage"]:
            setattr(options, half, False)
        with tempfile.TemporaryDirectory() as folder:
            text, weights, self.input, self.results = ncnn_graph.convert(model, folder)
            if self.net.load_param(str(text)) != 0 or self.net.load_model(str(weights)) != 0:
                raise ValueError("ncnn cannot load the network")
        self.shape = [int(n) for n in ncnn_graph.Graph(model).graph.tensors[int(self.input[1:])].shape]

    def allocate(self):
        """Nothing to do after loading."""

    def set_inputs(self, data):
        # ncnn has the channels outermost.
        array = np.frombuffer(data[0], np.float32).reshape(self.shape)[0].transpose(2, 0, 1)
        self.array = np.ascontiguousarray(array)
        self.mat = ncnn.Mat(self.array)

    def invoke(self):
        extractor = self.net.create_extractor()
        extractor.input(self.input, self.mat)
        self.found = []
        for name in self.results:
            failed, result = extractor.extract(name)
            if failed:
                raise ValueError(f"ncnn failed: {failed}")
            self.found.append(result)

    def outputs(self):
        for result in self.found:
            yield np.ascontiguousarray(np.array(result))[None], 0.0, 0


if __name__ == "__main__":
    protocol.serve("ncnn", version("ncnn"), Network)
