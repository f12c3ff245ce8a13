"""For each op of the conformance corpus: does LiteRT set the element type of the outputs, whatever the file says?

    python output_types.py ../shared/conformance > tests/tests/output_types.txt

Changes the type of one output of a single-op model, and runs it in a process of its own, because some kernels then write
past their output. The answers:

    sets      the output gets the type of the unchanged model, and the model runs
    refuses   the interpreter reports an error
    keeps     the output keeps the type of the file; the kernel may use it, or write memory of another size
"""
import collections
import io
import json
import multiprocessing
import os
import sys
import zipfile
from pathlib import Path

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter, OpResolverType

OPS = {number: name for name, number in vars(schema.BuiltinOperator).items() if name[0] != "_"}
OTHER = [schema.TensorType.FLOAT32, schema.TensorType.INT32, schema.TensorType.INT8]
SKIPPED = ("m_", "tf_", "flex")  # networks


def run(model, inputs, answers):
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    resolver = OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
    try:
        interpreter = Interpreter(model_content=model, experimental_op_resolver_type=resolver)
        details = interpreter.get_input_details()
        for detail, value in zip(details, inputs):
            if value is not None:
                interpreter.resize_tensor_input(detail["index"], value.shape)
        interpreter.allocate_tensors()
        # A kernel may set the type of a dynamic output only when it runs.
        answers.put([detail["dtype"].__name__ for detail in interpreter.get_output_details()])
        for detail, value in zip(details, inputs):
            if value is not None:
                interpreter.set_tensor(detail["index"], value)
        interpreter.invoke()
        answers.put([detail["dtype"].__name__ for detail in interpreter.get_output_details()])
    except (RuntimeError, ValueError):
        answers.put(None)


def outcome(model, inputs):
    """The types of the outputs, the last that are known; None if LiteRT refuses before it runs."""
    answers = multiprocessing.SimpleQueue()
    process = multiprocessing.Process(target=run, args=(model, inputs, answers))
    process.start()
    process.join(20)
    process.kill()
    types = None
    while not answers.empty():
        types = answers.get() or types
    return types


def cases(folder):
    """The model, its inputs, and its description, of each small case."""
    for path in sorted(Path(folder).glob("*.zip")):
        if path.name.startswith(SKIPPED):
            continue
        file = zipfile.ZipFile(path)
        for name in sorted(name for name in file.namelist() if name.endswith("/case.json")):
            case, place = json.loads(file.read(name)), name.removesuffix("case.json")
            model = place + case.get("model", "model.tflite")
            if case["n_ops"] > 3 or case["model_bytes"] > 200_000 or model not in file.namelist():
                continue
            arrays = [f"{place}in_{i}.npy" for i in range(len(case["inputs"]))]
            read = lambda array: np.load(io.BytesIO(file.read(array))) if array in file.namelist() else None
            yield file.read(model), [read(array) for array in arrays]


def name_of(model, operator):
    code = model.operatorCodes[operator.opcodeIndex]
    name = OPS[max(code.builtinCode, code.deprecatedBuiltinCode)]
    return code.customCode.decode() if name == "CUSTOM" else name


def packed(model):
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def main():
    answers, seen = collections.defaultdict(set), set()
    for data, inputs in cases(sys.argv[1]):
        model = schema.ModelT.InitFromObj(schema.Model.GetRootAs(data, 0))
        graph, expected = model.subgraphs[0], None
        for operator in graph.operators:
            types = tuple(graph.tensors[t].type for t in operator.inputs if t >= 0)
            for slot, t in enumerate(operator.outputs):
                tensor, name = graph.tensors[t], name_of(model, operator)
                key = (name, slot, types, tensor.type)
                if t not in list(graph.outputs) or key in seen or tensor.type == schema.TensorType.STRING:
                    continue
                seen.add(key)
                expected = expected or outcome(data, inputs)
                right = tensor.type
                for tensor.type in [other for other in OTHER if other != right]:
                    found = outcome(packed(model), inputs)
                    answers[name].add("refuses" if found is None else "sets" if found == expected else "keeps")
                tensor.type = right
    for name in sorted(answers):
        print(name, *sorted(answers[name]))


if __name__ == "__main__":
    main()
