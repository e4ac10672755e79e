"""The levels of an engine, as each protocol offers them."""

from collections.abc import Callable
from typing import Any

import pytest
from protocol_servers import Told

from athenan import Budget, Search
from athenan.engines.names import ProtocolName
from athenan.engines.protocols import SERVERS
from athenan.play.levels import LEVELS, LevelName, Levels
from athenan.play.search_player import SearchPlayer
from athenan.rules.game import Game
from athenan.search.monte_carlo.mcts import Mcts

GAMES: dict[ProtocolName, str] = {
    "gtp": "tictactoe", "uci": "breakthrough:5x5", "aei": "arimaa:200", "gomocup": "gomoku:6", "hub": "draughts",
}  # fmt: skip


def at(level: LevelName) -> Callable[[Game], SearchPlayer]:
    def make_player(game: Game) -> SearchPlayer:
        levels = Levels(ratings={"beginner": 200, "club": 800, "strongest": 1500})
        return SearchPlayer("mine", Search(game), levels=levels, level=level)

    return make_player


def rollouts(game: Game) -> SearchPlayer:
    return SearchPlayer("uct", Mcts(game))


def served(protocol: ProtocolName, player: Callable[[Game], SearchPlayer] = at("strongest")) -> Told[Any]:
    return Told(SERVERS[protocol], GAMES[protocol], player)


@pytest.mark.parametrize(
    ("protocol", "choice", "refusal"),
    [
        ("gtp", "athenan-level {}", "? "), ("aei", "setoption name level value {}", "log Error: "),
        ("gomocup", "INFO athenan-level {}", "MESSAGE "), ("hub", "set-param name=level value={}", "error message="),
    ],
)  # fmt: skip
def test_a_level_is_chosen_by_its_name(protocol: ProtocolName, choice: str, refusal: str) -> None:
    told = served(protocol)
    for name, level in LEVELS.items():
        assert [line for line in told(choice.format(name)) if line not in ("", "=")] == []
        assert told.engine.player.level == level
        assert told.engine.level == name
    told(choice.format("casual"))
    for wrong in ("master", ""):
        [refused] = [line for line in told(choice.format(wrong)) if line][:1]
        if wrong or protocol != "gtp":  # without a name GTP's command lists the levels
            assert refused.startswith(refusal)
            assert f"there is no level '{wrong}'; the levels are beginner, casual, club, expert, strongest" in refused
    assert told.engine.level == "casual"
    [refused, *_] = served(protocol, rollouts)(choice.format("casual"))
    assert refused.startswith(refusal)
    assert "uct has no levels: only players with a network have them" in refused


@pytest.mark.parametrize(
    ("protocol", "greeting", "declaration"),
    [
        ("uci", "uci", "option name Skill Level type spin default 2 min 0 max 4"),
        ("hub", "hub", 'param name=level value=club type=enum values="beginner casual club expert strongest"'),
        ("gtp", "athenan-level", "= beginner casual club expert strongest"),
    ],
)
def test_levels_are_declared_with_the_present_one_if_there_are_any(
    protocol: ProtocolName, greeting: str, declaration: str
) -> None:
    assert declaration in served(protocol, at("club"))(greeting)
    undeclared = " ".join(served(protocol, rollouts)(greeting))
    assert not any(word in undeclared for word in ("Skill", "Elo", "level", "Level", "club"))


def test_a_level_stays_when_the_rules_change_and_limits_the_search() -> None:
    told = served("gomocup")
    assert told("INFO athenan-level club", "START 5", "INFO timeout_turn 60000", "BEGIN")[0] == "OK"
    assert told.engine.level == "club"
    assert 100 <= told.engine.session.searcher.effort().evaluations < 100 + 25  # the last expansion may exceed it


def test_uci_has_a_rating_where_the_levels_are_measured() -> None:
    lines = served("uci")("uci")
    assert "option name UCI_LimitStrength type check default false" in lines
    assert "option name UCI_Elo type spin default 1500 min 200 max 1500" in lines

    def level() -> str | None:
        return told.engine.level

    told = served("uci")
    told("setoption name Skill Level value 1")
    assert level() == "casual"
    told = served("uci")
    told("setoption name UCI_Elo value 700")
    assert level() == "strongest"
    told("setoption name UCI_LimitStrength value true")
    assert level() == "club"
    assert told.engine.limit(Budget(seconds=9)) == LEVELS["club"].limit
    for elo, wanted in (("0", "beginner"), ("-300", "beginner"), ("99999", "strongest")):
        told(f"setoption name UCI_Elo value {elo}")
        assert level() == wanted
    told("setoption name UCI_LimitStrength value false")
    assert level() == "strongest"


def test_uci_has_no_rating_where_only_one_level_is_measured() -> None:
    def make_player(game: Game) -> SearchPlayer:
        return SearchPlayer("mine", Search(game), levels=Levels(ratings={"strongest": 1500}))

    told = served("uci", make_player)
    assert not any("Elo" in line or "LimitStrength" in line for line in told("uci"))
    [refused, *_] = told("setoption name UCI_LimitStrength value true")
    assert "the levels of mine have not been measured: set Skill Level" in refused


def test_uci_begins_at_the_level_of_the_player() -> None:
    told = served("uci", at("club"))
    told("setoption name UCI_LimitStrength value false")
    assert told.engine.level == "club"


@pytest.mark.parametrize(
    "line", ["setoption name UCI_Elo value x", "setoption name Skill Level value 1.5",
             "setoption name UCI_LimitStrength value perhaps"]
)  # fmt: skip
def test_uci_refuses_other_values(line: str) -> None:
    told = served("uci")
    assert told(line)[0].startswith("info string error:")
    assert told.engine.level == "strongest"


def test_uci_refuses_a_level_to_a_player_without_levels() -> None:
    assert "uct has no levels" in served("uci", rollouts)("setoption name Skill Level value 1")[0]
