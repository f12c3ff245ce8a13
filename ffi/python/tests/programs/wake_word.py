"""Scores a stream with two models, as detectors of wake words do: windows of features, and resized inputs."""

import collections
import sys

import numpy as np
from tflite_runtime import interpreter as tflite


class Features:
    """Sums of neighbours for any number of frames: the input is resized, and only if the number changes."""

    def __init__(self, path):
        self.model = tflite.Interpreter(model_path=path, num_threads=1)
        self.model.resize_tensor_input(self.model.get_input_details()[0]["index"], [1, 4], strict=False)
        self.model.allocate_tensors()
        self.frames = 1

    def __call__(self, window):
        given = self.model.get_input_details()[0]["index"]
        wanted = self.model.get_output_details()[0]["index"]
        if window.shape[0] != self.frames:
            self.model.resize_tensor_input(given, list(window.shape))
            self.model.allocate_tensors()
            self.frames = window.shape[0]
        self.model.set_tensor(given, window.astype(np.float32))
        self.model.invoke()
        return self.model.get_tensor(wanted)


class WakeWord:
    def __init__(self, features, classifier):
        self.features = Features(features)
        self.buffer = collections.deque(maxlen=64)
        self.models = {"digits": tflite.Interpreter(classifier)}
        self.inputs, self.outputs = {}, {}
        for name, model in self.models.items():
            model.allocate_tensors()
            self.inputs[name] = model.get_input_details()[0]
            self.outputs[name] = model.get_output_details()[0]["shape"][1]

    def predict(self, samples):
        self.buffer.extend(self.features(samples))
        scores = {}
        for name, model in self.models.items():
            window = np.resize(np.array(self.buffer), self.inputs[name]["shape"]).astype(np.float32)
            model.set_tensor(self.inputs[name]["index"], window / max(1, window.max()))
            model.invoke()
            scores[name] = model.get_tensor(model.get_output_details()[0]["index"])[0]
            assert len(scores[name]) == self.outputs[name]
        return scores

    def reset(self):
        self.buffer.clear()
        for model in self.models.values():
            model.reset_all_variables()


word = WakeWord(sys.argv[2], sys.argv[1])
random = np.random.default_rng(5)
for count in 1, 3, 3, 7, 1:
    scores = word.predict(random.integers(0, 100, (count, 4)).astype(np.int16))
    print([round(float(score), 3) for score in scores["digits"]])
word.reset()
try:
    word.models["digits"].set_tensor(word.inputs["digits"]["index"], np.zeros((1, 4), np.float32))
except ValueError as error:
    print(type(error).__mro__[-4].__name__, bool(str(error)))
