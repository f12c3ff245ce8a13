"""Classifies pictures of digits in Parquet files on a local cluster of Ray with two nodes, and compares the labels with those of one
process. Needs ray[data], pyarrow and Pillow.

    python ray_pictures.py [COUNT]        COUNT pictures, 10000 by default
"""

import collections
import io
import pathlib
import sys
import tempfile
import time

import numpy
import pyarrow
import ray
from PIL import Image
from pyarrow import parquet
from ray.cluster_utils import Cluster

import arenite

DIGITS = pathlib.Path(__file__).resolve().parents[3] / "examples/digits"
PART = 500


def picture(i):
    """Picture `i` as a PNG file: a digit that is moved and turned. One of a thousand is damaged."""
    random = numpy.random.default_rng(i)
    digit = Image.open(DIGITS / f"samples/{i % 10}.png").convert("L")
    x, y, angle = random.integers(-12, 13), random.integers(-12, 13), random.uniform(-15, 15)
    file = io.BytesIO()
    digit.rotate(angle, translate=(int(x), int(y))).resize((64, 64)).save(file, "PNG")
    return file.getvalue()[:40] if i % 1000 == 7 else file.getvalue()


def store(folder, count):
    for start in range(0, count, PART):
        rows = range(start, min(start + PART, count))
        table = pyarrow.table({"id": list(rows), "picture": [picture(i) for i in rows]})
        parquet.write_table(table, f"{folder}/{start:06}.parquet")


def in_one_process(predictor, folder):
    table = parquet.read_table(folder).sort_by("id")
    start = time.monotonic()
    answer = predictor({"picture": table.column("picture").to_pylist()})
    return answer["label"].tolist(), answer["__error__"].tolist(), time.monotonic() - start


def on_ray(predictor, folder, answers, workers):
    start = time.monotonic()
    compute = ray.data.ActorPoolStrategy(size=workers)
    data = ray.data.read_parquet(folder, override_num_blocks=20).map_batches(predictor, compute=compute, batch_size=256)
    data.select_columns(["id", "label", "__error__"]).write_parquet(answers)
    seconds = time.monotonic() - start
    table = parquet.read_table(answers).sort_by("id")
    return table.column("label").to_pylist(), table.column("__error__").to_pylist(), seconds


def main(count=10000):
    predictor = arenite.Predictor(str(DIGITS / "digits_f32.tflite"), column="picture", top=1)
    node = {"num_cpus": 2, "object_store_memory": 512 << 20}
    cluster = Cluster(initialize_head=True, head_node_args=node)
    cluster.add_node(**node)
    ray.init(address=cluster.address, log_to_driver=False)
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as answers:
        store(folder, count)
        labels, errors, seconds = in_one_process(predictor, folder)
        damaged = [i for i, error in enumerate(errors) if error]
        print(f"one process: {count / seconds:.0f} rows/s; {len(damaged)} rows have errors, such as {errors[damaged[0]]}")
        print("labels:", dict(collections.Counter(labels).most_common()))
        for workers in 1, 2:
            found, found_errors, seconds = on_ray(predictor, folder, f"{answers}/{workers}", workers)
            same = found == labels and [bool(error) for error in found_errors] == [bool(error) for error in errors]
            print(f"{workers} workers: {count / seconds:.0f} rows/s with the start of Ray Data; the same labels: {same}")
    ray.shutdown()
    cluster.shutdown()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
