"""The classes of `ai_edge_litert.compiled_model`: a compiled model that runs on buffers."""

import dataclasses
import enum
import os

from arenite import _native
from arenite.errors import NotFound
from arenite.interpreter import Delegate, Interpreter, OpResolverType

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

_WITHOUT_SIGNATURE = "<placeholder signature>"
"""The key of the signature of a model that has none. It has the inputs and outputs of the main subgraph."""

_BUFFER_TYPES = ("bfloat16", "float8_e4m3fn", "float8_e5m2", "float32", "float16", "int32", "int8", "uint8", "bool")
"""The types that every buffer can be written as and read as."""


class HardwareAccelerator(enum.IntFlag):
    """Where a model runs. Combine `GPU` with `CPU`, so that the CPU delegate runs what the GPU does not."""

    CPU = 1
    """The CPU delegate."""
    GPU = 2
    """The first of the delegates `opencl` and `vulkan` that is installed."""
    NPU = 4
    """No delegate of arenite. Without `CPU`, this is an error."""


class CpuKernelMode(enum.IntEnum):
    """What runs nodes on the CPU."""

    DELEGATE = 0
    """The CPU delegate."""
    XNNPACK = 0
    """The CPU delegate."""
    REFERENCE = 1
    """The reference ops."""
    BUILTIN = 2
    """The reference ops."""


@dataclasses.dataclass
class CpuOptions:
    """Options of the CPU. The switches of XNNPACK and YNNPACK have no effect."""

    num_threads: int = 0
    """The number of threads; 0 is one per processor."""
    kernel_mode: CpuKernelMode | None = None
    enable_ynnpack: bool = False
    xnnpack_flags: int | None = None
    xnnpack_weight_cache_path: str = ""


@dataclasses.dataclass
class GpuOptions:
    """Options of the GPU. They have no effect: the delegates store floats of 32 bits."""

    enforce_f32: bool = False
    constant_tensor_sharing: bool = False
    infinite_float_capping: bool = False
    benchmark_mode: bool = False
    allow_src_quantized_fc_conv_ops: bool = False
    hint_waiting_for_completion: bool = False


class Options:
    """Options of a model, in groups."""

    def __init__(self, hardware_accelerators=HardwareAccelerator.CPU, cpu_options=None, gpu_options=None):
        self.hardware_accelerators = hardware_accelerators
        self.cpu_options = cpu_options or CpuOptions()
        self.gpu_options = gpu_options or GpuOptions()

    def __repr__(self):
        return f"Options({self.hardware_accelerators!r}, {self.cpu_options!r}, {self.gpu_options!r})"

    @classmethod
    def create(cls):
        """Options with defaults."""
        return cls()


@dataclasses.dataclass(frozen=True)
class EnvironmentOptions:
    """Folders of LiteRT's libraries, which have no effect here: plugins are found as `docs/python.md` describes."""

    runtime_path: str | None = None
    compiler_plugin_path: str = ""
    dispatch_library_path: str = ""


class Environment:
    """Accepted for programs that share one between models. It holds nothing."""

    def __init__(self, options):
        self._options = options
        self._is_open = True

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def close(self):
        """Refuses models that are created later."""
        self._is_open = False

    @classmethod
    def create(cls, *, options=None, runtime_path=None, compiler_plugin_path="", dispatch_library_path=""):
        """Returns an environment. Give `options`, or the folders."""
        if isinstance(options, str):
            if runtime_path is not None:
                raise ValueError("the folder of the runtime is given twice, as options and as runtime_path")
            options, runtime_path = None, options
        folders = EnvironmentOptions(runtime_path, compiler_plugin_path, dispatch_library_path)
        if options is not None and folders != EnvironmentOptions():
            raise ValueError("options and folders are given: put the folders into the options")
        return cls(options or folders)

    @property
    def options(self):
        """The options that the environment was created with."""
        return self._options


class TensorBuffer:
    """Memory for an input or an output. `CompiledModel.create_input_buffers` makes it."""

    def __init__(self, data, dtype, shape):
        # `data` has a byte for each element. `dtype` is the tensor's type by its name.
        self._data, self._dtype, self._shape = data, dtype, shape

    @classmethod
    def create_from_host_memory(cls, data_array):
        """A buffer that shares the memory of a contiguous array.

        Raises:
            ValueError: The value is no array, is not contiguous, or has a type that buffers do not support.
        """
        name = _array_type(data_array, _BUFFER_TYPES)
        if not data_array.flags.c_contiguous:
            raise ValueError("the array is not contiguous: give numpy.ascontiguousarray(array)")
        flat = data_array.reshape(-1)
        return cls(flat.view("u1"), name, list(flat.shape))

    def write(self, data_array):
        """Copies the bytes of an array to the start of the buffer. They are not converted.

        Raises:
            ValueError: The value is no array, or has a type that buffers do not support.
            RuntimeError: The array has more bytes than the buffer, or the buffer was destroyed.
        """
        import numpy

        _array_type(data_array, (*_BUFFER_TYPES, self._dtype))
        data = self._held()
        given = numpy.ascontiguousarray(data_array).reshape(-1).view("u1")
        if given.size > data.size:
            raise RuntimeError(
                f"the array has {given.size} bytes ({data_array.dtype} {list(data_array.shape)}), the buffer "
                f"{data.size} ({self._dtype} {self._shape}): give an array of this type and shape"
            )
        data[: given.size] = given

    def read(self, num_elements, output_dtype):
        """A copy of the first elements of the buffer, as an array of this type. Bytes are not converted.

        Raises:
            ValueError: Buffers do not support the type.
            RuntimeError: The buffer has fewer bytes, or was destroyed.
        """
        import numpy

        dtype = _supported_type(output_dtype, (*_BUFFER_TYPES, self._dtype))
        result = numpy.empty(num_elements, dtype)
        data = self._held()
        if result.nbytes > data.size:
            raise RuntimeError(
                f"{result.size} elements of {dtype} have {result.nbytes} bytes, the buffer {data.size} "
                f"({self._dtype} {self._shape}): read no more"
            )
        result.reshape(-1).view("u1")[:] = data[: result.nbytes]
        return result

    def get_tensor_details(self):
        """The type and the shape: `{"dtype": "float32", "shape": [1, 10]}`."""
        return {"dtype": self._dtype, "shape": list(self._shape)}

    def destroy(self):
        """Releases the memory."""
        self._data = None

    def _held(self):
        if self._data is None:
            raise RuntimeError("the buffer was destroyed: create another one")
        return self._data

    def _array(self, dtype, shape):
        """The buffer as an array of a tensor's type and shape, which it fits."""
        if self._data is None:
            raise ValueError("the buffer was destroyed: create another one")
        return self._data.view(dtype).reshape(shape)


class _Signature:
    """A signature, with tensors by name in the order of the subgraph's inputs and outputs."""

    def __init__(self, key, subgraph, inputs, outputs):
        self.key, self.subgraph, self.inputs, self.outputs = key, subgraph, inputs, outputs

    def named(self):
        return {"inputs": list(self.inputs), "outputs": list(self.outputs)}


class CompiledModel:
    """A model that reads inputs from buffers and writes outputs to buffers. One thread at a time may use it."""

    def __init__(self, interpreter, environment=None):
        """`CompiledModel.from_file` and `from_buffer` call this."""
        self._interpreter, self._environment = interpreter, environment
        self._signatures = [_Signature(*parts) for parts in interpreter._ordered_signatures()]
        if not self._signatures:
            ports = interpreter.get_input_details(), interpreter.get_output_details()
            inputs, outputs = ({tensor["name"]: tensor["index"] for tensor in port} for port in ports)
            self._signatures = [_Signature(_WITHOUT_SIGNATURE, 0, inputs, outputs)]
        # Subgraphs whose inputs have no memory.
        self._pending = {signature.subgraph for signature in self._signatures}

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def close(self):
        """Releases the model. Later calls fail."""
        self._interpreter = None

    @classmethod
    def from_file(cls, model_path, hardware_accel=None, environment=None, options=None):
        """Reads a model from a file.

        Args:
            model_path: The path of a .tflite file.
            hardware_accel: Where the model runs; the CPU with one thread, if neither this nor `options` is given.
            environment: Accepted, without effect.
            options: See `Options`.

        Raises:
            RuntimeError: The file cannot be read or is no valid model, or the accelerator is not installed.
            ValueError: Both `hardware_accel` and `options` are given.
        """
        if not isinstance(model_path, (str, bytes, os.PathLike)):
            raise TypeError(f"model_path is {model_path!r}: give the path of a model")
        return cls._made({"model_path": model_path}, hardware_accel, environment, options)

    @classmethod
    def from_buffer(cls, model_data, hardware_accel=None, environment=None, options=None):
        """Reads a model from bytes. See `from_file`."""
        if isinstance(model_data, str) or not hasattr(model_data, "__len__"):
            raise TypeError("model_data is not bytes: give the bytes of a model, or call from_file() with its path")
        return cls._made({"model_content": model_data}, hardware_accel, environment, options)

    @classmethod
    def _made(cls, source, hardware_accel, environment, options):
        if options is not None and hardware_accel is not None:
            raise ValueError("both options and hardware_accel are given: leave one out")
        if environment is not None and not environment._is_open:
            raise ValueError("the environment is closed: create another one")
        if options is None:
            accel = HardwareAccelerator.CPU if hardware_accel is None else hardware_accel
            options = Options(accel, CpuOptions(num_threads=1))
        if not next(iter(source.values())):
            raise RuntimeError("the model is empty: give the path or the bytes of a .tflite file")
        delegates, resolver = _placement(options)
        interpreter = Interpreter(
            **source,
            experimental_delegates=delegates,
            experimental_op_resolver_type=resolver,
            num_threads=options.cpu_options.num_threads or os.cpu_count(),
        )
        return cls(interpreter, environment or Environment.create())

    @property
    def environment(self):
        """The environment that the model was created with."""
        return self._environment

    def get_signature_list(self):
        """The names of the inputs and outputs of each signature: `{key: {"inputs": […], "outputs": […]}}`."""
        return {signature.key: signature.named() for signature in self._signatures}

    def get_signature_by_index(self, index):
        """The key and the names of the inputs and outputs of a signature.

        Raises:
            RuntimeError: There is no such signature.
        """
        signature = self._signature(index)
        return {"key": signature.key, **signature.named()}

    def get_num_signatures(self):
        """The number of signatures. A model without any has one, with the inputs and outputs of the main subgraph."""
        return len(self._signatures)

    def get_signature_index(self, key):
        """The index of a signature, or -1 for an unknown key."""
        return next((i for i, signature in enumerate(self._signatures) if signature.key == key), -1)

    def get_input_tensor_details(self, signature_key):
        """The inputs by name: `{name: {"name": …, "index": …, "dtype": "float32", "shape": […]}}`."""
        signature = self._named(signature_key)
        return self._details(signature, signature.inputs)

    def get_output_tensor_details(self, signature_key):
        """The outputs by name, as `get_input_tensor_details` has them."""
        signature = self._named(signature_key)
        self._allocate(signature)
        return self._details(signature, signature.outputs)

    def get_input_buffer_requirements(self, input_index, signature_index=0):
        """The bytes of an input: `{"buffer_size": 1024, "supported_types": [1]}`; type 1 is memory of the host."""
        signature = self._signature(signature_index)
        return self._requirements(signature, signature.inputs, input_index)

    def get_output_buffer_requirements(self, output_index, signature_index=0):
        """The bytes of an output, as `get_input_buffer_requirements` has them."""
        signature = self._signature(signature_index)
        return self._requirements(signature, signature.outputs, output_index)

    def is_fully_accelerated(self):
        """Whether a delegate runs every node."""
        for signature in self._signatures:
            self._allocate(signature)
        return all(self._interpreter._is_delegated(signature.subgraph) for signature in self._signatures)

    def create_input_buffer_by_name(self, signature_key, input_name):
        """A buffer for an input.

        Raises:
            RuntimeError: There is no such signature or input.
        """
        signature = self._named(signature_key)
        return self._buffer(signature, signature.inputs, input_name)

    def create_output_buffer_by_name(self, signature_key, output_name):
        """A buffer for an output.

        Raises:
            RuntimeError: There is no such signature or output.
        """
        signature = self._named(signature_key)
        return self._buffer(signature, signature.outputs, output_name)

    def create_input_buffers(self, signature_index):
        """A buffer for each input of a signature, in the order of `get_signature_by_index`."""
        signature = self._signature(signature_index)
        return [self._buffer(signature, signature.inputs, name) for name in signature.inputs]

    def create_output_buffers(self, signature_index):
        """A buffer for each output of a signature, in the order of `get_signature_by_index`."""
        signature = self._signature(signature_index)
        return [self._buffer(signature, signature.outputs, name) for name in signature.outputs]

    def resize_input_tensor(self, input_index, dims, signature_index=0, strict=True):
        """Changes the shape of an input. Create new buffers afterwards.

        Args:
            input_index: The position of the input in the signature.
            dims: The new shape.
            signature_index: The signature.
            strict: Only dimensions that the model leaves open may change.

        Raises:
            RuntimeError: There is no such input, or the shape does not fit.
        """
        signature = self._signature(signature_index)
        self._resize(signature, _entry(signature, signature.inputs, input_index), dims, strict)

    def resize_input_tensor_by_name(self, signature_key, input_name, dims, strict=True):
        """Changes the shape of an input. See `resize_input_tensor`.

        Raises:
            ValueError: There is no such signature or input.
        """
        index = self.get_signature_index(signature_key)
        if index < 0:
            raise NotFound(f"the model has no signature {signature_key!r}; its signatures: {self._keys()}")
        signature = self._signatures[index]
        if input_name not in signature.inputs:
            known = ", ".join(signature.inputs)
            raise NotFound(f"signature {signature_key!r} has no input {input_name!r}; its inputs: {known}")
        self._resize(signature, input_name, dims, strict)

    def run_by_index(self, signature_index, input_buffers, output_buffers):
        """Runs a signature.

        Args:
            signature_index: The signature.
            input_buffers: A buffer for each input, in the order of `get_signature_by_index`.
            output_buffers: A buffer for each output.

        Raises:
            RuntimeError: There is no such signature, or the buffers do not fit it.
        """
        signature = self._signature(signature_index)
        inputs, outputs = list(input_buffers), list(output_buffers)
        for given, names, kind in (inputs, signature.inputs, "inputs"), (outputs, signature.outputs, "outputs"):
            if len(given) != len(names):
                raise RuntimeError(
                    f"signature {signature.key!r} has {len(names)} {kind}, {len(given)} buffers are given: "
                    f"give one for each of {', '.join(names)}"
                )
        self._run(signature, zip(signature.inputs, inputs), zip(signature.outputs, outputs))

    def run_by_name(self, signature_key, input_map, output_map):
        """Runs a signature with dicts of buffers by name.

        Raises:
            RuntimeError: There is no such signature, or the buffers do not fit it.
        """
        signature = self._named(signature_key)
        for given, names, kind in (input_map, signature.inputs, "input"), (output_map, signature.outputs, "output"):
            missing = [name for name in names if name not in given]
            unknown = [name for name in given if name not in names]
            if missing or unknown:
                problem = f"{kind} {missing[0]!r} has no buffer" if missing else f"unknown {kind} {unknown[0]!r}"
                raise RuntimeError(f"signature {signature_key!r}: {problem}; its {kind}s: {', '.join(names)}")
        self._run(signature, input_map.items(), output_map.items())

    def _run(self, signature, inputs, outputs):
        interpreter, subgraph = self._interpreter, signature.subgraph
        inputs, outputs = list(inputs), list(outputs)
        for name, buffer in inputs:
            self._fit(signature, name, buffer)
        self._allocate(signature)
        for name, buffer in inputs:
            details = self._tensor(signature, signature.inputs[name])
            interpreter.set_tensor(
                details["index"], buffer._array(details["dtype"], details["shape"]), _subgraph=subgraph
            )
        for name, buffer in outputs:
            self._check(signature, name, signature.outputs[name], buffer)
        interpreter.invoke(_subgraph=subgraph)
        for name, buffer in outputs:
            value = interpreter.get_tensor(signature.outputs[name], subgraph)
            # Once more: the shape can depend on values.
            details = self._check(signature, name, signature.outputs[name], buffer)
            buffer._array(details["dtype"], details["shape"])[...] = value

    def _fit(self, signature, name, buffer):
        """Gives an input the shape of its buffer, where the model leaves that open."""
        details = self._tensor(signature, signature.inputs[name])
        shape = buffer.get_tensor_details()["shape"]
        if len(shape) == len(details["shape"]) and shape != details["shape"].tolist():
            self._resize(signature, name, shape, True)
        self._check(signature, name, signature.inputs[name], buffer)

    def _check(self, signature, name, tensor, buffer):
        """Checks that a buffer has as many bytes as a tensor. Returns the tensor's description."""
        details = self._tensor(signature, tensor)
        needed = _byte_count(details)
        data = buffer._array("u1", -1)
        if data.size == needed:
            return details
        raise RuntimeError(
            f"the buffer of {name!r} has {data.size} bytes ({buffer._dtype} {buffer._shape}), the tensor {needed} "
            f"({_type_name(details)} {details['shape'].tolist()}): create buffers after the model was resized"
        )

    def _resize(self, signature, name, dims, strict):
        dims = list(dims)
        if not all(hasattr(dim, "__index__") for dim in dims):
            raise TypeError(f"the shape is {dims}: give whole numbers")
        self._pending.add(signature.subgraph)
        self._interpreter._resize(signature.inputs[name], signature.subgraph, dims, bool(strict))

    def _allocate(self, signature):
        if signature.subgraph in self._pending:
            self._interpreter.allocate_tensors(_subgraph=signature.subgraph)
            self._pending.discard(signature.subgraph)

    def _tensor(self, signature, tensor):
        return self._interpreter._get_tensor_details(tensor, signature.subgraph)

    def _details(self, signature, tensors):
        described = {}
        for name, index in tensors.items():
            details = self._tensor(signature, index)
            described[name] = {
                "name": details["name"],
                "index": index,
                "dtype": _type_name(details),
                "shape": details["shape"].tolist(),
            }
        return described

    def _requirements(self, signature, tensors, index):
        name = _entry(signature, tensors, index)
        return {"buffer_size": _byte_count(self._tensor(signature, tensors[name])), "supported_types": [1]}

    def _buffer(self, signature, tensors, name):
        import numpy

        if name not in tensors:
            raise RuntimeError(f"signature {signature.key!r} has no tensor {name!r}; these are: {', '.join(tensors)}")
        self._allocate(signature)
        details = self._tensor(signature, tensors[name])
        dtype = _type_name(details)
        if dtype == "unknown":
            raise RuntimeError(f"tensor {details['name']!r} has no buffer: use arenite.interpreter for its type")
        return TensorBuffer(numpy.zeros(_byte_count(details), "u1"), dtype, details["shape"].tolist())

    def _signature(self, index):
        if not hasattr(index, "__index__"):
            raise TypeError(f"the index of a signature is {index!r}: give a number")
        if not 0 <= index < len(self._signatures):
            raise RuntimeError(f"signature {index} does not exist; the model has {len(self._signatures)}, from 0")
        return self._signatures[index]

    def _named(self, key):
        if not isinstance(key, str):
            raise TypeError(f"the key of a signature is {key!r}: give a str")
        index = self.get_signature_index(key)
        if index < 0:
            raise RuntimeError(f"the model has no signature {key!r}; its signatures: {self._keys()}")
        return self._signatures[index]

    def _keys(self):
        return ", ".join(repr(signature.key) for signature in self._signatures)


def _placement(options):
    """The delegates and the resolver for the options."""
    accel, kernels = int(options.hardware_accelerators), options.cpu_options.kernel_mode
    if accel <= 0 or accel > sum(HardwareAccelerator):
        raise RuntimeError(f"unknown hardware accelerator {accel}: combine members of HardwareAccelerator")
    with_cpu = bool(accel & HardwareAccelerator.CPU)
    installed = [name for name in _native.delegate_names() if name in ("opencl", "vulkan")]
    missing = []
    if accel & HardwareAccelerator.NPU:
        missing.append("arenite has no delegate for NPUs; use CPU or GPU")
    if accel & HardwareAccelerator.GPU and not installed:
        missing.append("no GPU delegate is installed: name the folder of its plugin in ARENITE_PLUGIN_PATH")
    if missing and not (with_cpu or accel & HardwareAccelerator.GPU and installed):
        raise RuntimeError("; ".join(missing))
    if missing:
        import warnings

        warnings.warn("; ".join(missing), stacklevel=4)
    delegates = []
    if accel & HardwareAccelerator.GPU and installed:
        delegates = [Delegate(installed[0])]
    is_default = with_cpu and kernels in (None, CpuKernelMode.DELEGATE)
    return delegates, OpResolverType.BUILTIN if is_default else OpResolverType.BUILTIN_REF


def _entry(signature, tensors, index):
    """The name at a position."""
    if not hasattr(index, "__index__"):
        raise TypeError(f"the index is {index!r}: give a number")
    if not 0 <= index < len(tensors):
        raise RuntimeError(
            f"tensor {index} of signature {signature.key!r} does not exist; it has {len(tensors)}, counted from 0"
        )
    return list(tensors)[index]


def _type_name(details):
    """The name of a tensor's type; `unknown` for strings and handles, which have no buffer."""
    import numpy

    dtype = numpy.dtype(details["dtype"])
    return "unknown" if dtype.kind in "SO" else dtype.name


def _byte_count(details):
    import numpy

    return int(numpy.prod(details["shape"], dtype=numpy.int64)) * numpy.dtype(details["dtype"]).itemsize


def _array_type(array, supported):
    """The name of an array's type."""
    import numpy

    if not isinstance(array, numpy.ndarray):
        raise ValueError(f"the value is {type(array).__name__}: give a NumPy array")
    return _supported_type(array.dtype, supported).name


def _supported_type(dtype, supported):
    import numpy

    try:
        dtype = numpy.dtype(dtype)
    except TypeError as error:
        raise ValueError(f"{dtype!r} is no type of arrays") from error
    if dtype.name not in supported or not dtype.isnative:
        raise ValueError(f"buffers do not support {dtype.str} ({dtype.name}); give {', '.join(supported)}")
    return dtype
