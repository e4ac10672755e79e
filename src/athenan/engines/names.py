"""The names of the protocols; their code is loaded when one is used."""

from typing import Literal, get_args

ProtocolName = Literal["gtp", "uci", "ugi", "uai", "ucci", "aei", "gomocup", "hub"]
PROTOCOLS: tuple[ProtocolName, ...] = get_args(ProtocolName)
OPTIONED: tuple[ProtocolName, ...] = ("uci", "ugi", "uai", "ucci")
"""Those whose programs declare options."""
