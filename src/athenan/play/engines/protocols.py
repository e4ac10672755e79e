"""The protocols that an engine speaks, by their names."""

from collections.abc import Callable
from typing import Literal

from athenan.play.engines.engine import Engine
from athenan.play.engines.gtp.server import GtpServer
from athenan.play.engines.serving import Server, Write

Protocol = Literal["gtp"]

SERVERS: dict[Protocol, Callable[[Engine, Write], Server]] = {"gtp": GtpServer}
"""Protocol -> what makes its server. Raises ValueError for a game that the protocol does not have."""
