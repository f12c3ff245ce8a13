"""ONNX Runtime, CPU provider, all its graph optimisations; inputs and outputs are bound once, so that no run copies them."""

from importlib.metadata import version

import numpy as np
import onnxruntime

import protocol

TYPES = {
    "tensor(float)": np.float32,
    "tensor(int32)": np.int32,
    "tensor(int64)": np.int64,
    "tensor(int8)": np.int8,
    "tensor(uint8)": np.uint8,
}


class Network:
    def __init__(self, model, threads):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
        self.session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        self.binding = self.session.io_binding()

    def allocate(self):
        """Nothing to do after loading."""

    def set_inputs(self, data):
        for port, raw in zip(self.session.get_inputs(), data, strict=True):
            array = np.frombuffer(raw, TYPES[port.type]).reshape(port.shape)
            self.binding.bind_cpu_input(port.name, array)
        for port in self.session.get_outputs():
            self.binding.bind_output(port.name, "cpu")
        run, binding = self.session._sess.run_with_iobinding, self.binding._iobinding
        self.invoke = lambda: run(binding, None)

    def outputs(self):
        for array in self.binding.copy_outputs_to_cpu():
            yield np.ascontiguousarray(array), 0.0, 0


if __name__ == "__main__":
    protocol.serve("onnxruntime", version("onnxruntime"), Network)
