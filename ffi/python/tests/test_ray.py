"""`arenite.Predictor` on a local cluster of Ray, with two nodes."""

import glob
import os
import signal
import time

import numpy as np
import pytest
from conftest import DIGITS

arenite = pytest.importorskip("arenite")
ray = pytest.importorskip("ray", reason='Ray is not installed: pip install "ray[data]"')
pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

ROWS, BAD = 600, {7, 311}


@pytest.fixture(scope="module")
def cluster():
    from ray.cluster_utils import Cluster

    # Workers have a low priority by default, and starve on a machine that is busy.
    os.environ["RAY_worker_niceness"] = "0"
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 2})
    cluster.add_node(num_cpus=2)
    ray.init(address=cluster.address, log_to_driver=False)
    yield cluster
    ray.shutdown()
    cluster.shutdown()


def picture(i):
    """A pattern of 4 × 4 squares."""
    squares = np.random.default_rng(i).random((4, 4)) > 0.5
    return np.kron(squares, np.ones((4, 4)))[:, :, None].astype(np.float32)


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """A folder of Parquet files with encoded pictures, of which two are damaged."""
    folder = tmp_path_factory.mktemp("pictures")
    part = ROWS // 6
    for start in range(0, ROWS, part):
        rows = range(start, start + part)
        data = [b"damaged" if i in BAD else picture(i).tobytes() for i in rows]
        parquet.write_table(pyarrow.table({"id": list(rows), "picture": data}), folder / f"{start}.parquet")
    return folder


def decode(data):
    return np.frombuffer(data, np.float32).reshape(16, 16, 1)


def slowly(data):
    time.sleep(0.005)
    with open(os.environ["ARENITE_TEST_WORKERS"] + f"/{os.getpid()}", "a"):
        pass
    return decode(data)


def labels(folder):
    table = parquet.read_table(folder).sort_by("id")
    return table.column("id").to_pylist(), table.column("label").to_pylist(), table.column("__error__").to_pylist()


@pytest.fixture(scope="module")
def wanted():
    """The labels of one process."""
    model = arenite.Model(DIGITS).rebatch(-1)
    scores = model(np.stack([picture(i) for i in range(ROWS)]))["probabilities"]
    assert len(set(scores.argmax(1).tolist())) > 3
    return [None if i in BAD else f"class {k}" for i, k in enumerate(scores.argmax(1).tolist())]


def run(stored, answers, preprocess, **options):
    predictor = arenite.Predictor(str(DIGITS), column="picture", preprocess=preprocess, top=1, keep=["id"], batch_size=32)
    compute = ray.data.ActorPoolStrategy(size=2)
    data = ray.data.read_parquet(str(stored), override_num_blocks=12)
    data.map_batches(predictor, compute=compute, batch_size=50, **options).drop_columns(["probabilities"]).write_parquet(
        str(answers)
    )


def check(answers, wanted):
    ids, found, errors = labels(answers)
    assert ids == list(range(ROWS)), "each row is there once"
    assert found == wanted
    assert {i for i, error in enumerate(errors) if error} == BAD
    assert all("buffer size" in errors[i] for i in BAD)


def test_the_labels_are_those_of_one_process(cluster, stored, wanted, tmp_path):
    run(stored, tmp_path / "answers", decode)
    check(tmp_path / "answers", wanted)


def test_another_worker_completes_the_rows_of_one_that_is_killed(cluster, stored, wanted, tmp_path):
    import threading

    workers = tmp_path / "workers"
    workers.mkdir()

    def kill():
        for _ in range(600):
            time.sleep(0.1)
            running = glob.glob(f"{workers}/*")
            if running:
                time.sleep(0.3)
                os.kill(int(os.path.basename(running[0])), signal.SIGKILL)
                return

    killer = threading.Thread(target=kill)
    killer.start()
    runtime = {"env_vars": {"ARENITE_TEST_WORKERS": str(workers)}}
    run(stored, tmp_path / "answers", slowly, runtime_env=runtime, max_restarts=-1, max_task_retries=-1)
    killer.join()
    check(tmp_path / "answers", wanted)
    assert len(list(workers.iterdir())) >= 2
