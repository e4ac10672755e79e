"""Packages that an installation may lack, and the extra of `pyproject.toml` that brings each.

Code that needs one calls `require` before it does any work.

    >>> require("numpy", "counting")
"""

from importlib.util import find_spec

EXTRAS = {
    "torch": ("PyTorch", "torch"), "matplotlib": ("matplotlib", "plots"), "onnxscript": ("onnxscript", "export"),
    "gymnasium": ("Gymnasium", "environments"), "pettingzoo": ("PettingZoo", "environments"),
}  # fmt: skip
"""Package -> its name in sentences, and its extra."""


class MissingError(ValueError):
    """A package is not installed; the message is one line that names the remedy."""


def require(package: str, what: str, otherwise: str = "") -> None:
    """Raises MissingError unless the package is installed.

    `what` names what needs it, as the subject of a sentence. `otherwise` says what the user can do without the package.
    """
    if find_spec(package) is None:
        name, extra = EXTRAS[package]
        instead = f", or {otherwise}" if otherwise else ""
        raise MissingError(f"{what} needs {name}, which is not installed: pip install 'athenan[{extra}]'{instead}")
