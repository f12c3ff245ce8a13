"""`arenite.Predictor` on a local cluster of Ray, with two nodes: 10,000 pictures in Parquet files."""

import io
import os
import pathlib
import signal
import threading
import time

import numpy as np
import pytest
from conftest import DIGITS, ROOT

arenite = pytest.importorskip("arenite")
ray = pytest.importorskip("ray", reason='Ray is not installed: pip install "ray[data]"')
pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")
Image = pytest.importorskip("PIL.Image", reason="pip install pillow")

ROWS, FILES = 10_000, 20
BAD = {7, 3111, 9999}


@pytest.fixture(scope="module")
def cluster():
    from ray.cluster_utils import Cluster

    # Workers have a low priority by default, and starve on a machine that is busy.
    os.environ["RAY_worker_niceness"] = "0"
    node = {"num_cpus": 2, "object_store_memory": 256 << 20}
    cluster = Cluster(initialize_head=True, head_node_args={**node, "include_dashboard": False})
    cluster.add_node(**node)
    ray.init(address=cluster.address, log_to_driver=False)
    yield cluster
    ray.shutdown()
    cluster.shutdown()


def pictures():
    """PNG files of digits, each moved by a few pixels; the damaged ones end after 40 bytes."""
    samples = [Image.open(ROOT / f"examples/digits/samples/{i}.png").convert("L") for i in range(10)]
    digits = [np.asarray(sample.resize((32, 32), Image.Resampling.BOX)) for sample in samples]
    random = np.random.default_rng(29)
    for i in range(ROWS):
        moved = np.roll(digits[i % 10], random.integers(-2, 3, 2), (0, 1))
        file = io.BytesIO()
        Image.fromarray(moved).save(file, "PNG", compress_level=1)
        yield file.getvalue()[:40] if i in BAD else file.getvalue()


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """A folder of Parquet files with the pictures."""
    folder = tmp_path_factory.mktemp("pictures")
    data, part = list(pictures()), ROWS // FILES
    for start in range(0, ROWS, part):
        rows = range(start, start + part)
        table = pyarrow.table({"id": list(rows), "picture": data[start : start + part]})
        parquet.write_table(table, folder / f"{start:05}.parquet")
    return folder


def pixels(data):
    picture = Image.open(io.BytesIO(data)).resize((16, 16), Image.Resampling.BOX)
    return np.asarray(picture, np.float32)[:, :, None] / 127.5 - 1


def decode(data):
    """The pixels of a picture. Adds a byte to the file of this process."""
    with open(os.environ["ARENITE_TEST_WORKERS"] + f"/{os.getpid()}", "ab") as file:
        file.write(b".")
    return pixels(data)


@pytest.fixture(scope="module")
def wanted(stored):
    """The labels of one process."""
    model = arenite.Model(DIGITS).rebatch(-1)
    table = parquet.read_table(stored).sort_by("id")
    images = [pixels(data) for i, data in enumerate(table.column("picture").to_pylist()) if i not in BAD]
    labels = model(np.stack(images))["probabilities"].argmax(1).tolist()
    assert len(set(labels)) == 10
    labels = iter(labels)
    return [None if i in BAD else f"class {next(labels)}" for i in range(ROWS)]


def rows_of(workers):
    """The number of rows that each process decoded."""
    return {int(file.name): file.stat().st_size for file in pathlib.Path(workers).iterdir()}


def test_the_labels_are_those_of_one_process_although_a_worker_is_killed(cluster, stored, wanted, tmp_path):
    workers, answers = tmp_path / "workers", tmp_path / "answers"
    workers.mkdir()
    killed = {}

    def kill_halfway():
        """Kills the process with the most rows when half of all rows are decoded."""
        end = time.monotonic() + 300
        while time.monotonic() < end:
            rows = rows_of(workers)
            if sum(rows.values()) >= ROWS // 2:
                most = max(rows, key=rows.get)
                os.kill(most, signal.SIGKILL)
                killed[most] = rows[most]
                return
            time.sleep(0.01)

    killer = threading.Thread(target=kill_halfway, daemon=True)
    killer.start()
    predictor = arenite.Predictor(str(DIGITS), column="picture", preprocess=decode, top=1, batch_size=32)
    ray.data.read_parquet(str(stored), override_num_blocks=FILES).map_batches(
        predictor,
        compute=ray.data.ActorPoolStrategy(size=2),
        batch_size=100,
        runtime_env={"env_vars": {"ARENITE_TEST_WORKERS": str(workers)}},
        max_restarts=-1,
        max_task_retries=-1,
    ).select_columns(["id", "label", "__error__"]).write_parquet(str(answers))

    killer.join()
    rows = rows_of(workers)
    assert len(killed) == 1 and len(rows) >= 2, rows
    ((process, done),) = killed.items()
    assert 0 < done <= rows[process] < ROWS - 500, "it left rows to the others"

    table = parquet.read_table(answers).sort_by("id")
    assert table.column("id").to_pylist() == list(range(ROWS)), "each row occurs once"
    errors = {i: error for i, error in enumerate(table.column("__error__").to_pylist()) if error}
    assert errors.keys() == BAD and all("Error" in error for error in errors.values()), errors
    assert table.column("label").to_pylist() == wanted
