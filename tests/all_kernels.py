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


def kernels_of(module: str) -> Iterator[Kernel]:
    """The kernels that a module defines."""
    found = (value for value in vars(import_module(module)).values() if isinstance(value, Kernel))
    return (one for one in found if one.py_func.__module__ == module)
