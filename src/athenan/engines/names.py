"""The names of the protocols; their code is loaded when one is used."""

from typing import Literal, get_args

Protocol = Literal["gtp", "uci", "ugi", "uai", "ucci", "aei", "gomocup", "hub"]
PROTOCOLS: tuple[Protocol, ...] = get_args(Protocol)
OPTIONED: tuple[Protocol, ...] = ("uci", "ugi", "uai", "ucci")
"""Those whose programs declare options."""
