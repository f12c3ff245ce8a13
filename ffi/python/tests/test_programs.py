"""Programs that are written for other packages, with only their import lines changed, give the same results here."""

import pathlib
import re
import subprocess
import sys

import pytest
from conftest import DIGITS, DIGITS_I8, ROOT
from models import FLOAT32, Node, Tensor, model

pytest.importorskip("arenite")

PROGRAMS = pathlib.Path(__file__).parent / "programs"
SAMPLE = ROOT / "examples/digits/samples/7.png"
LABELS = ROOT / "examples/digits/labels.txt"


@pytest.fixture
def doubles(tmp_path):
    """A model that doubles rows, of which it takes any number."""
    tensors = [Tensor(name, FLOAT32, [1, 4], signature=[-1, 4]) for name in "xy"]
    path = tmp_path / "doubles.tflite"
    path.write_bytes(model(tensors, [Node(0, [0, 0], [1])], [0], [1]))
    return path


def run(tmp_path, name, package, arguments):
    """What a program prints with the imports of a package."""
    text = (PROGRAMS / f"{name}.py").read_text()
    changed = re.sub(r"(from|import) (ai_edge_litert|tflite_runtime)", rf"\1 {package}", text)
    program = tmp_path / f"{name}_{package}.py"
    program.write_text(changed)
    done = subprocess.run([sys.executable, program, *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("label_image", ["-i", SAMPLE, "-m", DIGITS, "-l", LABELS]),
        ("label_image", ["-i", SAMPLE, "-m", DIGITS_I8, "-l", LABELS, "--num_threads", 2]),
        ("detect", [DIGITS]),
        ("wake_word", [DIGITS, "doubles"]),
        ("signatures", [DIGITS]),
    ],
)
def test_programs_print_the_same(tmp_path, doubles, name, arguments):
    if name == "label_image":
        pytest.importorskip("PIL", reason="pip install pillow")
    arguments = [doubles if argument == "doubles" else argument for argument in arguments]
    printed = run(tmp_path, name, "arenite", arguments)
    assert printed
    if name == "label_image":
        assert printed.splitlines()[0].endswith(": 7")
    pytest.importorskip("ai_edge_litert.interpreter", reason="pip install ai-edge-litert==2.3.0")
    assert printed == run(tmp_path, name, "ai_edge_litert", arguments)


def test_a_program_runs_without_any_change(tmp_path, doubles):
    """`python -m arenite.compat` serves `tflite_runtime`, which is not installed."""
    command = [sys.executable, "-m", "arenite.compat", PROGRAMS / "wake_word.py", DIGITS, doubles]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and len(done.stdout.splitlines()) == 6, done.stderr


def test_a_program_uses_a_delegate_by_name(tmp_path):
    pytest.importorskip("PIL", reason="pip install pillow")
    arguments = ["-i", SAMPLE, "-m", DIGITS, "-l", LABELS, "-e", "cpu"]
    assert run(tmp_path, "label_image", "arenite", arguments).splitlines()[0].endswith(": 7")
