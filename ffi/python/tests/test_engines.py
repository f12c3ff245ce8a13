"""The examples for Spark and Beam."""

import pathlib
import shutil
import sys

import numpy as np
import pytest
from conftest import DIGITS

arenite = pytest.importorskip("arenite")

EXAMPLES = pathlib.Path(__file__).resolve().parents[1] / "examples"
sys.path.insert(0, str(EXAMPLES))


def pictures(count):
    return np.random.default_rng(4).random((count, 16, 16, 1), np.float32)


def labels(images):
    model = arenite.Model(DIGITS)
    return [model.classify(image[None], top=1)[0][0] for image in images]


def test_spark():
    sql = pytest.importorskip("pyspark.sql", reason="Spark is not installed: pip install pyspark")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java: apt-get install default-jre-headless")
    import spark as example

    images = pictures(40)
    session = sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    try:
        rows = session.createDataFrame([(i, image.ravel().tolist()) for i, image in enumerate(images)], ["id", "image"])
        classify = example.classifier(str(DIGITS), shape=(16, 16, 1))
        answers = rows.select("id", classify("image").alias("answer")).select("id", "answer.*").orderBy("id").collect()
    finally:
        session.stop()
    assert [answer.label for answer in answers] == labels(images)
    assert all(answer.error is None and 0 < answer.score <= 1 for answer in answers)


def test_beam():
    beam = pytest.importorskip("apache_beam", reason="Beam is not installed: pip install apache-beam")
    from apache_beam.ml.inference.base import RunInference
    from apache_beam.testing.util import assert_that
    from beam import AreniteModelHandler

    images = list(pictures(20))
    wanted = sorted([*labels(images), "error"])

    def check(answers):
        found = sorted("error" if answer.inference["__error__"] else answer.inference["label"] for answer in answers)
        assert found == wanted, found

    with beam.Pipeline() as pipeline:
        handler = AreniteModelHandler(str(DIGITS), top=1)
        answers = pipeline | beam.Create([*images, np.zeros((2, 2))]) | RunInference(handler)
        assert_that(answers, check)
