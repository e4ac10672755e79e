"""GNU Go, and answers of GTP with their frames."""

import pytest
from protocol_servers import Told

from athenan.arena.roster import make_player
from athenan.engines.gtp.server import GtpServer
from athenan.engines.process import find_program
from athenan.play.search_player import SearchPlayer
from athenan.rules.game import Game

GNUGO = find_program("gnugo")


needs_gnugo = pytest.mark.skipif(GNUGO is None, reason="gnugo is not installed")


def searching(game: Game, name: str = "mcts:30") -> SearchPlayer:
    player = make_player(name, game)
    assert isinstance(player, SearchPlayer)
    return player


class Framed:
    """A server that is asked line by line."""

    def __init__(self, game: str) -> None:
        self.told = Told(GtpServer, game, searching)
        self.server = self.told.server

    def __call__(self, line: str) -> str:
        """The answer to a line, without its last blank line."""
        self.told.text = ""
        self.server.handle(line)
        text = self.told.text
        assert text.endswith("\n\n") or not text
        return text.removesuffix("\n\n")
