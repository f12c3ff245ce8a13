import os
from collections.abc import Iterable, Mapping
from typing import Any

from numpy.typing import ArrayLike, NDArray

from arenite import _native, ops as _ops, reports
from arenite.interpreter import Delegate

__all__ = ["Model"]

_Delegate = str | tuple[str, Mapping[str, Any]] | Delegate

class Model(_native.Model):
    def __new__(
        cls,
        source: str | os.PathLike[str] | bytes | bytearray | memoryview,
        *,
        signature: str | None = None,
        delegates: str | Iterable[_Delegate] = (),
        planner: str | _ops._Planner | None = None,
        threads: int | None = None,
        config: str | os.PathLike[str] | None = None,
        require: str | None = None,
        ops: _ops._Given = (),
        batch: int | None = None,
    ) -> Model: ...
    async def run_async(
        self,
        *inputs: ArrayLike,
        raw: bool = False,
        timeout: float | None = None,
        deadline: float | None = None,
        **named: ArrayLike,
    ) -> dict[str, NDArray[Any]]: ...
    def rebatch(self, size: int) -> Model: ...
    @property
    def path(self) -> str | None: ...
    @property
    def inputs(self) -> list[reports.Port]: ...
    @property
    def outputs(self) -> list[reports.Port]: ...
    def labels(self) -> list[str]: ...
    def picture(
        self,
        source: str | os.PathLike[str] | bytes | bytearray | memoryview,
        *,
        input: str | None = None,
        mean: float | Iterable[float] = (),
        std: float | Iterable[float] = (),
    ) -> NDArray[Any]: ...
    def classify(
        self, *inputs: ArrayLike, top: int = 5, labels: Iterable[str] | None = None, **named: ArrayLike
    ) -> list[Any]: ...
    def plan(self) -> reports.Plan: ...
    def placement(self) -> reports.Placement: ...
    def profile(self, *inputs: ArrayLike, runs: int = 20, **named: ArrayLike) -> reports.Profile: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
