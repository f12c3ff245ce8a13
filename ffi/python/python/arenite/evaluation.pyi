import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from numpy.typing import ArrayLike

from arenite.model import Model
from arenite.model import _Delegate as _Delegate
from arenite.reports import Table

__all__ = ["Benchmark", "Comparison", "benchmark", "compare"]

_Side = Model | str | os.PathLike[str] | _Delegate
_Inputs = ArrayLike | tuple[ArrayLike, ...] | dict[str, ArrayLike]
_Model = Model | str | os.PathLike[str]

def compare(
    a: _Side,
    b: _Side,
    data: _Inputs | list[_Inputs] | Iterator[_Inputs],
    *,
    tolerance: float = 1e-3,
    progress: bool | None = None,
) -> Comparison: ...

class Comparison(Table):
    sides: tuple[str, str]
    tolerance: float
    calls: int
    first: dict[str, Any] | None
    nodes: list[int]
    fused: dict[str, Any] | None
    unused: list[str]
    def __init__(self, report: dict[str, Any], sides: tuple[str, str], tolerance: float) -> None: ...
    @property
    def outputs(self) -> list[dict[str, Any]]: ...
    def __bool__(self) -> bool: ...

def benchmark(
    models: _Model | Sequence[_Model] | Mapping[str, _Model],
    *inputs: ArrayLike,
    seconds: float = 2.0,
    runs: int | None = None,
    warmup: int = 3,
    progress: bool | None = None,
    **named: ArrayLike,
) -> Benchmark: ...

class Benchmark(Table):
    def __init__(self, rows: list[dict[str, Any]]) -> None: ...
