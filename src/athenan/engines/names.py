"""The names of the protocols. The code of a protocol is loaded when it is used."""

from typing import Literal, get_args

ProtocolName = Literal["gtp", "uci", "ugi", "uai", "ucci", "aei", "gomocup", "hub", "cecp"]
PROTOCOLS: tuple[ProtocolName, ...] = get_args(ProtocolName)
OPTIONED: tuple[ProtocolName, ...] = ("uci", "ugi", "uai", "ucci")
"""The protocols whose programs declare options."""
GREETINGS: dict[ProtocolName, str] = {"cecp": "feature done=0"}
"""What an engine says before it loads its player. XBoard assumes that an engine has no features if it is silent for two
seconds."""
