"""Backgammon against its rules in plain Python, OpenSpiel, GNU Backgammon, and known numbers."""

import json
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, islice
from pathlib import Path

import numpy as np
import pytest
from backgammon_positions import BENCHMARK, GAME, after

from athenan import GameError, make
from athenan.evaluation.architectures import parse_architecture
from athenan.evaluation.evaluator import Evaluator
from athenan.evaluation.heads import ActionSpace
from athenan.evaluation.networks import build_network
from athenan.games.backgammon import positions
from athenan.games.backgammon.notation import counts
from athenan.games.backgammon.positions import Position
from athenan.rules import CHANCE, State, calls

RECORDS = Path(__file__).parents[1] / "data" / "playouts" / "backgammon.jsonl"
ROLLS = [(high, low) for high in range(1, 7) for low in range(1, high + 1)]
Move = tuple[int, int]  # a die, and the place from which it moves a checker
Play = tuple[Move, ...]


# The rules, as they are written, with tuples of checkers.


def moved(position: Position, move: Move) -> Position | None:
    """The position after a move of one checker, None if it is not allowed."""
    own, other = map(list, position)
    die, start = move
    if not own[start] or (own[25] and start != 25):
        return None
    end = start - die
    if end <= 0:
        if any(own[7:]) or (end < 0 and any(own[start + 1 :])):
            return None
        end = 0
    elif other[25 - end] > 1:
        return None
    elif other[25 - end] == 1:
        other[25 - end], other[25] = 0, other[25] + 1
    own[start] -= 1
    own[end] += 1
    return tuple(own), tuple(other)


def sequences(position: Position, dice: tuple[int, ...]) -> Iterator[tuple[Play, Position]]:
    """All ways to play some of the dice in any order, until none that is left can be played or all checkers are off."""
    ended = True
    for die in set(dice) if any(position[0][1:]) else ():
        left = list(dice)
        left.remove(die)
        for start in range(1, 26):
            if (following := moved(position, (die, start))) is not None:
                ended = False
                for play, last in sequences(following, tuple(left)):
                    yield ((die, start), *play), last
    if ended:
        yield (), position


def legal(position: Position, dice: tuple[int, int]) -> dict[Position, list[Play]]:
    """The positions that a roll can lead to, with the plays that do."""
    found = list(sequences(position, dice * 2 if dice[0] == dice[1] else dice))
    longest = max(len(play) for play, last in found)
    if longest == 1 and any(play[0][0] == max(dice) for play, last in found):
        found = [(play, last) for play, last in found if play[0][0] == max(dice)]
    plays: dict[Position, list[Play]] = {}
    for play, last in found:
        if len(play) == longest:
            plays.setdefault(last, []).append(play)
    return plays


def of_actions(state: State, actions: tuple[int, ...]) -> Play:
    """The moves of a sequence of actions, read from their names and from the position."""
    play = []
    for action in actions:
        start, end = GAME.action_name(state, action).rstrip("*").split("/")
        place = 25 if start == "bar" else int(start)
        play.append((action // 26 + 1, place))
        assert end == "off" or int(end) == place - play[-1][0]
        state = GAME.play(state, action)
    return tuple(play)


def check_against_the_rules(position: Position, dice: tuple[int, int], player: int) -> None:
    """Our positions are those of the rules, each by one sequence, in the order that the documentation promises."""
    wanted = legal(position, dice)
    state = after(position, dice, player)
    found = positions.plays(GAME, state)
    assert set(found) == set(wanted)
    assert BENCHMARK["count_sequences"](GAME, state) == len(wanted)
    for last, actions in found.items():
        if wanted[last] == [()]:
            assert [GAME.action_name(state, action) for action in actions] == ["pass"]
            continue
        play = of_actions(state, actions)
        assert play in wanted[last]
        ordered = [
            other for other in wanted[last] if other == tuple(sorted(other, key=lambda move: (-move[1], -move[0])))
        ]
        assert play == max(ordered)


def test_random_positions_against_the_rules() -> None:
    source = np.random.default_rng(3)
    for number, position in enumerate(islice(BENCHMARK["random_positions"](GAME, 7), 900)):
        dice = tuple(map(int, source.integers(1, 7, 2)))
        if dice[0] != dice[1] or number % 5 == 0:  # doubles take long
            check_against_the_rules(position, (dice[0], dice[1]), number % 2)


def near_the_end(checkers: int, highest: int) -> list[tuple[int, ...]]:
    """Up to two checkers, at all places up to one; the others are off."""
    found = []
    for number in range(1, checkers + 1):
        for places in combinations_with_replacement(range(1, highest + 1), number):
            numbers = np.bincount(places, minlength=26)
            numbers[0] = 15 - number
            found.append(tuple(map(int, numbers)))
    return found


def test_all_positions_of_two_checkers_against_the_rules() -> None:
    """Two checkers anywhere, or one, against a blot in the home board, or against a point there and a blot."""
    blot, point = [0] * 26, [0] * 26
    blot[0], blot[20] = 14, 1  # on the other's point 5
    point[0], point[20], point[22] = 12, 2, 1
    for number, own in enumerate(near_the_end(2, 25)):
        other = tuple(point if number % 2 else blot)
        if not any(one * two for one, two in zip(own[1:25], other[24:0:-1], strict=True)):
            for dice in ((6, 5), (2, 1), (6, 2), (5, 5)):
                check_against_the_rules((own, other), dice, 0)


def test_the_last_checker_plays_both_dice() -> None:
    """GNU Backgammon, too, moves 2/1* before it bears off with the 5, though the 5 alone would do."""
    own, other = np.zeros((2, 26), np.int64)
    own[[0, 2]], other[[0, 1, 24]] = (14, 1), (3, 11, 1)
    state = after((tuple(own), tuple(other)), (5, 1))
    (actions,) = positions.plays(GAME, state).values()
    assert names(state, actions) == ["2/1*", "1/off"]


# Numbers that are known.


BEAR_OFF = {
    (1, 1): 36, (2, 1): 36, (3, 1): 34, (4, 1): 29, (5, 1): 23, (6, 1): 15, (2, 2): 26, (3, 2): 25, (4, 2): 23,
    (5, 2): 19, (6, 2): 13, (3, 3): 17, (4, 3): 17, (5, 3): 14, (6, 3): 10, (4, 4): 11, (5, 4): 10, (6, 4): 8,
    (5, 5): 6, (6, 5): 6, (6, 6): 4,
}  # fmt: skip
"""Rolls of 36 that bear off the last two checkers from two points, as in every book on the game."""


def test_published_chances_to_bear_off_two_checkers() -> None:
    for points, number in BEAR_OFF.items():
        own = np.bincount(points, minlength=26)
        own[0] = 13
        rolls = sum(
            (1 if high == low else 2) * any(last[0][0] == 15 for last in positions.plays(GAME, after(at, (high, low))))
            for high, low in ROLLS
            for at in [(tuple(own), tuple(own))]
        )
        assert rolls == number


@cache
def chance_to_win(own: tuple[int, ...], other: tuple[int, ...]) -> Fraction:
    """That the player who rolls wins a race, by the rules above; both players' checkers are in their home boards."""
    total = Fraction(0)
    for dice in ROLLS:
        best = max(
            Fraction(1) if last[0] == 15 else 1 - chance_to_win(other, last) for last, _ in legal((own, other), dice)
        )
        total += best * (1 if dice[0] == dice[1] else 2)
    return total / 36


def expectation(state: State, known: dict[bytes, Fraction]) -> Fraction:
    """The score of a state by full enumeration of the kernels' tree, for the first player; lengths do not matter."""
    if GAME.outcome(state) is not None:
        return Fraction(GAME.score(state))
    key = state[:2].tobytes() + state[4:].tobytes()
    if key not in known:
        values = [expectation(GAME.play(state, int(action)), known) for action in GAME.actions(state)]
        if GAME.player(state) == CHANCE:
            weights = [Fraction(float(weight)).limit_denominator(36) for weight in GAME.probabilities(state)]
            known[key] = sum((weight * value for weight, value in zip(weights, values, strict=True)), Fraction(0))
        else:
            known[key] = max(values) if GAME.player(state) == 0 else min(values)
    return known[key]


def test_races_have_the_values_of_plain_enumeration() -> None:
    """All races of one or two checkers a side on points 1 to 3: no gammons, so that the score is the gain."""
    known: dict[bytes, Fraction] = {}
    races = near_the_end(2, 3)
    for number, own in enumerate(races):
        for other in races:
            player = number % 2
            value = expectation(positions.before_roll(GAME, (own, other), player), known)
            assert value == (2 * chance_to_win(own, other) - 1) * (1 - 2 * player)


def test_the_opening_roll_is_no_double() -> None:
    state = GAME.initial()
    assert len(GAME.actions(state)) == 15
    assert np.allclose(GAME.probabilities(state), 1 / 15)
    later = GAME.after("3-1 8/5 6/5")
    assert len(GAME.actions(later)) == 21
    chances = {
        GAME.action_name(later, int(one)): chance
        for one, chance in zip(GAME.actions(later), GAME.probabilities(later), strict=True)
    }
    assert all(np.isclose(chance, (1 if name[0] == name[2] else 2) / 36) for name, chance in chances.items())


# Matches, notation and pictures.


def test_positions_of_recorded_matches() -> None:
    """After each turn of OpenSpiel's matches; x moves up from 0, capitals are o's, the bars are at the ends."""
    for line in RECORDS.read_text().splitlines()[::4]:
        record = json.loads(line)
        state, written = GAME.initial(), record["positions"].split()
        for number, move in enumerate([*record["moves"].split(), None]):
            if number and (GAME.player(state) == CHANCE or move is None):
                assert as_recorded(state, record["x_begins"]) == written.pop(0)
            if move is not None:
                state = GAME.play(state, GAME.parse_action(state, move))
        assert not written


def as_recorded(state: State, x_begins: bool) -> str:
    x, o = (counts(state, player) for player in ((0, 1) if x_begins else (1, 0)))
    numbers = [x[25], *(x[24 - point] - o[point + 1] for point in range(24)), -o[25]]
    return "".join("." if n == 0 else chr(ord("a" if n > 0 else "A") + abs(n) - 1) for n in numbers)


@pytest.mark.parametrize(
    ("own", "other", "score"),
    [((1, 1), {0: 1, 3: 14}, 1), ((1, 1), {3: 15}, 2), ((1, 1), {3: 14, 18: 1}, 2), ((1, 1), {3: 14, 19: 1}, 3),
     ((2, 1), {3: 14, 25: 1}, 3), ((2, 2), {0: 1, 25: 14}, 1)],
)  # fmt: skip
def test_gammons_and_backgammons(own: tuple[int, int], other: dict[int, int], score: int) -> None:
    checkers = np.bincount(own, minlength=26)
    checkers[0] = 13
    numbers = [other.get(place, 0) for place in range(26)]
    for player in range(2):
        state = after((tuple(checkers), tuple(numbers)), (6, 5), player)
        while GAME.outcome(state) is None:
            state = GAME.play(state, int(GAME.actions(state)[0]))
        assert GAME.score(state) == score * (1 - 2 * player)
        assert [calls.pieces(GAME.rules, state, side) for side in (player, 1 - player)] == [0, 15 - numbers[0]]


def test_a_match_that_is_too_long_is_drawn() -> None:
    game = make("backgammon:length=4")
    state = game.after("3-1 8/5 6/5 6-6")
    assert (game.outcome(state), game.score(state)) == (0, 0)
    assert game.outcome(game.after("3-1 8/5 6/5")) is None
    assert "drawn" in game.text(state)


def test_turns_of_both_players_are_the_same() -> None:
    """The second player's actions have the same names; the planes are the first player's view."""
    start = positions.position_of(GAME.initial(), 0)
    for player in range(2):
        state = after(start, (6, 3), player)
        assert {GAME.action_name(state, int(action)) for action in GAME.actions(state)} == {
            "24/18", "24/21", "13/7", "13/10", "8/2",
        }  # fmt: skip
    planes = GAME.encode(state)[:, 0]
    for plane, columns in ((0, [6, 8, 13, 24]), (1, [1, 12, 17, 19]), (2, []), (5, [6, 13]), (11, [12, 19]), (8, [])):
        assert list(np.flatnonzero(planes[plane])) == columns
    assert [int(plane[0]) for plane in planes[17:]] == [0, 0, 1, 0, 0, 1, 1, 1, 0, 0]


def test_planes_of_many_checkers_on_a_point() -> None:
    own, other = np.zeros((2, 26), np.int64)
    own[[0, 3, 25]], other[[0, 1, 24]] = (4, 9, 2), (1, 6, 8)
    planes = GAME.encode(positions.before_roll(GAME, (own.tolist(), other.tolist())))[:, 0]
    assert [int(planes[plane, 3]) for plane in (0, 3, 4, 5, 6, 7, 8)] == [1, 1, 1, 1, 1, 1, 3]
    assert [int(planes[plane, 24]) for plane in (1, 9, 10, 11, 12, 13, 14)] == [1, 1, 1, 1, 1, 1, 0]
    assert [int(planes[plane, 1]) for plane in (1, 13, 14)] == [1, 1, 2]
    assert [int(planes[plane, 25]) for plane in (0, 3, 4)] == [1, 1, 0]
    assert [list(np.flatnonzero(planes[plane])) for plane in (15, 16)] == [[0, 1, 2, 3], [0]]
    assert not planes[17:].any()


@pytest.mark.parametrize("network", ["c", "c:filters=8,padded=true", "r1:filters=8"])
def test_networks_take_the_planes(network: str) -> None:
    """A policy is convolutional where the network keeps the board's size: six numbers for each of 26 columns."""
    heads = ("values", "policies")
    built = build_network(parse_architecture(network), GAME.planes, 1.5, False, heads, ActionSpace.of(GAME))
    leaves = Evaluator(built, "cpu", "float32", heads=heads)(GAME.encode(GAME.after("3-1"))[None])
    assert (leaves.values.shape, leaves.policies.shape) == ((1,), (1, GAME.action_count))


def names(state: State, actions: tuple[int, ...]) -> list[str]:
    found = []
    for action in actions:
        found.append(GAME.action_name(state, action))
        state = GAME.play(state, action)
    return found


def test_reading_whole_plays() -> None:
    state = GAME.after("3-1")
    for text in ("8/5 6/5", "6/5 8/5", " 8/5  6/5"):
        assert names(state, positions.read_play(GAME, state, text)) == ["8/5", "6/5"]
    assert names(state, positions.read_play(GAME, state, "24/20")) == ["24/21", "21/20"]
    later = GAME.after("3-1 8/5 6/5 6-6")
    assert names(later, positions.read_play(GAME, later, "24/18(2) 13/7(2)")) == ["24/18", "24/18", "13/7", "13/7"]
    for text in ("8/5", "8/7", "8/3 6/5", "7/4 8/7", "24/25", "9/5", "x", "8/5 bar", "30/27 8/7", "pass"):
        with pytest.raises(GameError):
            positions.read_play(GAME, state, text)


def test_positions_that_no_match_has_are_refused() -> None:
    start = positions.position_of(GAME.initial(), 0)
    finished = (15, *[0] * 25)
    shared = (*start[0][:19], 1, *start[0][20:24], 1, 0)
    more = (1, *start[1][1:])
    for own, other in ((start[0][:-1], start[1]), (finished, start[1]), (start[0], more), (shared, start[1])):
        with pytest.raises(GameError):
            positions.before_roll(GAME, (own, other))
