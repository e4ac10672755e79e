"""A server of a protocol with what it has written, for the tests that speak with it by its lines."""

from collections.abc import Callable
from functools import partial
from threading import Condition
from typing import Any, Generic, TypeVar

from athenan import make
from athenan.arena.roster import make_player
from athenan.engines.engine import Engine, ThinkingOptions
from athenan.engines.serving import Server, Write
from athenan.engines.uci.dialect import DIALECTS, Dialect

PATIENCE = 120.0
"""Seconds until a test gives up waiting for a line."""

NAMED_DIALECTS = dict[str, Dialect](DIALECTS.items())
"""The dialects of UCI by name."""
AnyServer = TypeVar("AnyServer", bound=Server)


class Told(Generic[AnyServer]):
    """A server of a game, whose player is a name or a function that makes one, and the text it has written."""

    def __init__(
        self,
        server: Callable[[Engine, Write], AnyServer],
        game: str,
        player: Any = "mcts:20",
        options: ThinkingOptions = ThinkingOptions(margin=0),
    ) -> None:
        self.text, self._written = "", Condition()
        maker: Any = player if callable(player) else partial(make_player, player)
        self.engine = Engine(make(game), maker, options)
        self.server = server(self.engine, self._write)

    def _write(self, text: str) -> None:
        with self._written:
            self.text += text
            self._written.notify_all()

    @property
    def lines(self) -> list[str]:
        return self.text.splitlines()

    def __call__(self, *lines: str) -> list[str]:
        """What it writes to lines, and until a search that they have begun ends by itself."""
        self.text = ""
        for line in lines:
            self.server.handle(line)
        self.engine.wait()
        return self.lines

    def until(self, enough: Callable[[list[str]], bool]) -> None:
        """Waits until the lines that it has written are enough."""
        with self._written:
            assert self._written.wait_for(lambda: enough(self.lines), PATIENCE), self.text
