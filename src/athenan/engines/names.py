"""The names of the protocols. The code of a protocol is loaded when it is used."""

from typing import Literal, get_args

ProtocolName = Literal["gtp", "uci", "ugi", "uai", "ucci", "aei", "gomocup", "hub"]
PROTOCOLS: tuple[ProtocolName, ...] = get_args(ProtocolName)
OPTIONED: tuple[ProtocolName, ...] = ("uci", "ugi", "uai", "ucci")
"""The protocols whose programs declare options."""
_WITHDRAWN = {"cecp": "uci", "xboard": "uci"}
"""Names of a protocol that was spoken once -> the protocol that has its games."""


def withdrawn(name: str) -> str | None:
    """What to say to a user who names a protocol that is no longer spoken; None for any other name.

    >>> withdrawn("xboard")
    'xboard is no longer spoken; use uci'
    """
    return f"{name} is no longer spoken; use {_WITHDRAWN[name]}" if name in _WITHDRAWN else None
