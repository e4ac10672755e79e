"""The threads of an engine, as each protocol sets them."""

from typing import Any

import pytest
from evaluators import Valued
from protocol_servers import Told

from athenan import Budget, Search
from athenan.engines.names import ProtocolName
from athenan.engines.protocols import SERVERS
from athenan.play.search_player import SearchPlayer
from athenan.rules.compiler import kernel
from athenan.rules.game import Game
from athenan.rules.kernels import STATE_VALUE
from athenan.search.monte_carlo.mcts import Mcts

GAMES: dict[ProtocolName, str] = {"uci": "breakthrough:5x5", "aei": "arimaa:200"}
LINES: dict[ProtocolName, str] = {
    "uci": "setoption name Threads value {}", "aei": "setoption name threads value {}",
}  # fmt: skip


@kernel(STATE_VALUE)
def even(rules: Any, state: Any) -> float:
    return 0.0


def searching(game: Game) -> SearchPlayer:
    return SearchPlayer("mine", Search(game, Valued(even), threads=2))


def rollouts(game: Game) -> SearchPlayer:
    return SearchPlayer("uct", Mcts(game))


@pytest.mark.parametrize("protocol", list(LINES))
def test_a_program_sets_the_threads_of_an_engine(protocol: ProtocolName) -> None:
    told: Told[Any] = Told(SERVERS[protocol], GAMES[protocol], searching)
    for asked, taken in (("3", 3), ("0", 1), ("100000", 1024), ("2", 2)):
        assert told(LINES[protocol].format(asked)) == []
        assert told.engine.player.searcher.threads == taken
    [refused] = told(LINES[protocol].format("many"))
    assert "the number of threads must be a whole number, not 'many'" in refused
    assert told.engine.player.searcher.threads == 2


@pytest.mark.parametrize("protocol", list(LINES))
def test_a_search_of_one_thread_stays_one(protocol: ProtocolName) -> None:
    told: Told[Any] = Told(SERVERS[protocol], GAMES[protocol], rollouts)
    assert told(LINES[protocol].format("3")) == []
    assert told.engine.player.searcher.threads == 1


def test_threads_are_offered_where_several_can_search() -> None:
    offer = "option name Threads type spin default 2 min 1 max 1024"
    assert offer in Told(SERVERS["uci"], GAMES["uci"], searching)("uci")
    assert not any("Threads" in line for line in Told(SERVERS["uci"], GAMES["uci"], rollouts)("uci"))


def test_an_engine_keeps_its_threads_when_its_game_changes() -> None:
    told: Told[Any] = Told(SERVERS["gtp"], "hex:5", searching)
    told.engine.use_threads(3)
    told.engine.change(size=6)
    assert told.engine.game.name == "hex:6" and told.engine.player.searcher.threads == 3
    assert told.engine.think(Budget(seconds=0.05)).iterations > 1


def test_threads_may_change_while_the_engine_thinks() -> None:
    told: Told[Any] = Told(SERVERS["uci"], "breakthrough", searching)
    told("position startpos")
    told.server.handle("go infinite")
    answers = told("setoption name Threads value 3")
    assert any(line.startswith("bestmove") for line in answers)
    assert told.engine.player.searcher.threads == 3
