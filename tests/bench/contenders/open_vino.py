"""OpenVINO's CPU plugin, one stream, in full float precision. `ONEDNN_MAX_CPU_ISA` caps its instruction set."""

from importlib.metadata import version

import numpy as np
import openvino

import protocol

CORE = openvino.Core()


class Network:
    def __init__(self, model, threads):
        graph = CORE.read_model(model)
        # A dynamic batch size, which is 1 in the file's own shape.
        static = {port: [max(dim.min_length, 1) for dim in port.partial_shape] for port in graph.inputs}
        if graph.is_dynamic():
            graph.reshape(static)
        settings = {
            "INFERENCE_NUM_THREADS": threads,
            "NUM_STREAMS": 1,
            "PERFORMANCE_HINT": "LATENCY",
            "INFERENCE_PRECISION_HINT": "f32",
        }
        self.request = CORE.compile_model(graph, "CPU", settings).create_infer_request()

    def allocate(self):
        """Nothing to do after loading."""

    def set_inputs(self, data):
        for index, raw in enumerate(data):
            port = self.request.model_inputs[index]
            array = np.frombuffer(raw, port.element_type.to_dtype()).reshape(list(port.shape)).copy()
            self.request.set_input_tensor(index, openvino.Tensor(array, shared_memory=True))
        # Bypasses the wrapper that makes a dictionary of the results, which costs 1 µs.
        run, request = openvino._pyopenvino.InferRequest.infer, self.request
        self.invoke = lambda: run(request, {}, share_outputs=True, decode_strings=False)

    def outputs(self):
        for index in range(len(self.request.model_outputs)):
            yield np.ascontiguousarray(self.request.get_output_tensor(index).data), 0.0, 0


if __name__ == "__main__":
    protocol.serve("openvino", version("openvino"), Network)
