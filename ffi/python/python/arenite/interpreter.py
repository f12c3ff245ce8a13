"""The classes of `ai_edge_litert.interpreter`, with the same methods, values and exceptions."""

import enum
import operator
import os
import warnings

from arenite import _native, ops
from arenite.errors import PluginError

__all__ = [
    "Delegate",
    "Interpreter",
    "InterpreterWithCustomOps",
    "OpResolverType",
    "SignatureRunner",
    "load_delegate",
]


@enum.unique
class OpResolverType(enum.Enum):
    """Selects what runs the nodes that no delegate of the program claims."""

    AUTO = 0
    """The CPU delegate."""
    BUILTIN = 1
    """The CPU delegate."""
    BUILTIN_REF = 2
    """The reference ops."""
    BUILTIN_WITHOUT_DEFAULT_DELEGATES = 3
    """The reference ops."""


class Delegate:
    """A delegate of an arenite plugin, with its options."""

    def __init__(self, library, options=None):
        """Loads a delegate.

        Args:
            library: The path of an arenite plugin, or the name of a delegate that is installed, such as `opencl`.
            options: The delegate's options. Keys and values are converted to text.

        Raises:
            OSError: The file does not exist, or is no library.
            ValueError: The library is no plugin, was built for another version, or has no delegate.
        """
        self._options = [(str(key), str(value)) for key, value in (options or {}).items()]
        self._library, self._names = _find_delegate(os.fspath(library))

    def _entries(self):
        return [(name, self._options) for name in self._names]


def _find_delegate(library):
    """The path of the plugin, None if it is installed, and the names of its delegates."""
    if os.sep not in library and library in _native.delegate_names():
        return None, [library]
    if not os.path.exists(library):
        known = ", ".join(_native.delegate_names())
        raise OSError(f"'{library}' is neither a file nor an installed delegate; installed are: {known}")
    try:
        names = _native.delegate_names(os.path.abspath(library))
    except PluginError as error:
        if _is_library(library):
            raise
        raise OSError(f"'{library}' is no library: give the path of a plugin") from error
    if not names:
        raise PluginError(f"the plugin '{library}' has no delegate: load it with ARENITE_PLUGIN_PATH to use its ops")
    return os.path.abspath(library), names


def _is_library(path):
    """Whether a file begins like a library: of ELF, Mach-O or PE."""
    try:
        with open(path, "rb") as file:
            start = file.read(4)
    except OSError:
        return False
    return start in (b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe") or start[:2] == b"MZ"


def load_delegate(library, options=None):
    """Returns a delegate for the argument `experimental_delegates` of `Interpreter`. See `Delegate`."""
    return Delegate(library, options)


class SignatureRunner:
    """Runs a signature of a model. `Interpreter.get_signature_runner` returns it."""

    def __init__(self, interpreter=None, signature_key=None):
        if not interpreter:
            raise ValueError("no interpreter is given: call get_signature_runner() of an Interpreter")
        if not signature_key:
            raise ValueError("no key of a signature is given: get_signature_list() has the model's")
        signatures = interpreter._get_full_signature_list()
        if signature_key not in signatures:
            known = ", ".join(map(repr, signatures)) or "none"
            raise ValueError(f"the model has no signature {signature_key!r}; its signatures: {known}")
        self._interpreter = interpreter
        self._signature_key = signature_key
        self._inputs = signatures[signature_key]["inputs"]
        self._outputs = signatures[signature_key]["outputs"]
        self._subgraph_index = interpreter._signature_subgraph(signature_key)

    def __call__(self, **kwargs):
        """Runs the signature with inputs by name. Returns copies of its outputs by name.

        Inputs of other shapes than before are resized. Tied inputs may be left out, and tied outputs are not returned.
        """
        inputs, subgraph, interpreter = self._inputs, self._subgraph_index, self._interpreter
        tied = interpreter._tied.get(self._signature_key, {})
        if len(kwargs.keys() | tied.keys()) != len(inputs):
            raise ValueError(
                f"signature {self._signature_key!r} has {len(inputs)} inputs, {len(kwargs)} are given; its inputs: "
                + ", ".join(inputs)
            )
        for name, value in kwargs.items():
            if name not in inputs:
                raise ValueError(
                    f"signature {self._signature_key!r} has no input {name!r}; its inputs: " + ", ".join(inputs)
                )
            interpreter._resize(inputs[name], subgraph, list(value.shape), False)
        interpreter.allocate_tensors(_subgraph=subgraph)
        for name, value in kwargs.items():
            interpreter.set_tensor(inputs[name], value, _subgraph=subgraph)
        interpreter.invoke(_subgraph=subgraph)
        outputs = self._outputs.items()
        return {name: interpreter.get_tensor(index, subgraph) for name, index in outputs if name not in tied.values()}

    def get_input_details(self):
        """The descriptions of the inputs by name, as `Interpreter.get_input_details` has them."""
        return self._details(self._inputs)

    def get_output_details(self):
        """The descriptions of the outputs by name, as `Interpreter.get_output_details` has them."""
        return self._details(self._outputs)

    def _details(self, tensors):
        details, subgraph = self._interpreter._get_tensor_details, self._subgraph_index
        return {name: details(index, subgraph) for name, index in tensors.items()}


class Interpreter(_native.Interpreter):
    """Runs a model: `allocate_tensors`, `set_tensor`, `invoke`, `get_tensor`.

    One thread at a time may use it. `arenite.interpreter` has the calls and values of `ai_edge_litert.interpreter`.
    """

    _custom_ops = ()

    def __init__(
        self,
        model_path=None,
        model_content=None,
        experimental_delegates=None,
        num_threads=None,
        experimental_op_resolver_type=OpResolverType.AUTO,
        experimental_preserve_all_tensors=False,
        experimental_disable_delegate_clustering=False,
        experimental_default_delegate_latest_features=False,
        experimental_compress_quantization_zero_points=False,
        experimental_disable_delegate_node_fusion=False,
        experimental_force_delegate_node_profiling=False,
        groups=None,
    ):
        """Reads a model.

        Args:
            model_path: The path of a .tflite file. Give this or `model_content`.
            model_content: The bytes of such a file.
            experimental_delegates: What `load_delegate` returned, in the order in which they claim nodes.
            num_threads: The number of threads, 1 if absent.
            experimental_op_resolver_type: See `OpResolverType`.
            experimental_preserve_all_tensors: Keeps the value of every tensor. Delegates then fuse no nodes.
            experimental_compress_quantization_zero_points: Describes zero points that are all equal by one.
            experimental_disable_delegate_clustering: Has no effect: nodes with side effects keep their order.
            experimental_default_delegate_latest_features: Has no effect.
            experimental_disable_delegate_node_fusion: Has no effect.
            experimental_force_delegate_node_profiling: Has no effect.
            groups: With `model_content`, the bytes of other files with the model's constants, by name. With
                `model_path`, they are read from the same folder.

        Raises:
            ValueError: An argument is wrong, the model is invalid, or a delegate refuses an option or has no device.
        """
        if experimental_op_resolver_type not in OpResolverType.__members__.values():
            raise ValueError(f"{experimental_op_resolver_type!r} is no OpResolverType")
        resolver = experimental_op_resolver_type
        if experimental_preserve_all_tensors and resolver in (OpResolverType.AUTO, OpResolverType.BUILTIN):
            warnings.warn(
                "experimental_preserve_all_tensors keeps all tensors in memory, which can take many times as much",
                stacklevel=2,
            )
        if num_threads is not None:
            if not isinstance(num_threads, int):
                raise ValueError(f"num_threads is {num_threads!r}: give an int")
            if num_threads < 1:
                raise ValueError(f"num_threads is {num_threads}: give 1 or more")
        self._experimental_compress_quantization_zero_points = experimental_compress_quantization_zero_points
        self._build(
            _source(model_path, model_content, groups),
            _Settings(
                experimental_delegates or [],
                resolver,
                num_threads or 1,
                bool(experimental_preserve_all_tensors),
                self._custom_ops,
            ),
        )
        self._delegates = experimental_delegates or []
        self._signature_defs = self.get_signature_list()
        # By signature: the names of tied inputs, with those of their outputs.
        self._tied = {}

    def get_input_details(self):
        """The descriptions of the inputs: a dict each, with `name`, `index`, `shape`, `shape_signature` (-1 for a
        dimension that can change), `dtype`, `quantization` (scale and zero point), `quantization_parameters` (arrays of
        both, and the dimension) and `sparsity_parameters`."""
        return [self._get_tensor_details(index, 0) for index in self._inputs()]

    def get_output_details(self):
        """The descriptions of the outputs, as `get_input_details` has them."""
        return [self._get_tensor_details(index, 0) for index in self._outputs()]

    def get_tensor_details(self, subgraph_index=0):
        """The descriptions of all tensors of a subgraph, as `get_input_details` has them.

        Raises:
            ValueError: There is no such subgraph.
        """
        count = self.num_subgraphs()
        if not 0 <= subgraph_index < count:
            raise ValueError(f"subgraph {subgraph_index} does not exist; the model has {count}, counted from 0")
        return [self._get_tensor_details(index, subgraph_index) for index in range(self._tensor_count(subgraph_index))]

    def resize_tensor_input(self, input_index, tensor_size, strict=False):
        """Changes the shape of an input. Call `allocate_tensors` afterwards.

        Args:
            input_index: The tensor's index, from `get_input_details`.
            tensor_size: The new shape.
            strict: Only dimensions that are -1 in `shape_signature` may change.

        Raises:
            RuntimeError: The tensor is no input, the shape is invalid, or an array shares the interpreter's memory.
        """
        import numpy

        shape = numpy.array(tensor_size, dtype=numpy.int32)
        if shape.ndim != 1:
            raise ValueError(f"the shape has {shape.ndim} dimensions: give a list of numbers")
        self._resize(input_index, 0, shape.tolist(), bool(strict))

    def get_signature_list(self):
        """The names of the inputs and outputs of each signature: `{key: {"inputs": […], "outputs": […]}}`."""
        return {
            key: {port: list(tensors) for port, tensors in signature.items()}
            for key, signature in self._get_full_signature_list().items()
        }

    def tie(self, signature_key, output_name, input_name):
        """Makes an output the value of an input: both become one memory, as for the caches of a language model.

        The memory is shared by all signatures that tie an input of this name. It begins with zeros.

        Raises:
            arenite.errors.NotFound: A name is unknown.
            arenite.errors.TensorError: The tensors differ in type or shape, or one of them cannot be tied.
        """
        self._tie(signature_key, output_name, input_name)
        self._note_ties()

    def tie_caches(self):
        """Ties each output to the input with the same name, type and shape, in all signatures. See `tie`.

        Returns:
            The names; none if the model has no such pairs.
        """
        names = self._tie_caches()
        self._note_ties()
        return names

    def _note_ties(self):
        for key, output, name in self._ties():
            self._tied.setdefault(key, {})[name] = output

    def get_signature_runner(self, signature_key=None):
        """A function that runs a signature; without a key, the model's only one.

        Raises:
            ValueError: There is no such signature, or no key is given and the model has not exactly one.
        """
        if signature_key is None:
            if len(self._signature_defs) != 1:
                keys = ", ".join(map(repr, self._signature_defs)) or "none"
                raise ValueError(f"name a signature, unless the model has exactly one; its signatures: {keys}")
            signature_key = next(iter(self._signature_defs))
        return SignatureRunner(interpreter=self, signature_key=signature_key)

    @property
    def experimental_compress_quantization_zero_points(self):
        """Whether zero points that are all equal are described by one."""
        return self._experimental_compress_quantization_zero_points

    def _get_tensor_details(self, tensor_index, subgraph_index):
        details = super()._get_tensor_details(tensor_index, subgraph_index)
        if self._experimental_compress_quantization_zero_points:
            parameters = details["quantization_parameters"]
            zero_points = parameters["zero_points"]
            if len(zero_points) > 1 and (zero_points == zero_points[0]).all():
                parameters["zero_points"] = zero_points[:1]
        return details

    def _get_op_details(self, op_index):
        nodes = self._get_ops_details()
        if not 0 <= operator.index(op_index) < len(nodes):
            raise ValueError(f"node {op_index} does not exist; the model has {len(nodes)}, counted from 0")
        return nodes[op_index]

    def _safe_to_run(self):
        return self._view_count() == 0

    def _ensure_safe(self):
        if not self._safe_to_run():
            raise RuntimeError("arrays from tensor() share this interpreter's memory: delete them first, or copy them")

    def _native_handle(self):
        raise NotImplementedError(
            "arenite has no tflite::Interpreter to point to: write a plugin (docs/plugins-c.md) to extend arenite"
        )


class InterpreterWithCustomOps(Interpreter):
    """An `Interpreter` for models with custom ops, which Python functions compute."""

    def __init__(self, custom_op_registerers=None, **kwargs):
        """Reads a model.

        Args:
            custom_op_registerers: A list of `arenite.Op`.
            kwargs: As for `Interpreter`.

        Raises:
            ValueError: A registerer is a function of TensorFlow Lite's library, which has no effect here.
        """
        registerers = custom_op_registerers or []
        if not all(isinstance(op, ops.Op) for op in registerers):
            raise ValueError(
                "custom_op_registerers add ops to TensorFlow Lite's library: give a list of arenite.Op, each with a Python "
                "function, or make an arenite plugin of the ops (docs/plugins-c.md) and name its folder in "
                "ARENITE_PLUGIN_PATH"
            )
        self._custom_ops = registerers
        super().__init__(**kwargs)


class _Settings:
    """What the native class builds an interpreter with."""

    planner = None
    planner_function = None
    config = None
    batch = None

    def __init__(self, delegates, resolver, threads, preserve_all, custom_ops):
        self.ops = ops._ops(custom_ops)
        self.delegates = [entry for delegate in delegates for entry in delegate._entries()]
        self.libraries = [delegate._library for delegate in delegates if delegate._library]
        self.without_default = resolver not in (OpResolverType.AUTO, OpResolverType.BUILTIN)
        self.threads = threads
        self.preserve_all = preserve_all


def _source(model_path, model_content, groups):
    """What `model_path` or `model_content` is, of which exactly one must be given, with `groups`."""
    if model_path and model_content:
        raise ValueError("both model_path and model_content are given: leave one out")
    if not model_path and not model_content:
        raise ValueError("neither model_path nor model_content is given")
    if model_path and groups:
        raise ValueError("groups are given with a model_path: they are read from the folder of the model")
    if model_path:
        return os.fsdecode(os.fspath(model_path))
    if isinstance(model_content, str):
        raise TypeError("model_content is text: give the bytes of a model, or its path as model_path")
    if not isinstance(model_content, bytes):
        # Not bytes() alone, which makes zeros of a number.
        model_content = bytes(memoryview(model_content))
    if groups:
        return model_content, {name: bytes(memoryview(data)) for name, data in groups.items()}
    return model_content
