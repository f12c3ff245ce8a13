"""Makes the same calls with both packages, and compares their results and exceptions.

    python probe.py MODEL...        prints the number of calls for each model, and the differences

Each package runs in a process of its own. A call that ends the process of ai_edge_litert is repeated without it; arenite
must survive all calls.
"""

import json
import pathlib
import subprocess
import sys

import numpy as np

MOST = 1000
"""The number of elements of an array that are compared."""


class Calls:
    """The calls for one model, and their outcomes."""

    def __init__(self, package, path, left_out, out):
        self.package, self.path, self.left_out, self.out = package, path, left_out, out
        self.section = ""

    def __call__(self, name, function):
        """Makes a call and writes its outcome. Returns its value, None after an exception."""
        name = f"{self.section}: {name}"
        if name in self.left_out:
            return None
        self.write({"call": name})
        try:
            value = function()
        except Exception as error:
            self.write({"call": name, "raises": [base.__name__ for base in type(error).__mro__]})
            return None
        self.write({"call": name, "value": plain(value)})
        return value

    def write(self, line):
        print(json.dumps(line), file=self.out, flush=True)

    def interpreter(self, **options):
        return self.package.Interpreter(model_path=str(self.path), **options)


def plain(value):
    """A value as JSON has it."""
    if isinstance(value, (np.ndarray, np.generic)):
        flat = np.asarray(value).ravel()
        picked = flat[:: max(1, len(flat) // MOST)]
        items = [repr(item) for item in picked] if flat.dtype.kind not in "bif" else picked.astype(float).tolist()
        return {"type": type(value).__name__, "dtype": str(flat.dtype), "shape": list(np.shape(value)), "items": items}
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [type(value).__name__, *map(plain, value)]
    if isinstance(value, type):
        return f"class {value.__name__}"
    return value if isinstance(value, (int, float, str, bool, type(None))) else type(value).__name__


def values(detail, seed=0, shape=None):
    """An array for a tensor."""
    random, dtype = np.random.default_rng(seed), np.dtype(detail["dtype"])
    shape = detail["shape"] if shape is None else shape
    if dtype.kind == "f":
        return random.random(shape).astype(dtype)
    if dtype.kind in "iu":
        return random.integers(0, 100, shape).astype(dtype)
    return np.zeros(shape, dtype)


def construct(calls):
    interpreter, path = calls.package.Interpreter, str(calls.path)
    content = calls.path.read_bytes()
    for name, options in {
        "path": {"model_path": path},
        "Path": {"model_path": calls.path},
        "bytes": {"model_content": content},
        "both": {"model_path": path, "model_content": content},
        "neither": {},
        "no file": {"model_path": "/does/not/exist.tflite"},
        "no model": {"model_content": b"no model at all"},
        "half a model": {"model_content": content[: len(content) // 2]},
        "2 threads": {"model_path": path, "num_threads": 2},
        "0 threads": {"model_path": path, "num_threads": 0},
        "text as threads": {"model_path": path, "num_threads": "2"},
        "no delegates": {"model_path": path, "experimental_delegates": None},
        "a wrong resolver": {"model_path": path, "experimental_op_resolver_type": 7},
    }.items():
        calls(name, lambda options=options: interpreter(**options))
    for kind in calls.package.OpResolverType:
        calls(kind.name, lambda kind=kind: interpreter(path, experimental_op_resolver_type=kind))


def describe(calls, interpreter):
    calls("get_input_details", interpreter.get_input_details)
    calls("get_output_details", interpreter.get_output_details)
    calls("get_signature_list", interpreter.get_signature_list)
    calls("num_subgraphs", interpreter.num_subgraphs)
    for subgraph in 0, 1, -1, 99:
        calls(f"get_tensor_details({subgraph})", lambda i=subgraph: interpreter.get_tensor_details(i))


def too_early(calls):
    interpreter = calls.interpreter()
    describe(calls, interpreter)
    given, wanted = interpreter.get_input_details()[0], interpreter.get_output_details()[0]
    calls("get_tensor of an input", lambda: interpreter.get_tensor(given["index"]))
    calls("get_tensor of an output", lambda: interpreter.get_tensor(wanted["index"]))
    calls("set_tensor", lambda: interpreter.set_tensor(given["index"], values(given)))
    calls("invoke", interpreter.invoke)


def run(calls):
    # Without a delegate: XNNPACK rounds otherwise.
    kind = calls.package.OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
    interpreter = calls.interpreter(experimental_op_resolver_type=kind)
    calls("allocate_tensors", interpreter.allocate_tensors)
    describe(calls, interpreter)
    calls("_get_ops_details", interpreter._get_ops_details)
    inputs, outputs = interpreter.get_input_details(), interpreter.get_output_details()
    for given in inputs:
        index, value = given["index"], values(given)
        for name, wrong in {
            "of another type": value.astype(np.complex64),
            "with another shape": values(given, shape=[*given["shape"], 2]),
            "with no elements": values(given, shape=[0]),
            "as None": None,
            "as text": "text",
            "as a list": value.tolist() if value.size < MOST else None,
            "in reverse": value[..., ::-1] if value.ndim else value,
            "in Fortran's order": np.asfortranarray(value),
        }.items():
            calls(f"set_tensor({index}) {name}", lambda index=index, wrong=wrong: interpreter.set_tensor(index, wrong))
            calls(f"get_tensor({index}) then", lambda index=index: interpreter.get_tensor(index))
        calls(f"set_tensor({index})", lambda index=index, value=value: interpreter.set_tensor(index, value))
    calls("invoke", interpreter.invoke)
    for wanted in outputs:
        calls(f"get_tensor({wanted['index']})", lambda wanted=wanted: interpreter.get_tensor(wanted["index"]))
    for index in -1, 10**6, 2**40, "0", 1.5, None:
        calls(f"get_tensor({index!r})", lambda index=index: interpreter.get_tensor(index))
        calls(f"set_tensor({index!r})", lambda index=index: interpreter.set_tensor(index, np.zeros(1, np.float32)))
    calls("reset_all_variables", interpreter.reset_all_variables)
    calls("invoke again", interpreter.invoke)
    for wanted in outputs:
        calls(f"get_tensor({wanted['index']}) again", lambda wanted=wanted: interpreter.get_tensor(wanted["index"]))


def share(calls):
    interpreter = calls.interpreter()
    calls("allocate_tensors", interpreter.allocate_tensors)
    given = interpreter.get_input_details()[0]
    # New memory has no defined value.
    calls("set_tensor", lambda: interpreter.set_tensor(given["index"], values(given)))
    view = calls("tensor()", lambda: interpreter.tensor(given["index"])())
    calls("invoke with a view", interpreter.invoke)
    calls("allocate_tensors with a view", interpreter.allocate_tensors)
    calls("resize with a view", lambda: interpreter.resize_tensor_input(given["index"], given["shape"]))
    calls("_safe_to_run", interpreter._safe_to_run)
    del view
    calls("invoke without the view", interpreter.invoke)


def resize(calls):
    given = calls.interpreter().get_input_details()[0]
    shape = list(map(int, given["shape"]))
    for name, wanted in {"same": shape, "twice": [2 * shape[0], *shape[1:]], "other rank": [*shape, 1]}.items() if shape else ():
        for strict in False, True:
            kind = calls.package.OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
            interpreter = calls.interpreter(experimental_op_resolver_type=kind)
            title, index = f"{name}, strict={strict}", given["index"]
            calls(title, lambda: interpreter.resize_tensor_input(index, wanted, strict=strict))
            calls(f"{title}: allocate_tensors", interpreter.allocate_tensors)
            calls(f"{title}: get_input_details", interpreter.get_input_details)
    for index in -1, 10**6:
        calls(f"index {index}", lambda index=index: calls.interpreter().resize_tensor_input(index, [1]))
    calls("two dimensions", lambda: calls.interpreter().resize_tensor_input(given["index"], [[1]]))


def sign(calls):
    kind = calls.package.OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
    interpreter = calls.interpreter(experimental_op_resolver_type=kind)
    for key in None, "no such key", "", *interpreter.get_signature_list():
        runner = calls(f"runner {key!r}", lambda key=key: interpreter.get_signature_runner(key))
        if runner is None:
            continue
        calls(f"{key!r}: get_input_details", runner.get_input_details)
        calls(f"{key!r}: get_output_details", runner.get_output_details)
        inputs = {name: values(detail) for name, detail in runner.get_input_details().items()}
        calls(f"{key!r}: without inputs", runner)
        calls(f"{key!r}: another input", lambda inputs=inputs: runner(**inputs, other=np.zeros(1)))
        calls(f"{key!r}: another name", lambda inputs=inputs: runner(**{f"{name}_": value for name, value in inputs.items()}))
        calls(f"{key!r}: by position", lambda inputs=inputs: runner(*inputs.values()))
        calls(f"{key!r}: called", lambda inputs=inputs: runner(**inputs))


SECTIONS = (construct, too_early, run, share, resize, sign)


def child(package, path, left_out):
    """Makes all calls with a package."""
    import importlib

    # Warnings of the packages go to standard output as well.
    out, sys.stdout = sys.stdout, sys.stderr
    calls = Calls(importlib.import_module(f"{package}.interpreter"), pathlib.Path(path), set(left_out), out)
    for section in SECTIONS:
        calls.section = section.__name__
        calls("all", lambda section=section: section(calls))


def outcomes(package, path, left_out):
    """The outcome of each call, and the call that ended the process, if one did."""
    command = [sys.executable, __file__, "--child", package, str(path), json.dumps(sorted(left_out))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found, last = {}, None
    for line in filter(lambda line: line.startswith("{"), done.stdout.splitlines()):
        outcome = json.loads(line)
        last = outcome["call"]
        if len(outcome) > 1:
            found[last] = outcome
    if done.returncode == 0:
        return found, None
    if last is None or last in found:
        raise RuntimeError(f"{package} ended after {last}: {done.stderr[-2000:]}")
    return found, last


def all_outcomes(package, path, left_out=()):
    """The outcome of each call, and the calls that end the process."""
    left_out, fatal = set(left_out), []
    while True:
        found, ended = outcomes(package, path, left_out)
        if ended is None:
            return found, fatal
        fatal.append(ended)
        left_out.add(ended)


def is_same(name, ours, theirs):
    """Whether two outcomes agree: the same value, or an exception of the same class or of one derived from it."""
    if "raises" in ours and "raises" in theirs:
        return theirs["raises"][0] in ours["raises"]
    if "get_tensor_details" in name and "value" in ours and "value" in theirs:
        # ai_edge_litert appends the temporary tensors of its kernels to those of the file.
        return is_close(ours["value"], theirs["value"][: len(ours["value"])])
    return "value" in ours and "value" in theirs and is_close(ours["value"], theirs["value"])


def is_close(a, b):
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(is_close(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(is_close, a, b))
    if isinstance(a, float) and isinstance(b, float):
        return a == b or a != a and b != b or abs(a - b) <= 1e-4 + 1e-3 * abs(b)
    return a == b


def compare(path):
    """The number of calls that were compared, the differences, and the calls that end ai_edge_litert."""
    theirs, fatal = all_outcomes("ai_edge_litert", path)
    ours, ended = outcomes("arenite", path, ())
    if ended is not None:
        raise RuntimeError(f"arenite ended in {ended}")
    both = [name for name in theirs if name in ours]
    different = [(name, ours[name], theirs[name]) for name in both if not is_same(name, ours[name], theirs[name])]
    return len(both), different, fatal


def main(paths):
    total = 0
    for path in paths:
        count, different, fatal = compare(path)
        total += count
        print(f"{path}: {count} calls, {len(different)} differ; {len(fatal)} end ai_edge_litert: {fatal}")
        for name, ours, theirs in different:
            print(f"  {name}\n    arenite         {str(ours)[:300]}\n    ai_edge_litert  {str(theirs)[:300]}")
    print(f"{total} calls")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(sys.argv[2], sys.argv[3], json.loads(sys.argv[4]))
    else:
        main(sys.argv[1:])
