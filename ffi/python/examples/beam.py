"""Runs a model in an Apache Beam pipeline.

    pictures | RunInference(AreniteModelHandler("classifier.tflite", top=1))
"""

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from apache_beam.ml.inference.base import ModelHandler, PredictionResult

import arenite


class AreniteModelHandler(ModelHandler[Any, PredictionResult, Any]):
    """Examples are arrays of the input's shape without the dimension of the batch, or dicts of them by name.

    The inference of a `PredictionResult` is a dict of the model's outputs, and of `__error__`, which is None or why the
    example has no outputs.
    """

    def __init__(self, path: str, *, batch_size: int = 32, **settings: Any):
        """`path` is a .tflite file that every worker can read; `settings` are those of `arenite.Predictor`."""
        super().__init__()
        self._predictor = arenite.Predictor(path, batch_size=batch_size, **settings)
        self._batch_size = batch_size

    def load_model(self) -> Any:
        return self._predictor()

    def run_inference(
        self, batch: Sequence[Any], model: Any, inference_args: dict[str, Any] | None = None
    ) -> Iterable[PredictionResult]:
        answer = model(self._columns(batch))
        for i, example in enumerate(batch):
            yield PredictionResult(example, {name: column[i] for name, column in answer.items()})

    def _columns(self, batch: Sequence[Any]) -> dict[str, list[Any]]:
        if isinstance(batch[0], Mapping):
            return {name: [example[name] for example in batch] for name in batch[0]}
        (port,) = self._predictor.description.load().ports
        return {port.name: list(batch)}

    def get_num_bytes(self, batch: Sequence[Any]) -> int:
        return sum(getattr(example, "nbytes", sys.getsizeof(example)) for example in batch)

    def batch_elements_kwargs(self) -> Mapping[str, Any]:
        return {"min_batch_size": 1, "max_batch_size": 8 * self._batch_size}

    def get_metrics_namespace(self) -> str:
        return "BeamML_arenite"
