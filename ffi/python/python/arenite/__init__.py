"""Runs .tflite models.

    import arenite
    model = arenite.Model("classifier.tflite")
    probabilities = model(image)["probabilities"]

`arenite.interpreter` has the classes of `ai_edge_litert.interpreter`; `arenite.compat` serves them under that name, so that
programs need no change. NumPy is imported when the first array is made.
"""

import os

from arenite import _native
from arenite.errors import (
    BatchFixed,
    Cancelled,
    DeadlineExceeded,
    DelegateError,
    Error,
    InvalidConfig,
    InvalidModel,
    NodeError,
    NotFound,
    OutOfMemory,
    PlanError,
    PluginError,
    QuotaExceeded,
    TensorError,
    UnsupportedOp,
)
from arenite.model import Model
from arenite.ops import Op, register_op, register_planner, unregister_op, unregister_planner

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

# Modules that few programs need, and that import others.
_LAZY = {"Predictor": "predictor", "benchmark": "evaluation", "compare": "evaluation"}


def __getattr__(name):
    if name not in _LAZY:
        raise AttributeError(f"module 'arenite' has no attribute {name!r}")
    import importlib

    value = getattr(importlib.import_module(f"arenite.{_LAZY[name]}"), name)
    globals()[name] = value
    return value


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_native.before_fork,
        after_in_parent=lambda: _native.after_fork(False),
        after_in_child=lambda: _native.after_fork(True),
    )
