"""Plugins at run time: delegates by path, and packages with plugins. `test.sh` builds the libraries."""

import os
import pathlib
import shutil
import subprocess
import sys
import zipfile

import numpy as np
import pytest
from conftest import DIGITS
from models import FLOAT32, Node, Tensor, model

pytest.importorskip("arenite")
from arenite import errors, interpreter


def library(name):
    """A library that `test.sh` built, of the same release as the package."""
    folder = os.environ.get("ARENITE_TEST_PLUGINS")
    if not folder:
        pytest.skip("ARENITE_TEST_PLUGINS names no folder with plugins: run test.sh")
    return pathlib.Path(folder) / f"lib{name}.so"


def sines():
    """A model with the custom op of plugins/template."""
    return model([Tensor("x", FLOAT32, [4]), Tensor("y", FLOAT32, [4])], [Node("Sin", [0], [1])], [0], [1])


def run(content, **arguments):
    built = interpreter.Interpreter(model_content=content, **arguments)
    built.allocate_tensors()
    value = np.linspace(0, 3, 4, dtype=np.float32)
    built.set_tensor(0, value)
    built.invoke()
    np.testing.assert_allclose(built.get_tensor(1), np.sin(value), atol=1e-5)
    return built


def test_a_delegate_of_a_library_runs_nodes():
    path = library("arenite_plugin_template")
    with pytest.raises(RuntimeError, match="Sin"):
        run(sines())
    for given in path, str(path):
        delegate = interpreter.load_delegate(given)
        assert run(sines(), experimental_delegates=[delegate])._is_delegated(0)
    limited = interpreter.load_delegate(str(path), options={"max_nodes": 0})
    assert not run(sines(), experimental_delegates=[limited])._is_delegated(0)


def test_wrong_options_of_a_delegate():
    path = library("arenite_plugin_template")
    for options in {"no_such": 1}, {"max_nodes": "many"}:
        delegate = interpreter.load_delegate(path, options)
        with pytest.raises(errors.DelegateError, match=next(iter(options))) as raised:
            interpreter.Interpreter(model_content=sines(), experimental_delegates=[delegate])
        assert isinstance(raised.value, ValueError)


def test_libraries_without_a_delegate(tmp_path):
    with pytest.raises(OSError, match="no_such"):
        interpreter.load_delegate(tmp_path / "no_such.so")
    with pytest.raises(errors.PluginError, match="has no delegate"):
        interpreter.load_delegate(library("arenite_plugin_flex"))
    other = shutil.copy(np.linalg._umath_linalg.__file__, tmp_path / "other.so")
    with pytest.raises(errors.PluginError, match="other.so"):
        interpreter.load_delegate(other)


def test_a_library_of_another_layout():
    with pytest.raises(errors.PluginError, match="layout"):
        interpreter.load_delegate(library("arenite_test_other_layout"))


def test_a_gpu_delegate_by_its_path():
    delegate = interpreter.load_delegate(library("arenite_plugin_opencl"))
    image = np.random.default_rng(0).random((1, 16, 16, 1), np.float32)
    answers = []
    for delegates in [], [delegate]:
        try:
            built = interpreter.Interpreter(model_path=DIGITS, experimental_delegates=delegates)
            built.allocate_tensors()
        except errors.Error as error:
            if os.environ.get("ARENITE_GPU") == "required":
                raise
            pytest.skip(f"no OpenCL device: {error}")
        built.set_tensor(0, image)
        built.invoke()
        answers.append(built.get_tensor(34))
        assert built._is_delegated(0)
    np.testing.assert_allclose(*answers, rtol=0, atol=1e-4)


def wheel(folder, *, module, libraries, entry_points):
    """Writes a wheel with a package of plugins. Returns its path."""
    info = "my_plugins-1.0.dist-info"
    path = folder / "my_plugins-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr(f"{module}/__init__.py", "raise ImportError('nothing imports this')")
        for name in libraries:
            file.write(name, f"{module}/{name.name}")
        file.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: my-plugins\nVersion: 1.0\n")
        file.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        file.writestr(f"{info}/entry_points.txt", f"[arenite.plugins]\n{entry_points}\n")
        file.writestr(f"{info}/RECORD", "")
    return path


def unpacked(path):
    """The folder with the contents of a wheel, as pip installs them."""
    site = path.parent / "site"
    zipfile.ZipFile(path).extractall(site)
    return site


def python(site, *arguments):
    """Runs Python with the packages of a folder."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(site), *filter(None, sys.path)])}
    command = [sys.executable, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


USE = """
import sys, numpy, arenite
from arenite import interpreter, plugins
print(*plugins.folders(), sep="\\n", file=sys.stderr)
model = arenite.Model(sys.argv[1])
print(model(numpy.array([0, 1.5707964, 0, 0], "f4"))["y"].round(3).tolist())
built = interpreter.Interpreter(sys.argv[1], experimental_delegates=[interpreter.load_delegate("sin")])
built.allocate_tensors()
print(built._is_delegated(0))
"""


def test_a_package_with_a_plugin_is_found(tmp_path):
    name = "my_plugins"
    path = wheel(
        tmp_path, module=name, libraries=[library("arenite_plugin_template")], entry_points=f"mine = {name}"
    )
    site = tmp_path / "site"
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", site, path]
    subprocess.run(command, check=True)
    (tmp_path / "sines.tflite").write_bytes(sines())
    done = python(site, "-c", USE, tmp_path / "sines.tflite")
    assert done.stdout.splitlines() == ["[0.0, 1.0, 0.0, 0.0]", "True"], done.stderr
    assert str(site / name) in done.stderr.splitlines()
    listed = python(site, "-m", "arenite", "plugins")
    assert "org.arenite.template" in listed.stdout, listed.stderr


def test_a_package_in_a_package_is_found(tmp_path):
    site = unpacked(wheel(tmp_path, module="outer/inner", libraries=[], entry_points="mine = outer.inner"))
    (site / "outer" / "__init__.py").write_text("")
    done = python(site, "-c", "from arenite import plugins; print(*plugins.folders())")
    assert str(site / "outer" / "inner") in done.stdout.split(), done.stderr


def test_a_package_that_does_not_exist(tmp_path):
    site = unpacked(wheel(tmp_path, module="my_plugins", libraries=[], entry_points="mine = no_such_package"))
    done = python(site, "-c", "import arenite; arenite.Model(__import__('sys').argv[1])", DIGITS)
    assert done.returncode == 0 and "RuntimeWarning" in done.stderr and "no_such_package" in done.stderr


def test_without_packages_of_plugins_a_model_loads_fast(tmp_path):
    """Importing `importlib.metadata` takes ten times as long as loading a small model."""
    program = "import sys, arenite; arenite.Model(sys.argv[1]); print('importlib.metadata' in sys.modules)"
    assert python(tmp_path, "-c", program, DIGITS).stdout == "False\n"
    site = unpacked(wheel(tmp_path, module="my_plugins", libraries=[], entry_points="mine = my_plugins"))
    assert python(site, "-c", program, DIGITS).stdout == "True\n"
