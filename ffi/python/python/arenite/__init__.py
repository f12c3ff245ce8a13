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
    Cancelled,
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

if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_native.before_fork,
        after_in_parent=lambda: _native.after_fork(False),
        after_in_child=lambda: _native.after_fork(True),
    )
