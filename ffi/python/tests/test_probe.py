"""`probe.py` finds no difference between the packages."""

import probe
import pytest
from conftest import DIGITS, DIGITS_I8
from models import FLOAT32, Node, Tensor, model

pytest.importorskip("arenite")


@pytest.mark.parametrize("name", ["float", "int8", "signature"])
def test_all_calls_return_and_raise_the_same(tmp_path, name):
    pytest.importorskip("ai_edge_litert.interpreter", reason="pip install ai-edge-litert==2.3.0")
    tensors = [Tensor(name, FLOAT32, [1, 4], signature=[-1, 4]) for name in "xy"]
    path = tmp_path / "doubles.tflite"
    path.write_bytes(model(tensors, [Node(0, [0, 0], [1])], [0], [1], [("double", {"a": 0}, {"b": 1})]))
    count, different, _ = probe.compare({"float": DIGITS, "int8": DIGITS_I8, "signature": path}[name])
    assert count > 100 and not different, different


def test_differences_are_found():
    class Error(ValueError):
        pass

    ours, theirs = {"raises": [base.__name__ for base in Error.__mro__]}, {"raises": ["ValueError"]}
    assert probe.is_same("", ours, theirs) and not probe.is_same("", theirs, ours)
    assert not probe.is_same("", {"value": None}, theirs)
    assert probe.is_same("", {"value": [1.0]}, {"value": [1.00001]})
    assert not probe.is_same("", {"value": [1.0]}, {"value": [1.1]})
    assert not probe.is_same("", {"value": {"a": 1}}, {"value": {"a": 1, "b": 2}})
