"""The calls of `ai_edge_litert.compiled_model`, with both packages."""

import importlib
import os

import numpy as np
import pytest
from conftest import DIGITS, PACKAGES
from models import BOOL, FLOAT16, FLOAT32, INT8, INT32, INT64, STRING, Node, Tensor, identity, model


@pytest.fixture(params=PACKAGES)
def package(request):
    """The module `compiled_model` of each package."""
    try:
        return importlib.import_module(f"{request.param}.compiled_model")
    except ImportError:
        pytest.skip(f"{request.param} is not installed: pip install ai-edge-litert==2.3.0")


@pytest.fixture
def is_arenite(package):
    return package.__name__.startswith("arenite")


@pytest.fixture
def digits(package):
    return package.CompiledModel.from_file(str(DIGITS))


KEY = "serving_default"


def picture(seed=0):
    return np.random.default_rng(seed).random((1, 16, 16, 1), np.float32)


def sums(keys=("z", "a")):
    """Two signatures whose names come in another order than the inputs."""
    tensors = [Tensor(name, FLOAT32, [2], signature=[-1]) for name in ("a", "b", "sum", "twice")]
    signatures = [
        (keys[0], {"right": 1, "left": 0}, {"sum": 2, "twice": 3}),
        (keys[1], {"x": 0, "b": 1}, {"result": 2, "other": 3}),
    ]
    return model(tensors, [Node(0, [0, 1], [2]), Node(0, [0, 0], [3])], [0, 1], [2, 3], signatures)


def adder():
    """A model without signatures."""
    tensors = [Tensor(name, FLOAT32, [2, 3], signature=[-1, 3]) for name in ("b", "a", "sum")]
    return model(tensors, [Node(0, [0, 1], [2])], [1, 0], [2])


def test_a_picture_is_classified(digits):
    inputs, outputs = digits.create_input_buffers(0), digits.create_output_buffers(0)
    assert inputs[0].write(picture()) is None
    assert digits.run_by_index(0, inputs, outputs) is None
    probabilities = outputs[0].read(10, np.float32)
    assert (probabilities.shape, probabilities.dtype) == ((10,), np.float32)
    assert probabilities.sum() == pytest.approx(1)
    by_name = digits.create_output_buffer_by_name(KEY, "probabilities")
    digits.run_by_name(KEY, {"image": inputs[0]}, {"probabilities": by_name})
    assert np.array_equal(by_name.read(10, np.float32), probabilities)


def test_both_packages_compute_the_same():
    pytest.importorskip("ai_edge_litert.compiled_model", reason="pip install ai-edge-litert==2.3.0")
    answers = []
    for name in PACKAGES:
        compiled = importlib.import_module(f"{name}.compiled_model").CompiledModel.from_file(str(DIGITS))
        inputs, outputs = compiled.create_input_buffers(0), compiled.create_output_buffers(0)
        inputs[0].write(picture())
        compiled.run_by_index(0, inputs, outputs)
        answers.append(outputs[0].read(10, np.float32))
    np.testing.assert_allclose(*answers, rtol=0, atol=1e-5)


def test_signatures(digits):
    signature = {"inputs": ["image"], "outputs": ["probabilities"]}
    assert digits.get_signature_list() == {KEY: signature}
    assert digits.get_signature_by_index(0) == {"key": KEY, **signature}
    assert digits.get_num_signatures() == 1
    assert digits.get_signature_index(KEY) == 0 and digits.get_signature_index("none") == -1


def test_names_have_the_order_of_the_subgraph(package):
    compiled = package.CompiledModel.from_buffer(sums())
    assert [compiled.get_signature_index(key) for key in "za"] == [0, 1]
    assert compiled.get_signature_by_index(0) == {"key": "z", "inputs": ["left", "right"], "outputs": ["sum", "twice"]}
    assert compiled.get_signature_by_index(1) == {"key": "a", "inputs": ["x", "b"], "outputs": ["result", "other"]}
    for index in 0, 1:
        inputs, outputs = compiled.create_input_buffers(index), compiled.create_output_buffers(index)
        inputs[0].write(np.array([1, 2], np.float32))
        inputs[1].write(np.array([10, 20], np.float32))
        compiled.run_by_index(index, inputs, outputs)
        assert [buffer.read(2, np.float32).tolist() for buffer in outputs] == [[11, 22], [2, 4]]


def test_a_model_without_signatures_has_one(package):
    compiled = package.CompiledModel.from_buffer(adder())
    key = "<placeholder signature>"
    assert compiled.get_signature_list() == {key: {"inputs": ["a", "b"], "outputs": ["sum"]}}
    assert compiled.get_input_tensor_details(key)["a"] == {
        "name": "a",
        "index": 1,
        "dtype": "float32",
        "shape": [2, 3],
    }


def test_descriptions(digits):
    image = {"name": "image", "index": 0, "dtype": "float32", "shape": [1, 16, 16, 1]}
    assert digits.get_input_tensor_details(KEY) == {"image": image}
    assert digits.get_output_tensor_details(KEY)["probabilities"]["shape"] == [1, 10]
    assert digits.get_input_buffer_requirements(0) == {"buffer_size": 1024, "supported_types": [1]}
    assert digits.get_output_buffer_requirements(0, 0) == {"buffer_size": 40, "supported_types": [1]}
    assert digits.create_input_buffers(0)[0].get_tensor_details() == {"dtype": "float32", "shape": [1, 16, 16, 1]}


@pytest.mark.parametrize(
    ("type", "name", "size"),
    [(FLOAT16, "float16", 12), (INT8, "int8", 6), (BOOL, "bool", 6), (INT32, "int32", 24), (INT64, "int64", 48)],
)
def test_types(package, type, name, size):
    compiled = package.CompiledModel.from_buffer(identity(type, [2, 3]))
    (buffer,) = compiled.create_input_buffers(0)
    assert buffer.get_tensor_details() == {"dtype": name, "shape": [2, 3]}
    assert compiled.get_input_buffer_requirements(0)["buffer_size"] == size
    outputs = compiled.create_output_buffers(0)
    values = np.arange(size, dtype=np.uint8) % 2
    buffer.write(values)
    compiled.run_by_index(0, [buffer], outputs)
    assert outputs[0].read(size, np.uint8).tolist() == values.tolist()


def test_strings_have_no_buffers(package):
    with pytest.raises(RuntimeError):
        package.CompiledModel.from_buffer(identity(STRING, [2])).create_input_buffers(0)


def test_a_part_of_a_buffer_is_written_and_read(digits):
    (buffer,) = digits.create_input_buffers(0)
    buffer.write(np.full(256, 7, np.float32))
    buffer.write(np.ones((1, 3), np.float32)[:, ::-1])
    assert buffer.read(5, np.float32).tolist() == [1, 1, 1, 7, 7]
    assert buffer.read(2, "float32").tolist() == [1, 1]
    assert buffer.read((2, 2), np.dtype(np.float32)).tolist() == [[1, 1], [1, 7]]
    assert buffer.read(0, np.float32).shape == (0,)
    assert buffer.read(4, np.uint8).tolist() == list(np.float32(1).tobytes())


@pytest.mark.parametrize(
    "value",
    [
        np.zeros((1, 16, 16, 1)),
        np.zeros((1, 16, 16, 1), np.int64),
        np.zeros((1, 16, 16, 1), ">f4"),
        [1.0],
        np.float32(1),
        None,
        np.array(["text"]),
    ],
)
def test_other_values_are_refused(digits, value):
    (buffer,) = digits.create_input_buffers(0)
    with pytest.raises(ValueError):
        buffer.write(value)


def test_buffers_have_bounds(digits):
    (buffer,) = digits.create_input_buffers(0)
    with pytest.raises(RuntimeError):
        buffer.write(np.zeros(257, np.float32))
    with pytest.raises(RuntimeError):
        buffer.read(257, np.float32)
    for dtype in np.float64, float, None:
        with pytest.raises(ValueError):
            buffer.read(1, dtype)
    with pytest.raises(ValueError):
        buffer.read(-1, np.float32)
    with pytest.raises(TypeError):
        buffer.read(1.0, np.float32)


def test_destroyed_buffers(digits):
    inputs, outputs = digits.create_input_buffers(0), digits.create_output_buffers(0)
    inputs[0].destroy()
    inputs[0].destroy()
    with pytest.raises(RuntimeError):
        inputs[0].write(picture())
    with pytest.raises(ValueError):
        digits.run_by_index(0, inputs, outputs)


def test_wrong_buffers(digits):
    inputs, outputs = digits.create_input_buffers(0), digits.create_output_buffers(0)
    for index, given, wanted in [(0, [], outputs), (0, inputs * 2, outputs), (0, inputs, []), (0, outputs, inputs)]:
        with pytest.raises(RuntimeError):
            digits.run_by_index(index, given, wanted)
    for index in 1, -1:
        with pytest.raises(RuntimeError):
            digits.run_by_index(index, inputs, outputs)
    for index in 0.0, "0":
        with pytest.raises(TypeError):
            digits.run_by_index(index, inputs, outputs)
    with pytest.raises(TypeError):
        digits.run_by_index(0, None, outputs)
    digits.run_by_index(np.int64(0), tuple(inputs), tuple(outputs))


def test_wrong_names(digits, is_arenite):
    inputs, outputs = digits.create_input_buffers(0), digits.create_output_buffers(0)
    with pytest.raises(RuntimeError):
        digits.run_by_name("none", {"image": inputs[0]}, {"probabilities": outputs[0]})
    with pytest.raises(RuntimeError):
        digits.run_by_name(KEY, {"image": inputs[0]}, {})
    with pytest.raises(TypeError):
        digits.run_by_name(5, {}, {})
    if is_arenite:  # ai_edge_litert computes with what the input had before
        for given in {}, {"x": inputs[0]}, {"image": inputs[0], "x": inputs[0]}:
            with pytest.raises(RuntimeError, match="image"):
                digits.run_by_name(KEY, given, {"probabilities": outputs[0]})
    for key, name in (KEY, "x"), ("x", "image"):
        with pytest.raises(RuntimeError):
            digits.create_input_buffer_by_name(key, name)
        with pytest.raises(RuntimeError):
            digits.create_output_buffer_by_name(key, name)
    for call in digits.get_input_tensor_details, digits.get_output_tensor_details:
        with pytest.raises(RuntimeError):
            call("none")


def test_wrong_numbers(digits, is_arenite):
    for call in digits.create_input_buffers, digits.create_output_buffers:
        with pytest.raises(RuntimeError):
            call(9)
    for call in digits.get_input_buffer_requirements, digits.get_output_buffer_requirements:
        for arguments in (9,), (0, 9):
            with pytest.raises(RuntimeError):
                call(*arguments)
    if is_arenite:  # ai_edge_litert ends the process
        for index in 9, -1:
            with pytest.raises(RuntimeError):
                digits.get_signature_by_index(index)


def test_an_input_is_resized(package):
    compiled = package.CompiledModel.from_buffer(adder())
    key = "<placeholder signature>"
    for resize in (
        lambda: [compiled.resize_input_tensor(i, [4, 3]) for i in (0, 1)],
        lambda: [compiled.resize_input_tensor_by_name(key, name, np.array([4, 3])) for name in "ab"],
    ):
        resize()
        assert compiled.get_output_tensor_details(key)["sum"]["shape"] == [4, 3]
        inputs, outputs = compiled.create_input_buffers(0), compiled.create_output_buffers(0)
        for buffer in inputs:
            buffer.write(np.ones((4, 3), np.float32))
        compiled.run_by_index(0, inputs, outputs)
        assert outputs[0].read(12, np.float32).tolist() == [2] * 12
    with pytest.raises(RuntimeError):
        compiled.resize_input_tensor(0, [4, 4])
    with pytest.raises(RuntimeError):
        compiled.resize_input_tensor(0, [-1, 3], strict=False)
    with pytest.raises(RuntimeError):
        compiled.resize_input_tensor(9, [4, 3])
    with pytest.raises(TypeError):
        compiled.resize_input_tensor(0, [4.0, 3])
    for arguments in (key, "x", [4, 3]), ("x", "a", [4, 3]):
        with pytest.raises(ValueError):
            compiled.resize_input_tensor_by_name(*arguments)


def test_buffers_of_an_earlier_shape(digits):
    inputs, outputs = digits.create_input_buffers(0), digits.create_output_buffers(0)
    with pytest.raises(RuntimeError):
        digits.resize_input_tensor(0, [2, 16, 16, 1])
    digits.resize_input_tensor(0, [2, 16, 16, 1], strict=False)
    assert digits.get_input_tensor_details(KEY)["image"]["shape"] == [2, 16, 16, 1]
    with pytest.raises(RuntimeError):
        digits.run_by_index(0, inputs, outputs)


def test_memory_of_the_program(package, digits):
    values = np.arange(6, dtype=np.float32).reshape(2, 3)
    buffer = package.TensorBuffer.create_from_host_memory(values)
    assert buffer.get_tensor_details() == {"dtype": "float32", "shape": [6]}
    assert buffer.read(6, np.float32).tolist() == values.ravel().tolist()
    for wrong in values.T, values.astype(float), [1.0], np.float32(3):
        with pytest.raises(ValueError):
            package.TensorBuffer.create_from_host_memory(wrong)


def test_memory_of_the_program_is_an_input(package):
    compiled = package.CompiledModel.from_buffer(identity(FLOAT32, [6]))
    buffer = package.TensorBuffer.create_from_host_memory(np.arange(6, dtype=np.float32))
    outputs = compiled.create_output_buffers(0)
    compiled.run_by_index(0, [buffer], outputs)
    assert outputs[0].read(6, np.float32).tolist() == list(range(6))


@pytest.mark.parametrize(
    ("arguments", "exception"),
    [
        (("/no/such/file",), RuntimeError),
        ((5,), TypeError),
        (("",), RuntimeError),
    ],
)
def test_files_that_are_no_models(package, arguments, exception):
    with pytest.raises(exception):
        package.CompiledModel.from_file(*arguments)


@pytest.mark.parametrize(
    ("data", "exception"),
    [(b"garbage", RuntimeError), (b"", RuntimeError), ("text", (TypeError, RuntimeError)), (7, TypeError)],
)
def test_bytes_that_are_no_model(package, data, exception):
    with pytest.raises(exception):
        package.CompiledModel.from_buffer(data)


def test_accelerators(package):
    accelerators = package.HardwareAccelerator
    assert [int(member) for member in accelerators] == [1, 2, 4]

    def compiled(**arguments):
        return package.CompiledModel.from_file(str(DIGITS), **arguments)

    assert compiled().is_fully_accelerated() is True
    assert compiled(hardware_accel=accelerators.CPU).is_fully_accelerated() is True
    with pytest.raises(RuntimeError):
        compiled(hardware_accel=0)
    with pytest.raises(ValueError):
        compiled(hardware_accel="cpu")
    with pytest.raises(ValueError):
        compiled(hardware_accel=accelerators.CPU, options=package.Options())
    with pytest.raises(RuntimeError):
        compiled(hardware_accel=accelerators.NPU)


@pytest.mark.parametrize("mode", ["REFERENCE", "BUILTIN", "XNNPACK"])
def test_options_of_the_cpu(package, mode):
    options = package.Options(cpu_options=package.CpuOptions(num_threads=2, kernel_mode=package.CpuKernelMode[mode]))
    compiled = package.CompiledModel.from_file(str(DIGITS), options=options)
    assert compiled.is_fully_accelerated() is (mode == "XNNPACK")
    assert package.Options.create().cpu_options.num_threads == 0


def test_npus_are_left_out(package, is_arenite, recwarn):
    both = package.HardwareAccelerator.NPU | package.HardwareAccelerator.CPU
    assert package.CompiledModel.from_file(str(DIGITS), hardware_accel=both).get_num_signatures() == 1
    assert not is_arenite or any("NPU" in str(warning.message) for warning in recwarn)


def test_a_gpu_runs_the_model_or_the_call_fails():
    package = pytest.importorskip("arenite.compiled_model")
    from arenite import _native

    arguments = {"hardware_accel": package.HardwareAccelerator.GPU}
    if {"opencl", "vulkan"} & set(_native.delegate_names()):
        assert package.CompiledModel.from_file(str(DIGITS), **arguments).get_num_signatures() == 1
    else:
        with pytest.raises(RuntimeError, match="no GPU delegate is installed"):
            package.CompiledModel.from_file(str(DIGITS), **arguments)


def test_closed_models(digits):
    with digits as same:
        assert same is digits
    with pytest.raises(AttributeError):
        digits.is_fully_accelerated()


def test_environments(package):
    environment = package.Environment.create()
    assert package.CompiledModel.from_file(str(DIGITS), environment=environment).environment is environment
    assert package.Environment.create(runtime_path=os.sep).options.runtime_path == os.sep
    options = package.EnvironmentOptions()
    for arguments in {"options": "/", "runtime_path": "/"}, {"options": options, "runtime_path": "/"}:
        with pytest.raises(ValueError):
            package.Environment.create(**arguments)
    environment.close()
    with pytest.raises(ValueError):
        package.CompiledModel.from_file(str(DIGITS), environment=environment)
