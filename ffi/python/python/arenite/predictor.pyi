import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

__all__ = ["ERROR", "Predictor"]

ERROR: str
_Batch = TypeVar("_Batch")

class _Description:
    source: str | os.PathLike[str] | bytes
    column: str | None
    columns: Mapping[str, str] | None
    preprocess: Callable[..., Any] | None
    batch_size: int
    top: int | None
    labels: list[str] | None
    keep: list[str] | None
    mean: float | Iterable[float]
    std: float | Iterable[float]
    settings: dict[str, Any]
    def __init__(
        self,
        source: str | os.PathLike[str] | bytes,
        column: str | None,
        columns: Mapping[str, str] | None,
        preprocess: Callable[..., Any] | None,
        batch_size: int,
        top: int | None,
        labels: Iterable[str] | None,
        keep: Iterable[str] | None,
        mean: float | Iterable[float],
        std: float | Iterable[float],
        settings: dict[str, Any],
    ) -> None: ...
    def __call__(self, batch: _Batch) -> _Batch: ...
    def load(self) -> Any: ...

class Predictor(type):
    description: _Description
    def __new__(
        cls,
        source: str | os.PathLike[str] | bytes,
        *arguments: Any,
        column: str | None = None,
        columns: Mapping[str, str] | None = None,
        preprocess: Callable[..., Any] | None = None,
        batch_size: int = 32,
        top: int | None = None,
        labels: Iterable[str] | None = None,
        keep: Iterable[str] | None = None,
        mean: float | Iterable[float] = (),
        std: float | Iterable[float] = (),
        **settings: Any,
    ) -> Predictor: ...
    def __init__(cls, *arguments: Any, **settings: Any) -> None: ...
    def __call__(cls, *batch: Any) -> Any: ...
