"""The exceptions of arenite. Each is a subclass of the exception that `ai_edge_litert` raises in its place."""


class Error(RuntimeError):
    """A model cannot be loaded, prepared or run.

    Attributes, None where they do not apply:
        file: The model's path.
        op: The op's name.
        subgraph, node: The node, and the subgraph that contains it.
        tensor: The tensor's name.
    """

    def __init__(self, message, *, file=None, op=None, subgraph=None, node=None, tensor=None):
        super().__init__(message)
        self.file = file
        self.op = op
        self.subgraph = subgraph
        self.node = node
        self.tensor = tensor


class InvalidModel(Error, ValueError):
    """The file cannot be read or is no valid model."""


class InvalidConfig(Error, ValueError):
    """The configuration is malformed."""


class TensorError(Error, ValueError):
    """A value or a request does not fit a tensor: another type or shape, no such index, no memory yet."""


class NotFound(Error, ValueError):
    """Nothing has this name: no delegate, planner, signature, input or output."""


class UnsupportedOp(Error):
    """No plugin has an op of the model, or an op refuses a node."""


class NodeError(Error):
    """An op failed to run a node."""


class DelegateError(Error, ValueError):
    """A delegate failed, refuses an option, or has no device."""


class PlanError(Error):
    """A planner failed."""


class PluginError(Error, ValueError):
    """A plugin cannot be loaded."""


class QuotaExceeded(Error):
    """The model needs more memory, nodes or time than the quota permits."""


class DeadlineExceeded(QuotaExceeded, TimeoutError):
    """The call took longer than its `timeout`, its `deadline`, or the quota permits."""


class BatchFixed(Error, ValueError):
    """The batch size cannot change. The text names the node that fixes it."""


class OutOfMemory(Error, MemoryError):
    """The system is out of memory."""


class Cancelled(Error):
    """The call was cancelled."""
