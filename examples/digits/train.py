"""Train the digit classifier; write both models, the sample pictures and accuracy.json next to this file.

    python3 train.py
"""
import json
import os
import pathlib
import tempfile

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import keras
import numpy as np
import tensorflow as tf
from PIL import Image
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from tensorflow.lite.tools import flatbuffer_utils
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

from pictures import INPUT, RESIZERS, draw, moved, probabilities, shrink, shrink_pillow

HERE = pathlib.Path(__file__).parent
SEED, COPIES, EPOCHS = 20, 16, 16
L = keras.layers


def network():
    def norm(x):
        return L.ReLU()(L.BatchNormalization(momentum=0.95)(x))

    def separable(x, channels):
        x = norm(L.DepthwiseConv2D(3, padding="same", use_bias=False)(x))
        return L.BatchNormalization(momentum=0.95)(L.Conv2D(channels, 1, use_bias=False)(x))

    image = keras.Input((INPUT, INPUT, 1), name="image")
    x = L.MaxPool2D()(norm(L.Conv2D(24, 3, padding="same", use_bias=False)(image)))
    x = L.ReLU()(separable(x, 32))
    x = L.MaxPool2D()(L.ReLU()(L.Add()([x, separable(x, 32)])))
    x = L.AveragePooling2D(2)(L.ReLU()(separable(x, 48)))
    x = L.Dropout(0.2)(L.Flatten()(x))
    x = L.Dense(32, activation="relu")(x)
    return keras.Model(image, L.Dense(10, activation="softmax")(x))


def varied(digits, labels, rng):
    """COPIES of each digit, each with its own rotation, size, position, brightness and resizer, as inputs in [-1, 1]."""
    inputs, targets = [], []
    for digit, label in zip(digits, labels):
        picture = draw(digit)
        for _ in range(COPIES):
            copy = picture.rotate(rng.uniform(-12, 12), Image.Resampling.BILINEAR)
            grown = round(copy.width * rng.uniform(0.85, 1.15))
            copy = copy.resize((grown, grown), Image.Resampling.BILINEAR)
            edge = (grown - picture.width) / 2
            copy = copy.crop((round(edge), round(edge), round(edge) + picture.width, round(edge) + picture.height))
            copy = moved(copy, rng.uniform(-8, 8), rng.uniform(-8, 8))
            pixels = shrink(copy) if rng.random() < 0.5 else shrink_pillow(copy, Image.Resampling.BILINEAR)
            inputs.append(pixels * rng.uniform(0.75, 1))
            targets.append(label)
    return (np.array(inputs, np.float32) / 127.5 - 1)[..., None], np.array(targets)


def train(inputs, targets):
    model = network()
    steps = EPOCHS * -(-len(inputs) // 64)
    model.compile(keras.optimizers.Adam(keras.optimizers.schedules.CosineDecay(3e-3, steps)),
                  keras.losses.CategoricalCrossentropy(label_smoothing=0.1), metrics=["accuracy"])
    model.fit(inputs, np.eye(10)[targets], 64, EPOCHS, verbose=2)
    return model


def convert(model, calibration=None):
    spec = tf.TensorSpec((1, INPUT, INPUT, 1), tf.float32, "image")
    network = tf.function(lambda image: model(image, training=False)).get_concrete_function(spec)
    constant = convert_variables_to_constants_v2(network)
    served = tf.Module()
    served.serve = tf.function(lambda image: {"probabilities": constant(image)[0]}, input_signature=[spec])
    with tempfile.TemporaryDirectory() as saved:
        tf.saved_model.save(served, saved, signatures={"serving_default": served.serve})
        return convert_saved(saved, calibration)


def convert_saved(saved, calibration):
    converter = tf.lite.TFLiteConverter.from_saved_model(saved)
    if calibration is not None:
        converter.optimizations = [tf.lite.Optimize.DEFAULT]
        converter.representative_dataset = lambda: ([x[None]] for x in calibration)
        converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
        converter.inference_input_type = converter.inference_output_type = tf.int8
    return named(converter.convert())


def named(data):
    """Give the model's input and output tensors the names that they have in the signature."""
    model = flatbuffer_utils.convert_bytearray_to_object(data)
    graph = model.subgraphs[0]
    graph.tensors[graph.inputs[0]].name = b"image"
    graph.tensors[graph.outputs[0]].name = b"probabilities"
    return bytes(flatbuffer_utils.convert_object_to_bytearray(model))


def interpreter(data):
    kind = tf.lite.experimental.OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
    built = tf.lite.Interpreter(model_content=data, experimental_op_resolver_type=kind, num_threads=1)
    built.allocate_tensors()
    return built


def choose(models, digits, labels):
    """Per class the picture whose worst probability, over both models and all resizers, is the best."""
    best = {}
    for digit, label in zip(digits, labels):
        picture = draw(digit)
        worst = min(probabilities(m, resize(picture))[0][label] for m in models for resize in RESIZERS.values())
        if worst > best.get(label, (0, None))[0]:
            best[int(label)] = worst, picture
    return best


def main():
    keras.utils.set_random_seed(SEED)
    tf.config.experimental.enable_op_determinism()
    data = load_digits()
    digits, held, labels, held_labels = train_test_split(
        data.images, data.target, test_size=0.2, stratify=data.target, random_state=SEED)
    inputs, targets = varied(digits, labels, np.random.default_rng(SEED))
    model = train(inputs, targets)
    calibration = np.array([shrink(draw(d)) for d in digits[:200]], np.float32)[..., None] / 127.5 - 1
    files = {"digits_f32.tflite": convert(model), "digits_i8.tflite": convert(model, np.clip(calibration, -1, 1))}
    report = {"training_pictures": len(digits), "held_out_pictures": len(held), "accuracy": {}}
    models = []
    for name, content in files.items():
        (HERE / name).write_bytes(content)
        models.append(interpreter(content))
        right = sum(probabilities(models[-1], shrink(draw(d)))[0].argmax() == y for d, y in zip(held, held_labels))
        report["accuracy"][name] = round(float(right) / len(held), 4)
        print(name, len(content), "bytes, held-out accuracy", report["accuracy"][name])
    (HERE / "accuracy.json").write_text(json.dumps(report, indent=1) + "\n")
    (HERE / "samples").mkdir(exist_ok=True)
    for label, (worst, picture) in sorted(choose(models, held, held_labels).items()):
        picture.save(HERE / "samples" / f"{label}.png", optimize=True)
        print(f"samples/{label}.png: lowest probability over models and resizers {worst:.4f}")


if __name__ == "__main__":
    main()
