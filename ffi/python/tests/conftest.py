"""The packages that the tests of the drop-in compare, and small models."""

import importlib
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
DIGITS = ROOT / "examples/digits/digits_f32.tflite"
DIGITS_I8 = ROOT / "examples/digits/digits_i8.tflite"

PACKAGES = ("arenite", "ai_edge_litert")


@pytest.fixture(params=PACKAGES)
def package(request):
    """The module `interpreter` of each package."""
    try:
        return importlib.import_module(f"{request.param}.interpreter")
    except ImportError:
        pytest.skip(f"{request.param} is not installed: pip install ai-edge-litert==2.3.0")


@pytest.fixture
def digits(package):
    """An interpreter with memory."""
    interpreter = package.Interpreter(model_path=str(DIGITS))
    interpreter.allocate_tensors()
    return interpreter


@pytest.fixture
def is_arenite(package):
    """For behaviour in which the packages differ on purpose."""
    return package.__name__.startswith("arenite")
