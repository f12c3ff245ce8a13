"""The calls of `ai_edge_litert.interpreter`, with both packages: the same values and exceptions."""

import pathlib

import numpy as np
import pytest
from conftest import DIGITS, DIGITS_I8
from models import (
    BFLOAT16,
    BOOL,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    INT4,
    INT8,
    INT32,
    INT64,
    RESOURCE,
    STRING,
    Node,
    Tensor,
    identity,
    model,
)

SHAPE = (1, 16, 16, 1)


def made(package, content):
    interpreter = package.Interpreter(model_content=content)
    interpreter.allocate_tensors()
    return interpreter


def picture(seed=0):
    return np.random.default_rng(seed).random(SHAPE, np.float32)


# Models


@pytest.mark.parametrize("path", [str(DIGITS), DIGITS, pathlib.Path(DIGITS), str(DIGITS).encode()])
def test_a_model_is_read_from_a_path(package, path):
    assert package.Interpreter(path).get_input_details()[0]["name"] == "image"


def test_a_model_is_read_from_bytes(package):
    interpreter = package.Interpreter(model_content=DIGITS.read_bytes())
    assert interpreter.get_output_details()[0]["name"] == "probabilities"


@pytest.mark.parametrize(
    ("arguments", "exception"),
    [
        ({}, ValueError),
        ({"model_path": ""}, ValueError),
        ({"model_content": b""}, ValueError),
        ({"model_path": str(DIGITS), "model_content": b"x"}, ValueError),
        ({"model_path": "/no/such/file"}, ValueError),
        ({"model_path": "/"}, ValueError),
        ({"model_path": 5}, TypeError),
        ({"model_content": b"garbage"}, ValueError),
        ({"model_content": bytes(100)}, ValueError),
        ({"model_content": DIGITS.read_bytes()[:1000]}, ValueError),
        ({"model_content": "text"}, TypeError),
        ({"model_content": 7}, TypeError),
        ({"model_path": str(DIGITS), "num_threads": "1"}, ValueError),
        ({"model_path": str(DIGITS), "num_threads": 0}, ValueError),
        ({"model_path": str(DIGITS), "num_threads": np.int32(2)}, ValueError),
        ({"model_path": str(DIGITS), "experimental_op_resolver_type": 7}, ValueError),
        ({"model_path": str(DIGITS), "experimental_delegates": [1]}, AttributeError),
    ],
)
def test_wrong_arguments_are_refused(package, arguments, exception):
    with pytest.raises(exception):
        package.Interpreter(**arguments)


@pytest.mark.parametrize("arguments", [{"num_threads": 2}, {"num_threads": True}, {"experimental_delegates": None}])
def test_optional_arguments(package, arguments):
    assert package.Interpreter(model_path=str(DIGITS), **arguments).num_subgraphs() == 1


def test_keeping_all_tensors_warns_with_the_default_ops(package):
    with pytest.warns(UserWarning):
        package.Interpreter(model_path=str(DIGITS), experimental_preserve_all_tensors=True)


def test_all_tensors_can_be_read_if_they_are_kept(package):
    interpreter = package.Interpreter(
        model_path=str(DIGITS),
        experimental_preserve_all_tensors=True,
        experimental_op_resolver_type=package.OpResolverType.BUILTIN_REF,
    )
    interpreter.allocate_tensors()
    interpreter.set_tensor(0, picture())
    interpreter.invoke()
    values = [interpreter.get_tensor(details["index"]) for details in interpreter.get_tensor_details()]
    shapes = [tuple(details["shape"]) for details in interpreter.get_tensor_details()]
    assert [value.shape for value in values] == shapes
    assert values[20].max() > 0


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("resolver", ["AUTO", "BUILTIN", "BUILTIN_REF", "BUILTIN_WITHOUT_DEFAULT_DELEGATES"])
def test_kept_tensors_have_their_own_values(package, resolver):
    tensors = [Tensor(name, FLOAT32, [2, 2]) for name in "abcd"]
    content = model(tensors, [Node(0, [i, i], [i + 1]) for i in range(3)], [0], [3])
    interpreter = package.Interpreter(
        model_content=content,
        experimental_op_resolver_type=package.OpResolverType[resolver],
        experimental_preserve_all_tensors=True,
    )
    interpreter.allocate_tensors()
    interpreter.set_tensor(0, np.ones((2, 2), np.float32))
    interpreter.invoke()
    assert [interpreter.get_tensor(i)[0, 0] for i in range(4)] == [1, 2, 4, 8]
    assert interpreter.tensor(2)()[1, 1] == 4


# Descriptions


def plain(value):
    """A description without arrays, to compare."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, np.ndarray):
        return (str(value.dtype), value.tolist())
    return value


def digits_details(name, index, shape, dtype, quantization, scales, zero_points):
    return {
        "name": name,
        "index": index,
        "shape": ("int32", shape),
        "shape_signature": ("int32", shape),
        "dtype": dtype,
        "quantization": quantization,
        "quantization_parameters": {
            "scales": ("float32", scales),
            "zero_points": ("int32", zero_points),
            "quantized_dimension": 0,
            "block_size": 0,
        },
        "sparsity_parameters": {},
    }


def test_descriptions_of_floats(digits):
    (image,), (probabilities,) = digits.get_input_details(), digits.get_output_details()
    assert plain(image) == digits_details("image", 0, [1, 16, 16, 1], np.float32, (0.0, 0), [], [])
    assert plain(probabilities) == digits_details("probabilities", 34, [1, 10], np.float32, (0.0, 0), [], [])


def test_descriptions_of_quantized_tensors(package):
    (image,) = package.Interpreter(model_path=str(DIGITS_I8)).get_input_details()
    scale = image["quantization"][0]
    assert (type(scale), type(image["quantization"][1])) == (float, int)
    assert plain(image) == digits_details("image", 0, [1, 16, 16, 1], np.int8, (scale, -1), [scale], [-1])


def test_tensors_with_a_scale_for_each_channel(package):
    details = package.Interpreter(model_path=str(DIGITS_I8)).get_tensor_details()
    several = [tensor for tensor in details if len(tensor["quantization_parameters"]["scales"]) > 1]
    assert several
    for tensor in several:
        parameters = tensor["quantization_parameters"]
        channels = tensor["shape"][parameters["quantized_dimension"]]
        assert tensor["quantization"] == (0.0, 0)
        assert len(parameters["scales"]) == len(parameters["zero_points"]) == channels


def test_zero_points_are_compressed_on_request(package):
    interpreter = package.Interpreter(
        model_path=str(DIGITS_I8), experimental_compress_quantization_zero_points=True
    )
    assert interpreter.experimental_compress_quantization_zero_points is True
    for tensor in interpreter.get_tensor_details():
        assert len(tensor["quantization_parameters"]["zero_points"]) <= 1


def test_nodes(package):
    nodes = package.Interpreter(model_path=str(DIGITS))._get_ops_details()
    assert plain(nodes[0]) == {
        "index": 0,
        "op_name": "CONV_2D",
        "inputs": ("int32", [0, 18, 19]),
        "outputs": ("int32", [20]),
        "operand_types": [np.float32] * 3,
        "result_types": [np.float32],
    }
    assert nodes[-1]["op_name"] == "SOFTMAX"


def test_one_node(package):
    interpreter = package.Interpreter(model_path=str(DIGITS))
    assert plain(interpreter._get_op_details(1)) == plain(interpreter._get_ops_details()[1])
    assert list(interpreter._get_op_details(0)) == [
        "index",
        "op_name",
        "inputs",
        "outputs",
        "operand_types",
        "result_types",
    ]
    for index in -1, 99:
        with pytest.raises(ValueError):
            interpreter._get_op_details(index)
    with pytest.raises(TypeError):
        interpreter._get_op_details("0")


def arrays(value):
    """All arrays in a description."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [array for item in value for array in arrays(item)]
    return [value] if isinstance(value, np.ndarray) else []


def test_descriptions_own_their_arrays(package):
    interpreter = package.Interpreter(model_path=str(DIGITS_I8))
    found = arrays([interpreter.get_tensor_details(), interpreter._get_ops_details()])
    assert found and all(array.flags.owndata and array.flags.writeable for array in found)


@pytest.mark.parametrize("zero_points", [-1, 3])
def test_a_scale_for_each_block(package, zero_points):
    scales = np.array([[0.5, 0.25], [1, 2], [3, 4]], np.float16)
    tensors = [
        Tensor("x", FLOAT32, [1, 64]),
        Tensor("weights", INT4, [3, 64], data=bytes(96), blocks=(2, zero_points, 32, 1)),
        Tensor("scales", FLOAT16, [3, 2], data=scales.tobytes()),
        Tensor("zeros", INT32, [3, 2], data=np.arange(6, dtype=np.int32).tobytes()),
        Tensor("y", FLOAT32, [1, 3]),
    ]
    content = model(tensors, [Node(9, [0, 1, -1], [4])], [0], [4])
    weights = package.Interpreter(model_content=content).get_tensor_details()[1]
    assert weights["quantization"] == (0.0, 0)
    assert plain(weights["quantization_parameters"]) == {
        "scales": ("float16", scales.ravel().tolist()),
        "zero_points": ("int32", list(range(6)) if zero_points > 0 else []),
        "quantized_dimension": 1,
        "block_size": 32,
    }


def test_sparse_tensors(package):
    tensors = [
        Tensor("x", FLOAT32, [2, 4]),
        Tensor(
            "sparse",
            FLOAT32,
            [2, 4],
            data=np.array([1, 2, 3], np.float32).tobytes(),
            sparsity=([0, 1], [], [2, ([0, 1, 3], [2, 0, 3])]),
        ),
        Tensor("dense", FLOAT32, [2, 4]),
        Tensor("y", FLOAT32, [2, 4]),
    ]
    content = model(tensors, [Node(124, [1], [2]), Node(0, [0, 2], [3])], [0], [3])
    resolver = package.OpResolverType.BUILTIN_REF
    interpreter = package.Interpreter(model_content=content, experimental_op_resolver_type=resolver)
    assert plain(interpreter.get_tensor_details()[1]["sparsity_parameters"]) == {
        "traversal_order": ("int32", [0, 1]),
        "block_map": ("int32", []),
        "dim_metadata": [
            {"format": 0, "dense_size": 2},
            {"format": 1, "array_segments": ("int32", [0, 1, 3]), "array_indices": ("int32", [2, 0, 3])},
        ],
    }
    interpreter.allocate_tensors()
    interpreter.set_tensor(0, np.zeros((2, 4), np.float32))
    interpreter.invoke()
    assert interpreter.get_tensor(3).tolist() == [[0, 0, 1, 0], [2, 0, 0, 3]]


@pytest.mark.parametrize("subgraph", [-1, 1])
def test_there_is_no_such_subgraph(digits, subgraph):
    with pytest.raises(ValueError):
        digits.get_tensor_details(subgraph)
    with pytest.raises(ValueError):
        digits.get_tensor(0, subgraph)


# Values


def test_set_invoke_get(package, digits):
    first = picture()
    digits.set_tensor(0, first)
    assert digits.invoke() is None
    probabilities = digits.get_tensor(34)
    assert (probabilities.shape, probabilities.dtype) == ((1, 10), np.float32)
    assert probabilities.sum() == pytest.approx(1)
    assert probabilities.flags.owndata and probabilities.flags.writeable
    digits.set_tensor(0, picture(1))
    digits.invoke()
    assert not np.array_equal(digits.get_tensor(34), probabilities), "the copy does not change"


def test_both_packages_compute_the_same():
    litert = pytest.importorskip("ai_edge_litert.interpreter", reason="pip install ai-edge-litert==2.3.0")
    arenite = pytest.importorskip("arenite.interpreter")
    # XNNPACK, LiteRT's default, rounds quantized layers in its own way; LiteRT's kernels are the standard.
    for path, error, resolver in (DIGITS, 1e-5, "AUTO"), (DIGITS_I8, 0, "BUILTIN_WITHOUT_DEFAULT_DELEGATES"):
        answers = []
        for package in arenite, litert:
            resolvers = {arenite: package.OpResolverType.AUTO, litert: package.OpResolverType[resolver]}
            interpreter = package.Interpreter(
                model_path=str(path), experimental_op_resolver_type=resolvers[package]
            )
            interpreter.allocate_tensors()
            image = picture() if error else (picture() * 255 - 128).astype(np.int8)
            interpreter.set_tensor(0, image)
            interpreter.invoke()
            answers.append(interpreter.get_tensor(34))
        np.testing.assert_allclose(*answers, rtol=0, atol=error)


@pytest.mark.parametrize(
    "value",
    [
        np.zeros(SHAPE, np.float64),
        np.zeros(SHAPE, np.int32),
        np.zeros(256, np.float32),
        np.zeros((*SHAPE, 1), np.float32),
        np.zeros((1, 16, 15, 1), np.float32),
        np.zeros(SHAPE).tolist(),
        5.0,
        None,
        "text",
    ],
)
def test_other_types_and_shapes_are_refused(digits, value):
    with pytest.raises(ValueError):
        digits.set_tensor(0, value)


@pytest.mark.parametrize("index", [-1, 999])
def test_there_is_no_such_tensor(digits, index):
    for call in digits.get_tensor, lambda i: digits.set_tensor(i, picture()), lambda i: digits.tensor(i)():
        with pytest.raises(ValueError):
            call(index)


@pytest.mark.parametrize("index", ["a", 0.0, None, 2**40, 2**70])
def test_an_index_is_a_number(digits, index):
    for call in (
        lambda: digits.set_tensor(index, picture()),
        lambda: digits.get_tensor(index),
        lambda: digits.get_tensor(0, index),
        lambda: digits.resize_tensor_input(index, SHAPE),
        digits.tensor(index),
    ):
        with pytest.raises(TypeError):
            call()


def test_numbers_of_numpy_are_indices(digits):
    digits.set_tensor(np.int64(0), picture())
    digits.set_tensor(tensor_index=np.int32(0), value=picture())
    assert np.array_equal(digits.get_tensor(np.uint8(0)), picture())


VALUES = {
    "fortran": lambda: np.asfortranarray(picture().reshape(16, 16)),
    "big endian": lambda: picture().reshape(16, 16).astype(">f4"),
    "every second": lambda: np.repeat(picture().reshape(16, 16), 2, axis=1)[:, ::2],
    "reversed": lambda: picture().reshape(16, 16)[::-1, ::-1],
    "read-only": lambda: np.broadcast_to(np.float32(3), (16, 16)),
    "unaligned": lambda: np.ndarray((16, 16), np.float32, b"\0" + picture().tobytes(), 1),
    "masked": lambda: np.ma.masked_array(picture().reshape(16, 16)),
    "matrix": lambda: np.matrix(picture().reshape(16, 16)),
}


@pytest.mark.filterwarnings("ignore:the matrix subclass")
@pytest.mark.parametrize("name", VALUES)
def test_arrays_in_any_layout(package, name, is_arenite):
    if name == "big endian" and not is_arenite:
        pytest.skip("ai_edge_litert takes the bytes in the wrong order")
    interpreter = made(package, identity(FLOAT32, [16, 16]))
    value = VALUES[name]()
    interpreter.set_tensor(0, value)
    interpreter.invoke()
    np.testing.assert_array_equal(interpreter.get_tensor(1), np.asarray(value))


def test_other_values_become_arrays(package):
    class Array:
        def __array__(self, dtype=None, copy=None):
            return np.full((2, 3), 7.0)

    interpreter = made(package, identity(FLOAT64, [2, 3]))
    for value, wanted in (Array(), 7), ([[1.5] * 3] * 2, 1.5):
        interpreter.set_tensor(0, value)
        assert (interpreter.get_tensor(0) == wanted).all()
    with pytest.raises(ValueError):
        interpreter.set_tensor(0, [[1.0, 2.0, 3.0], [1.0]])


@pytest.mark.parametrize(
    ("type", "dtype"),
    [(BOOL, np.bool_), (FLOAT16, np.float16), (INT64, np.int64), (INT8, np.int8), (INT4, np.int8)],
)
def test_types(package, type, dtype):
    interpreter = made(package, identity(type, [2, 3]))
    assert interpreter.get_input_details()[0]["dtype"] == dtype
    numbers = [[1, 0, 1], [0, 1, 1]] if type == BOOL else [[-8, 7, 1], [0, -1, 2]]
    value = np.array(numbers, dtype)
    interpreter.set_tensor(0, value)
    interpreter.invoke()
    got = interpreter.get_tensor(1)
    assert got.dtype == dtype and got.tolist() == value.tolist()


def test_a_tensor_without_dimensions_is_a_scalar(package):
    interpreter = made(package, identity(FLOAT32, []))
    interpreter.set_tensor(0, np.float32(3))
    interpreter.invoke()
    assert type(interpreter.get_tensor(1)) is np.float32 and interpreter.get_tensor(1) == 3


@pytest.mark.parametrize(
    "strings",
    [
        np.array([[b"a", b"bb"], [b"", b"d"]]),
        np.array([["a", "bb"], ["", "é"]]),
        np.array([[b"a", b"bb"], [b"", b"d"]], object),
    ],
)
def test_strings(package, strings):
    interpreter = made(package, identity(STRING, [2, 2]))
    assert interpreter.get_input_details()[0]["dtype"] == np.bytes_
    interpreter.set_tensor(0, strings)
    interpreter.invoke()
    got = interpreter.get_tensor(1)
    wanted = [s.encode() if isinstance(s, str) else bytes(s) for s in strings.ravel().tolist()]
    assert got.dtype == object and got.shape == (2, 2) and got.ravel().tolist() == wanted
    assert got.flags.owndata


def test_one_string(package):
    interpreter = made(package, identity(STRING, []))
    interpreter.set_tensor(0, np.array(b"a\0b"))
    interpreter.invoke()
    got = interpreter.get_tensor(1)
    assert (got.dtype, got.shape, got[()]) == (object, (), b"a\0b")


@pytest.mark.parametrize(
    "value", [np.zeros((2, 2), np.float32), np.array([["a", 1], ["b", "c"]], object), np.array([["a", "b"]])]
)
def test_other_values_are_no_strings(package, value):
    interpreter = made(package, identity(STRING, [2, 2]))
    with pytest.raises(ValueError):
        interpreter.set_tensor(0, value)


def test_bfloat16(package, is_arenite):
    if not is_arenite:
        pytest.skip("ai_edge_litert describes no tensor of this type")
    ml_dtypes = pytest.importorskip("ml_dtypes")
    interpreter = made(package, identity(BFLOAT16, [2]))
    assert interpreter.get_input_details()[0]["dtype"] is ml_dtypes.bfloat16
    value = np.array([1.5, -2], ml_dtypes.bfloat16)
    interpreter.set_tensor(0, value)
    interpreter.invoke()
    got = interpreter.get_tensor(1)
    assert got.dtype == value.dtype and got.tolist() == [1.5, -2]
    with pytest.raises(ValueError):
        interpreter.set_tensor(0, np.zeros(2, np.float16))


def test_handles_have_no_value(package, is_arenite):
    if not is_arenite:
        pytest.skip("ai_edge_litert ends the process")
    interpreter = made(package, model([Tensor("x", RESOURCE, [1])], [], [0], [0]))
    assert interpreter.get_input_details()[0]["dtype"] == np.object_
    for call in (
        lambda: interpreter.get_tensor(0),
        lambda: interpreter.tensor(0)(),
        lambda: interpreter.set_tensor(0, np.array([None], object)),
    ):
        with pytest.raises(ValueError):
            call()


# Order of calls


def test_memory_comes_first(package):
    interpreter = package.Interpreter(model_path=str(DIGITS))
    for call in (
        lambda: interpreter.get_tensor(0),
        lambda: interpreter.set_tensor(0, picture()),
        lambda: interpreter.tensor(0)(),
    ):
        with pytest.raises(ValueError):
            call()
    with pytest.raises(RuntimeError):
        interpreter.invoke()
    assert interpreter.allocate_tensors() is None
    interpreter.invoke()


def test_an_op_that_nothing_serves(package):
    content = model(
        [Tensor("x", FLOAT32, [2]), Tensor("y", FLOAT32, [2])], [Node("NoSuchOp", [0], [1])], [0], [1]
    )
    with pytest.raises(RuntimeError, match="NoSuchOp"):
        made(package, content)


def test_variables_are_reset(digits):
    assert digits.reset_all_variables() is None


# Resizing


def resizable(package):
    return package.Interpreter(
        model_content=model(
            [
                Tensor("x", FLOAT32, [1, 3], signature=[-1, 3]),
                Tensor("y", FLOAT32, [1, 3], signature=[-1, 3]),
            ],
            [Node(0, [0, 0], [1])],
            [0],
            [1],
        )
    )


@pytest.mark.parametrize("shape", [[4, 3], (4, 3), np.array([4, 3]), np.array([4.0, 3.0]), (4.9, 3)])
def test_an_input_is_resized(package, shape):
    interpreter = resizable(package)
    assert interpreter.get_input_details()[0]["shape_signature"].tolist() == [-1, 3]
    interpreter.resize_tensor_input(0, shape)
    assert interpreter.get_input_details()[0]["shape"].tolist() == [4, 3]
    with pytest.raises(RuntimeError):
        interpreter.invoke()
    interpreter.allocate_tensors()
    assert interpreter.get_output_details()[0]["shape"].tolist() == [4, 3]
    interpreter.set_tensor(0, np.ones((4, 3), np.float32))
    interpreter.invoke()
    assert (interpreter.get_tensor(1) == 2).all()
    with pytest.raises(ValueError):
        interpreter.set_tensor(0, np.ones((1, 3), np.float32))


def test_only_open_dimensions_change_strictly(package):
    interpreter = resizable(package)
    interpreter.resize_tensor_input(0, [5, 3], strict=True)
    for shape in [5, 4], [5], [5, 3, 1]:
        with pytest.raises(RuntimeError):
            interpreter.resize_tensor_input(0, shape, strict=True)
    assert interpreter.get_input_details()[0]["shape"].tolist() == [5, 3]
    interpreter.resize_tensor_input(0, [6, 4], strict=None)
    assert interpreter.get_input_details()[0]["shape"].tolist() == [6, 4]
    with pytest.raises(RuntimeError):
        interpreter.resize_tensor_input(0, [6, 5], strict=1)


def test_the_same_shape_needs_no_memory(package):
    interpreter = resizable(package)
    interpreter.allocate_tensors()
    interpreter.resize_tensor_input(0, [1, 3])
    interpreter.set_tensor(0, np.ones((1, 3), np.float32))
    interpreter.invoke()
    assert interpreter.get_tensor(1).tolist() == [[2, 2, 2]]
    interpreter.resize_tensor_input(0, [4, 3])
    interpreter.resize_tensor_input(0, [1, 3])
    interpreter.allocate_tensors()
    interpreter.set_tensor(0, np.ones((1, 3), np.float32))
    interpreter.invoke()
    assert interpreter.get_tensor(1).tolist() == [[2, 2, 2]]


@pytest.mark.parametrize(
    ("index", "shape", "exception"),
    [
        (99, [1, 3], RuntimeError),
        (0, [-1, 3], RuntimeError),
        (0, [[1, 3]], ValueError),
        (0, 5, ValueError),
        (0, "abc", ValueError),
        (0, [2**31, 3], OverflowError),
        ("a", [1, 3], TypeError),
    ],
)
def test_wrong_sizes_are_refused(package, index, shape, exception):
    interpreter = resizable(package)
    with pytest.raises(exception):
        interpreter.resize_tensor_input(index, shape)


def test_a_new_shape_needs_memory_first(package):
    interpreter = resizable(package)
    interpreter.allocate_tensors()
    interpreter.resize_tensor_input(0, [4, 3])
    for rows in 1, 4:
        with pytest.raises(ValueError):
            interpreter.set_tensor(0, np.ones((rows, 3), np.float32))


def test_shapes_that_depend_on_values(package):
    where = model([Tensor("condition", BOOL, [4]), Tensor("places", INT64, [])], [Node(109, [0], [1])], [0], [1])
    interpreter = made(package, where)
    assert interpreter.get_output_details()[0]["shape"].tolist() == []
    for call in lambda: interpreter.get_tensor(1), lambda: interpreter.tensor(1)():
        with pytest.raises(ValueError):
            call()
    for condition in [1, 0, 1, 1], [0, 0, 1, 0]:
        interpreter.set_tensor(0, np.array(condition, bool))
        interpreter.invoke()
        wanted = np.argwhere(condition)
        assert interpreter.get_output_details()[0]["shape"].tolist() == list(wanted.shape)
        for got in interpreter.get_tensor(1), interpreter.tensor(1)():
            np.testing.assert_array_equal(got, wanted)
        del got


def test_empty_tensors(package):
    interpreter = resizable(package)
    interpreter.resize_tensor_input(0, [0, 3])
    interpreter.allocate_tensors()
    interpreter.set_tensor(0, np.ones((0, 3), np.float32))
    interpreter.invoke()
    assert interpreter.get_tensor(1).shape == interpreter.tensor(1)().shape == (0, 3)


# Signatures


def two_signatures(package):
    tensors = [Tensor(name, FLOAT32, [2], signature=[-1]) for name in ("a", "b", "sum")]
    signatures = [
        ("add", {"right": 1, "left": 0}, {"sum": 2}),
        ("also", {"right": 1, "left": 0}, {"result": 2}),
    ]
    return package.Interpreter(model_content=model(tensors, [Node(0, [0, 1], [2])], [0, 1], [2], signatures))


def test_the_list_of_signatures(package):
    signatures = two_signatures(package).get_signature_list()
    assert signatures == {
        "add": {"inputs": ["left", "right"], "outputs": ["sum"]},
        "also": {"inputs": ["left", "right"], "outputs": ["result"]},
    }
    assert package.Interpreter(model_content=identity(FLOAT32, [1])).get_signature_list() == {}


def test_the_first_of_equal_keys_counts(package):
    tensors = [Tensor(name, FLOAT32, [2]) for name in ("a", "b", "sum")]
    signatures = [("add", {"left": 0, "right": 1}, {"sum": 2}), ("add", {"x": 0, "y": 1}, {"result": 2})]
    content = model(tensors, [Node(0, [0, 1], [2])], [0, 1], [2], signatures)
    interpreter = package.Interpreter(model_content=content)
    assert interpreter.get_signature_list() == {"add": {"inputs": ["left", "right"], "outputs": ["sum"]}}
    one = np.ones(2, np.float32)
    assert interpreter.get_signature_runner()(left=one, right=one)["sum"].tolist() == [2, 2]


def test_a_signature_runs(package):
    runner = two_signatures(package).get_signature_runner("add")
    for size in 2, 5, 2:
        left, right = np.arange(size, dtype=np.float32), np.full(size, 10, np.float32)
        sums = runner(right=right, left=left)
        assert list(sums) == ["sum"] and sums["sum"].tolist() == (left + right).tolist()
    assert {name: details["index"] for name, details in runner.get_input_details().items()} == {"left": 0, "right": 1}
    assert runner.get_output_details()["sum"]["shape"].tolist() == [2]


def test_the_only_signature_needs_no_key(package):
    runner = package.Interpreter(model_path=str(DIGITS)).get_signature_runner()
    assert runner(image=picture())["probabilities"].shape == (1, 10)


def test_wrong_keys(package):
    interpreter = two_signatures(package)
    for key in None, "none":
        with pytest.raises(ValueError):
            interpreter.get_signature_runner(key)
    for arguments in (), (interpreter,), (interpreter, "none"):
        with pytest.raises(ValueError):
            package.SignatureRunner(*arguments)


def test_wrong_inputs_of_a_signature(package):
    runner = two_signatures(package).get_signature_runner("add")
    one = np.ones(2, np.float32)
    for inputs, exception in [
        ({}, ValueError),
        ({"left": one}, ValueError),
        ({"left": one, "wrong": one}, ValueError),
        ({"left": one, "right": one.astype(np.int32)}, ValueError),
        ({"left": one, "right": [1.0, 1.0]}, AttributeError),
    ]:
        with pytest.raises(exception):
            runner(**inputs)
    with pytest.raises(TypeError):
        runner(one, one)


# Delegates


@pytest.mark.filterwarnings("ignore:Exception ignored in.*Delegate")
def test_delegates_that_do_not_exist(package):
    with pytest.raises(OSError):
        package.load_delegate("no_such_delegate.so")
    with pytest.raises(OSError):
        package.Delegate("no_such_delegate.so")


@pytest.mark.filterwarnings("ignore:Exception ignored in.*Delegate")
def test_files_that_are_no_libraries(package, tmp_path):
    with pytest.raises(OSError):
        package.load_delegate(str(DIGITS))
    with pytest.raises(OSError):
        package.load_delegate(str(tmp_path))


def test_custom_ops_of_tensorflow_lite(package):
    assert package.InterpreterWithCustomOps(model_path=str(DIGITS)).num_subgraphs() == 1
    with pytest.raises(ValueError):
        package.InterpreterWithCustomOps(custom_op_registerers=["no_such_symbol"], model_path=str(DIGITS))
