"""`compare`, `benchmark`, labels, and reports as pictures and data frames."""

import json
import pathlib
import zipfile

import numpy as np
import pytest
from conftest import DIGITS, DIGITS_I8
from models import ADD, FLOAT32, INT8, Node, Tensor, model, once_and_twice

arenite = pytest.importorskip("arenite")


def picture(seed=0):
    return np.random.default_rng(seed).random((1, 16, 16, 1), np.float32)


def chain(scale=None):
    """x + x = a, a + a = y."""
    type = FLOAT32 if scale is None else INT8
    tensors = [Tensor(name, type, [4], scale=scale) for name in ("x", "a", "y")]
    return arenite.Model(model(tensors, [Node(ADD, [0, 0], [1]), Node(ADD, [1, 1], [2])], [0], [2]), delegates="none")


# Comparisons


def test_delegates_agree():
    digits = arenite.Model(DIGITS)
    compared = arenite.compare("none", digits, picture())
    assert compared and compared.first is None and len(compared) > 0
    assert compared.sides == ("the reference ops", "digits_f32.tflite")
    assert [row["name"] for row in compared.outputs] == [digits.outputs[0].tensor]
    assert "agree within 0.001" in repr(compared)
    assert arenite.compare(digits, "none", {"image": picture()})
    assert arenite.compare(DIGITS, ("cpu", {}), (picture(),))


def test_the_first_tensor_that_differs(tmp_path):
    made = chain()
    x = np.arange(4, dtype=np.float32)
    np.save(tmp_path / "a.npy", 2 * x)
    np.save(tmp_path / "out_0.npy", 4 * x + [0, 0, 1, 0])
    np.save(tmp_path / "unknown.npy", x)
    compared = arenite.compare(tmp_path, made, x)
    assert not compared
    assert (compared.first["name"], compared.first["at"], compared.first["values"]) == ("y", [2], [9.0, 8.0])
    assert compared.nodes == [1] and compared.unused == ["unknown"]
    assert [row["differs"] for row in compared] == [False, True]
    assert "differ, first at tensor 2 'y' [4]" in repr(compared)
    assert not arenite.compare(made, tmp_path, x)
    assert arenite.compare(made, tmp_path, x, tolerance=0.2)


def test_signatures_of_other_subgraphs(tmp_path):
    once, twice = (arenite.Model(once_and_twice(), signature=key) for key in ("once", "twice"))
    x = np.ones((1, 2), np.float32)
    compared = arenite.compare("none", twice, x)
    assert compared and compared.outputs[0]["tensor"] == 2
    compared = arenite.compare(once, twice, x)
    assert not compared and (compared.first["name"], compared.first["values"]) == ("y", [2.0, 4.0])
    np.save(tmp_path / "t0.npy", 2 * x)
    np.save(tmp_path / "out_0.npy", 5 * x)
    compared = arenite.compare(tmp_path, twice._changed(delegates="none"), x)
    assert [row["differs"] for row in compared] == [False, True] and compared.nodes == [1]


def test_quantized_tensors_are_compared_as_real_numbers(tmp_path):
    x = np.array([-4, 0, 1, 5], np.float32)
    compared = arenite.compare(chain(), chain(scale=0.5), x)
    assert compared and all(row["largest"] == 0 for row in compared)
    # Integers in a file are stored values, with the tensor's own scale.
    np.save(tmp_path / "y.npy", (4 * x / 0.5).astype(np.int8))
    assert arenite.compare(tmp_path, chain(scale=0.5), x)
    np.save(tmp_path / "y.npy", (4 * x / 0.5 + 3).astype(np.int8))
    different = arenite.compare(tmp_path, chain(scale=0.5), x)
    assert different.first["largest"] == 1.5


def test_float_and_quantized_files():
    compared = arenite.compare(DIGITS, DIGITS_I8, [picture(0), picture(1)], progress=False)
    assert compared.calls == 2 and len(compared) >= 1
    assert compared.outputs[0]["cosine"] > 0.9


def test_several_inputs():
    made = chain()
    rows = arenite.compare("none", made, iter([np.zeros(4), np.ones(4)]), progress=True)
    assert rows.calls == 2 and rows
    frame = pytest.importorskip("pandas").DataFrame
    assert isinstance(rows.to_frame(), frame)


def test_a_delegate_that_computes_something_else():
    wrong = arenite.Op("Cube", lambda x: x**3 + (x > 2), lambda x: x)
    right = arenite.Op("Cube", lambda x: x**3, lambda x: x)
    tensors = [Tensor(name, FLOAT32, [4]) for name in ("x", "a", "b", "y")]
    content = model(tensors, [Node(ADD, [0, 0], [1]), Node("Cube", [1], [2]), Node(ADD, [2, 2], [3])], [0], [3])
    compared = arenite.compare(arenite.Model(content, ops=[right]), arenite.Model(content, ops=[wrong]), np.arange(4.0))
    assert (compared.first["name"], compared.nodes) == ("b", [1])


def test_comparisons_that_are_impossible(tmp_path):
    made = chain()
    with pytest.raises(ValueError, match="model"):
        arenite.compare("none", "cpu", np.zeros(4))
    with pytest.raises(ValueError, match="data"):
        arenite.compare("none", made, [])
    with pytest.raises(RuntimeError, match="npy"):
        arenite.compare(tmp_path, made, np.zeros(4))
    with pytest.raises(FileNotFoundError):
        arenite.compare(tmp_path / "none", made, np.zeros(4))
    with pytest.raises(arenite.TensorError):
        arenite.compare("none", made, np.zeros(5))
    with pytest.raises(arenite.NotFound, match="nodelegate"):
        arenite.compare("nodelegate", made, np.zeros(4))


# Measurements


def test_benchmarks():
    digits = arenite.Model(DIGITS, threads=1)
    figures = arenite.benchmark({"cpu": digits, "reference": digits._changed(delegates="none")}, picture(), runs=20)
    assert [row["model"] for row in figures] == ["cpu", "reference"]
    for row in figures:
        assert row["runs"] == 20 and 0 < row["min_ms"] <= row["median_ms"] <= row["p90_ms"] <= row["max_ms"]
        assert row["memory_bytes"] > 0
    assert figures.rows[0]["ratio"] is None and figures.rows[1]["ratio"] > 0
    assert "times the time of cpu" in repr(figures)
    (alone,) = arenite.benchmark(DIGITS, seconds=0.05, warmup=0, progress=True)
    assert alone["runs"] > 0 and alone["model"] == "digits_f32.tflite"
    with pytest.raises(ValueError, match="model"):
        arenite.benchmark([])


def test_an_interrupted_benchmark():
    class Stop(Exception):
        pass

    def stop(_):
        raise Stop

    from arenite import _native, evaluation

    with pytest.raises(Stop):
        _native.benchmark([arenite.Model(DIGITS)], (picture(),), None, evaluation._Amount(0.5, None, 0), stop)


# Labels


def labelled(tmp_path, names):
    path = tmp_path / "labelled.tflite"
    path.write_bytes(DIGITS.read_bytes())
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("metadata.json", json.dumps({"task": "classify", "names": dict(enumerate(names))}))
    return path


def test_labels(tmp_path):
    names = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
    named = arenite.Model(labelled(tmp_path, names))
    assert named.labels() == names and arenite.Model(DIGITS).labels() == []
    scores = named(picture())["probabilities"].ravel()
    best = named.classify(picture(), top=3)
    assert [label for label, _ in best] == [names[i] for i in np.argsort(-scores)[:3]]
    assert best[0][1] == scores.max()
    assert arenite.Model(DIGITS).classify(picture(), top=1)[0][0] == f"class {scores.argmax()}"
    two = named.rebatch(2).classify(np.concatenate([picture(0), picture(1)]), top=1)
    for seed, [(label, score)] in enumerate(two):
        [(wanted, alone)] = named.classify(picture(seed), top=1)
        assert label == wanted and score == pytest.approx(alone, rel=1e-4)
    with pytest.raises(arenite.TensorError, match="3 classes"):
        named.classify(picture(), labels=["a", "b", "c"])


# Reports


def test_pictures_and_frames():
    import xml.etree.ElementTree as xml

    digits = arenite.Model(DIGITS)
    for report in digits.plan(), digits.placement(), digits.profile(picture(), runs=2):
        svg = xml.fromstring(report._repr_svg_())
        assert svg.tag.endswith("svg") and len(svg) > 3
        html = report._repr_html_()
        assert html.count("<tr>") == len(report) + 1 and "<svg" in html
        for library in "pandas", "polars":
            frame = report.to_frame(pytest.importorskip(library).__name__)
            assert len(frame) == len(report) and set(report.columns) <= set(frame.columns)
        assert len(report.to_frame()) == len(report)
    with pytest.raises(ValueError, match="pandas"):
        digits.plan().to_frame("excel")


def test_the_picture_of_a_plan_has_its_tensors():
    digits = arenite.Model(DIGITS, delegates="none")
    svg = digits.plan()._repr_svg_()
    assert "digits_f32.tflite" in svg and digits.plan().planner in svg


def test_the_folder_of_dumps_of_the_command_line(tmp_path):
    from arenite import _native

    x = tmp_path / "x.npy"
    np.save(x, picture())
    dumps = tmp_path / "dumps"
    import subprocess
    import sys

    command = [sys.executable, "-m", "arenite", "compare", DIGITS, "--input", f"0={x}", "--write-dumps", dumps]
    subprocess.run(list(map(str, command)), check=True, capture_output=True)
    assert arenite.compare(dumps, arenite.Model(DIGITS), picture())
    assert isinstance(dumps, pathlib.Path) and _native
