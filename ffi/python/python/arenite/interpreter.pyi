import enum
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from arenite import _native
from arenite.ops import Op

__all__ = [
    "Delegate",
    "Interpreter",
    "InterpreterWithCustomOps",
    "OpResolverType",
    "SignatureRunner",
    "load_delegate",
]

class OpResolverType(enum.Enum):
    AUTO = 0
    BUILTIN = 1
    BUILTIN_REF = 2
    BUILTIN_WITHOUT_DEFAULT_DELEGATES = 3

class Delegate:
    def __init__(self, library: str | os.PathLike[str], options: Mapping[Any, Any] | None = None) -> None: ...

def load_delegate(library: str | os.PathLike[str], options: Mapping[Any, Any] | None = None) -> Delegate: ...

class SignatureRunner:
    def __init__(self, interpreter: Interpreter | None = None, signature_key: str | None = None) -> None: ...
    def __call__(self, **kwargs: NDArray[Any]) -> dict[str, NDArray[Any]]: ...
    def get_input_details(self) -> dict[str, dict[str, Any]]: ...
    def get_output_details(self) -> dict[str, dict[str, Any]]: ...

class Interpreter(_native.Interpreter):
    def __init__(
        self,
        model_path: str | bytes | os.PathLike[str] | os.PathLike[bytes] | None = None,
        model_content: bytes | bytearray | memoryview | None = None,
        experimental_delegates: list[Delegate] | None = None,
        num_threads: int | None = None,
        experimental_op_resolver_type: OpResolverType = ...,
        experimental_preserve_all_tensors: bool = False,
        experimental_disable_delegate_clustering: bool = False,
        experimental_default_delegate_latest_features: bool = False,
        experimental_compress_quantization_zero_points: bool = False,
        experimental_disable_delegate_node_fusion: bool = False,
        experimental_force_delegate_node_profiling: bool = False,
        groups: Mapping[str, bytes | bytearray | memoryview] | None = None,
    ) -> None: ...
    def get_input_details(self) -> list[dict[str, Any]]: ...
    def get_output_details(self) -> list[dict[str, Any]]: ...
    def get_tensor_details(self, subgraph_index: int = 0) -> list[dict[str, Any]]: ...
    def resize_tensor_input(
        self, input_index: int, tensor_size: Sequence[int] | NDArray[Any], strict: bool = False
    ) -> None: ...
    def get_signature_list(self) -> dict[str, dict[str, list[str]]]: ...
    def tie(self, signature_key: str, output_name: str, input_name: str) -> None: ...
    def tie_caches(self) -> list[str]: ...
    def get_signature_runner(self, signature_key: str | None = None) -> SignatureRunner: ...
    @property
    def experimental_compress_quantization_zero_points(self) -> bool: ...

class InterpreterWithCustomOps(Interpreter):
    def __init__(
        self, custom_op_registerers: Sequence[str | Callable[[int], None] | Op] | None = None, **kwargs: Any
    ) -> None: ...
