"""The protocols by name: the servers that an engine speaks with, and the clients of programs that play here."""

from collections.abc import Callable
from functools import partial

from athenan.engines.aei.client import AeiConversation
from athenan.engines.aei.server import AeiServer
from athenan.engines.engine import Engine
from athenan.engines.gomocup.client import GomocupConversation
from athenan.engines.gomocup.server import GomocupServer
from athenan.engines.gtp.client import GtpConversation
from athenan.engines.gtp.server import GtpServer
from athenan.engines.hub.client import HubConversation
from athenan.engines.hub.server import HubServer
from athenan.engines.names import ProtocolName
from athenan.engines.program import Conversation
from athenan.engines.serving import Server, Write
from athenan.engines.uci.client import UciConversation
from athenan.engines.uci.dialect import DIALECTS
from athenan.engines.uci.server import UciServer

SERVERS: dict[ProtocolName, Callable[[Engine, Write], Server]] = {
    "gtp": GtpServer,
    **{name: partial(UciServer, dialect=dialect) for name, dialect in DIALECTS.items()},
    "aei": AeiServer,
    "gomocup": GomocupServer,
    "hub": HubServer,
}
"""Protocol -> what makes its server. Making it raises ValueError for a game that the protocol does not have."""

CONVERSATIONS: dict[ProtocolName, Callable[..., Conversation]] = {
    "gtp": GtpConversation,
    **{name: partial(UciConversation, dialect=dialect) for name, dialect in DIALECTS.items()},
    "aei": AeiConversation,
    "gomocup": GomocupConversation,
    "hub": HubConversation,
}
"""Protocol -> its client, made from the player's name, the program, the grace in seconds, and its own settings."""
