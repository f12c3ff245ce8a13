from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar, overload

from arenite.reports import Port

__all__ = ["Node", "Op", "Record", "register_op", "register_planner", "unregister_op", "unregister_planner"]

_Function = Callable[..., Any]
_Shapes = Callable[..., Sequence[int] | Sequence[Sequence[int]]]
_F = TypeVar("_F", bound=_Function)
_Planner = Callable[[list[Record]], Iterable[int]]
_Given = Mapping[str, _Function | Op] | Iterable[Op]

class Op:
    name: str
    function: _Function
    shapes: _Shapes | None
    takes_node: bool
    stateful: bool
    def __init__(
        self,
        name: str,
        function: _Function,
        shapes: _Shapes | None = None,
        *,
        takes_node: bool = False,
        stateful: bool = False,
    ) -> None: ...
    def __call__(self, *inputs: Any, **keywords: Any) -> Any: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

class Node:
    op: str
    version: int
    subgraph: int
    index: int
    options: bytes
    inputs: list[Port | None]
    outputs: list[Port]
    def __init__(
        self,
        op: str,
        version: int,
        subgraph: int,
        index: int,
        options: bytes,
        inputs: Sequence[Mapping[str, Any] | None],
        outputs: Sequence[Mapping[str, Any]],
    ) -> None: ...

class Record(NamedTuple):
    size: int
    alignment: int
    first_node: int
    last_node: int | None
    fixed_offset: int | None
    tensor: int | None

@overload
def register_op(op: Op) -> Op: ...
@overload
def register_op(
    op: str,
    function: _Function,
    shapes: _Shapes | None = None,
    *,
    takes_node: bool = False,
    stateful: bool = False,
) -> Op: ...
@overload
def register_op(
    op: str,
    function: None = None,
    shapes: _Shapes | None = None,
    *,
    takes_node: bool = False,
    stateful: bool = False,
) -> Callable[[_F], _F]: ...
def unregister_op(name: str) -> None: ...
def register_planner(name: str, function: _Planner) -> None: ...
def unregister_planner(name: str) -> None: ...
