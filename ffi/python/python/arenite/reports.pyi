from collections.abc import Iterator
from typing import Any, Literal

from numpy import dtype

__all__ = ["Placement", "Plan", "Port", "Profile"]

class Port:
    name: str
    tensor: str
    type: str
    shape: tuple[int, ...]
    scales: tuple[float, ...]
    zero_points: tuple[int, ...]
    def __init__(
        self, name: str, tensor: str, type: str, shape: list[int], scales: list[float], zero_points: list[int]
    ) -> None: ...

    @property
    def dtype(self) -> dtype[Any]: ...

class Table:
    columns: tuple[str, ...]
    rows: list[dict[str, Any]]
    def __init__(self, rows: list[dict[str, Any]]) -> None: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[dict[str, Any]]: ...
    def to_frame(self, library: Literal["pandas", "polars"] | None = None) -> Any: ...

class Plan(Table):
    planner: str
    arena_bytes: int
    persistent_bytes: int
    delegate_bytes: int
    device_bytes: int
    dynamic_bytes: int
    lower_bound: int
    def __init__(self, report: dict[str, Any], picture: str | None = None) -> None: ...

class Placement(Table):
    left_out: dict[str, str]
    def __init__(self, report: dict[str, Any]) -> None: ...
    def count(self, delegate: str) -> int: ...

class Profile(Table): ...
