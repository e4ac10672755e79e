"""Symmetries that keep the rules of a game but not its start: eight in Othello (003, section 10.3), and in others."""

import re
from pathlib import Path

import numpy as np
import pytest
from sizes import size

from athenan import make
from athenan.games.catalogue import GAMES
from athenan.rules.conformance import check_game
from athenan.rules.facts import altered
from athenan.rules.game import GameError


@pytest.mark.one_of(2)
@pytest.mark.parametrize(("name", "count", "of_start"), [
    ("othello:6", 8, 4), ("othello:10", 8, 4), ("clobber:6", 8, 4), ("clobber:5x5", 8, 8), ("clobber:4x6", 4, 2),
    ("clobber:5x6", 4, 2), ("amazons:6", 8, 2), ("amazons:10", 8, 2), ("lines_of_action", 8, 4), ("ataxx:5", 8, 4),
    ("ataxx:7,blocked=c4+e4", 4, 2), ("ataxx:7,blocked=b3", 1, 1), ("ataxx:5,blocked=b3+c2", 2, 2),
    ("ataxx:7,blocked=d2", 2, 1), ("surakarta", 8, 2), ("shobu", 16, 4), ("shobu:repetition=draw", 16, 4),
])  # fmt: skip
def test_all_symmetries_of_the_board_are_declared_and_map_matches_to_matches(name, count, of_start):
    game = make(name)
    assert (len(game.plane_symmetries), game.start_symmetries) == (count, of_start)
    assert len({row.tobytes() for row in game.plane_symmetries}) == count
    start = game.encode(game.initial()).reshape(-1)
    kept = [np.array_equal(start[row], start) for row in game.plane_symmetries]
    assert kept == [number < of_start for number in range(count)]
    check_game(game, size(1, count))


@pytest.mark.parametrize("name", ["othello:4", "clobber:4x3", "amazons:6", "lines_of_action", "ataxx:3", "surakarta",
                                  "shobu:repetition=draw"])  # fmt: skip
def test_the_image_of_a_state_plays_on_as_states_of_matches_do(name):
    """All bytes: what a state remembers of earlier positions is turned as well."""
    game, random = make(name), np.random.default_rng(0)
    turned = game.turned
    assert turned
    for number, actions in enumerate(game.action_symmetries):
        state, mapped = game.initial(), turned(game.initial(), number)
        while game.outcome(state) is None and game.length(state) < 150:
            assert np.array_equal(turned(state, number), mapped)
            action = int(random.choice(game.actions(state)))
            state, mapped = game.play(state, action), game.play(mapped, int(actions[action]))
        assert np.array_equal(turned(state, number), mapped)


def test_the_documented_table_has_the_symmetries_of_every_game():
    page = (Path(__file__).parents[2] / "docs/algorithms/replay.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.*`) \| (\d+) \| (\d+) \|", page, re.MULTILINE)
    found = {name: (int(count), int(kept)) for names, count, kept in rows for name in re.findall(r"`(\w+)`", names)}
    games = [make(name) for name in GAMES]
    assert found == {game.name.split(":")[0]: (len(game.plane_symmetries), game.start_symmetries) for game in games}


def test_a_wrong_image_of_a_state_is_found():
    game = make("othello:4")
    with pytest.raises(GameError, match="does not map matches to matches"):
        check_game(altered(game, turned=lambda state, number: state), 16)
    with pytest.raises(GameError, match="need turned"):
        altered(game, turned=None)
