"""Custom ops and planners that are Python functions."""

import gc
import multiprocessing
import pickle
import threading
import traceback
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from models import ADD, FLOAT32, INT8, INT32, STRING, Node, Tensor, model

arenite = pytest.importorskip("arenite")

VALUES = np.array([[1, 2], [3, 4]], np.float32)


def one_node(op="Cube", type=FLOAT32, shape=(2, 2), outputs=1, **tensor):
    """A model of one custom node with an input x and outputs y0, y1, …"""
    tensors = [Tensor("x", type, list(shape), signature=[-1, *shape[1:]], **tensor)]
    tensors += [Tensor(f"y{i}", type, list(shape), **tensor) for i in range(outputs)]
    return model(tensors, [Node(op, [0], list(range(1, outputs + 1)))], [0], list(range(1, outputs + 1)))


def between():
    """x + x → Cube → y + y."""
    tensors = [Tensor(name, FLOAT32, [2, 2]) for name in ("x", "a", "b", "y")]
    return model(tensors, [Node(ADD, [0, 0], [1]), Node("Cube", [1], [2]), Node(ADD, [2, 2], [3])], [0], [3])


def cube(x):
    return x**3


def same_shape(x):
    return x


def test_a_function_computes_a_node():
    cubes = arenite.Model(one_node(), ops={"Cube": cube})
    for _ in range(3):
        np.testing.assert_array_equal(cubes(VALUES)["y0"], VALUES**3)
    assert cubes(np.ones((5, 2)))["y0"].shape == (5, 2)
    assert [row["runs_on"] for row in cubes.placement()] == ["program"]


@pytest.mark.parametrize("shapes", [None, same_shape])
def test_nodes_before_and_after_it(shapes):
    for delegates in (), "none":
        mixed = arenite.Model(between(), ops=[arenite.Op("Cube", cube, shapes)], delegates=delegates)
        np.testing.assert_array_equal(mixed(VALUES)["y"], 16 * VALUES**3)
    names = {row["name"] for row in mixed.plan()}
    assert ("b" in names) == (shapes is not None), "memory is planned for shapes that are known"


def test_several_outputs():
    both = arenite.Op("Split", lambda x: (x + 1, x - 1), shapes=lambda x: [x, x])
    for op in both, arenite.Op("Split", both.function):
        answer = arenite.Model(one_node("Split", outputs=2), ops=[op])(VALUES)
        np.testing.assert_array_equal(answer["y0"], VALUES + 1)
        np.testing.assert_array_equal(answer["y1"], VALUES - 1)


def test_other_types():
    doubled = arenite.Model(one_node("Twice", INT8, scale=0.5), ops={"Twice": lambda x: x + x})
    np.testing.assert_array_equal(doubled(VALUES)["y0"], 2 * VALUES)
    strings = arenite.Model(one_node("Upper", STRING), ops={"Upper": np.vectorize(bytes.upper, otypes=[object])})
    assert strings([[b"a", "b"], ["c", "d"]])["y0"].tolist() == [[b"A", b"B"], [b"C", b"D"]]
    # What NumPy casts as "same_kind", it casts; other types are an error.
    wider = arenite.Model(one_node(), ops={"Cube": lambda x: x.astype(np.float64)})
    assert wider(VALUES)["y0"].dtype == np.float32
    with pytest.raises(arenite.TensorError, match="complex128.*float32") as failure:
        arenite.Model(one_node(), ops={"Cube": lambda x: x * 1j * np.ones(1, np.complex128)})(VALUES)
    assert failure.value.tensor == "y0"
    whole = arenite.Model(one_node("Twice", INT32), ops={"Twice": lambda x: x * 2})
    assert whole(VALUES.astype(np.int32))["y0"].tolist() == [[2, 4], [6, 8]]


def test_the_node():
    seen = []

    def look(x, *, node):
        seen.append(node)
        return x

    made = arenite.Model(one_node("Look", INT8, scale=0.25, zero_point=3), ops=[arenite.Op("Look", look, takes_node=True)])
    made(VALUES)
    node = seen[0]
    assert (node.op, node.index, node.subgraph, node.version, node.options) == ("Look", 0, 0, 1, b"")
    assert repr(node.inputs) == "[x: INT8 2×2]" and node.outputs[0].scales == (0.25,)
    assert node.outputs[0].zero_points == (3,)


def test_ops_for_all_models():
    @arenite.register_op("Cube")
    def wrong(x):
        return x

    assert wrong(2) == 2
    old = arenite.Model(one_node())
    arenite.register_op("Cube", cube)
    new = arenite.Model(one_node())
    own = arenite.Model(one_node(), ops={"Cube": lambda x: -x})
    arenite.unregister_op("Cube")
    for made, wanted in (old, VALUES), (new, VALUES**3), (own, -VALUES):
        np.testing.assert_array_equal(made(VALUES)["y0"], wanted)
    with pytest.raises(arenite.UnsupportedOp, match="Cube"):
        arenite.Model(one_node())(VALUES)
    with pytest.raises(KeyError):
        arenite.unregister_op("Cube")


def test_the_drop_in():
    from arenite.interpreter import Interpreter, InterpreterWithCustomOps

    interpreter = InterpreterWithCustomOps([arenite.Op("Cube", cube, same_shape)], model_content=one_node())
    interpreter.allocate_tensors()
    interpreter.set_tensor(0, VALUES)
    interpreter.invoke()
    np.testing.assert_array_equal(interpreter.get_tensor(1), VALUES**3)
    with pytest.raises(ValueError, match="arenite.Op"):
        InterpreterWithCustomOps([cube], model_content=one_node())
    arenite.register_op("Cube", cube, same_shape)
    try:
        interpreter = Interpreter(model_content=one_node())
    finally:
        arenite.unregister_op("Cube")
    interpreter.allocate_tensors()
    view = interpreter.tensor(1)
    interpreter.set_tensor(0, VALUES)
    interpreter.invoke()
    np.testing.assert_array_equal(view(), VALUES**3)


# Errors


class Trouble(Exception):
    pass


def troubled(x):
    raise Trouble("no luck")


@pytest.mark.parametrize(
    ("op", "kind"),
    [(arenite.Op("Cube", troubled), "eval"), (arenite.Op("Cube", cube, shapes=troubled), "prepare")],
    ids=["function", "shapes"],
)
def test_an_exception_reaches_the_caller(op, kind):
    made = arenite.Model(one_node(), ops=[op])
    for _ in range(2):
        with pytest.raises(Trouble, match="^no luck") as failure:
            made(VALUES)
    frames = [frame.name for frame in traceback.extract_tb(failure.value.__traceback__)]
    assert frames[-1] == "troubled"
    if hasattr(failure.value, "__notes__"):
        assert "Cube (node 0, output 'y0')" in failure.value.__notes__[0]
    good = arenite.Model(one_node(), ops={"Cube": cube})
    np.testing.assert_array_equal(good(VALUES)["y0"], VALUES**3)


def test_a_model_recovers_from_an_exception():
    def picky(x):
        if (x < 0).any():
            raise ValueError("negative")
        return x

    made = arenite.Model(one_node(), ops=[arenite.Op("Cube", picky, same_shape)])
    for _ in range(3):
        np.testing.assert_array_equal(made(VALUES)["y0"], VALUES)
        with pytest.raises(ValueError, match="negative"):
            made(-VALUES)


@pytest.mark.parametrize(
    ("op", "message"),
    [
        (arenite.Op("Cube", lambda x: (x, x)), "2 values.*1 outputs"),
        (arenite.Op("Cube", lambda x: x[:1], same_shape), r"shape \[1, 2\] for 'y0'.*\[2, 2\]"),
        (arenite.Op("Cube", cube, lambda x: "two"), "'two'"),
        (arenite.Op("Cube", cube, lambda x: [(1, 2), (3,)]), "2 shapes"),
        (arenite.Op("Cube", cube, lambda x: (-1, 2)), "-1"),
    ],
    ids=range(5),
)
def test_answers_that_fit_no_output(op, message):
    with pytest.raises(arenite.NodeError, match=message) as failure:
        arenite.Model(one_node(), ops=[op])(VALUES)
    assert (failure.value.op, failure.value.node, failure.value.tensor) == ("Cube", 0, "y0")


def test_wrong_arguments():
    for arguments in [(1, cube), ("Cube", 1), ("Cube", cube, 1)]:
        with pytest.raises(TypeError):
            arenite.Op(*arguments)
    with pytest.raises(TypeError, match="arenite.Op"):
        arenite.Model(one_node(), ops=[cube])


# Memory and threads


def test_arrays_may_be_kept():
    kept = []

    def keep(x):
        kept.append(x)
        x += 1
        return x

    for shapes in None, same_shape:
        made = arenite.Model(one_node(), ops=[arenite.Op("Cube", keep, shapes)])
        answers = [made(VALUES + i)["y0"] for i in range(10)]
        del made
        gc.collect()
        assert [np.array_equal(x, VALUES + i + 1) for i, x in enumerate(kept)] == [True] * 10
        assert all(np.array_equal(x, answer) for x, answer in zip(kept, answers))
        kept.clear()


def test_functions_live_as_long_as_their_models():
    import weakref

    def local(x):
        return x

    reference = weakref.ref(local)
    made = arenite.Model(one_node(), ops={"Cube": local})
    made(VALUES)
    del local
    gc.collect()
    assert reference() is not None and np.array_equal(made(VALUES)["y0"], VALUES)
    del made
    gc.collect()
    assert reference() is None


def test_a_function_may_run_models():
    inner = arenite.Model(one_node(), ops={"Cube": cube})
    outer = arenite.Model(one_node(), ops={"Cube": lambda x: inner(x)["y0"] + 1})
    np.testing.assert_array_equal(outer(VALUES)["y0"], VALUES**3 + 1)


def test_many_threads():
    names = set()

    def where(x):
        names.add(threading.current_thread().name)
        return x**3

    made = arenite.Model(between(), ops=[arenite.Op("Cube", where, same_shape)])

    def call(i):
        return np.array_equal(made(VALUES + i % 7)["y"], 16 * (VALUES + i % 7) ** 3)

    with ThreadPoolExecutor(4, thread_name_prefix="caller") as threads:
        assert all(threads.map(call, range(400)))
    assert all(name.startswith("caller") for name in names), "functions run on the caller's thread"


def call_in_child(made):
    return made(VALUES)["y0"]


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes(method):
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this system cannot {method}")
    made = arenite.Model(one_node(), ops=[arenite.Op("Cube", cube, same_shape)])
    made(VALUES)
    with multiprocessing.get_context(method).Pool(2) as pool:
        for answer in pool.map(call_in_child, [made] * 4):
            np.testing.assert_array_equal(answer, VALUES**3)


def test_a_pickle_has_the_functions_that_the_model_calls():
    arenite.register_op("Unused", lambda x: x)
    arenite.register_op("Cube", cube)
    try:
        pickled = pickle.dumps(arenite.Model(one_node()))
    finally:
        arenite.unregister_op("Unused")
        arenite.unregister_op("Cube")
    np.testing.assert_array_equal(pickle.loads(pickled)(VALUES)["y0"], VALUES**3)


# Planners


def in_a_row(records):
    """Places each buffer after the previous one."""
    offsets, end = [], 0
    for record in records:
        end = -(-end // record.alignment) * record.alignment
        offsets.append(end)
        end += record.size
    return offsets


def all_at_zero(records):
    return [0] * len(records)


def test_a_function_plans_memory():
    seen = []

    def plan(records):
        seen.append(records)
        return in_a_row(records)

    made = arenite.Model(between(), ops=[arenite.Op("Cube", cube, same_shape)], planner=plan)
    np.testing.assert_array_equal(made(VALUES)["y"], 16 * VALUES**3)
    assert made.plan().planner == "python:plan"
    record = seen[0][0]
    assert record.size == 16 and record.alignment >= 16 and record.first_node <= (record.last_node or 99)
    restored = pickle.loads(pickle.dumps(arenite.Model(between(), ops={"Cube": cube}, planner=in_a_row)))
    np.testing.assert_array_equal(restored(VALUES)["y"], 16 * VALUES**3)


def test_planners_by_name():
    arenite.register_planner("in-a-row", in_a_row)
    try:
        made = arenite.Model(between(), ops={"Cube": cube}, planner="in-a-row")
    finally:
        arenite.unregister_planner("in-a-row")
    np.testing.assert_array_equal(made(VALUES)["y"], 16 * VALUES**3)
    with pytest.raises(arenite.NotFound, match="in-a-row"):
        arenite.Model(between(), planner="in-a-row")


def test_a_wrong_plan_names_both_tensors():
    made = arenite.Model(between(), ops=[arenite.Op("Cube", cube, same_shape)], planner=all_at_zero, delegates="none")
    with pytest.raises(arenite.PlanError, match="records [0-9]+ '[xaby]'.* and [0-9]+ '[xaby]'.* overlap"):
        made(VALUES)


@pytest.mark.parametrize(
    ("plan", "error", "message"),
    [
        (troubled, Trouble, "no luck"),
        (lambda records: [0], arenite.PlanError, "1 offsets for"),
        (lambda records: [1] * len(records), arenite.PlanError, "offset 1, not a multiple of"),
        (lambda records: ["a"] * len(records), TypeError, "str"),
        (lambda records: [-1] * len(records), OverflowError, "negative"),
    ],
    ids=range(5),
)
def test_planners_that_fail(plan, error, message):
    made = arenite.Model(between(), ops=[arenite.Op("Cube", cube, same_shape)], planner=plan)
    with pytest.raises(error, match=message):
        made(VALUES)
