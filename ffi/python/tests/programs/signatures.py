"""Runs a model by its signature, from bytes, from a Path, and with every detail that programs print."""

import pathlib
import sys

import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType

path = pathlib.Path(sys.argv[1])
for arguments in (
    {"model_path": path},
    {"model_path": str(path), "experimental_delegates": None},
    {"model_content": path.read_bytes(), "experimental_delegates": []},
    {"model_path": str(path), "experimental_op_resolver_type": OpResolverType.BUILTIN_REF},
):
    interpreter = Interpreter(**arguments)
    print(interpreter.get_signature_list())
    runner = interpreter.get_signature_runner("serving_default")
    details = runner.get_input_details()
    print(sorted(details["image"]), details["image"]["dtype"].__name__, details["image"]["shape"])
    outputs = runner(image=np.full((1, 16, 16, 1), 0.5, np.float32))
    print({name: (value.shape, value.argmax().item()) for name, value in outputs.items()})

for name in "none", None:
    try:
        print(interpreter.get_signature_runner(name) is not None)
    except ValueError:
        print("no such signature")
for call in (
    lambda: Interpreter(model_path="no such file"),
    lambda: Interpreter(model_content=b"no model"),
    lambda: Interpreter(),
    lambda: Interpreter(str(path)).invoke(),
    lambda: Interpreter(str(path), num_threads=0),
):
    try:
        call()
    except (ValueError, RuntimeError) as error:
        print("ValueError" if isinstance(error, ValueError) else "RuntimeError")
