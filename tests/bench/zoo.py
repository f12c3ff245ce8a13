#!/usr/bin/env python3
"""Creates the networks of the benchmark: python zoo.py FOLDER [NAME ...]

Architectures are those of the papers, weights are random with a fixed seed: speed does not depend on what a network has
learned. Statistics of batch normalisation are taken from random pictures, so that activations stay in range and answers
differ from input to input; a runtime that computes something else is found out.

NAME_f32.tflite; NAME_f16 has half-precision weights; NAME_dr8 has 8-bit weights and float activations; NAME_i8 is
integer throughout. NAME_f32.onnx is the same network for runtimes that read ONNX. What is there already stays.
"""

import argparse
import os
import pathlib
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import keras
import numpy as np
import onnx
import tensorflow as tf
import tf2onnx
from keras import layers
from onnx import helper, numpy_helper
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2
from tf2onnx.optimizer.transpose_optimizer import TransposeOptimizer

KINDS = ("f32", "f16", "dr8", "i8")


def exact_gelu(x):
    """The same function as Keras' own, but with erf: ONNX has no erfc."""
    return 0.5 * x * (1.0 + tf.math.erf(x * 0.5**0.5))


def attention_block(x, heads, expansion, epsilon, norm_first, gelu):
    """A transformer layer: attention, then two dense layers, each with a shortcut; normalised before or after."""
    width = x.shape[-1]

    def norm(y):
        return layers.LayerNormalization(epsilon=epsilon)(y)

    def attend(y):
        return layers.MultiHeadAttention(heads, width // heads)(y, y)

    def expand(y):
        return layers.Dense(width)(layers.Dense(expansion * width, activation=gelu)(y))

    for part in (attend, expand):
        x = x + part(norm(x)) if norm_first else norm(x + part(x))
    return x


def bert_mini(gelu):
    """BERT's encoder with 4 layers of width 256 on 128 tokens (Turc et al., Well-read students learn better, 2019)."""
    tokens = keras.Input((128,), dtype="int32")
    x = layers.Embedding(8000, 256)(tokens) + layers.Embedding(128, 256)(tf.range(128)[None])
    for _ in range(4):
        x = attention_block(x, heads=4, expansion=4, epsilon=1e-5, norm_first=False, gelu=gelu)
    return keras.Model(tokens, x)


def vit_tiny(gelu):
    """A vision transformer with 12 layers of width 192 on patches of 16×16 (Touvron et al., DeiT, 2021), means pooled."""
    image = keras.Input((224, 224, 3))
    x = layers.Reshape((-1, 192))(layers.Conv2D(192, kernel_size=16, strides=16)(image))
    for _ in range(12):
        x = attention_block(x, heads=3, expansion=4, epsilon=1e-6, norm_first=True, gelu=gelu)
    x = layers.GlobalAveragePooling1D()(layers.LayerNormalization(epsilon=1e-6)(x))
    return keras.Model(image, layers.Dense(1000)(x))


def unet(_gelu):
    """Four levels of 16 to 128 channels on 256×256 pixels (Ronneberger et al., U-Net, 2015)."""
    image = keras.Input((256, 256, 3))
    widths, skips, x = (16, 32, 64, 128), [], image
    for width in widths:
        for _ in range(2):
            x = layers.BatchNormalization()(layers.Conv2D(width, 3, padding="same")(x))
            x = layers.ReLU()(x)
        skips.append(x)
        x = layers.MaxPooling2D()(x)
    x = layers.Conv2D(2 * widths[-1], 3, padding="same", activation="relu")(x)
    for width in reversed(widths):
        x = layers.Conv2DTranspose(width, kernel_size=2, strides=2)(x)
        x = layers.Concatenate()([x, skips.pop()])
        x = layers.Conv2D(width, 3, padding="same", activation="relu")(x)
    return keras.Model(image, layers.Conv2D(4, 1, activation="softmax")(x))


def lstm(_gelu):
    """Two LSTM layers of 128 cells on 50 frames of 40 features, 12 classes: a keyword spotter."""
    frames = keras.Input((50, 40))
    x = layers.LSTM(128)(layers.LSTM(128, return_sequences=True)(frames))
    return keras.Model(frames, layers.Dense(12, activation="softmax")(x))


def published(name, **options):
    return lambda _gelu: getattr(keras.applications, name)(weights=None, **options)


NETWORKS = {
    "mobilenet_v1": published("MobileNet"),
    "mobilenet_v2": published("MobileNetV2"),
    "mobilenet_v3_large": published("MobileNetV3Large", input_shape=(224, 224, 3)),
    "efficientnet_b0": published("EfficientNetB0"),
    "resnet50": published("ResNet50"),
    "inception_v3": published("InceptionV3"),
    "densenet121": published("DenseNet121"),
    "nasnet_mobile": published("NASNetMobile"),
    "unet": unet,
    "vit_tiny": vit_tiny,
    "bert_mini": bert_mini,
    "lstm": lstm,
}


def sample(model, rng, batch=1):
    (port,) = model.inputs
    shape = (batch, *port.shape[1:])
    if port.dtype == "int32":
        return rng.integers(0, 100, shape, dtype=np.int32)
    return rng.uniform(-1, 1, shape).astype(np.float32)


def set_statistics(model, rng):
    """Gives each batch normalisation a random scale and shift, and the actual mean and variance of its input."""
    norms = [layer for layer in model.layers if isinstance(layer, layers.BatchNormalization)]
    for norm in norms:
        norm.momentum = 0.0
        if norm.scale:
            norm.gamma.assign(rng.uniform(0.7, 1.3, norm.gamma.shape))
        if norm.center:
            norm.beta.assign(rng.normal(0, 0.2, norm.beta.shape))
    if norms:
        model(sample(model, rng, batch=4), training=True)


def frozen(model):
    """A single function from input to output, for one input at a time, with the weights as constants."""
    (port,) = model.inputs
    spec = tf.TensorSpec((1, *port.shape[1:]), port.dtype, name="input")
    call = tf.function(lambda x: model(x, training=False))
    return convert_variables_to_constants_v2(call.get_concrete_function(spec))


def to_tflite(model, function, name, kind):
    converter = tf.lite.TFLiteConverter.from_concrete_functions([function])
    if kind != "f32":
        converter.optimizations = [tf.lite.Optimize.DEFAULT]
    if kind == "f16":
        converter.target_spec.supported_types = [tf.float16]
    if kind == "i8":
        rng = np.random.default_rng(3)
        converter.representative_dataset = lambda: ([sample(model, rng)] for _ in range(4))
        converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
        if model.inputs[0].dtype == "float32":
            converter.inference_input_type = converter.inference_output_type = tf.int8
    return converter.convert()


def build(name, gelu):
    """Makes weights reproducible, including ones outside of the model's list, such as position embeddings."""
    keras.utils.set_random_seed(1)
    return NETWORKS[name](gelu)


def let_scalars_pass():
    """tf2onnx treats any addition to a convolution as its bias, fails on a scalar, and then keeps all transposes of the
    network."""
    plain = TransposeOptimizer._add_handler

    def add_handler(self, transpose, node):
        addend = node.inputs[1]
        if addend.is_const() and not addend.get_tensor_value(as_list=False).shape:
            return self._handle_node_having_branches(transpose, node)
        return plain(self, transpose, node)

    TransposeOptimizer._add_handler = add_handler


def to_onnx(name, model):
    if name == "lstm":
        return lstm_to_onnx(model)
    twin = build(name, exact_gelu)
    twin.set_weights(model.get_weights())
    function = frozen(twin)
    proto, _ = tf2onnx.convert.from_graph_def(
        function.graph.as_graph_def(),
        input_names=[tensor.name for tensor in function.inputs],
        output_names=[tensor.name for tensor in function.outputs],
        opset=18,
    )
    return proto.SerializeToString()


def lstm_to_onnx(model):
    """Converted by hand, because the converter keeps a loop. Keras orders gates i f c o, ONNX orders them i o f c."""
    constants, nodes = [], []

    def constant(name, array):
        constants.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def gates(matrix):
        i, f, c, o = np.split(matrix.T, 4)
        return np.concatenate([i, o, f, c])[None]

    def node(op, inputs, outputs, **attributes):
        nodes.append(helper.make_node(op, inputs, outputs, **attributes))

    recurrent = [layer for layer in model.layers if isinstance(layer, layers.LSTM)]
    node("Transpose", ["input"], ["x0"], perm=[1, 0, 2])
    for n, layer in enumerate(recurrent):
        kernel, state, bias = layer.get_weights()
        weights = [constant(f"w{n}", gates(kernel)), constant(f"r{n}", gates(state))]
        bias = gates(bias[:, None].T)[..., 0]
        both = constant(f"b{n}", np.concatenate([bias, np.zeros_like(bias)], axis=1))
        node("LSTM", [f"x{n}", *weights, both], [f"y{n}", f"h{n}"], hidden_size=layer.units)
        node("Squeeze", [f"y{n}", constant(f"axis{n}", np.array([1]))], [f"x{n + 1}"])
    kernel, bias = model.layers[-1].get_weights()
    node("Squeeze", [f"h{len(recurrent) - 1}", constant("first", np.array([0]))], ["last"])
    node("Gemm", ["last", constant("kernel", kernel), constant("bias", bias)], ["scores"])
    node("Softmax", ["scores"], ["output"], axis=-1)
    ports = [
        helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape)
        for name, shape in (("input", (1, *model.inputs[0].shape[1:])), ("output", (1, kernel.shape[1])))
    ]
    graph = helper.make_graph(nodes, "lstm", ports[:1], ports[1:], constants)
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    onnx.checker.check_model(proto)
    return proto.SerializeToString()


def write(path, make):
    """Writes the file completely or not at all. Networks that a converter cannot convert are skipped with a note."""
    if path.exists():
        return
    try:
        data = make()
    except Exception as error:
        print(f"{path.name}: skipped: {str(error).splitlines()[0][:150]}", flush=True)
        return
    part = path.with_suffix(path.suffix + ".part")
    part.write_bytes(data)
    part.rename(path)
    print(f"{path.name}: {len(data)} bytes", flush=True)


def make(name, folder):
    model = build(name, "gelu")
    set_statistics(model, np.random.default_rng(2))
    function = frozen(model)
    for kind in KINDS:
        # The converter's calibration crashes on the loops of an LSTM.
        if (name, kind) != ("lstm", "i8"):
            write(folder / f"{name}_{kind}.tflite", lambda: to_tflite(model, function, name, kind))
    write(folder / f"{name}_f32.onnx", lambda: to_onnx(name, model))


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("names", nargs="*", metavar="name", help=f"one of {', '.join(NETWORKS)}")
    arguments = arguments.parse_args()
    unknown = [name for name in arguments.names if name not in NETWORKS]
    if unknown:
        sys.exit(f"unknown: {', '.join(unknown)}; known: {', '.join(NETWORKS)}")
    let_scalars_pass()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for name in arguments.names or NETWORKS:
        make(name, arguments.folder)


if __name__ == "__main__":
    main()
