"""The kernels that the modules of the package define."""

import pkgutil
from collections.abc import Iterator
from importlib import import_module

import athenan
from athenan.rules.compiler import Kernel

MODULES = [
    module.name
    for module in pkgutil.walk_packages(athenan.__path__, "athenan.")
    if not module.name.endswith("__main__")
]
PROGRAMS = ("pyspiel",)
"""Packages that modules import without which the rest of athenan works."""


def kernels_of(module: str) -> Iterator[Kernel]:
    """The kernels that a module defines; none of a module that needs an optional package which is not installed."""
    try:
        defined = vars(import_module(module))
    except ModuleNotFoundError as error:
        if error.name not in PROGRAMS:
            raise
        return iter(())
    found = (value for value in defined.values() if isinstance(value, Kernel))
    return (one for one in found if one.py_func.__module__ == module)
