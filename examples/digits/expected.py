"""Compute expected.json and the case folders from the models and the sample pictures with LiteRT's builtin kernels.

    python3 expected.py
"""
import collections
import hashlib
import json
import os
import pathlib

import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType
from PIL import Image

from pictures import RESIZERS, probabilities, shrink

HERE = pathlib.Path(__file__).parent
MODELS = {"f32": "digits_f32.tflite", "i8": "digits_i8.tflite"}
PREPROCESSING = (
    "greyscale pixels 0..255; bilinear to 16x16 with half-pixel centres, no antialiasing, no rounding: pixel i reads "
    "the source at (i + 0.5) * 128 / 16 - 0.5, so it is the mean of the 2x2 pixels around that point; real = p / 127.5 "
    "- 1 rounded to float32; int8 input: q = round(real / scale) + zero_point, half away from zero, clamped")


def load(name, kernels=OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES):
    interpreter = Interpreter(str(HERE / name), experimental_op_resolver_type=kernels, num_threads=1)
    interpreter.allocate_tensors()
    return interpreter


def tensor_entry(detail):
    entry = {"index": int(detail["index"]), "name": detail["name"], "dtype": np.dtype(detail["dtype"]).name,
             "shape": detail["shape"].tolist()}
    steps = detail["quantization_parameters"]
    if len(steps["scales"]):
        entry["quantization"] = {"scale": [float(s) for s in steps["scales"]],
                                 "zero_point": steps["zero_points"].tolist(), "dim": steps["quantized_dimension"]}
    return entry


def difference(got, want):
    """Largest difference: in steps for integers, absolute for floats."""
    return float(np.abs(got.astype(np.float64) - want.astype(np.float64)).max())


def blends(pictures):
    """Each picture blended with the next: no class is certain, so small errors become visible."""
    names = list(pictures)
    return {f"{a} + {b}": Image.blend(pictures[a], pictures[b], 0.5) for a, b in zip(names, names[1:] + names[:1])}


def write_case(kind, pictures):
    name = MODELS[kind]
    folder = HERE / "cases" / kind
    folder.mkdir(parents=True, exist_ok=True)
    builtin, reference = load(name), load(name, OpResolverType.BUILTIN_REF)
    inputs = [tensor_entry(d) | {"resized": False} for d in builtin.get_input_details()]
    outputs = [tensor_entry(d) for d in builtin.get_output_details()]
    measure = "max_abs" if outputs[0]["dtype"] == "float32" else "max_steps"
    sets, apart = [], []
    for label, picture in (pictures | blends(pictures)).items():
        _, fed, raw = probabilities(builtin, shrink(picture))
        apart.append({measure: difference(probabilities(reference, shrink(picture))[2], raw)})
        prefix = f"set{len(sets)}_" if sets else ""
        np.save(folder / f"{prefix}in_0.npy", fed)
        np.save(folder / f"{prefix}out_0.npy", raw)
        sets.append({"label": label, "invokes": 1, "inputs": inputs, "outputs": outputs,
                     "measured_ref_vs_builtin": [apart[-1]]})
    worst = max(a[measure] for a in apart)
    content = (HERE / name).read_bytes()
    case = {
        "name": f"digits_{kind}", "op": "model", "label": sets[0]["label"],
        "model": os.path.relpath(HERE / name, folder), "inputs": inputs, "outputs": outputs,
        "random": False, "deterministic": True, "invokes": 1,
        "tolerance": {"float_abs": 1e-5, "float_rel": 1e-5, "int_steps": int(worst) if measure == "max_steps" else 0},
        "measured_ref_vs_builtin": [apart[0]],
        "engine": "litert", "source": "examples/digits/train.py",
        "ops": dict(collections.Counter(op["op_name"] for op in builtin._get_ops_details())),
        "model_sha256": hashlib.sha256(content).hexdigest(), "model_bytes": len(content), "extra_sets": sets[1:],
    }
    (folder / "case.json").write_text(json.dumps(case, indent=1) + "\n")
    print(kind, "sets", len(sets), "difference of reference and builtin kernels", worst)


def main():
    pictures = {f"samples/{n}.png": Image.open(HERE / "samples" / f"{n}.png").convert("L") for n in range(10)}
    expected = {"preprocessing": PREPROCESSING, "engine": "ai_edge_litert 2.3.0, builtin kernels, no delegates",
                "lowest": "smallest probability of the top class over other resizers and moves of 4 pixels",
                "resizers": list(RESIZERS), "samples": {}}
    interpreters = {kind: load(name) for kind, name in MODELS.items()}
    for label, (name, picture) in enumerate(pictures.items()):
        entry = expected["samples"][name] = {}
        for kind, interpreter in interpreters.items():
            likely = probabilities(interpreter, shrink(picture))[0]
            others = [probabilities(interpreter, resize(picture))[0] for resize in RESIZERS.values()]
            top = int(likely.argmax())
            if top != label or any(o.argmax() != label for o in others):
                raise SystemExit(f"{name}: the {kind} model does not predict {label} with every resizer")
            entry[kind] = {"top": top, "probability": round(float(likely[top]), 6),
                           "lowest": round(min(float(o[top]) for o in others), 6)}
    (HERE / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")
    for kind in MODELS:
        write_case(kind, pictures)


if __name__ == "__main__":
    main()
