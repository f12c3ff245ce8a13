"""Plugins that are installed as packages.

A package names itself in its `pyproject.toml` and has its libraries in its folder:

    [project.entry-points."arenite.plugins"]
    my_ops = "my_package"

Interpreters, models and the command line find its ops, planners and delegates. The package is not imported.
"""

import importlib.machinery
import os
import sys
import warnings

__all__ = ["folders"]

GROUP = "arenite.plugins"
"""The group of entry points."""


def folders():
    """The folders of the installed packages of plugins, sorted by the names of their entry points.

    Warns of packages that do not exist.
    """
    if not _is_in_use():
        return []
    # Importing it takes ten times as long as loading a small model.
    import importlib.metadata

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


def _is_in_use():
    """Whether an installed package may have entry points of the group. A package that is not a folder may."""
    others = [finder for finder in sys.meta_path if finder is not importlib.machinery.PathFinder]
    return any(hasattr(finder, "find_distributions") for finder in others) or any(map(_may_have_plugins, sys.path))


def _may_have_plugins(path):
    """The same of the packages in one folder, or other entry, of `sys.path`."""
    try:
        names = os.listdir(path or ".")
    except NotADirectoryError:
        return True
    except OSError:
        return False
    for name in names:
        if name.endswith((".dist-info", ".egg-info")) or name == "EGG-INFO":
            try:
                with open(os.path.join(path, name, "entry_points.txt"), "rb") as file:
                    if GROUP.encode() in file.read():
                        return True
            except OSError:  # It has no entry points.
                pass
    return False


def _folders(module):
    """The folders of a package, without importing it or its parents; none if it does not exist."""
    path = None
    for i, _ in enumerate(parts := module.split("."), 1):
        spec = importlib.machinery.PathFinder.find_spec(".".join(parts[:i]), path)
        path = list(spec.submodule_search_locations or ()) if spec else []
        if not path:
            return []
    return path
