"""Chance in the rules: what an author of a game may do wrong with it, and that it draws by the probabilities."""

from dataclasses import replace

import numpy as np
import pytest
from numba import types
from scipy.stats import chisquare

from athenan import Game, GameError, check_game, make, rules
from athenan.games import pig
from athenan.rules.compiler import kernel
from athenan.rules.facts import altered
from athenan.rules.kernels import ACTIONS, PLAY, PROBABILITIES, RULES, SAMPLE, SIGNATURES
from athenan.rules.randomness import MOST_OUTCOMES, random_action, streams
from athenan.rules.state import CHANCE

# Pig with one thing wrong, and what `check_game` must say about it.


@rules.kernel(PROBABILITIES)
def too_likely(params, state, probabilities):
    pig.probabilities(params, state, probabilities)
    probabilities[0] += 0.01


@rules.kernel(PROBABILITIES)
def impossible(params, state, probabilities):
    pig.probabilities(params, state, probabilities)
    probabilities[0] += probabilities[1]
    probabilities[1] = 0


@rules.kernel(PROBABILITIES)
def negative(params, state, probabilities):
    pig.probabilities(params, state, probabilities)
    probabilities[0] += 1
    probabilities[1] -= 1


@rules.kernel(PROBABILITIES)
def beyond(params, state, probabilities):
    for number in range(params[1] + 1):
        probabilities[number] = 1.0 / params[1]


@rules.kernel(PROBABILITIES)
def half_written(params, state, probabilities):
    last = probabilities[params[1] - 1]
    pig.probabilities(params, state, probabilities)
    probabilities[params[1] - 1] = last


@rules.kernel(PROBABILITIES)
def in_place(params, state, probabilities):
    pig.probabilities(params, state, probabilities)
    state[7] = 1


@rules.kernel(PROBABILITIES)
def loaded(params, state, probabilities):
    pig.probabilities(params, state, probabilities)
    probabilities[0] += 0.01
    probabilities[1] -= 0.01


@rules.kernel(PLAY)
def twice(params, state, action, following):
    pig.play(params, state, action, following)
    if action == 4:
        following[0] = rules.CHANCE


@rules.kernel(PLAY)
def after_the_end(params, state, action, following):
    pig.play(params, state, action, following)
    if following[11]:
        following[0] = rules.CHANCE


@rules.kernel(ACTIONS)
def no_outcome(params, state, actions):
    return 0 if state[0] == rules.CHANCE else pig.actions(params, state, actions)


@rules.kernel(SAMPLE)
def never_six(params, state, random):
    random[0] = random[0] * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
    return np.int64(random[0] >> np.uint64(40)) % (5 if state[0] == rules.CHANCE else 2) + 2 * (
        state[0] == rules.CHANCE
    )


def broken(**kernels: rules.Kernel) -> Game:
    good = {name: getattr(pig, name) for name in SIGNATURES if hasattr(pig, name)}
    return altered(make("pig:10"), table=rules.table(**(good | kernels)))


def many_sided(sides: int) -> Game:
    """A die of so many sides."""
    identity = np.arange(sides + 2, dtype=np.int32)
    return altered(
        make("pig:100"),
        params=np.array([100, sides, 1000], np.int64),
        action_count=sides + 2,
        max_actions=sides,
        action_symmetries=identity[None, :],
        colour_symmetry=None,
    )


def exchanging_numbers() -> Game:
    """The exchange of the players exchanges a 1 and a 2, which are not equally likely."""
    game = broken(probabilities=loaded)
    assert game.colour_symmetry is not None
    numbers = game.colour_symmetry.actions.copy()
    numbers[[2, 3]] = numbers[[3, 2]]
    return altered(game, colour_symmetry=replace(game.colour_symmetry, actions=numbers))


BROKEN = [
    (broken(probabilities=too_likely), r"the probabilities sum to 1\.01, not 1"),
    (broken(probabilities=impossible), "an outcome of chance has no probability above 0"),
    (broken(probabilities=negative), "an outcome of chance has no probability above 0"),
    (broken(probabilities=beyond), "probabilities writes beyond the outcomes"),
    (broken(probabilities=half_written), "probabilities leaves some of its output unwritten"),
    (broken(probabilities=in_place), "probabilities changes the state that it is given"),
    (broken(play=twice), "chance is to move twice in succession"),
    (broken(play=after_the_end), "chance is to move after the end of the match"),
    (broken(actions=no_outcome), "actions and outcome disagree on the end of the match"),
    (broken(sample=never_six), "sample draws other actions than the legal ones, or not all"),
    (many_sided(MOST_OUTCOMES + 1), "chance has more than 256 outcomes"),
    (exchanging_numbers(), "does not map the legal actions: the probabilities differ"),
]


@pytest.mark.parametrize(("game", "message"), BROKEN, ids=[message.replace(" ", "-") for _, message in BROKEN])
def test_check_game_finds_what_is_wrong_with_chance(game: Game, message: str) -> None:
    with pytest.raises(GameError, match=message):
        check_game(game)


def test_the_largest_number_of_outcomes_conforms() -> None:
    with pytest.raises(GameError, match="its name makes another game, pig:100"):  # nothing else is wrong
        check_game(many_sided(MOST_OUTCOMES), matches=2)


def test_probabilities_are_asked_for_where_chance_is_to_move() -> None:
    game, never = make("pig"), make("tictactoe")
    assert game.stochastic
    assert not never.stochastic
    for other in (game, never):
        with pytest.raises(GameError, match="chance is not to move here"):
            other.probabilities(other.initial())


@kernel(types.void(RULES, types.int8[::1], types.int32[::1], types.uint64[::1], types.int64[::1], types.int64))
def count_drawn(rules, state, actions, random, counts, draws):
    for _ in range(draws):
        counts[random_action(rules, state, actions, random)] += 1


@rules.kernel(PROBABILITIES)
def rising(params, state, probabilities):
    for number in range(params[1]):
        probabilities[number] = 2.0 * (number + 1) / (params[1] * (params[1] + 1))


@pytest.mark.parametrize(
    ("game", "moves"),
    [
        (broken(probabilities=rising), "roll"),
        (broken(probabilities=rising), "roll 4"),
        (make("einstein"), "1a5 2b5 3c5 4a4 5b4 6a3"),
        (make("einstein"), "1a5 2b5"),
        (make("einstein"), "1a5 2b5 3c5 4a4 5b4 6a3 3"),
        (make("einstein:placement=alternate"), "1a5 2d1 3c5"),
        (make("einstein:placement=random"), "1a5d1 next 2b5e1 next"),
        (make("einstein:placement=random"), "1a5d1"),
    ],
    ids=lambda value: str(getattr(value, "name", value)).replace(" ", "-"),
)
def test_actions_are_drawn_by_their_probabilities(game: Game, moves: str) -> None:
    """Pearson's test; with `sample`, if the game has it."""
    state, counts, draws = game.after(moves), np.zeros(game.action_count, np.int64), 100_000
    count_drawn(game.rules, state, np.zeros(game.max_actions, np.int32), streams(1, 1), counts, draws)
    legal = game.actions(state)
    expected = game.probabilities(state) if game.player(state) == CHANCE else np.full(len(legal), 1 / len(legal))
    assert counts.sum() == counts[legal].sum() == draws
    assert len(legal) == 1 or chisquare(counts[legal], draws * expected).pvalue > 1e-4


def test_python_draws_by_the_probabilities_too() -> None:
    game = broken(probabilities=rising)
    state, random = game.after("roll"), np.random.default_rng(1)
    drawn = np.bincount([game.draw(state, random) for _ in range(6000)], minlength=game.action_count)
    assert chisquare(drawn[2:], 6000 * game.probabilities(state)).pvalue > 1e-4
