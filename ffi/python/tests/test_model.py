"""`arenite.Model`."""

import asyncio
import hashlib
import multiprocessing
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from conftest import DIGITS, DIGITS_I8, ROOT
from models import ADD, FLOAT32, INT32, RESHAPE, STRING, Node, Tensor, identity, model, once_and_twice

arenite = pytest.importorskip("arenite")


def picture(seed=0):
    return np.random.default_rng(seed).random((1, 16, 16, 1), np.float32)


@pytest.fixture(scope="module")
def digits():
    return arenite.Model(DIGITS)


def expected(image, path=DIGITS):
    interpreter = arenite_interpreter().Interpreter(path)
    interpreter.allocate_tensors()
    interpreter.set_tensor(0, image)
    interpreter.invoke()
    return interpreter.get_tensor(34)


def arenite_interpreter():
    import arenite.interpreter

    return arenite.interpreter


# Calls


def test_inputs_by_position_and_by_name(digits):
    wanted = expected(picture())
    for outputs in digits(picture()), digits(image=picture()), digits(image=picture().tolist()):
        assert list(outputs) == ["probabilities"]
        np.testing.assert_array_equal(outputs["probabilities"], wanted)


def test_outputs_own_their_memory(digits):
    first = digits(picture())["probabilities"]
    copy = first.copy()
    digits(picture(1))
    assert np.array_equal(first, copy)
    first[:] = 0


def test_names_of_tensors_are_names_too():
    tensors = [Tensor(name, FLOAT32, [2]) for name in ("serving:0", "b", "sum")]
    content = model(tensors, [Node(0, [0, 1], [2])], [0, 1], [2], [("add", {"x": 0, "y": 1}, {"z": 2})])
    one = np.ones(2, np.float32)
    added = arenite.Model(content)
    assert added(x=one, y=one)["z"].tolist() == [2, 2]
    assert added(**{"serving:0": one, "b": one})["z"].tolist() == [2, 2]
    assert added(one, y=one)["z"].tolist() == [2, 2]
    assert str(added.inputs) == "[x: FLOAT32 2, y: FLOAT32 2]"
    for inputs, named in [
        ((), {}),
        ((one,), {}),
        ((one, one, one), {}),
        ((one,), {"x": one}),
        ((one,), {"q": one}),
        ((object(), one), {}),
    ]:
        with pytest.raises((TypeError, arenite.TensorError), match="x|y"):
            added(*inputs, **named)


def test_signatures():
    x = np.ones((1, 2), np.float32)
    for key, factor in ("once", 2), ("twice", 4):
        made = arenite.Model(once_and_twice(), signature=key)
        # Calls at the same time make further interpreters.
        with ThreadPoolExecutor(4) as threads:
            answers = list(threads.map(lambda i, made=made: made(i * x)["b"], range(200)))
        np.testing.assert_array_equal(answers, [factor * i * x for i in range(200)])
        np.testing.assert_array_equal(made.rebatch(3)(np.repeat(x, 3, 0))["b"], np.full((3, 2), factor))
        assert made.profile(x).rows
    with pytest.raises(arenite.Error, match="another subgraph"):
        made.plan()


def test_quantization():
    quantized = arenite.Model(DIGITS_I8)
    image = picture()
    scale, zero_point = quantized.inputs[0].scales[0], quantized.inputs[0].zero_points[0]
    stored = np.clip(np.round(image / np.float32(scale)) + zero_point, -128, 127).astype(np.int8)
    raw = quantized(stored, raw=True)["probabilities"]
    assert raw.dtype == np.int8 and np.array_equal(raw, expected(stored, DIGITS_I8))
    output = quantized.outputs[0]
    reals = np.float32(output.scales[0]) * (raw.astype(np.float32) - output.zero_points[0])
    unaligned = np.frombuffer(b"\0" + image.tobytes(), np.uint8)[1:].view(np.float32).reshape(image.shape)
    turned = np.asfortranarray(image)
    for value in image, image.astype(np.float64), image.astype(np.float16), image.astype(">f4"), unaligned, turned, stored:
        got = quantized(value)["probabilities"]
        assert got.dtype == np.float32
        np.testing.assert_allclose(got, reals, atol=output.scales[0] * 4)
    np.testing.assert_array_equal(quantized(image)["probabilities"], reals)
    with pytest.raises(arenite.TensorError, match="image"):
        quantized(image, raw=True)
    with pytest.raises(arenite.TensorError, match="int64"):
        quantized(stored.astype(np.int64), raw=True)


def test_other_types_are_converted_if_nothing_is_lost_but_digits():
    tensors = [Tensor("x", FLOAT32, [2]), Tensor("y", FLOAT32, [2])]
    doubled = arenite.Model(model(tensors, [Node(0, [0, 0], [1])], [0], [1]))
    for value in [1, 2], [1.0, 2.0], np.array([1, 2], np.uint8), np.array([1, 2], ">f8"), range(1, 3):
        assert doubled(value)["y"].tolist() == [2, 4]
    for value in ["a", "b"], [1j, 2], [[1, 2]], [1, 2, 3], np.array([1, 2], "m8[s]"):
        with pytest.raises(arenite.TensorError):
            doubled(value)


def test_open_dimensions_follow_the_inputs():
    tensors = [Tensor(name, FLOAT32, [1, 2], signature=[-1, 2]) for name in ("x", "y")]
    doubled = arenite.Model(model(tensors, [Node(0, [0, 0], [1])], [0], [1]))
    for count in 3, 1, 3, 7:
        assert doubled(np.ones((count, 2), np.float32))["y"].shape == (count, 2)
    with pytest.raises(arenite.TensorError, match="x") as failure:
        doubled(np.ones((1, 3), np.float32))
    assert failure.value.tensor == "x"
    assert repr(doubled.inputs[0]) == "x: FLOAT32 ?×2"


class OnlyDlpack:
    """A tensor of another library."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **arguments):
        return self.array.__dlpack__(**arguments)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_dlpack(digits):
    answer = digits(OnlyDlpack(picture()))["probabilities"]
    np.testing.assert_array_equal(answer, expected(picture()))
    np.testing.assert_array_equal(np.from_dlpack(OnlyDlpack(answer)), answer)


def test_async_calls(digits):
    async def both():
        return await asyncio.gather(digits.run_async(picture()), digits.run_async(image=picture(1)))

    for seed, answer in enumerate(asyncio.run(both())):
        np.testing.assert_array_equal(answer["probabilities"], expected(picture(seed)))


def test_strings():
    same = arenite.Model(identity(STRING, [3]))
    assert same(["a", b"bc", ""])["y"].tolist() == [b"a", b"bc", b""]


# Pictures


def test_pictures():
    path = ROOT / "examples/digits/samples/7.png"
    for name, dtype in (DIGITS, np.float32), (DIGITS_I8, np.int8):
        made = arenite.Model(name)
        array = made.picture(path)
        assert array.shape == (1, 16, 16, 1) and array.dtype == dtype
        assert made.classify(array, top=1)[0][0] == "class 7"
        for other in path.read_bytes(), memoryview(path.read_bytes()), str(path):
            np.testing.assert_array_equal(made.picture(other, input="image"), array)
    batch = arenite.Model(DIGITS, batch=4)
    np.testing.assert_array_equal(batch.picture(path), arenite.Model(DIGITS).picture(path))
    scaled = batch.picture(path, mean=127.5, std=[255.0])
    np.testing.assert_allclose(2 * scaled, batch.picture(path), rtol=1e-5)


def test_pictures_that_are_refused(tmp_path):
    digits = arenite.Model(DIGITS)
    damaged = tmp_path / "damaged.png"
    damaged.write_bytes(b"\x89PNG\r\n")
    with pytest.raises(arenite.TensorError, match="damaged.png") as failure:
        digits.picture(damaged)
    assert (failure.value.tensor, failure.value.file) == ("image", str(DIGITS))
    with pytest.raises(FileNotFoundError):
        digits.picture(tmp_path / "none.png")
    picture = (ROOT / "examples/digits/samples/7.png").read_bytes()
    for arguments in {"mean": 1}, {"mean": [1, 2], "std": [1, 2]}, {"mean": 1, "std": 0}:
        with pytest.raises(ValueError):
            digits.picture(picture, **arguments)
    tensors = [Tensor(name, FLOAT32, [2]) for name in ("a", "b", "sum")]
    two = arenite.Model(model(tensors, [Node(ADD, [0, 1], [2])], [0, 1], [2]))
    with pytest.raises(arenite.TensorError, match=r"shape \[2\] is not"):
        two.picture(picture, input="a")
    with pytest.raises(TypeError, match="2 inputs: name one of a, b"):
        two.picture(picture)
    with pytest.raises(TypeError, match="'c'; its inputs: a, b"):
        two.picture(picture, input="c")


# Errors


def test_errors_have_names_and_places():
    with pytest.raises(FileNotFoundError):
        arenite.Model("/no/such/file")
    with pytest.raises(arenite.InvalidModel):
        arenite.Model(b"garbage")
    with pytest.raises(arenite.NotFound, match="digits|serving_default"):
        arenite.Model(DIGITS, signature="none")
    with pytest.raises(arenite.NotFound, match="nodelegate"):
        arenite.Model(DIGITS, delegates="nodelegate")
    with pytest.raises(arenite.InvalidConfig):
        arenite.Model(DIGITS, config="schema = 1\n[quota]\nbytes = 'many'")
    with pytest.raises(arenite.Error, match="use arenite.Interpreter and its tie"):
        arenite.Model(DIGITS, config="schema = 1\n[tie]\ncaches = true")
    content = model([Tensor("x", FLOAT32, [2]), Tensor("y", FLOAT32, [2])], [Node("NoSuchOp", [0], [1])], [0], [1])
    with pytest.raises(arenite.UnsupportedOp) as failure:
        arenite.Model(content)(np.ones(2, np.float32))
    assert (failure.value.op, failure.value.subgraph, failure.value.node) == ("NoSuchOp", 0, 0)
    assert failure.value.file is None, "the model was made of bytes"
    restored = pickle.loads(pickle.dumps(failure.value))
    assert type(restored) is arenite.UnsupportedOp and restored.op == "NoSuchOp" and str(restored) == str(failure.value)


def test_errors_have_the_file(tmp_path, digits):
    with pytest.raises(arenite.TensorError) as failure:
        digits(np.zeros((1, 2, 3, 4), np.float32))
    assert (failure.value.file, failure.value.tensor) == (str(DIGITS), "image")
    damaged = tmp_path / "damaged.tflite"
    damaged.write_bytes(DIGITS.read_bytes()[:1000])
    with pytest.raises(arenite.InvalidModel) as failure:
        arenite.Model(damaged)
    assert failure.value.file == str(damaged)


def test_quotas():
    small = arenite.Model(DIGITS, config="schema = 1\n[quota]\nbytes = 1000")
    with pytest.raises(arenite.QuotaExceeded):
        small(picture())


# Time


def slow(nodes=40, size=800):
    """y = x · x over and over."""
    tensors = [Tensor(f"t{i}", FLOAT32, [size, size]) for i in range(nodes + 1)]
    chain = [Node(126, [i, i], [i + 1]) for i in range(nodes)]
    return arenite.Model(model(tensors, chain, [0], [nodes]), threads=1), np.zeros((size, size), np.float32)


@pytest.mark.parametrize("limit", ["timeout", "deadline", "both", "quota"])
def test_deadlines(limit):
    made, x = slow()
    limits = {
        "timeout": {"timeout": 0.05},
        "deadline": {"deadline": time.monotonic() + 0.05},
        "both": {"timeout": 0.05, "deadline": time.monotonic() + 100},
        "quota": {},
    }[limit]
    if limit == "quota":
        made = made._changed(config="schema = 1\n[quota]\ntime = 50")
    start = time.monotonic()
    with pytest.raises(arenite.DeadlineExceeded, match="quota" if limit == "quota" else "longer than 0.0") as failure:
        made(x, **limits)
    assert time.monotonic() - start < 5
    assert isinstance(failure.value, TimeoutError) and isinstance(failure.value, arenite.QuotaExceeded)
    with pytest.raises(arenite.DeadlineExceeded):
        asyncio.run(made.run_async(x, timeout=0))


def test_a_deadline_is_of_one_call(digits):
    for limits in {"timeout": 60}, {"deadline": time.monotonic() + 60}, {"timeout": float("inf")}:
        digits(picture(), **limits)
    with pytest.raises(arenite.DeadlineExceeded):
        digits(picture(), timeout=-1)
    digits(picture())
    with pytest.raises(ValueError):
        digits(picture(), timeout=float("nan"))


# Batches


def test_rebatch(digits):
    images = np.concatenate([picture(seed) for seed in range(5)])
    five = digits.rebatch(5)
    assert [port.shape for port in (*five.inputs, *five.outputs)] == [(5, 16, 16, 1), (5, 10)]
    answers = five(images)["probabilities"]
    for seed, answer in enumerate(answers):
        np.testing.assert_allclose(answer, expected(picture(seed))[0], rtol=1e-4, atol=1e-6)
    with pytest.raises(arenite.TensorError, match="image"):
        five(images[:4])
    with pytest.raises(arenite.TensorError):
        digits(images)
    any_size = pickle.loads(pickle.dumps(digits.rebatch(-1)))
    for count in 1, 5, 2:
        assert any_size(images[:count])["probabilities"].shape == (count, 10)
    assert arenite.Model(DIGITS, require="cpu").rebatch(2)._require == "cpu"
    assert five.rebatch(1)(picture())["probabilities"].shape == (1, 10)
    assert arenite.Model(DIGITS, batch=2).inputs[0].shape == (2, 16, 16, 1)
    for size in 0, -2:
        with pytest.raises(ValueError):
            digits.rebatch(size)


def reshaped(dims, *, other=()):
    """x + x = a, RESHAPE(a, dims) = y."""
    tensors = [Tensor("x", FLOAT32, [1, 4]), Tensor("a", FLOAT32, [1, 4]), Tensor("y", FLOAT32, [1, 4])]
    tensors.append(Tensor("dims", INT32, [len(dims)], data=np.array(dims, np.int32).tobytes()))
    return model(tensors, [Node(ADD, [0, 0], [1]), Node(RESHAPE, [1, 3], [2])], [0], [2, *other])


@pytest.mark.parametrize("dims", [(1, 4), (1, 2, 2), (-1, 4), (1, -1)])
def test_a_constant_shape_follows_the_batch(dims):
    made = arenite.Model(reshaped(dims))
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    np.testing.assert_array_equal(made.rebatch(3)(x)["y"], 2 * x.reshape(3, *dims[1:]))
    if dims != (1, -1):
        np.testing.assert_array_equal(made.rebatch(-1)(x)["y"], 2 * x.reshape(3, *dims[1:]))


@pytest.mark.parametrize(
    ("content", "size"), [(reshaped((4, 1)), 3), (reshaped((1, -1)), -1), (reshaped((1, 4), other=[3]), 3)]
)
def test_the_node_that_fixes_the_batch(content, size):
    with pytest.raises(arenite.BatchFixed, match=r"from 1 to [23]: node 1 \(RESHAPE\)") as failure:
        arenite.Model(content).rebatch(size)
    assert (failure.value.op, failure.value.node, failure.value.subgraph) == ("RESHAPE", 1, 0)


# Reports


def test_the_plan(digits):
    plan = digits.plan()
    assert plan.arena_bytes >= plan.lower_bound > 0 and len(plan) > 0
    assert all(row["offset"] + row["size"] <= plan.arena_bytes for row in plan.rows)
    assert "bytes by planner" in repr(plan)
    assert plan._repr_html_().count("<tr>") == len(plan) + 1


def test_the_placement(digits):
    placement = digits.placement()
    assert placement.count("cpu") == len(placement)
    assert "CONV_2D" in repr(placement)
    reference = arenite.Model(DIGITS, delegates="none").placement()
    assert reference.count("cpu") == 0
    arenite.Model(DIGITS, require="cpu")
    with pytest.raises(arenite.DelegateError, match="'cpu' must run every node and runs 0 of"):
        arenite.Model(DIGITS, delegates="none", require="cpu")
    tensors = [Tensor(name, FLOAT32, [2]) for name in ("x", "a", "y")]
    mixed = model(tensors, [Node(ADD, [0, 0], [1]), Node("Cube", [1], [2])], [0], [2])
    with pytest.raises(arenite.DelegateError, match=r"runs 1 of 2: node 1 \(Cube\) runs on program: "):
        arenite.Model(mixed, require="cpu", ops=[arenite.Op("Cube", abs, lambda x: x)])


def test_the_profile(digits):
    profile = digits.profile(picture(), runs=3)
    assert {row["runs"] for row in profile} == {3}
    assert sum(row["percent"] for row in profile) == pytest.approx(100)
    assert "mean_ms" in repr(profile)


# Threads and processes


def test_many_threads(digits):
    images = [picture(seed) for seed in range(8)]
    wanted = [expected(image) for image in images]
    failures = []

    def call(k):
        for _ in range(1000):
            if not np.array_equal(digits(images[k])["probabilities"], wanted[k]):
                failures.append(k)

    threads = [threading.Thread(target=call, args=(k,)) for k in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert not failures
    assert 1 <= digits._idle <= 8


def test_pickle_of_a_path(digits):
    restored = pickle.loads(pickle.dumps(digits))
    assert restored.path == str(DIGITS)
    np.testing.assert_array_equal(restored(picture())["probabilities"], expected(picture()))


def test_pickle_of_bytes_and_settings():
    made = arenite.Model(DIGITS.read_bytes(), delegates=[("cpu", {})], threads=1, planner="linear")
    restored = pickle.loads(pickle.dumps(made))
    assert restored.path is None and restored.plan().planner == "linear"


def test_pickle_of_a_file_that_changed(tmp_path):
    path = tmp_path / "model.tflite"
    path.write_bytes(DIGITS.read_bytes())
    pickled = pickle.dumps(arenite.Model(path))
    path.write_bytes(DIGITS_I8.read_bytes())
    with pytest.raises(arenite.InvalidModel, match=hashlib.sha256(DIGITS.read_bytes()).hexdigest()) as failure:
        pickle.loads(pickled)
    assert failure.value.file == str(path)


def call_in_child(made, image):
    return made(image)["probabilities"]


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_processes(digits, method):
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this system cannot {method}")
    digits(picture())
    with multiprocessing.get_context(method).Pool(2) as pool:
        answers = pool.starmap(call_in_child, [(digits, picture(seed)) for seed in range(4)])
    for seed, answer in enumerate(answers):
        np.testing.assert_array_equal(answer, expected(picture(seed)))


def in_child(function, seconds=60):
    """The exit status of a forked child that calls a function."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            function()
            status = 0
        finally:
            os._exit(status)
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "it hangs"


def test_fork_after_use(digits):
    wanted = expected(picture())
    digits(picture())

    def child():
        assert np.array_equal(digits(picture())["probabilities"], wanted)
        with ThreadPoolExecutor(4) as threads:
            answers = list(threads.map(lambda _: digits(picture())["probabilities"], range(100)))
        assert all(np.array_equal(answer, wanted) for answer in answers)

    assert in_child(child) == 0
    assert np.array_equal(digits(picture())["probabilities"], wanted)


def test_a_child_has_threads_of_its_own():
    def product(threads):
        tensors = [Tensor(name, FLOAT32, [512, 512]) for name in ("x", "y")]
        return arenite.Model(model(tensors, [Node(126, [0, 0], [1])], [0], [1]), threads=threads)

    def workers():
        return sum("arenite-" in (task / "comm").read_text() for task in pathlib.Path("/proc/self/task").iterdir())

    def run():
        before = workers()
        wide = product(3)
        for _ in range(3):
            np.testing.assert_allclose(wide(x)["y"], wanted, rtol=1e-4)
        return before, workers()

    if not os.path.exists("/proc/self/task"):
        pytest.skip("this system does not list threads")
    x = np.random.default_rng(1).random((512, 512), np.float32)
    wanted = x @ x
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("there is one processor, so models run on one thread")
    assert run()[1] >= 1

    def child():
        before, after = run()
        assert before == 0 and after >= 1

    assert in_child(child) == 0


def test_fork_while_other_threads_build_and_run():
    stop = threading.Event()

    def work():
        while not stop.is_set():
            arenite.Model(DIGITS)(picture())

    threads = [threading.Thread(target=work) for _ in range(3)]
    [thread.start() for thread in threads]
    try:
        for _ in range(20):
            assert in_child(lambda: arenite.Model(DIGITS)(picture())) == 0
    finally:
        stop.set()
        [thread.join() for thread in threads]


def test_fork_during_the_first_use():
    """Each fork happens while another thread imports modules and looks for plugins for the first time."""
    program = """
        import os, sys, threading, time
        import arenite

        def use():
            model = arenite.Model(sys.argv[1])
            model(memoryview(bytes(1024)).cast("f", [1, 16, 16, 1]))

        first = threading.Thread(target=use)
        first.start()
        children = []
        while first.is_alive():
            if child := os.fork():
                children.append(child)
                time.sleep(0.002)
                continue
            status = 1
            try:
                use()
                status = 0
            finally:
                os._exit(status)
        sys.exit(any(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children))
    """
    for _ in range(5):
        subprocess.run([sys.executable, "-c", textwrap.dedent(program), DIGITS], check=True, timeout=60)


def test_an_interpreter_after_a_fork():
    interpreter = arenite_interpreter().Interpreter(DIGITS, num_threads=2)
    interpreter.allocate_tensors()
    interpreter.set_tensor(0, picture())
    interpreter.invoke()
    wanted = interpreter.get_tensor(34)

    def child():
        interpreter.set_tensor(0, picture())
        interpreter.invoke()
        assert np.array_equal(interpreter.get_tensor(34), wanted)

    assert in_child(child) == 0


SLOW = """
import signal, sys, threading, time, os
sys.path.insert(0, {tests!r})
import numpy as np, arenite
from models import FLOAT32, Node, Tensor, model
size = 3000
# y = x · x over and over: seconds of work in nodes that poll.
tensors = [Tensor(f"t{{i}}", FLOAT32, [size, size]) for i in range(41)]
nodes = [Node(126, [i, i], [i + 1]) for i in range(40)]
slow = arenite.Model(model(tensors, nodes, [0], [40]), threads=1)
x = np.zeros((size, size), np.float32)
# A job in the background of a shell ignores SIGINT.
signal.signal(signal.SIGINT, signal.default_int_handler)
threading.Timer(1.5, os.kill, (os.getpid(), signal.SIGINT)).start()
start = time.monotonic()
try:
    slow(x)
    print("finished", time.monotonic() - start)
except KeyboardInterrupt:
    print("interrupted", time.monotonic() - start)
print(slow._idle)
"""


def test_ctrl_c_cancels(tmp_path):
    script = SLOW.format(tests=os.path.dirname(__file__))
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300)
    word, seconds, idle = done.stdout.split()
    assert word == "interrupted" and float(seconds) < 30, done.stdout + done.stderr
    assert idle == "1", "the interpreter stays usable"
