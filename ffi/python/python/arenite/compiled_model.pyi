import enum
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from numpy.typing import DTypeLike, NDArray

from arenite.interpreter import Interpreter

__all__ = [
    "CompiledModel",
    "CpuKernelMode",
    "CpuOptions",
    "Environment",
    "EnvironmentOptions",
    "GpuOptions",
    "HardwareAccelerator",
    "Options",
    "TensorBuffer",
]

class HardwareAccelerator(enum.IntFlag):
    CPU = 1
    GPU = 2
    NPU = 4

class CpuKernelMode(enum.IntEnum):
    DELEGATE = 0
    XNNPACK = 0
    REFERENCE = 1
    BUILTIN = 2

@dataclass
class CpuOptions:
    num_threads: int = 0
    kernel_mode: CpuKernelMode | None = None
    enable_ynnpack: bool = False
    xnnpack_flags: int | None = None
    xnnpack_weight_cache_path: str = ""

@dataclass
class GpuOptions:
    enforce_f32: bool = False
    constant_tensor_sharing: bool = False
    infinite_float_capping: bool = False
    benchmark_mode: bool = False
    allow_src_quantized_fc_conv_ops: bool = False
    hint_waiting_for_completion: bool = False

class Options:
    hardware_accelerators: HardwareAccelerator
    cpu_options: CpuOptions
    gpu_options: GpuOptions
    def __init__(
        self,
        hardware_accelerators: HardwareAccelerator = ...,
        cpu_options: CpuOptions | None = None,
        gpu_options: GpuOptions | None = None,
    ) -> None: ...
    @classmethod
    def create(cls) -> Options: ...

@dataclass(frozen=True)
class EnvironmentOptions:
    runtime_path: str | None = None
    compiler_plugin_path: str = ""
    dispatch_library_path: str = ""

class Environment:
    def __init__(self, options: EnvironmentOptions) -> None: ...
    def __enter__(self) -> Environment: ...
    def __exit__(self, *exception: BaseException | type[BaseException] | TracebackType | None) -> None: ...
    def close(self) -> None: ...
    @classmethod
    def create(
        cls,
        *,
        options: EnvironmentOptions | str | None = None,
        runtime_path: str | None = None,
        compiler_plugin_path: str = "",
        dispatch_library_path: str = "",
    ) -> Environment: ...
    @property
    def options(self) -> EnvironmentOptions: ...

class TensorBuffer:
    def __init__(self, data: NDArray[Any], dtype: str, shape: list[int]) -> None: ...
    @classmethod
    def create_from_host_memory(cls, data_array: NDArray[Any]) -> TensorBuffer: ...
    def write(self, data_array: NDArray[Any]) -> None: ...
    def read(self, num_elements: int | tuple[int, ...], output_dtype: DTypeLike) -> NDArray[Any]: ...
    def get_tensor_details(self) -> dict[str, Any]: ...
    def destroy(self) -> None: ...

class CompiledModel:
    def __init__(self, interpreter: Interpreter, environment: Environment | None = None) -> None: ...
    def __enter__(self) -> CompiledModel: ...
    def __exit__(self, *exception: BaseException | type[BaseException] | TracebackType | None) -> None: ...
    def close(self) -> None: ...
    @classmethod
    def from_file(
        cls,
        model_path: str | bytes | os.PathLike[str],
        hardware_accel: HardwareAccelerator | None = None,
        environment: Environment | None = None,
        options: Options | None = None,
    ) -> CompiledModel: ...
    @classmethod
    def from_buffer(
        cls,
        model_data: bytes | bytearray | memoryview,
        hardware_accel: HardwareAccelerator | None = None,
        environment: Environment | None = None,
        options: Options | None = None,
    ) -> CompiledModel: ...
    @property
    def environment(self) -> Environment: ...
    def get_signature_list(self) -> dict[str, dict[str, list[str]]]: ...
    def get_signature_by_index(self, index: int) -> dict[str, Any]: ...
    def get_num_signatures(self) -> int: ...
    def get_signature_index(self, key: str) -> int: ...
    def get_input_tensor_details(self, signature_key: str) -> dict[str, Any]: ...
    def get_output_tensor_details(self, signature_key: str) -> dict[str, Any]: ...
    def get_input_buffer_requirements(self, input_index: int, signature_index: int = 0) -> dict[str, Any]: ...
    def get_output_buffer_requirements(self, output_index: int, signature_index: int = 0) -> dict[str, Any]: ...
    def is_fully_accelerated(self) -> bool: ...
    def create_input_buffer_by_name(self, signature_key: str, input_name: str) -> TensorBuffer: ...
    def create_output_buffer_by_name(self, signature_key: str, output_name: str) -> TensorBuffer: ...
    def create_input_buffers(self, signature_index: int) -> list[TensorBuffer]: ...
    def create_output_buffers(self, signature_index: int) -> list[TensorBuffer]: ...
    def resize_input_tensor(
        self, input_index: int, dims: Sequence[int], signature_index: int = 0, strict: bool = True
    ) -> None: ...
    def resize_input_tensor_by_name(
        self, signature_key: str, input_name: str, dims: Sequence[int], strict: bool = True
    ) -> None: ...
    def run_by_name(
        self,
        signature_key: str,
        input_map: Mapping[str, TensorBuffer],
        output_map: Mapping[str, TensorBuffer],
    ) -> None: ...
    def run_by_index(
        self,
        signature_index: int,
        input_buffers: Sequence[TensorBuffer],
        output_buffers: Sequence[TensorBuffer],
    ) -> None: ...
