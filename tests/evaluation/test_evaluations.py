"""Evaluations that games declare: their values against plain Python, and what is refused."""

from collections import Counter
from math import log

import numpy as np
import pytest

from athenan import AlphaBeta, Budget, GameError, Puct, Ubfm, check_game, make, make_search, rules
from athenan.evaluation.handwritten import described, evaluation
from athenan.rules.facts import altered
from athenan.rules.leaf import by_state
from athenan.rules.playouts import random_states

NORVIG = np.array([
    [120, -20, 20, 5, 5, 20, -20, 120],
    [-20, -40, -5, -5, -5, -5, -40, -20],
    [20, -5, 15, 3, 3, 15, -5, 20],
    [5, -5, 3, 3, 3, 3, -5, 5],
    [5, -5, 3, 3, 3, 3, -5, 5],
    [20, -5, 15, 3, 3, 15, -5, 20],
    [-20, -40, -5, -5, -5, -5, -40, -20],
    [120, -20, 20, 5, 5, 20, -20, 120],
])  # fmt: skip


def breakthrough(game, state):
    first, second, _ = game.encode(state)
    last = game.planes[1] - 1
    worth = [1 + (row / last) ** 2 for row in range(last + 1)]
    return float(np.dot(worth, first.sum(axis=1)) - np.dot(worth[::-1], second.sum(axis=1))), 3


def draughts(game, state):
    first, second, first_kings, second_kings = game.encode(state)[:4].sum(axis=(1, 2), dtype=int)
    return first - second + 2 * (first_kings - second_kings), 5


def xiangqi(game, state):
    lead, worth = 0.0, {"r": 9, "c": 4.5, "h": 4, "n": 4, "e": 2, "b": 2, "a": 2, "k": 0}
    for row, line in enumerate(game.write_fen(state).split()[0].split("/")):  # from the tenth rank, black's
        for piece in line:
            if piece.isalpha():
                beyond = row < 5 if piece == "P" else row >= 5
                value = 1 + beyond if piece.lower() == "p" else worth[piece.lower()]
                lead += value if piece.isupper() else -value
    return lead, 9


def arimaa(game, state):
    kinds = game.encode(state)[3:15].sum(axis=(1, 2), dtype=int).reshape(2, 6)
    sides = []
    for own, other in (kinds, kinds[::-1]):
        total = 0.6314442034 * log(max(1, own[0] * own.sum()))
        for strength in range(1, 6):
            stronger = other[strength + 1 :].sum()
            total += own[strength] * (1 / (1.447530126 + stronger) if stronger else 2 / 1.447530126)
        sides.append(total)
    return sides[0] - sides[1], 1


def ataxx(game, state):
    counts = Counter(game.write_fen(state).split()[0])
    return counts["x"] - counts["o"], 10


def othello(game, state):
    first, second, _ = game.encode(state).astype(int)
    return int(((first - second) * NORVIG).sum()), 200


def lines_of_action(game, state):
    spreads = []
    for plane in game.encode(state)[:2]:
        cells = np.argwhere(plane)
        spreads.append(np.abs(cells - cells.mean(axis=0)).max(axis=1).mean())
    return spreads[1] - spreads[0], 1


def connect_four(game, state):
    first, second, _ = game.encode(state).astype(int)
    (height, width), lead = first.shape, 0
    for row in range(height):
        for column in range(width):
            for up, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                line = [(row + up * step, column + right * step) for step in range(4)]
                if all(0 <= one < height and 0 <= other < width for one, other in line):
                    own, others = (sum(plane[cell] for cell in line) for plane in (first, second))
                    lead += own**2 if not others else -(others**2) if not own else 0
    return lead, 20


SLOW = {
    "breakthrough:6x5": ("material", breakthrough), "breakthrough:8x8": ("material", breakthrough),
    "draughts:international": ("material", draughts), "draughts:brazilian": ("material", draughts),
    "xiangqi": ("material", xiangqi), "arimaa": ("material", arimaa), "ataxx:6": ("material", ataxx),
    "othello:8": ("squares", othello), "lines_of_action": ("concentration", lines_of_action),
    "connect_four:7x6": ("lines", connect_four), "connect_four:9x8": ("lines", connect_four),
}  # fmt: skip


@pytest.mark.parametrize("name", SLOW)
def test_values_are_those_of_plain_python(name):
    game, (own, slow) = make(name), SLOW[name]
    states = random_states(game, 400, seed=5)
    found = np.array([game.evaluations[own](game.rules, state) for state in states])
    leads = [slow(game, state) for state in states]
    expected = np.array([lead / (abs(lead) + large) for lead, large in leads])
    assert found == pytest.approx(expected, abs=1e-9)
    assert len(np.unique(expected)) > 5 and expected.min() < 0 < expected.max()


@pytest.mark.parametrize("name", ["ataxx:6", "breakthrough:6x5", "connect_four:9x8"])
def test_evaluations_go_with_the_rules(name):
    """Of boards that test_games does not check: one without a middle row, one higher than wide, one larger."""
    check_game(make(name), matches=3)


@pytest.mark.parametrize("size", [4, 6, 10])
def test_a_square_of_othello_is_worth_what_its_distances_from_the_edges_say(size):
    game = make(f"othello:{size}")
    near = [min(place, size - 1 - place, 3) for place in range(size)]
    weights = NORVIG[np.ix_(near, near)]
    for state in random_states(game, 60, seed=5):
        first, second, _ = game.encode(state).astype(int)
        lead = int(((first - second) * weights).sum())
        assert game.evaluations["squares"](game.rules, state) == pytest.approx(lead / (abs(lead) + 200))


@pytest.mark.parametrize(
    ("game", "one", "other"),
    [("draughts:brazilian", "W:Wa1,Kc3:Bb8", "B:Wg1:BKf6,h8"), ("draughts", "W:W50,K33:B1", "B:W50:BK18,1")],
)
def test_games_that_declare_no_exchange_of_the_players_are_worth_the_negative(game, one, other):
    made = make(game)
    material = made.evaluations["material"]
    assert material(made.rules, made.read_fen(one)) == -material(made.rules, made.read_fen(other)) == 3 / 8


@rules.kernel(rules.STATE_VALUE)
def nan(game, state):
    return np.nan


@rules.kernel(rules.STATE_VALUE)
def sometimes_infinite(game, state):
    return np.inf if rules.length(state) == 4 else 0.0


@rules.kernel(rules.STATE_VALUE)
def beyond(game, state):
    return 1.5


@rules.kernel(rules.STATE_VALUE)
def first_corner(game, state):
    return 0.5 if state[rules.HEADER] == 1 else 0.0


@rules.kernel(rules.STATE_VALUE)
def for_the_first(game, state):
    return 0.5


@rules.kernel(rules.STATE_VALUE)
def marking(game, state):
    state[rules.HEADER + 8] = 7
    return 0.0


@rules.kernel(rules.OUTCOME)
def outcome(params, state):
    return 0


def with_own(**evaluations):
    return altered(make("tictactoe"), evaluations=evaluations)


@pytest.mark.parametrize(
    ("own", "message"),
    [
        (nan, "the evaluation mine gives a state nan, no finite number"),
        (sometimes_infinite, "the evaluation mine gives a state inf, no finite number"),
        (beyond, "the evaluation mine gives a state 1.5, but the gain is between -1 and 1"),
        (for_the_first, "the exchange of the players does not map the evaluation mine to its negative"),
        (marking, "the evaluation mine changes the state"),
    ],
)
def test_check_game_finds_a_wrong_evaluation(own, message):
    with pytest.raises(GameError, match=message):
        check_game(with_own(mine=own))


def test_check_game_finds_an_evaluation_without_the_symmetries_of_the_board():
    with pytest.raises(GameError, match=r"symmetry \d does not map the evaluation mine to itself"):
        check_game(altered(with_own(mine=first_corner), colour_symmetry=None))


@pytest.mark.parametrize(
    ("evaluations", "message"),
    [
        ({"mine": lambda game, state: 0.0}, r"mine must be a function decorated with @kernel\(STATE_VALUE\)"),
        ({"mine": outcome}, r"mine must be a function decorated with @kernel\(STATE_VALUE\)"),
        ({"My own": nan}, "an evaluation is named by small letters, digits and _, not 'My own'"),
    ],
)
def test_an_evaluation_that_is_none(evaluations, message):
    with pytest.raises(GameError, match=message):
        with_own(**evaluations)


@pytest.mark.parametrize("own", [nan, sometimes_infinite])
def test_an_evaluation_without_finite_values_is_refused_before_a_search_begins(own):
    said = r"^the evaluation mine of tictactoe must give every state a finite number: it gives (nan|inf) for \d+ of 200"
    with pytest.raises(ValueError, match=said):
        evaluation(with_own(mine=own), "mine")

    class Mine:
        leaf = by_state(own)

        def __call__(self, planes):
            raise AssertionError("the walk evaluates itself")

    for settings in (Ubfm(), AlphaBeta()):
        with pytest.raises(ValueError, match=r"^the evaluation of tictactoe must give every state a finite"):
            make_search(make("tictactoe"), Mine(), settings=settings)


def test_names():
    game = make("breakthrough:5x5")
    assert evaluation(game).name == evaluation(game, "material").name == "material"
    with pytest.raises(ValueError, match=r"^breakthrough:5x5 has no evaluation 'materiel': did you mean material\?$"):
        evaluation(game, "materiel")
    with pytest.raises(ValueError, match=r"^breakthrough:5x5 has no evaluation 'x'; its evaluations are material$"):
        evaluation(game, "x")
    with pytest.raises(ValueError, match=r"^hex:5 has no evaluation: its file can declare one"):
        evaluation(make("hex:5"), "material")
    for name in SLOW:
        assert all(len(counts) > 40 for counts in described(make(name)).values())


def test_a_search_for_more_than_values_is_refused():
    game = make("breakthrough:5x5")
    search = make_search(game, evaluation(game), settings=Puct())
    search.reset(game.initial())
    with pytest.raises(ValueError, match="the evaluation material gives nothing but values of states"):
        search.run(Budget(iterations=2))


def test_an_evaluation_values_the_ends_of_turns():
    """Where a turn is one action, the end of the other side's turn is one ply further."""
    game, values = make("breakthrough:5x5"), []
    for settings in (AlphaBeta(depth=1, turns=True), AlphaBeta(depth=2)):
        search = make_search(game, evaluation(game), settings=settings)
        search.reset(game.initial())
        search.run(Budget(iterations=10_000))
        values.append(search.root().value)
    assert values[0] == values[1]


def test_an_evaluation_guides_a_search():
    """One ply sees the capture that loses nothing."""
    game = make("breakthrough:4x6")
    state = game.read_fen("4/p3/4/1p2/P3/3P w - - 0 1")
    search = make_search(game, evaluation(game), settings=AlphaBeta(depth=1))
    search.reset(state)
    search.run(Budget(iterations=1))
    (action,) = search.line()
    assert game.action_name(state, action) == "a2xb3"
    following = game.play(state, action)
    assert search.root().value == pytest.approx(game.evaluations["material"](game.rules, following), abs=1e-7)
