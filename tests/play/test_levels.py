"""Levels: what a player with a network plays at each, and by how much each is weaker than the next."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from sizes import size

from athenan import Budget, Search, make, make_player, play_match
from athenan.networks.catalogue import network_of
from athenan.play.levels import LEVELS, ROLLOUT_LEVELS, STRONGEST, Level, LevelName, Levels, level_name, rungs
from athenan.play.naive import NaivePlayer
from athenan.play.openings import OpeningChoice, openings
from athenan.play.player import PlayerError
from athenan.play.search_player import SearchPlayer
from athenan.rules.game import Game, State
from athenan.rules.playouts import random_states
from athenan.search.trees.node import Node

BELOW: tuple[LevelName, ...] = "beginner", "casual", "club", "expert"


@pytest.mark.parametrize("ordered", [list(LEVELS.values()), list(ROLLOUT_LEVELS.settings.values())])
def test_levels_grow(ordered: list[Level]) -> None:
    assert len(set(ordered)) == len(ordered)
    assert [-one.temperature for one in ordered] == sorted(-one.temperature for one in ordered)
    assert [one.sight for one in ordered] == sorted(one.sight for one in ordered)
    limits = [one.evaluations or np.inf for one in ordered]
    assert limits == sorted(limits) and ordered[-1] == STRONGEST == Level(None, 0.0, 1.0)


@pytest.mark.parametrize("name", BELOW)
def test_the_rungs_of_a_level_grow_and_have_one_sight(name: LevelName) -> None:
    found = rungs(name)
    assert [one.temperature for one in found] == sorted((one.temperature for one in found), reverse=True)
    assert len({(one.evaluations, one.sight) for one in found if one.temperature}) == 1


def test_levels_have_names() -> None:
    with pytest.raises(ValueError, match="there is no level 'master'; the levels are beginner, casual, club"):
        level_name("master")
    levels = Levels()
    assert [levels.name_of(level) for level in LEVELS.values()] == list(LEVELS)
    assert levels.name_of(None) is levels.name_of(Level(7, 0.5)) is None


def root_of(moves: str, evaluations: int = 200) -> tuple[Search, Node]:
    game = make("tictactoe")
    search = Search(game)
    player = SearchPlayer("mine", search)
    player.new_match(game, 0)
    player.select(game.after(moves), Budget(evaluations=evaluations))
    return search, search.root()


def test_weak_levels_vary_and_the_strongest_plays_what_its_search_chooses() -> None:
    search, root = root_of("", 30)
    for name, varied in (("beginner", True), ("strongest", False)):
        random, again = np.random.default_rng(0), np.random.default_rng(0)
        level = LEVELS[name]  # type: ignore[index]
        chosen = [level.choose(search, root, None, random) for _ in range(100)]
        assert (len(set(chosen)) > 4) == varied
        if not varied:
            assert chosen == [search.choose(root, again) for _ in range(100)]


def test_a_level_without_win_chances_takes_the_scale_of_its_search() -> None:
    search, _ = root_of("")
    judgement = LEVELS["club"].judgement(search, None)
    assert judgement.values.tolist() == [-search.scale, search.scale] and judgement.points.tolist() == [0.0, 1.0]


def endings(game: Game, count: int) -> tuple[list[tuple[State, set[int]]], list[tuple[State, set[int]]]]:
    """States of random play in which some actions win at once, and those in which some let the opponent do so.

    Each has these actions. In the second kind other actions are left, and no action wins.
    """
    wins, threats = list[tuple[State, set[int]]](), list[tuple[State, set[int]]]()
    for state in random_states(game, 4000, seed=5):
        if min(len(wins), len(threats)) >= count:
            break
        gain, actions = 1 - 2 * game.player(state), game.actions(state).tolist()
        after = {action: game.play(state, action) for action in actions}
        won = {action for action in actions if game.outcome(after[action]) == gain}
        if won:
            wins.append((state, won))
            continue
        ongoing = {action: one for action, one in after.items() if game.outcome(one) is None}
        lost = {
            action for action, one in ongoing.items()
            if any(game.outcome(game.play(one, int(reply))) == -gain for reply in game.actions(one))
        }  # fmt: skip
        if lost and len(lost) < len(actions):
            threats.append((state, lost))
    assert min(len(wins), len(threats)) >= count
    return wins[:count], threats[:count]


@pytest.mark.parametrize("name", size(["connect_four:7x6"], ["connect_four:7x6", "hex:7"]))
def test_levels_take_wins_and_block_as_often_as_their_sight_says(name: str) -> None:
    game = make(name)
    wins, threats = endings(game, 200)
    taken, blocked = Counter[str](), Counter[str]()
    for level in BELOW[:3]:
        player = make_player(f"athenan:{level}", game)
        player.new_match(game, 1)
        for state, won in wins:
            taken[level] += player.select(state, Budget(evaluations=1)).action in won
        for state, lost in threats:
            blocked[level] += player.select(state, Budget(evaluations=1)).action not in lost
    sights = {level: network_of(game).card.levels.settings[level].sight for level in BELOW}
    for level in BELOW[:3]:
        sight, error = sights[level], 3 * (sights[level] * (1 - sights[level]) / 200) ** 0.5
        assert blocked[level] >= 200 * (sight - error) - 1
        assert taken[level] >= 200 * (sight ** (1 / 4) - error) - 1
    assert blocked["beginner"] < 190  # some are overlooked
    assert blocked["beginner"] < blocked["casual"] <= blocked["club"] + 2
    assert blocked["casual"] >= 170 and blocked["club"] >= 192


def test_the_naive_player_wins_and_blocks_where_it_can() -> None:
    game = make("connect_four")
    wins, threats = endings(game, 100)
    player = NaivePlayer(game)
    player.new_match(game, 1)
    assert all(player.select(state, Budget(evaluations=1)).action in won for state, won in wins)
    assert all(player.select(state, Budget(evaluations=1)).action not in lost for state, lost in threats)
    drawn = {player.select(game.initial(), Budget(evaluations=1)).action for _ in range(60)}
    assert drawn == set(game.actions(game.initial()).tolist())


def test_the_naive_player_sees_as_far_as_it_is_asked_to() -> None:
    game = make("connect_four")
    state = game.after("4 1 5 1")  # 3 or 6 makes three in a row with two free ends
    counted = dict[int, int]()
    for turns in (1, 2):
        player = make_player(f"naive:{turns}" if turns > 1 else "naive", game)
        player.new_match(game, 3)
        counted[turns] = sum(player.select(state, Budget(evaluations=1)).action in (2, 5) for _ in range(60))
    assert counted[2] == 60 and counted[1] < 40
    assert make_player("naive:2", game).name == "naive:2" and make_player("naive:1", game).name == "naive"
    for wrong, message in (("naive:4", "turns must be from 1 to 3, not 4"), ("naive:0", "turns must be from 1 to 3")):
        with pytest.raises(PlayerError, match=message):
            make_player(wrong, game)
    with pytest.raises(PlayerError, match="morpion:5D has one player: naive needs an opponent"):
        make_player("naive", make("morpion:5D"))


def test_each_level_beats_the_one_below() -> None:
    game = make("connect_four")
    players = [make_player(f"athenan:{level}", game) for level in BELOW[:3]]
    for below, above in pairwise(players):
        source, points = openings(game, OpeningChoice("random", 1, 2)), 0.0
        for number in range(12):
            opening = next(source)
            for first in (0, 1):
                order = (above, below) if first == 0 else (below, above)
                outcome = play_match(game, order, opening, 2 * number + first, Budget(evaluations=1)).outcome
                assert outcome is not None
                points += (1 + outcome * (1 - 2 * first)) / 2
        assert points >= 13, (below.name, above.name)


def test_levels_that_err_may_overlook_what_is_forced() -> None:
    game = make("gomoku:15")
    state = game.after("a1 h8 a3 h9 a5 h10 h7 h11")  # the second player has four, and h12 is open
    player = make_player("athenan,level=beginner", game)

    def played() -> set[str]:
        found = set[str]()
        for seed in range(20):
            player.new_match(game, seed)
            found.add(game.action_name(state, player.select(state, Budget(evaluations=100)).action))
        return found

    assert isinstance(player, SearchPlayer) and player.levels
    assert len(played()) > 1
    player.level = player.levels.settings["strongest"]
    assert played() == {"h12"}
    player.level = player.levels.settings["beginner"]
    assert len(played()) > 1
