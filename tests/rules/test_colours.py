"""The exchange of the players: what games declare, and how replay learns it."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from exhaustive_search import exhaustive, late
from game_sizes import check_some
from sizes import size

from athenan.evaluation.heuristics import make_heuristic
from athenan.games.catalogue import make
from athenan.learning.examples.examples import ActionNumbers, Examples
from athenan.learning.learner.initialisation import terminal_batches
from athenan.learning.replay import ReplayConfig, make_replay
from athenan.learning.replay.encoding import Symmetries, augment, encoded
from athenan.rules import Features, KernelTable
from athenan.rules.colours import ColourSymmetry
from athenan.rules.conformance import check_game
from athenan.rules.facts import altered
from athenan.rules.game import Game, GameError, State
from athenan.rules.mobility import with_mobility
from athenan.rules.playouts import random_match
from athenan.rules.terminal import value_of_end

VARIANTS = [
    "hex:4,swap=false", "connect_four:4x4,connect=3", "connect_four:10x9", "havannah:4,swap=false",
    "ataxx:7,blocked=b3", "breakthrough:3x5", "breakthrough:9x6,piece_rows=3", "clobber:5x4", "clobber:6x6",
    "go:5,komi=0,superko=simple",
]  # fmt: skip
"""Those that test_games does not check."""
CHECKED = [
    "hex:2", "hex:5", "gomoku:6,opening=free", "gomoku:9,exact=true", "connect6:6", "othello:4", "othello:10",
    "ataxx:4", "ataxx:7,blocked=c3+e5", "clobber:3x3", "draughts:brazilian", "draughts:canadian",
    "lines_of_action:simultaneous=draw", "shobu:repetition=draw",
]  # fmt: skip
"""Those that test_games checks."""
NONE = ["arimaa", "morpion:4D", "go:5", "go:5,komi=0", "go:5,superko=simple"]
SOLVED = ["tictactoe", "hex:3", "hex:3,swap=false", "othello:4", "breakthrough:3x4", "clobber:3x4", "connect_four:4x4"]


def colours(game: Game) -> ColourSymmetry:
    assert game.colour_symmetry is not None
    return game.colour_symmetry


@pytest.mark.parametrize("name", VARIANTS)
def test_variants_conform(name: str) -> None:
    game = make(name)
    assert game.colour_symmetry
    check_some(game)


@pytest.mark.parametrize("name", CHECKED)
def test_variants_declare_an_exchange_of_the_players(name: str) -> None:
    assert make(name).colour_symmetry


def test_the_sums_of_mobility_are_exchanged() -> None:
    check_game(with_mobility(make("breakthrough:3x5")), matches=5)


@pytest.mark.parametrize("name", NONE)
def test_games_without_an_exchange_of_colours_refuse_it(name: str) -> None:
    game = make(name)
    assert game.colour_symmetry is None
    with pytest.raises(ValueError, match=r"colours must be false: .* declares no exchange of the players"):
        Symmetries.of(game, colours=True)


@pytest.mark.parametrize("name", SOLVED)
def test_the_image_has_the_opposite_value(name: str) -> None:
    game = make(name)
    value = exhaustive(game)
    for seed in range(size(8, 20)):
        state = late(game, seed, left=7)
        if game.length(state) >= colours(game).begins:
            assert value(colours(game).state(state)) == -value(state)


def test_a_position_by_hand() -> None:
    """Hex: what stands on c1 for x stands on a3 for o, and x's top is o's left."""
    game = make("hex:3,swap=false")
    state = game.after("c1 b2")
    image = colours(game).state(state)
    assert game.text(image) == "   a  b  c\n1  .  .  .\n 2  .  x  .\n  3  o  .  ."
    assert game.side(image) == "second player"


def _tictactoe(**changes: Any) -> Game:
    game = make("tictactoe")
    return altered(game, colour_symmetry=replace(colours(game), **changes))


def _same_side(state: State) -> State:
    image = colours(make("tictactoe")).state(state)
    image[0] = state[0]
    return image


def _longer(state: State) -> State:
    image = colours(make("tictactoe")).state(state)
    image[7] += 1
    return image


WRONG: list[tuple[Callable[[], Game], str]] = [
    (lambda: _tictactoe(planes=np.arange(27, dtype=np.int32)), "does not map the planes"),
    (lambda: _tictactoe(planes=np.zeros(27, np.int32)), "planes of the exchange of the players are not a permutation"),
    (lambda: _tictactoe(planes=np.arange(27)), "the planes of the exchange of the players must be of int32, not int64"),
    (lambda: _tictactoe(actions=np.arange(8, dtype=np.int32)), "the actions of .* are not a permutation"),
    (lambda: _tictactoe(actions=np.arange(9, dtype=np.int32)[::-1]), "does not map"),
    (lambda: _tictactoe(side=1), "does not map the planes"),
    (lambda: _tictactoe(state=_same_side), "does not map the header"),
    (lambda: _tictactoe(state=_longer), "twice does not give back the state"),
    (lambda: _of("santorini", begins=3), "does not map"),
    (lambda: _with_komi(Features()), "does not map the outcome to its negative"),
    (lambda: _with_komi(make("go:3").features), "does not map the features"),
    (lambda: altered(make("morpion:4D"), colour_symmetry=colours(make("tictactoe"))), "in a one-player game"),
]  # fmt: skip


def _with_komi(features: Features) -> Game:
    """Go whose players are declared the same, although one has komi."""
    game = make("go:3,superko=simple")
    kernels = {name: one for name, one in game.table.kernels.items() if name != "features" or features.planes}
    same = colours(make("go:3,komi=0,superko=simple"))
    return altered(game, table=KernelTable(kernels), features=features, colour_symmetry=same, plane_exchange=None)


def _of(name: str, **changes: Any) -> Game:
    game = make(name)
    return altered(game, colour_symmetry=replace(colours(game), **changes))


@pytest.mark.parametrize(("wrong", "message"), WRONG)
def test_a_wrong_declaration_is_found(wrong: Callable[[], Game], message: str) -> None:
    with pytest.raises(GameError, match=message):
        check_game(wrong(), matches=5)


@pytest.mark.parametrize("name", ["hex:4", "othello:6", "breakthrough:4x5", "shobu", "santorini", "xiangqi"])
def test_minibatches_show_images(name: str) -> None:
    """What is learnt of a state seen through a symmetry is what would be learnt of its image."""
    game = make(name)
    symmetries, count = Symmetries.of(game, colours=True), len(game.plane_symmetries)
    assert len(symmetries) == 2 * count and symmetries.of_board == count
    state = late(game, seed=1, left=10)
    actions = game.actions(state)
    numbers = np.arange(1, 1 + len(actions), dtype=np.float32)
    given = ActionNumbers(np.full(2 * count, len(actions), np.int32), *map(_repeated(2 * count), (actions, numbers)))
    values = np.full(2 * count, 0.5, np.float32)
    examples = Examples(np.stack([state] * 2 * count), values, policies=given, action_values=given)
    batch = encoded(game, symmetries, examples, np.arange(2 * count, dtype=np.uint8))

    assert batch.values.tolist() == [0.5] * count + [-0.5] * count
    for number, planes in enumerate(batch.planes):
        exchanged, board = divmod(number, count)
        image = colours(game).state(state) if exchanged else state
        np.testing.assert_array_equal(planes, game.encode(image).reshape(-1)[game.plane_symmetries[board]])
        moved = colours(game).actions[actions] if exchanged else actions
        places = game.action_symmetries[board][moved]
        assert sorted(moved.tolist()) == game.actions(image).tolist()
        policies, action_values = batch.policies, batch.action_values
        assert policies is not None and action_values is not None
        np.testing.assert_array_equal(policies[number, places], numbers)
        np.testing.assert_array_equal(action_values[number, places], -numbers if exchanged else numbers)
        assert (policies[number] != 0).sum() == (~np.isnan(action_values[number])).sum() == len(actions)


def _repeated(times: int) -> Callable[[np.ndarray], np.ndarray]:
    return lambda numbers: np.tile(numbers, times)


@pytest.mark.parametrize("mode", ["add", "random"])
def test_states_without_an_image_are_not_exchanged(mode: str) -> None:
    """Santorini: the players do not put their workers in turn."""
    game = make("santorini")
    symmetries = Symmetries.of(game, colours=True)
    line = [game.initial()]
    for action in random_match(game, 0)[:5]:
        line.append(game.play(line[-1], action))
    states = np.stack(line * 200)
    counts = symmetries.count(states)
    assert not isinstance(counts, int) and counts[:6].tolist() == [8, 8, 8, 8, 16, 16]
    seen = augment(len(states), counts, np.random.default_rng(0), mode)[-len(states) :].reshape(200, 6)
    first = 1 if mode == "add" else 0
    assert [sorted(set(column.tolist())) for column in seen.T] == [
        list(range(first, top)) for top in (8, 8, 8, 8, 16, 16)
    ]


def test_a_state_with_no_other_symmetry_is_its_own_copy() -> None:
    seen = augment(3, np.array([1, 2, 1]), np.random.default_rng(0), "add")
    assert seen.tolist() == [0, 0, 0, 0, 1, 0]


def test_random_ends_are_exchanged_too() -> None:
    game = make("othello:4")
    heuristic = make_heuristic("score", game)
    replay = ReplayConfig(batch_size=64, colours=True)
    (batch,) = terminal_batches(game, heuristic, 64, replay, 0)
    planes = batch.planes.reshape(-1, 3, 16).astype(int)
    np.testing.assert_array_equal(batch.values, planes[:, 0].sum(1) - planes[:, 1].sum(1))
    (plain,) = terminal_batches(game, heuristic, 64, replace(replay, colours=False), 0)
    assert 10 < (batch.values == -plain.values).sum() < 60


def test_replay_with_colours_learns_both_signs() -> None:
    game = make("tictactoe")
    state = game.after("b2 a1 a2 a3 c2")
    assert value_of_end(game, make_heuristic("classic", game), state) == 1
    replay = make_replay(game, ReplayConfig(duplication=100, augmentation="random", colours=True), seed=0)
    replay.add(Examples(np.stack([state] * 200), np.ones(200, np.float32)))
    for batch in replay.batches():
        sides = batch.planes.reshape(-1, 3, 9)[:, 2, 0]
        assert {(int(side), float(value)) for side, value in zip(sides, batch.values, strict=True)} == {(0, 1), (1, -1)}


def test_what_cannot_be_exchanged_is_refused() -> None:
    with pytest.raises(ValueError, match="colours needs augmentation add or random, not none"):
        ReplayConfig(augmentation="none", colours=True)
    with pytest.raises(ValueError, match="colours must be false: arimaa declares no exchange of the players"):
        make_replay(make("arimaa"), ReplayConfig(colours=True), seed=0)
    game = make("tictactoe")
    more = Examples(game.initial()[None], np.zeros(1, np.float32), more={"length": np.zeros(1, np.float32)})
    with pytest.raises(ValueError, match="colours must be false to learn length, a head of your own"):
        make_replay(game, ReplayConfig(colours=True), seed=0).add(more)
