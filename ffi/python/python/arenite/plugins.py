"""Plugins that are installed as packages.

A package names itself in its `pyproject.toml` and has its libraries in its folder:

    [project.entry-points."arenite.plugins"]
    my_ops = "my_package"

Interpreters, models and the command line find its ops, planners and delegates. The package is not imported.
"""

import importlib.machinery
import importlib.metadata
import os
import warnings

__all__ = ["folders"]

GROUP = "arenite.plugins"
"""The group of entry points."""


def folders():
    """The folders of the installed packages of plugins, sorted by the names of their entry points.

    Warns of packages that do not exist.
    """
    found = []
    for entry in sorted(importlib.metadata.entry_points(group=GROUP), key=lambda entry: entry.name):
        package = _folders(entry.module)
        found += package
        if not package:
            warnings.warn(
                f"the entry point {entry.name!r} of {GROUP} names the package {entry.module!r}, which does not exist",
                RuntimeWarning,
                stacklevel=2,
            )
    return list(dict.fromkeys(map(os.path.abspath, found)))


def _folders(module):
    """The folders of a package, without importing it or its parents; none if it does not exist."""
    path = None
    for i, _ in enumerate(parts := module.split("."), 1):
        spec = importlib.machinery.PathFinder.find_spec(".".join(parts[:i]), path)
        path = list(spec.submodule_search_locations or ()) if spec else []
        if not path:
            return []
    return path
