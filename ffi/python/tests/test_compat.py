"""Programs that are written for other packages."""

import multiprocessing
import subprocess
import sys

import pytest
from conftest import DIGITS

pytest.importorskip("arenite")

PROGRAM = """
import sys
import numpy as np
{imports}
interpreter = {interpreter}(model_path=sys.argv[1])
interpreter.allocate_tensors()
interpreter.set_tensor(0, np.zeros((1, 16, 16, 1), np.float32))
interpreter.invoke()
print(type(interpreter).__module__, __name__, interpreter.get_tensor(34).shape)
"""


@pytest.mark.parametrize(
    ("imports", "interpreter"),
    [
        ("from ai_edge_litert.interpreter import Interpreter", "Interpreter"),
        ("import ai_edge_litert.interpreter as litert", "litert.Interpreter"),
        ("import ai_edge_litert.interpreter", "ai_edge_litert.interpreter.Interpreter"),
        ("from tflite_runtime.interpreter import Interpreter, load_delegate", "Interpreter"),
        ("import tflite_runtime.interpreter", "tflite_runtime.interpreter.Interpreter"),
        ("import tensorflow as tf", "tf.lite.Interpreter"),
        ("from tensorflow.lite import Interpreter", "Interpreter"),
        ("from tensorflow import lite", "lite.Interpreter"),
        ("from tensorflow.lite.python.interpreter import Interpreter", "Interpreter"),
    ],
)
@pytest.mark.parametrize("way", ["script", "module"])
def test_programs_run_unchanged(tmp_path, imports, interpreter, way):
    script = tmp_path / "program.py"
    script.write_text(PROGRAM.format(imports=imports, interpreter=interpreter))
    named = [str(script)] if way == "script" else ["-m", "program"]
    command = [sys.executable, "-m", "arenite.compat", *named, str(DIGITS)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.stdout.strip() == "arenite.interpreter __main__ (1, 10)", done.stderr


CHILDREN = """
import multiprocessing, sys
from tflite_runtime.interpreter import Interpreter

def classify(path):
    interpreter = Interpreter(path)
    interpreter.allocate_tensors()
    interpreter.invoke()
    import tensorflow as tf
    return type(interpreter).__module__, tf.lite.Interpreter is Interpreter, interpreter.get_tensor(34).shape

if __name__ == "__main__":
    with multiprocessing.get_context(sys.argv[2]).Pool(2) as pool:
        print(pool.map(classify, [sys.argv[1]] * 3))
"""


@pytest.mark.parametrize("method", ["spawn", "forkserver", "fork"])
@pytest.mark.parametrize("way", ["script", "module"])
def test_children_of_a_program(tmp_path, method, way):
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this system cannot {method}")
    script = tmp_path / "program.py"
    script.write_text(CHILDREN)
    named = [str(script)] if way == "script" else ["-m", "program"]
    command = [sys.executable, "-m", "arenite.compat", *named, str(DIGITS), method]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False, timeout=120)
    assert done.stdout.strip() == str([("arenite.interpreter", True, (1, 10))] * 3), done.stderr


def test_compiled_models_run_unchanged(tmp_path):
    script = tmp_path / "program.py"
    script.write_text(
        "import sys\n"
        "from ai_edge_litert.compiled_model import CompiledModel\n"
        "from ai_edge_litert.hardware_accelerator import HardwareAccelerator\n"
        "from ai_edge_litert.options import CpuOptions, Options\n"
        "import ai_edge_litert.tensor_buffer as buffers\n"
        "model = CompiledModel.from_file(sys.argv[1], HardwareAccelerator.CPU)\n"
        "print(type(model).__module__, buffers.TensorBuffer.__module__, model.get_num_signatures())"
    )
    command = [sys.executable, "-m", "arenite.compat", str(script), str(DIGITS)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.stdout.split() == ["arenite.compiled_model"] * 2 + ["1"], done.stderr


def test_other_modules_of_a_package_stay(tmp_path):
    """Only the module `interpreter` is served: what else is installed can still be imported."""
    package = tmp_path / "ai_edge_litert"
    package.mkdir()
    (package / "__init__.py").write_text("kept = 1")
    (package / "other.py").write_text("found = 2")
    program = (
        "import arenite.compat; arenite.compat.install()\n"
        "import ai_edge_litert.other, ai_edge_litert.interpreter as served\n"
        "print(ai_edge_litert.kept, ai_edge_litert.other.found, served.__name__)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.stdout.split() == ["1", "2", "arenite.interpreter"], done.stderr


def test_the_command_line():
    done = subprocess.run([sys.executable, "-m", "arenite", "inspect", str(DIGITS)], capture_output=True, text=True)
    assert done.returncode == 0 and "CONV_2D" in done.stdout
    wrong = subprocess.run([sys.executable, "-m", "arenite", "nothing"], capture_output=True, text=True)
    assert wrong.returncode == 2 and "nothing" in wrong.stderr


def test_a_package_that_is_imported_already():
    program = (
        "import sys, types; sys.modules['tflite_runtime'] = package = types.ModuleType('tflite_runtime'); package.__path__ = []\n"
        "import arenite.compat; arenite.compat.install()\n"
        "print(package.interpreter.__name__)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "arenite.interpreter", done.stderr


def served(program, *packages):
    """The words that a program prints after `install`, with these packages hidden."""
    hide = (
        "import importlib.machinery, sys\n"
        "class Hidden:\n"
        f"    names = {packages!r}\n"
        "    @classmethod\n"
        "    def find_spec(cls, name, path=None, target=None):\n"
        "        return None if name in cls.names else importlib.machinery.PathFinder.find_spec(name, path, target)\n"
        "sys.meta_path[:] = [Hidden if f is importlib.machinery.PathFinder else f for f in sys.meta_path]\n"
        "import arenite.compat; arenite.compat.install(tensorflow=True)\n"
    )
    done = subprocess.run([sys.executable, "-c", hide + program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.parametrize(
    ("package", "version"), [("tflite_runtime", "2.14.0"), ("ai_edge_litert", "2.3.0")]
)
def test_a_served_package_has_a_version(package, version):
    """Programs ask for it before they choose how to call the package."""
    program = f"import importlib.metadata, {package}; print({package}.__version__)\n"
    program += f"print(importlib.metadata.version('{package.replace('_', '-')}'))"
    assert served(program, package) == [version] * 2


def test_programs_look_for_packages_before_they_import_them():
    program = "from importlib.util import find_spec\n"
    program += "names = 'tflite_runtime', 'tflite_runtime.interpreter', 'ai_edge_litert', 'tensorflow', 'tensorflow.lite'\n"
    program += "print([find_spec(name) is not None for name in names].count(True))"
    assert served(program, "tflite_runtime", "ai_edge_litert", "tensorflow") == ["5"]


def test_what_only_tensorflow_has_is_an_error():
    program = "import tensorflow as tf\n"
    program += "print(hasattr(tf, 'keras'), hasattr(tf.lite, 'Interpreter'))\n"
    program += "try: tf.lite.TFLiteConverter\n"
    program += "except AttributeError as error: print('TensorFlow is not installed' in str(error))"
    assert served(program, "tensorflow") == ["False", "True", "True"]
