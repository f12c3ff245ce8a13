"""Finds things in pictures, as detectors do: outputs by name, several threads, frames from a queue."""

import queue
import sys
import threading

import numpy as np

try:
    from tflite_runtime.interpreter import Interpreter
except ImportError:
    from ai_edge_litert.interpreter import Interpreter


class Detector:
    def __init__(self, model_path, threads=2):
        self.interpreter = Interpreter(model_path=model_path, num_threads=threads)
        self.interpreter.allocate_tensors()
        self.inputs = self.interpreter.get_input_details()
        self.outputs = {tensor["name"]: tensor for tensor in self.interpreter.get_output_details()}
        self.height, self.width = self.inputs[0]["shape"][1:3]
        self.image = self.interpreter.tensor(self.inputs[0]["index"])

    def detect(self, frame):
        self.image()[0][:, :] = frame
        self.interpreter.invoke()
        return {name: np.squeeze(self.interpreter.get_tensor(tensor["index"])) for name, tensor in self.outputs.items()}


def work(path, frames, results):
    detector = Detector(path)
    while (item := frames.get()) is not None:
        number, frame = item
        results[number] = detector.detect(frame)["probabilities"].argmax()


def main():
    frames, results = queue.Queue(), {}
    workers = [threading.Thread(target=work, args=(sys.argv[1], frames, results)) for _ in range(3)]
    for worker in workers:
        worker.start()
    random = np.random.default_rng(3)
    for number in range(30):
        frames.put((number, random.random((16, 16, 1), np.float32)))
    for _ in workers:
        frames.put(None)
    for worker in workers:
        worker.join()
    print([int(results[number]) for number in sorted(results)])


main()
