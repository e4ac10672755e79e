"""EinStein würfelt nicht!: counts, matches and expectations of others, and slow rules written cell by cell."""

import json
import random
from fractions import Fraction
from functools import cache
from itertools import permutations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from athenan import Game, GameError, make, perft
from athenan.games.einstein.kernels import TURN
from athenan.rules.game import State
from athenan.rules.state import CHANCE, HEADER

FILE = Path(__file__).parents[1] / "data" / "einstein_endgames.jsonl"
ENDGAMES = [json.loads(line) for line in FILE.read_text().splitlines()]
"""Pieces of both, whose turn it is, and the probability that this player wins, before the roll, under both rules of
choice: from another program's exhaustive search."""
SETUP = "1a5 2b5 3c5 4a4 5b4 6a3"


@pytest.mark.parametrize(("nearest", "counts"), [("true", [18, 324, 6162, 117339]), ("false", [18, 324, 6162, 117369])])
def test_whole_turns(nearest: str, counts: list[int]) -> None:
    """Counts of a reference generator, in which a roll and its move are one action."""
    assert perft(make(f"einstein:nearest={nearest}"), 8, SETUP)[1::2] == counts


def put(game: Game, pieces: tuple[str, str], turn: int) -> State:
    """A state of the race before a roll, with pieces such as "2c2 5a4"."""
    state = game.after(SETUP)
    state[HEADER:], state[TURN] = 0, turn
    for player, texts in enumerate(pieces):
        for text in texts.split():
            state[HEADER + 8 * player + int(text[0]) - 1] = 1 + 5 * (int(text[2]) - 1) + ord(text[1]) - ord("a")
    return state


def expectation(game: Game, state: State) -> float:
    """The value by expectiminimax over all that follows; positions are the same whenever they occur."""

    @cache
    def value(key: bytes) -> float:
        state = np.frombuffer(key, np.int8).copy()
        if (outcome := game.outcome(state)) is not None:
            return outcome
        values = []
        for action in game.actions(state):
            following = game.play(state, int(action))
            following[2:4] = state[2:4]
            values.append(value(following.tobytes()))
        if game.player(state) == CHANCE:
            return float(game.probabilities(state) @ values)
        return (max, min)[game.player(state)](values)

    return value(state.tobytes())


def agrees(endgame: dict[str, str | float], nearest: bool) -> bool:
    game, turn = make(f"einstein:nearest={str(nearest).lower()}"), int(endgame["turn"])
    value = expectation(game, put(game, (str(endgame["first"]), str(endgame["second"])), turn))
    return abs((1 + (1 - 2 * turn) * value) / 2 - float(endgame["nearest" if nearest else "next"])) < 1e-9


@pytest.mark.parametrize("nearest", [True, False])
def test_exact_expectations(nearest: bool) -> None:
    few = [endgame for endgame in ENDGAMES if min(len(endgame["first"]), len(endgame["second"])) == 3]
    assert len(few) == 17
    assert all(agrees(endgame, nearest) for endgame in few)


@pytest.mark.slow
@pytest.mark.parametrize("nearest", [True, False])
def test_all_exact_expectations(nearest: bool) -> None:
    assert all(agrees(endgame, nearest) for endgame in ENDGAMES)


class Slow:
    """The rules on a board of a dictionary; the names of actions are those of the game."""

    def __init__(self, size: int, pieces: int, placement: str, nearest: bool) -> None:
        self.size, self.pieces, self.placement, self.nearest = size, pieces, placement, nearest
        self.board: dict[tuple[int, int], tuple[int, int]] = {}
        """(column, row) -> (player, number)"""
        self.turn, self.die, self.over = 0, 0, 0
        self.drawn = False
        rows = {1: 1, 3: 2, 6: 3}[pieces]
        every = list(product(range(size), repeat=2))
        self.areas = [
            [(column, row) for column, row in every if column + size - 1 - row < rows],
            [(column, row) for column, row in every if size - 1 - column + row < rows],
        ]
        self.left = [set(range(1, pieces + 1)), set(range(1, pieces + 1))]

    def name(self, cell: tuple[int, int]) -> str:
        return f"{'abcdefgh'[cell[0]]}{cell[1] + 1}"

    def placing(self) -> bool:
        return bool(self.left[0] or self.left[1] or self.drawn)

    def chance(self) -> bool:
        return not self.over and (not self.die if not self.placing() else self.placement == "random" and not self.drawn)

    def names(self) -> dict[str, tuple[Any, ...]]:
        """What is legal, by name."""
        if self.over:
            return {}
        if self.placing():
            return self.puts()
        if not self.die:
            return {str(number): (number,) for number in range(1, self.pieces + 1)}
        found = {}
        for (column, row), (player, number) in self.board.items():
            if player == self.turn and number in self.movable():
                for right, down in ((1, 0), (0, 1), (1, 1)):
                    to = (column + right, row - down) if player == 0 else (column - right, row + down)
                    if min(to) >= 0 and max(to) < self.size:
                        found[f"{number}{'x' if to in self.board else '-'}{self.name(to)}"] = ((column, row), to)
        return found

    def movable(self) -> set[int]:
        own = {number for player, number in self.board.values() if player == self.turn}
        if self.die in own:
            return {self.die}
        if self.nearest:
            least = min(abs(number - self.die) for number in own)
            return {number for number in own if abs(number - self.die) == least}
        return {max((n for n in own if n < self.die), default=0), min((n for n in own if n > self.die), default=0)} - {
            0
        }

    def puts(self) -> dict[str, tuple[Any, ...]]:
        if self.drawn:
            return {"next": ()}
        free = [[cell for cell in area if cell not in self.board] for area in self.areas]
        number = min(self.left[self.turn])
        if self.placement == "random":
            return {
                f"{number}{self.name(one)}{self.name(two)}": ((0, number, one), (1, number, two))
                for one, two in product(*free)
            }
        numbers = self.left[self.turn] if self.placement == "alternate" else {number}
        return {f"{n}{self.name(cell)}": ((self.turn, n, cell),) for n in numbers for cell in free[self.turn]}

    def play(self, name: str) -> None:
        what = self.names()[name]
        if self.placing():
            self.place(name, what)
        elif not self.die:
            self.die = what[0]
        else:
            start, to = what
            self.board[to] = self.board.pop(start)
            goal = (self.size - 1, 0) if self.turn == 0 else (0, self.size - 1)
            if to == goal or not any(player == 1 - self.turn for player, _ in self.board.values()):
                self.over = 1 - 2 * self.turn
            self.turn, self.die = 1 - self.turn, 0

    def place(self, name: str, what: tuple[Any, ...]) -> None:
        puts = list(what)
        if self.placement == "symmetric":
            player, number, (column, row) = puts[0]
            puts.append((1 - player, number, (self.size - 1 - column, self.size - 1 - row)))
        for player, number, cell in puts:
            self.board[cell] = player, number
            self.left[player].remove(number)
        self.drawn = self.placement == "random" and name != "next"
        if self.placement == "alternate":
            self.turn = 1 - self.turn

    def planes(self) -> np.ndarray:
        planes = np.zeros((2 * self.pieces + 2, self.size, self.size), np.int8)
        planes[-2] = 1 - self.turn
        for (column, row), (player, number) in self.board.items():
            planes[self.pieces * player + number - 1, row, column] = 1
            if self.die and player == self.turn and number in self.movable():
                planes[-1, row, column] = 1
        return planes


VARIANTS = [
    (size, pieces, placement, nearest)
    for size, pieces in ((5, 6), (4, 6), (3, 3), (5, 1), (8, 6), (7, 3), (2, 1))
    for placement in ("symmetric", "alternate", "random")
    for nearest in (True, False)
]


@pytest.mark.one_of(3)
@pytest.mark.parametrize(("size", "pieces", "placement", "nearest"), VARIANTS)
def test_slow_rules(size: int, pieces: int, placement: str, nearest: bool) -> None:
    game = make(f"einstein:{size},pieces={pieces},placement={placement},nearest={str(nearest).lower()}")
    for seed in range(10):
        slow, state, choose = Slow(size, pieces, placement, nearest), game.initial(), random.Random(seed)
        while True:
            names = [game.action_name(state, int(action)) for action in game.actions(state)]
            assert sorted(names) == sorted(slow.names())
            assert np.array_equal(game.encode(state), slow.planes())
            assert game.outcome(state) == (slow.over or None)
            if not names:
                break
            assert game.player(state) == (CHANCE if slow.chance() else slow.turn)
            if slow.chance():
                assert np.allclose(game.probabilities(state), 1 / len(names))
            name = choose.choice(names)
            slow.play(name)
            state = game.play(state, game.parse_action(state, name))


def race(game: Game, placement: str) -> list[tuple[bytes, Fraction]]:
    """The positions before the first roll, and how probable each is where every action is equally likely."""
    level = {game.initial().tobytes(): Fraction(1)}
    for _ in range(game.params[1] * (1 if placement == "symmetric" else 2)):
        following: dict[bytes, Fraction] = {}
        for key, share in level.items():
            state = np.frombuffer(key, np.int8).copy()
            actions = game.actions(state)
            for action in actions:
                after = game.play(state, int(action)).tobytes()
                following[after] = following.get(after, Fraction(0)) + share / len(actions)
        level = following
    return list(level.items())


@pytest.mark.parametrize("placement", ["symmetric", "alternate", "random"])
def test_every_placement_is_possible_and_equally_likely(placement: str) -> None:
    game = make(f"einstein:3,pieces=3,placement={placement}")
    found = race(game, placement)
    assert len(found) == (6 if placement == "symmetric" else 36)
    assert {share for _, share in found} == {Fraction(1, len(found))}
    assert all(np.frombuffer(key, np.int8)[0] == CHANCE for key, _ in found)


@pytest.mark.parametrize("placement", ["symmetric", "alternate"])
def test_the_tray_holds_what_is_not_on_the_board(placement: str) -> None:
    game = make(f"einstein:placement={placement}")
    assert game.board is not None and game.board.tray is not None
    state, generator = game.initial(), np.random.default_rng(3)
    while waiting := game.board.tray(state):
        legal = {int(action) for action in game.actions(state)}
        assert legal == {action for one in waiting for action in one.actions} & legal
        assert len(waiting) == 6 - (game.length(state) // (1 if placement == "symmetric" else 2))
        state = game.play(state, game.draw(state, generator))
    assert game.player(state) == CHANCE


def test_the_default_start_is_symmetric() -> None:
    game, arrangements = make("einstein"), set()
    for cells in permutations(["a5", "b5", "c5", "a4", "b4", "a3"]):
        state = game.after(" ".join(f"{number}{cell}" for number, cell in enumerate(cells, 1)))
        assert game.colour_symmetry is not None
        image = game.colour_symmetry.state(state)
        assert np.array_equal(image[HEADER:], state[HEADER:])
        arrangements.add(state.tobytes())
    assert len(arrangements) == 720


def test_rolls_that_allow_the_same_are_one_state() -> None:
    game = make("einstein")
    state = put(game, ("2c2 5a4", "1b4"), 0)
    after = [game.play(state, number).tobytes() for number in range(6)]
    assert [len(game.actions(np.frombuffer(key, np.int8))) for key in after] == [3, 3, 3, 3, 3, 3]
    assert len(set(after[:3])) == len(set(after[3:])) == 1  # of 2 and 5, 3 is nearer to 2, 4 to 5
    choice = game.play(put(game, ("2c2 4a4", "1b4"), 0), 2)
    assert game.text(choice).count("X") == 2


def test_nothing_is_nearer_than_the_next() -> None:
    """With 1, 5 and 6 a 3 is as near to 1 as to 5; a 2 only to 1, but the standard rule allows 5, too."""
    for nearest, twos in (("true", {"1"}), ("false", {"1", "5"})):
        game = make(f"einstein:nearest={nearest}")
        state = put(game, ("1a5 5c5 6a3", "1e1"), 0)
        moving = [
            {game.action_name(rolled, int(action))[0] for action in game.actions(rolled)}
            for rolled in (game.play(state, number) for number in range(6))
        ]
        assert moving == [{"1"}, twos, {"1", "5"}, {"5"} | ({"1"} if nearest == "false" else set()), {"5"}, {"6"}]


@pytest.mark.parametrize(("pieces", "turn", "move", "gain"), [
    (("4d1", "1a3"), 0, "4-e1", 1), (("4b3", "6b4"), 1, "6-a5", -1), (("4b3", "6c3"), 1, "6-c4", None),
    (("4b3", "6b2"), 0, "4xb2", 1), (("4b3", "6b2"), 1, "6xb3", -1), (("4b3 5b2", "6e2"), 0, "4xb2", None),
])  # fmt: skip
def test_ends(pieces: tuple[str, str], turn: int, move: str, gain: int | None) -> None:
    """Reaching the corner and capturing the last piece win; capturing an own piece ends nothing."""
    game = make("einstein")
    state = game.play(put(game, pieces, turn), int(move[0]) - 1)
    following = game.play(state, game.parse_action(state, move))
    assert game.outcome(following) == gain
    assert game.player(following) == (CHANCE if gain is None else 1 - turn)


@pytest.mark.parametrize("size", ["3,pieces=6", "2,pieces=3"])
def test_boards_that_are_too_small_are_refused(size: str) -> None:
    with pytest.raises(GameError, match=r"einstein: with . pieces, size must be from . to 8, not"):
        make(f"einstein:{size}")


def theirs_turned(board: str) -> dict[str, str]:
    """The cell of each piece, such as "x3", of OpenSpiel's picture, turned: w, who moves first, is where our o is."""
    rows = [line.strip("|").split("||") for line in board.split()]
    return {
        f"{'ox'[text[0] == 'w']}{text[1]}": f"{'edcba'[column]}{row + 1}"
        for row, texts in enumerate(rows)
        for column, text in enumerate(texts)
        if text != "__"
    }


def cells(game: Game, state: State) -> dict[str, str]:
    """The same of our picture."""
    rows = [line.split()[1:] for line in game.text(state).splitlines()[1:]]
    return {
        text.lower(): f"{'abcde'[column]}{5 - row}"
        for row, texts in enumerate(rows)
        for column, text in enumerate(texts)
        if text != "."
    }


def their_names(state: Any) -> dict[str, int]:
    """OpenSpiel's legal actions in our notation."""
    if state.is_chance_node():
        return {str(number + 1): number for number, _ in state.chance_outcomes()}
    names, pieces = {}, theirs_turned(str(state))
    for action in state.legal_actions():  # such as W3-diag*
        stone, direction = state.action_to_string(action).rstrip("*").lower().split("-")
        sign = 1 if stone[0] == "w" else -1
        right, up = {"left": (1, 0), "right": (-1, 0), "up": (0, -1), "down": (0, 1)}.get(direction, (sign, -sign))
        start = pieces[f"{'ox'[stone[0] == 'w']}{stone[1]}"]
        to = f"{chr(ord(start[0]) + right)}{int(start[1]) + up}"
        names[f"{stone[1]}{'x' if to in pieces.values() else '-'}{to}"] = action
        assert state.action_to_string(action).endswith("*") == (to in pieces.values())
    return names


def test_random_matches_beside_openspiel() -> None:
    pyspiel = pytest.importorskip("pyspiel")
    game, random_ = make("einstein:placement=alternate,nearest=false"), random.Random(1)
    for _ in range(100):
        their = pyspiel.load_game("einstein_wurfelt_nicht").new_initial_state()
        for _ in range(2):
            their.apply_action(random_.choice(their.legal_actions()))
        where = theirs_turned(str(their))
        state = game.after(" ".join(f"{n}{where[f'x{n}']} {n}{where[f'o{n}']}" for n in range(1, 7)))
        while game.outcome(state) is None:
            assert cells(game, state) == theirs_turned(str(their))
            names = {game.action_name(state, int(action)): int(action) for action in game.actions(state)}
            theirs = their_names(their)
            assert names.keys() == theirs.keys()
            name = random_.choice(sorted(names))
            their.apply_action(theirs[name])
            state = game.play(state, names[name])
        assert their.is_terminal()
        assert their.returns()[1] == game.outcome(state)
