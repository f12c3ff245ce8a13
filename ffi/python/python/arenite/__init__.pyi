from arenite.errors import Cancelled as Cancelled
from arenite.errors import DelegateError as DelegateError
from arenite.errors import Error as Error
from arenite.errors import InvalidConfig as InvalidConfig
from arenite.errors import InvalidModel as InvalidModel
from arenite.errors import NodeError as NodeError
from arenite.errors import NotFound as NotFound
from arenite.errors import OutOfMemory as OutOfMemory
from arenite.errors import PlanError as PlanError
from arenite.errors import PluginError as PluginError
from arenite.errors import QuotaExceeded as QuotaExceeded
from arenite.errors import TensorError as TensorError
from arenite.errors import UnsupportedOp as UnsupportedOp
from arenite.model import Model as Model

__all__ = [
    "Cancelled",
    "DelegateError",
    "Error",
    "InvalidConfig",
    "InvalidModel",
    "Model",
    "NodeError",
    "NotFound",
    "OutOfMemory",
    "PlanError",
    "PluginError",
    "QuotaExceeded",
    "TensorError",
    "UnsupportedOp",
]
