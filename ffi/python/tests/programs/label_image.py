"""Classifies a picture, as programs for ai_edge_litert do. Prints the best classes, the shape and the type."""

import argparse
import time

import numpy as np
from ai_edge_litert.interpreter import Interpreter, load_delegate
from PIL import Image


def load_labels(path):
    with open(path, encoding="utf-8") as file:
        return [line.strip() for line in file]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-i", "--image", required=True)
    parser.add_argument("-m", "--model_file", required=True)
    parser.add_argument("-l", "--label_file", required=True)
    parser.add_argument("--input_mean", default=127.5, type=float)
    parser.add_argument("--input_std", default=127.5, type=float)
    parser.add_argument("--num_threads", default=None, type=int)
    parser.add_argument("-e", "--ext_delegate")
    parser.add_argument("-o", "--ext_delegate_options")
    args = parser.parse_args()

    delegates = None
    if args.ext_delegate:
        pairs = (args.ext_delegate_options or "").split(";")
        options = dict(pair.split(":", 1) for pair in pairs if pair)
        delegates = [load_delegate(args.ext_delegate, options)]
    interpreter = Interpreter(
        model_path=args.model_file, experimental_delegates=delegates, num_threads=args.num_threads
    )
    interpreter.allocate_tensors()

    given, wanted = interpreter.get_input_details(), interpreter.get_output_details()
    is_float = given[0]["dtype"] == np.float32
    _, height, width, channels = given[0]["shape"]
    picture = Image.open(args.image).convert("L" if channels == 1 else "RGB").resize((width, height))
    value = np.asarray(picture).reshape(given[0]["shape"])
    value = (np.float32(value) - args.input_mean) / args.input_std
    if not is_float:
        scale, zero_point = given[0]["quantization"]
        value = np.clip(np.round(value / scale + zero_point), -128, 127).astype(given[0]["dtype"])

    interpreter.set_tensor(given[0]["index"], value)
    start = time.time()
    interpreter.invoke()
    elapsed = time.time() - start

    results = np.squeeze(interpreter.get_tensor(wanted[0]["index"]))
    if not is_float:
        scale, zero_point = wanted[0]["quantization"]
        results = (results.astype(np.float32) - zero_point) * scale
    labels = load_labels(args.label_file)
    for i in results.argsort()[-5:][::-1][:1]:
        print(f"{results[i]:08.3f}: {labels[i]}")
    print(wanted[0]["shape"].tolist(), results.dtype, elapsed >= 0)


main()
