"""Levels: what a player with a network plays at each."""

import numpy as np
import pytest

from athenan import Budget, Search, make
from athenan.play.levels import LEVELS, ROLLOUT_LEVELS, RUNGS, STRONGEST, Level, Levels, level_name
from athenan.play.search_player import SearchPlayer


@pytest.mark.parametrize(
    "ordered", [list(LEVELS.values()), list(ROLLOUT_LEVELS.settings.values()), [*RUNGS, STRONGEST]]
)
def test_levels_grow(ordered: list[Level]) -> None:
    assert len(set(ordered)) == len(ordered)
    assert [one.exploitation for one in ordered] == sorted(one.exploitation for one in ordered)
    limits = [one.evaluations or np.inf for one in ordered]
    assert limits == sorted(limits) and ordered[-1] == Level(None, 1.0)


def test_levels_have_names() -> None:
    with pytest.raises(ValueError, match="there is no level 'master'; the levels are beginner, casual, club"):
        level_name("master")
    levels = Levels()
    assert [levels.name_of(level) for level in LEVELS.values()] == list(LEVELS)
    assert levels.name_of(None) is levels.name_of(Level(7, 0.5)) is None


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
