"""Matches through our own server in another process: what a protocol's two ends say, they understand."""

import shlex
import sys

import pytest

from athenan.arena.roster import make_player
from athenan.engines.names import ProtocolName
from athenan.games.catalogue import make
from athenan.play.match import play_match
from athenan.play.player import RandomPlayer


@pytest.mark.parametrize(
    ("protocol", "game", "own", "outcomes"),
    [
        ("gtp", "tictactoe", "mcts:300", {1}),
        ("gomocup", "gomoku:6", "mcts:300", {1}),
        ("hub", "draughts", "mcts:20", {1, 0, -1}),
    ],
)
def test_both_ends_meet(protocol: ProtocolName, game: str, own: str, outcomes: set[int]) -> None:
    command = [sys.executable, "-m", "athenan", "engine", game, "--protocol", protocol, "--player", own]
    player = make_player(f"{protocol}:{shlex.join(command)},timeout=60", make(game))
    try:
        record = play_match(make(game), (player, RandomPlayer()), seed=3)
    finally:
        player.close()
    assert record.forfeit is None
    assert record.outcome in outcomes
