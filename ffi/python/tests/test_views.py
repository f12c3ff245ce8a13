"""Arrays from `tensor()`, which share the interpreter's memory."""

import gc

import numpy as np
import pytest
from conftest import DIGITS
from models import FLOAT32, identity

SHAPE = (1, 16, 16, 1)


def test_a_view_is_the_tensor(digits):
    image, probabilities = digits.tensor(0), digits.tensor(34)
    image().fill(0.5)
    assert (digits.get_tensor(0) == 0.5).all()
    digits.invoke()
    assert np.array_equal(probabilities(), digits.get_tensor(34))
    view = image()
    assert view.flags.writeable and not view.flags.owndata and view.shape == SHAPE and view.dtype == np.float32


def moving_calls(interpreter):
    return [
        interpreter.invoke,
        interpreter.allocate_tensors,
        lambda: interpreter.resize_tensor_input(0, SHAPE),
    ]


def test_calls_that_move_memory_are_refused_while_there_is_a_view(digits):
    view = digits.tensor(34)()
    for call in moving_calls(digits):
        with pytest.raises(RuntimeError):
            call()
    part = view[0, 2:4]
    del view
    for call in moving_calls(digits):
        with pytest.raises(RuntimeError):
            call()
    del part
    digits.invoke()


def test_other_calls_are_allowed_while_there_is_a_view(digits):
    view = digits.tensor(0)()
    digits.set_tensor(0, np.full(SHAPE, 2, np.float32))
    assert (view == 2).all() and (digits.get_tensor(0) == 2).all()
    digits.reset_all_variables()
    assert digits.get_input_details() and digits.get_signature_list()


def test_the_function_may_be_kept(digits):
    image = digits.tensor(0)
    for value in 1, 2:
        image().fill(value)
        digits.invoke()
        digits.allocate_tensors()
    assert image().shape == SHAPE


def test_a_view_outlives_the_interpreter(digits, package):
    interpreter = package.Interpreter(model_path=str(DIGITS))
    interpreter.allocate_tensors()
    function = interpreter.tensor(0)
    view = function()
    view.fill(7)
    del interpreter
    gc.collect()
    others = [np.zeros(SHAPE, np.float32) for _ in range(100)]
    assert (view == 7).all() and len(others) == 100
    assert (function() == 7).all()
    del function
    gc.collect()
    assert (view == 7).all()


def test_a_view_can_be_copied_onto_itself(package):
    interpreter = package.Interpreter(model_content=identity(FLOAT32, [2, 3]))
    interpreter.allocate_tensors()
    interpreter.set_tensor(0, np.arange(6, dtype=np.float32).reshape(2, 3))
    view = interpreter.tensor(0)()
    interpreter.set_tensor(0, view)
    assert view.ravel().tolist() == [0, 1, 2, 3, 4, 5]
    interpreter.set_tensor(0, view[::-1])
    assert view.ravel().tolist() == [3, 4, 5, 0, 1, 2]


# What only arenite refuses: ai_edge_litert crashes, or leaves views of freed memory.


def only(package):
    pytest.importorskip("arenite.interpreter")
    if not package.__name__.startswith("arenite"):
        pytest.skip("ai_edge_litert writes to memory that it does not own")


def test_a_signature_does_not_move_memory_under_a_view(package):
    only(package)
    interpreter = package.Interpreter(model_path=str(DIGITS))
    runner = interpreter.get_signature_runner()
    image = np.zeros(SHAPE, np.float32)
    runner(image=image)
    view = interpreter.tensor(0)()
    with pytest.raises(RuntimeError):
        runner(image=image)
    del view
    runner(image=image)


def test_constants_are_read_only(package):
    only(package)
    interpreter = package.Interpreter(model_path=str(DIGITS))
    interpreter.allocate_tensors()
    constant = interpreter.tensor(1)()
    assert not constant.flags.writeable
    with pytest.raises(ValueError):
        constant[:] = 0
    with pytest.raises(ValueError):
        constant.flags.writeable = True
    with pytest.raises(ValueError):
        interpreter.set_tensor(1, constant)


def test_a_second_thread_is_refused_not_undefined(package):
    only(package)
    import threading

    interpreter = package.Interpreter(model_path=str(DIGITS))
    interpreter.allocate_tensors()
    failures = []

    def call():
        for _ in range(2000):
            try:
                interpreter.invoke()
            except RuntimeError as error:
                failures.append(str(error))

    threads = [threading.Thread(target=call) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert all("another thread" in failure for failure in failures)
    interpreter.invoke()
