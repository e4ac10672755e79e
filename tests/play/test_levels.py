"""Levels: what a player with a network plays at each."""

import numpy as np
import pytest

from athenan import Budget, Search, make
from athenan.engines.engine import Engine
from athenan.engines.gtp.server import GtpServer
from athenan.engines.uci.dialect import DIALECTS
from athenan.engines.uci.server import UciServer
from athenan.play.levels import LEVELS, Level, level_name
from athenan.play.search_player import SearchPlayer
from athenan.search.mcts import Mcts


def test_levels_grow() -> None:
    ordered = list(LEVELS.values())
    assert [one.exploitation for one in ordered] == sorted(one.exploitation for one in ordered)
    limits = [one.evaluations or np.inf for one in ordered]
    assert limits == sorted(limits) and ordered[-1] == Level(None, 1.0)
    with pytest.raises(ValueError, match="there is no level 'master'; the levels are beginner, casual, club"):
        level_name("master")


def root_of(moves: str, evaluations: int = 200):  # type: ignore[no-untyped-def]
    game = make("tictactoe")
    search = Search(game)
    player = SearchPlayer("mine", search)
    player.new_match(game, 0)
    player.select(game.after(moves), Budget(evaluations=evaluations))
    return search, search.root()


def test_every_level_takes_a_proven_win_and_avoids_a_proven_loss() -> None:
    random = np.random.default_rng(0)
    search, root = root_of("a1 b1 a2 b2")  # a3 wins
    for level in LEVELS.values():
        names = {search.game.action_name(search.state(), int(root.actions[level.choose(search, root, random)]))
                 for _ in range(20)}  # fmt: skip
        assert names == {"a3"}
    search, root = root_of("a1 b2 a2", 2000)  # only a3 does not lose
    chosen = {int(root.actions[LEVELS["beginner"].choose(search, root, random)]) for _ in range(20)}
    assert len(chosen) == 1


def test_weak_levels_vary() -> None:
    random = np.random.default_rng(0)
    search, root = root_of("", 30)
    for name, most in (("beginner", 9), ("strongest", 1)):
        level = LEVELS[name]  # type: ignore[index]
        chosen = {level.choose(search, root, random) for _ in range(200)}
        assert (len(chosen) > 4) == (most > 1)


def leveled(game):  # type: ignore[no-untyped-def]
    player = SearchPlayer("mine", Search(game), level=LEVELS["strongest"])
    player.ratings = {"beginner": 200, "club": 800, "strongest": 1500}
    return player


def uci(lines, make_player=leveled):  # type: ignore[no-untyped-def]
    told: list[str] = []
    engine = Engine(make("breakthrough:5x5"), make_player)
    server = UciServer(engine, told.append, DIALECTS["uci"])
    for line in lines:
        server.handle(line)
    return engine, [line.strip() for line in told]


def test_uci_has_a_skill_level_and_a_rating() -> None:
    _, told = uci(["uci"])
    assert "option name Skill Level type spin default 4 min 0 max 4" in told
    assert "option name UCI_LimitStrength type check default false" in told
    assert "option name UCI_Elo type spin default 1500 min 200 max 1500" in told
    engine, _ = uci(["setoption name Skill Level value 1"])
    assert engine.player.level == LEVELS["casual"]
    engine, _ = uci(["setoption name UCI_Elo value 700"])
    assert engine.player.level == LEVELS["strongest"]
    engine, _ = uci(["setoption name UCI_Elo value 700", "setoption name UCI_LimitStrength value true"])
    assert engine.player.level == LEVELS["club"] and engine.limit(Budget(seconds=9)) == LEVELS["club"].limit
    engine.change()  # the level stays for another game
    assert engine.player.level == LEVELS["club"]


@pytest.mark.parametrize(
    "line", ["setoption name UCI_Elo value x", "setoption name Skill Level value 1.5",
             "setoption name UCI_LimitStrength value perhaps"]
)  # fmt: skip
def test_uci_refuses_other_values(line: str) -> None:
    engine, told = uci([line])
    assert told and told[0].startswith("info string error:") and engine.player.level == LEVELS["strongest"]


def test_a_player_without_levels_has_no_such_options() -> None:
    def rollouts(game):  # type: ignore[no-untyped-def]
        return SearchPlayer("uct", Mcts(game))

    _, told = uci(["uci"], rollouts)
    assert not any("Skill" in line or "Elo" in line for line in told)
    _, told = uci(["setoption name Skill Level value 1"], rollouts)
    assert "uct has no levels" in told[0]


def test_gtp_has_a_command_for_levels() -> None:
    told: list[str] = []
    server = GtpServer(Engine(make("tictactoe"), leveled), told.append)
    for line in ("athenan-level", "athenan-level beginner", "athenan-level master", "genmove black"):
        server.handle(line)
    assert told[0] == "= beginner casual club expert strongest\n\n" and told[1] == "=\n\n"
    assert "there is no level 'master'" in told[2] and told[3].startswith("= ")
    assert server.engine.player.level == LEVELS["beginner"]
