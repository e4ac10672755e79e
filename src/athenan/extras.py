"""Packages that an installation may lack, and the extra of `pyproject.toml` that brings each.

Code that needs one calls `require` before it does any work.

    >>> require("numpy", "counting")
"""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec

EXTRAS = {
    "torch": ("PyTorch", "torch"), "matplotlib": ("matplotlib", "plots"), "onnxscript": ("onnxscript", "export"),
    "gymnasium": ("Gymnasium", "environments"), "pettingzoo": ("PettingZoo", "environments"),
}  # fmt: skip
"""Package -> its name in sentences, and its extra."""
_ALSO = {"torch": " (add --extra-index-url https://download.pytorch.org/whl/cpu for the small build without CUDA)"}
"""Package -> what is worth knowing before it is installed."""


class MissingError(ValueError):
    """A package is not installed; the message is one line that names the remedy."""


def require(package: str, what: str, otherwise: str = "") -> None:
    """Raises MissingError unless the package is installed.

    `what` names what needs it, as the subject of a sentence. `otherwise` says what the user can do without the package.
    """
    if find_spec(package) is None:
        name, extra = EXTRAS[package]
        instead = f", or {otherwise}" if otherwise else ""
        remedy = f"pip install 'athenan[{extra}]'{_ALSO.get(package, '')}"
        raise MissingError(f"{what} needs {name}, which is not installed: {remedy}{instead}")


def names_when_used(package: str, homes: Mapping[str, Sequence[str]]) -> tuple[Callable[[str], object], dict[str, str]]:
    """A package's `__getattr__`, which imports a public name when it is first used, and the module of each name.

    `homes` are modules with their public names. The error for a module that needs a missing package names the remedy.
    """
    modules = {name: home for home, names in homes.items() for name in names}

    def attribute(name: str) -> object:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        try:
            return getattr(import_module(modules[name]), name)
        except ModuleNotFoundError as error:
            if error.name in EXTRAS:
                require(error.name, f"{package}.{name}")
            raise

    return attribute, modules
