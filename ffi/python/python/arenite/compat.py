"""Serves `arenite.interpreter` under the names of other packages, so that programs written for these need no change.

Call `install()` before the program's imports, or run the program by `python -m arenite.compat script.py`.
"""

import importlib
import importlib.abc
import importlib.util
import os
import runpy
import sys
import types

from arenite import interpreter

__all__ = ["install"]

_PACKAGES = ("ai_edge_litert", "tflite_runtime")


def install(*, tensorflow=False):
    """Makes `ai_edge_litert.interpreter` and `tflite_runtime.interpreter` names of `arenite.interpreter`.

    Other modules of these packages stay as they are installed.

    Args:
        tensorflow: Also replaces `tensorflow.lite.Interpreter`, `tensorflow.lite.experimental.load_delegate` and
            `OpResolverType`. Imports TensorFlow if it is installed.
    """
    if not any(isinstance(finder, _Interpreters) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Interpreters())
        sys.meta_path.append(_Packages())
    for name in _PACKAGES:
        sys.modules.pop(f"{name}.interpreter", None)
        if name in sys.modules:
            importlib.import_module(f"{name}.interpreter")
    if tensorflow:
        _install_tensorflow()


class _Interpreters(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the modules `interpreter`, before those that are installed."""

    def find_spec(self, name, path=None, target=None):
        package, _, module = name.partition(".")
        if package not in _PACKAGES or module != "interpreter":
            return None
        return importlib.util.spec_from_loader(name, self)

    def exec_module(self, module):
        # What is there after this call is the module that the program gets.
        sys.modules[module.__name__] = interpreter


class _Packages(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the packages that are not installed: it is asked last."""

    def find_spec(self, name, path=None, target=None):
        return importlib.util.spec_from_loader(name, self, is_package=True) if name in _PACKAGES else None

    def exec_module(self, module):
        pass


def _install_tensorflow():
    try:
        import tensorflow
    except ImportError:
        tensorflow = _module("tensorflow")
        tensorflow.lite = _module("tensorflow.lite")
        tensorflow.lite.experimental = _module("tensorflow.lite.experimental")
    lite = tensorflow.lite
    lite.Interpreter = interpreter.Interpreter
    lite.experimental.load_delegate = interpreter.load_delegate
    lite.experimental.OpResolverType = interpreter.OpResolverType


def _module(name):
    module = sys.modules[name] = types.ModuleType(name, "Served by arenite.compat.")
    module.__path__ = []
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
    sys.exit(main())
