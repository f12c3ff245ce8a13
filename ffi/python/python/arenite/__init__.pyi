from arenite.errors import BatchFixed as BatchFixed
from arenite.errors import Cancelled as Cancelled
from arenite.errors import DeadlineExceeded as DeadlineExceeded
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
from arenite.evaluation import benchmark as benchmark
from arenite.evaluation import compare as compare
from arenite.model import Model as Model
from arenite.ops import Op as Op
from arenite.ops import register_op as register_op
from arenite.ops import register_planner as register_planner
from arenite.ops import unregister_op as unregister_op
from arenite.ops import unregister_planner as unregister_planner
from arenite.predictor import Predictor as Predictor

__all__ = [
    "BatchFixed",
    "Cancelled",
    "DeadlineExceeded",
    "DelegateError",
    "Error",
    "InvalidConfig",
    "InvalidModel",
    "Model",
    "NodeError",
    "NotFound",
    "Op",
    "OutOfMemory",
    "PlanError",
    "PluginError",
    "Predictor",
    "QuotaExceeded",
    "TensorError",
    "UnsupportedOp",
    "benchmark",
    "compare",
    "register_op",
    "register_planner",
    "unregister_op",
    "unregister_planner",
]
