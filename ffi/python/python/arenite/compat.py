"""Serves arenite's modules under the names of other packages, so that programs written for these need no change.

Call `install()` before the program's imports, or run the program by `python -m arenite.compat script.py`.
"""

import functools
import importlib
import importlib.abc
import importlib.machinery
import importlib.metadata
import importlib.util
import os
import re
import runpy
import sys
import types

from arenite import interpreter

__all__ = ["install"]

_PACKAGES = {"ai_edge_litert": "2.3.0", "tflite_runtime": "2.14.0"}
"""The packages that are served if they are not installed, and the versions whose classes `arenite.interpreter` has."""

_SERVED = {
    "ai_edge_litert.interpreter": "arenite.interpreter",
    "tflite_runtime.interpreter": "arenite.interpreter",
    **{
        f"ai_edge_litert.{module}": "arenite.compiled_model"
        for module in (
            "compiled_model",
            "cpu_kernel_mode",
            "cpu_options",
            "environment",
            "gpu_options",
            "hardware_accelerator",
            "options",
            "tensor_buffer",
        )
    },
}
"""The modules that are served, and arenite's that are served for them."""


def install(*, tensorflow=False):
    """Makes `ai_edge_litert.interpreter` and `tflite_runtime.interpreter` names of `arenite.interpreter`, and
    `ai_edge_litert.compiled_model`, with the modules of its options, a name of `arenite.compiled_model`.

    Other modules of these packages stay as they are installed. Processes that `multiprocessing` starts get the same modules.

    Args:
        tensorflow: Also replaces `tensorflow.lite.Interpreter`, `tensorflow.lite.python.interpreter`,
            `tensorflow.lite.experimental.load_delegate` and `OpResolverType`. Imports TensorFlow if it is installed.
    """
    if not any(isinstance(finder, _Modules) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Modules())
        sys.meta_path.append(_Packages())
    for name in _SERVED:
        was_imported = sys.modules.pop(name, None) is not None
        if was_imported or name.endswith(".interpreter") and name.partition(".")[0] in sys.modules:
            importlib.import_module(name)
    if tensorflow:
        _install_tensorflow()
    _install_in_children(tensorflow)


def _install_in_children(tensorflow):
    """Installs the modules in a child of `multiprocessing` that starts as a new interpreter, before it imports the program."""
    from multiprocessing import spawn

    tensorflow = tensorflow or getattr(spawn.get_preparation_data, "_tensorflow", False)
    get = getattr(spawn.get_preparation_data, "__wrapped__", spawn.get_preparation_data)

    @functools.wraps(get)
    def get_preparation_data(name):
        data = get(name)
        if name == "ignore":
            # For the server of "forkserver", which unpickles nothing: its children import the program.
            data.pop("init_main_from_path", None)
            return data
        return _Preparation(data, tensorflow=tensorflow)

    get_preparation_data._tensorflow = tensorflow
    spawn.get_preparation_data = get_preparation_data


class _Preparation(dict):
    """Installs the modules in a child process, before it imports the program: unpickling does it."""

    def __init__(self, data, *, tensorflow):
        super().__init__(data)
        self._tensorflow = tensorflow

    def __reduce__(self):
        return _prepared, (dict(self), self._tensorflow)


def _prepared(data, tensorflow):
    install(tensorflow=tensorflow)
    return data


class _Modules(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the modules that are served, before those that are installed."""

    def find_spec(self, name, path=None, target=None):
        return importlib.util.spec_from_loader(name, self) if name in _SERVED else None

    def exec_module(self, module):
        # What is there after this call is the module that the program gets.
        sys.modules[module.__name__] = importlib.import_module(_SERVED[module.__name__])


class _Packages(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the packages that are not installed: it is asked last."""

    def find_spec(self, name, path=None, target=None):
        return importlib.util.spec_from_loader(name, self, is_package=True) if name in _PACKAGES else None

    def exec_module(self, module):
        module.__version__ = _PACKAGES[module.__name__]

    def find_distributions(self, context):
        """For `importlib.metadata.version("ai-edge-litert")`."""
        wanted = context.name and re.sub(r"[-_.]+", "_", context.name).lower()
        return [_Distribution(name) for name in _PACKAGES if wanted in (None, name) and _is_served(name)]


def _is_served(package):
    """Whether no other finder has the package."""
    finders = (finder for finder in sys.meta_path if not isinstance(finder, _Packages) and hasattr(finder, "find_spec"))
    return not any(finder.find_spec(package, None) for finder in finders)


class _Distribution(importlib.metadata.Distribution):
    """The metadata of a served package."""

    def __init__(self, package):
        self._package = package

    def read_text(self, filename):
        """The file METADATA; other files do not exist."""
        if filename not in ("METADATA", "PKG-INFO"):
            return None
        name = self._package.replace("_", "-")
        return f"Metadata-Version: 2.1\nName: {name}\nVersion: {_PACKAGES[self._package]}\nSummary: Served by arenite.compat\n"

    def locate_file(self, path):
        """No file is installed."""
        raise FileNotFoundError(f"arenite.compat serves {self._package}, which has no files: {path}")


def _install_tensorflow():
    try:
        import tensorflow
    except ImportError:
        tensorflow = _module("tensorflow")
        tensorflow.lite = _module("tensorflow.lite")
        tensorflow.lite.experimental = _module("tensorflow.lite.experimental")
        tensorflow.lite.python = _module("tensorflow.lite.python")
        tensorflow.lite.python.interpreter = interpreter
    lite = tensorflow.lite
    sys.modules["tensorflow.lite.python.interpreter"] = interpreter
    lite.Interpreter = interpreter.Interpreter
    lite.experimental.load_delegate = interpreter.load_delegate
    lite.experimental.OpResolverType = interpreter.OpResolverType


def _module(name):
    module = sys.modules[name] = types.ModuleType(name, "Served by arenite.compat.")
    module.__path__ = []
    module.__spec__ = importlib.machinery.ModuleSpec(name, None, is_package=True)

    def missing(attribute):
        raise AttributeError(
            f"module {name!r} has no attribute {attribute!r}: TensorFlow is not installed, and arenite.compat serves "
            "tensorflow.lite.Interpreter and what belongs to it"
        )

    module.__getattr__ = missing
    return module


def main():
    """Runs the script named by the first argument, or the module after `-m`, with the arguments that follow."""
    if len(sys.argv) < 2 or sys.argv[1:] == ["-m"]:
        print("usage: python -m arenite.compat (SCRIPT | -m MODULE) [ARGUMENT …]", file=sys.stderr)
        return 2
    install(tensorflow=True)
    if sys.argv[1] == "-m":
        del sys.argv[:2]
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    else:
        del sys.argv[0]
        sys.path[0] = os.path.dirname(os.path.abspath(sys.argv[0]))
        runpy.run_path(sys.argv[0], run_name="__main__")
    return 0


if __name__ == "__main__":
    # Children find what they unpickle in the module of its own name.
    sys.exit(importlib.import_module("arenite.compat").main())
