"""`arenite.Predictor` on batches of rows."""

import io
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from conftest import DIGITS, ROOT
from models import ADD, FLOAT32, INT32, RESHAPE, Node, Tensor, model

arenite = pytest.importorskip("arenite")
predictor_module = pytest.importorskip("arenite.predictor")


def pictures(count):
    return np.random.default_rng(3).random((count, 16, 16, 1), np.float32)


@pytest.fixture(scope="module")
def digits():
    return arenite.Model(DIGITS)


def test_rows_get_outputs(digits):
    predictor = arenite.Predictor(str(DIGITS), batch_size=4)
    images = pictures(10)
    batch = {"image": images, "id": np.arange(10)}
    answer = predictor(batch)
    assert list(answer) == ["id", "probabilities", "__error__"]
    assert answer["id"].tolist() == list(range(10)) and answer["__error__"].tolist() == [None] * 10
    for image, row in zip(images, answer["probabilities"]):
        np.testing.assert_allclose(row, digits(image[None])["probabilities"][0], rtol=1e-4, atol=1e-6)
    assert list(batch) == ["image", "id"], "the batch is unchanged"
    empty = predictor({"image": pictures(0)})
    assert empty["probabilities"].shape == (0, 10) and len(empty["__error__"]) == 0


def decode(data):
    if data == b"bad":
        raise ValueError("no picture")
    return np.frombuffer(data, np.float32).reshape(16, 16, 1)


def test_a_bad_row_costs_only_that_row(digits):
    rows = [image.tobytes() for image in pictures(6)]
    rows[1], rows[4] = b"bad", pictures(1)[0, :8].tobytes()
    predictor = arenite.Predictor(str(DIGITS), column="bytes", preprocess=decode, top=1, batch_size=3)
    answer = predictor({"bytes": rows, "name": list("abcdef")})
    errors = answer["__error__"]
    assert errors[1] == "ValueError: no picture" and "reshape" in errors[4]
    assert [error is None for error in errors] == [True, False, True, True, False, True]
    assert not answer["probabilities"][[1, 4]].any() and answer["label"][1] is None
    for i in 0, 2, 3, 5:
        assert answer["label"][i] == digits.classify(decode(rows[i])[None], top=1)[0][0]
    shapes = arenite.Predictor(str(DIGITS), column="image")({"image": [pictures(1)[0], np.zeros((2, 2))]})
    assert shapes["__error__"][0] is None and "(2, 2)" in shapes["__error__"][1]


def test_pictures_are_decoded(digits):
    rows = [(ROOT / f"examples/digits/samples/{i}.png").read_bytes() for i in (3, 7, 5)]
    damaged, text = rows[0][:100], b"no picture"
    predictor = arenite.Predictor(str(DIGITS), column="file", top=1, batch_size=2)
    answer = predictor({"file": [*rows, damaged, text, bytearray(rows[1])], "id": np.arange(6)})
    assert list(answer) == ["id", "probabilities", "label", "score", "__error__"]
    assert answer["label"].tolist() == ["class 3", "class 7", "class 5", None, None, "class 7"]
    errors = answer["__error__"].tolist()
    assert [error is None for error in errors] == [True, True, True, False, False, True]
    assert "100 bytes" in errors[3]
    assert errors[4] == "TensorError: tensor 'image': 10 bytes: is not a png, jpeg or bmp picture"
    for row, file in zip(answer["probabilities"], rows):
        wanted = digits(digits.picture(file))["probabilities"][0]
        np.testing.assert_allclose(row, wanted, rtol=1e-4, atol=1e-6)
    dark = arenite.Predictor(str(DIGITS), column="file", mean=127.5, std=1e6)({"file": rows})
    grey = digits(np.zeros((1, 16, 16, 1), np.float32))["probabilities"][0]
    np.testing.assert_allclose(dark["probabilities"], [grey] * 3, rtol=1e-2, atol=1e-3)
    jpeg = pytest.importorskip("PIL.Image").open(io.BytesIO(rows[1])).convert("RGB")
    file = io.BytesIO()
    jpeg.save(file, "JPEG")
    assert predictor({"file": [file.getvalue()]})["label"].tolist() == ["class 7"]


def test_threads_load_a_model_once(monkeypatch):
    loads = []

    class Counting(predictor_module._Loaded):
        def __init__(self, *arguments):
            loads.append(arguments)
            super().__init__(*arguments)

    monkeypatch.setattr(predictor_module, "_Loaded", Counting)
    predictor = arenite.Predictor(str(DIGITS), batch_size=29)
    workers = [predictor, predictor(), pickle.loads(pickle.dumps(predictor)), predictor()] * 2
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda worker: worker({"image": pictures(3)}), workers))
    assert len(loads) == 1


def test_a_row_that_the_model_refuses():
    def picky(x):
        if (x < 0).any():
            raise ValueError("negative")
        return x

    tensors = [Tensor(name, FLOAT32, [1, 2], signature=[-1, 2]) for name in ("x", "y")]
    content = model(tensors, [Node("Picky", [0], [1])], [0], [1])
    predictor = arenite.Predictor(content, ops={"Picky": picky}, batch_size=4)
    answer = predictor({"x": np.array([[1, 1], [2, 2], [-3, 3], [4, 4], [5, 5]])})
    assert answer["__error__"].tolist() == [None, None, "ValueError: negative", None, None]
    assert answer["y"].tolist() == [[1, 1], [2, 2], [0, 0], [4, 4], [5, 5]]


def test_a_batch_size_that_the_file_fixes():
    shape = np.array([2, 3], np.int32).tobytes()
    tensors = [Tensor(name, FLOAT32, [2, 3]) for name in ("x", "a", "y")] + [Tensor("s", INT32, [2], data=shape)]
    # The shape is an output, too, so it stays as it is.
    content = model(tensors, [Node(ADD, [0, 0], [1]), Node(RESHAPE, [1, 3], [2])], [0], [2, 3])
    x = np.arange(15, dtype=np.float32).reshape(5, 3)
    np.testing.assert_array_equal(arenite.Predictor(content)({"x": x})["y"], 2 * x)


def test_several_inputs():
    tensors = [Tensor(name, FLOAT32, [1, 2]) for name in ("left", "right", "sum")]
    content = model(tensors, [Node(ADD, [0, 1], [2])], [0, 1], [2])
    ones = np.ones((3, 2), np.float32)
    both = arenite.Predictor(content, columns={"left": "a"})
    assert both({"a": ones, "right": 2 * ones})["sum"].tolist() == [[3, 3]] * 3
    with pytest.raises(KeyError, match="right"):
        both({"a": ones})
    with pytest.raises(ValueError, match="columns"):
        arenite.Predictor(content, column="a")({"a": ones})
    swapped = arenite.Predictor(content, preprocess=lambda a, b: (b, a))
    assert swapped({"left": ones, "right": ones})["sum"].shape == (3, 2)


def test_frames_and_tables():
    pandas = pytest.importorskip("pandas")
    images = pictures(3)
    predictor = arenite.Predictor(str(DIGITS), keep=["id"], top=2)
    wanted = predictor({"image": images, "id": np.arange(3)})
    frame = predictor(pandas.DataFrame({"image": list(images), "id": range(3), "other": 0}))
    assert list(frame.columns) == ["id", "probabilities", "label", "score", "__error__"]
    np.testing.assert_allclose(np.stack(frame["probabilities"].tolist()), wanted["probabilities"], rtol=1e-6)
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({"image": [image.tolist() for image in images], "id": [0, 1, 2]})
    answer = predictor(table)
    assert answer.column("label").to_pylist() == wanted["label"].tolist()
    assert answer.column("__error__").null_count == 3
    with pytest.raises(TypeError, match="list"):
        predictor([1, 2])


def test_predictors_are_small_and_load_once():
    predictor = arenite.Predictor(str(DIGITS), column="image")
    assert len(pickle.dumps(predictor)) < 1000
    restored = pickle.loads(pickle.dumps(predictor))
    worker = restored()
    batch = {"image": pictures(2)}
    np.testing.assert_array_equal(worker(batch)["probabilities"], predictor(batch)["probabilities"])
    assert restored.description.load() is predictor.description.load()
    assert arenite.Predictor(str(DIGITS), batch_size=2).description.load() is not predictor.description.load()
    assert isinstance(predictor, type) and "digits_f32" in repr(predictor)
    cloudpickle = pytest.importorskip("cloudpickle")
    local = arenite.Predictor(str(DIGITS), preprocess=lambda value: value)
    restored = cloudpickle.loads(cloudpickle.dumps(local))
    np.testing.assert_array_equal(
        restored({"image": batch["image"]})["probabilities"], predictor(batch)["probabilities"]
    )


def test_it_imports_no_engine():
    program = (
        "import arenite, sys; arenite.Predictor('model.tflite'); "
        "print([name for name in ('ray', 'pyspark', 'apache_beam', 'numpy', 'pandas', 'pyarrow') if name in sys.modules])"
    )
    assert subprocess.check_output([sys.executable, "-c", program], text=True).strip() == "[]"


def test_errors_of_the_whole_batch():
    for arguments in {"column": "a", "columns": {}}, {"batch_size": 0}, {"top": 0}:
        with pytest.raises(ValueError):
            arenite.Predictor(str(DIGITS), **arguments)
    with pytest.raises(FileNotFoundError):
        arenite.Predictor("/no/such/file")({"x": [1]})
    with pytest.raises(KeyError, match="image"):
        arenite.Predictor(str(DIGITS))({"x": [1]})
