"""Arimaa against slow rules, on random matches, random boards and boards made for its special rules."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from numba import types
from numpy.typing import NDArray
from plain_arimaa import ALL_PIECES, NAMES, SlowArimaa, moved
from plain_rules import agree, seeds

from athenan import Game, GameError, make, perft, rules
from athenan.evaluation.heuristics import make_heuristic
from athenan.rules import calls
from athenan.rules.game import State
from athenan.rules.kernels import RULES
from athenan.rules.playouts import random_match
from athenan.rules.terminal import value_of_end

CODES = ".RCDHME  rcdhme"
_ints, _bytes = types.Array(types.int64, 1, "C"), types.Array(types.int8, 2, "C")


def position(game: Game, board: str, player: int = 1) -> State:
    """A state at the beginning of a turn, without history."""
    state = game.initial()
    words = [sum(1 << at for at, piece in enumerate(board) if CODES.index(piece) >> word & 1) for word in range(4)]
    state[0], state[2] = player - 1, 32
    state[8:40] = state[40:72] = np.array(words, np.uint64).view(np.int8)
    return state


def board_of(words: NDArray[np.int8]) -> str:
    codes = [np.unpackbits(words.view(np.uint8)[8 * word : 8 * word + 8], bitorder="little") for word in range(4)]
    return "".join(CODES[code] for code in np.array([1, 2, 4, 8]) @ np.array(codes))


def names(game: Game, state: State) -> set[str]:
    return {game.action_name(state, int(action)) for action in game.actions(state)}


def play(game: Game, state: State, moves: str) -> State:
    for move in moves.split():
        state = game.play(state, game.parse_action(state, move))
    return state


def compare(game: Game, state: State, slow: SlowArimaa) -> None:
    assert board_of(state[8:40]) == slow.squares
    assert (game.outcome(state), game.player(state)) == (slow.over, slow.player - 1)
    assert names(game, state) == (slow.names() if slow.over is None else set())


@settings(max_examples=1)
@given(seeds)
def test_matches(seed: int) -> None:
    agree(make("arimaa"), SlowArimaa(), seed)


def random_board(choose: random.Random, most: int) -> str:
    """A board in the middle of a match, with up to `most` pieces a side, one of them a rabbit."""
    board = ["."] * 64
    for side in ("R" + ALL_PIECES[1:].upper(), ALL_PIECES):
        kinds = side[0] + "".join(choose.sample(side[1:], choose.randint(0, most - 1)))
        for piece in kinds:
            goal = {"R": range(56, 64), "r": range(8)}.get(piece, ())
            square = choose.choice([at for at in range(64) if board[at] == "." and at not in goal])
            board[square] = piece
    stable = moved("".join(board))
    return stable if "R" in stable and "r" in stable else random_board(choose, most)


class Wanderer:
    """Plays at random, but ends turns early and often takes back the side's last step, so that boards come back."""

    def __init__(self, seed: int) -> None:
        self.choose, self.last = random.Random(seed), ["", ""]

    def move(self, legal: list[str], player: int) -> str:
        name, back = self.last[player], ""
        if name:
            to = NAMES.index(name[1:3]) + {"s": -8, "w": -1, "e": 1, "n": 8}[name[3]]
            back = name[0] + NAMES[to] + {"s": "n", "w": "e", "e": "w", "n": "s"}[name[3]]
        if "end" in legal and self.choose.random() < 0.8:
            return "end"
        move = back if back in legal and self.choose.random() < 0.8 else self.choose.choice(legal)
        self.last[player] = move if move != "end" else name
        return move


@settings(max_examples=15)
@given(seeds)
def test_matches_that_repeat_boards(seed: int) -> None:
    game, choose, wanderer = make("arimaa"), random.Random(seed), Wanderer(seed)
    board, player = random_board(choose, choose.randint(1, 4)), choose.randint(1, 2)
    slow, state = SlowArimaa(board=board, player=player), position(game, board, player)
    for _ in range(150 if slow.can_turn() else 0):
        compare(game, state, slow)
        if slow.over is not None:
            break
        move = wanderer.move(sorted(names(game, state)), slow.player - 1)
        slow.play(move)
        state = play(game, state, move)


@rules.kernel(types.int64(RULES, _bytes, types.Array(types.int32, 2, "C"), _bytes))
def list_ends(game, states, actions, boards):
    """Writes the boards with which a turn from states[0] can end, one for each sequence of actions, and counts them."""
    player, count, depth = states[0, 0], 0, 0
    number, tried = rules.scratch(5, np.int64), rules.scratch(5, np.int64)
    tried[0] = 0
    number[0] = calls.actions(game, states[0], actions[0])
    while depth >= 0:
        if tried[depth] == number[depth]:
            depth -= 1
            continue
        action = actions[depth, tried[depth]]
        tried[depth] += 1
        following = states[depth + 1]
        calls.play(game, states[depth], action, following)
        if following[0] != player or following[1]:
            for byte in range(32):
                boards[count, byte] = following[8 + byte]
            count += 1
        else:
            depth += 1
            number[depth], tried[depth] = calls.actions(game, following, actions[depth]), 0
            if number[depth] == 0:
                return -1  # a turn that cannot be finished
    return count


def turn_ends(game: Game, state: State) -> tuple[int, set[str]]:
    """The number of sequences of actions that are turns, and the boards to which they lead."""
    states, actions = np.zeros((6, game.state_size), np.int8), np.empty((5, game.max_actions), np.int32)
    boards = np.empty((6_000_000, 32), np.int8)  # mapped only as far as it is written
    states[0] = state
    count = list_ends(game.rules, states, actions, boards)
    assert count >= 0
    return count, {board_of(np.frombuffer(words, np.int8)) for words in {row.tobytes() for row in boards[:count]}}


def check_turns(seed: int, number: int, most: int) -> int:
    """Compares the turns on random boards, half of them after some turns; returns how often ends were barred."""
    game, choose, wanderer, barred = make("arimaa:2000"), random.Random(seed), Wanderer(seed), 0
    while number:
        board, player = random_board(choose, choose.randint(1, most)), choose.randint(1, 2)
        slow, state = SlowArimaa(2000, board, player), position(game, board, player)
        for _ in range(choose.choice([0, 0, 20, 60]) if slow.can_turn() else 0):
            move = wanderer.move(sorted(names(game, state)), slow.player - 1)
            slow.play(move)
            state = play(game, state, move)
            if slow.over is not None:
                break
        if slow.over is None and not slow.steps and slow.can_turn():
            number -= 1
            barred += any(count == 2 and to_move != slow.player for (_, to_move), count in slow.seen.items())
            assert turn_ends(game, state)[1] == slow.ends()
    return barred


def test_turns() -> None:
    assert check_turns(seed=1, number=100, most=4) > 0
    check_turns(seed=2, number=4, most=16)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100))
def test_turns_on_ten_thousand_boards(seed: int) -> None:
    """Of every hundred, five have up to 16 pieces a side and the others up to 6; fewer pieces are checked faster."""
    check_turns(seed, 95, 6)
    check_turns(1000 + seed, 5, 16)


PERFT = [
    (
        "Ee4 Md3 Hb4 Hg5 Dc2 Df2 Cc1 Cf1 Ra1 Rb1 Rg1 Rh1 Ra2 Rh2 Rb3 Rg3 "
        "ed5 me6 hb5 hg6 dc7 df7 cc8 cf8 ra8 rb8 rg8 rh8 ra7 rh7 rb6 rf4",
        [34, 1053, 32077 - 3, 900595, 26697740 - 3], 848132, 47841,
    ),
    (
        "Ra1 Rb1 Dc1 Rd1 De1 Cf1 Rg1 Rh1 Ra2 Hb2 Cc2 Md2 Ee2 Rf2 Hg2 Rh2 "
        "ra8 rb8 rc8 dd8 de8 rf8 rg8 rh8 ra7 hb7 cc7 ed7 me7 cf7 hg7 rh7",
        [8, 106, 1521, 24193, 203153], 22695, 3338,
    ),
    (
        "Ra1 Rb1 Rc1 Cd1 Ce1 Rf1 Rg1 Rh1 Ra2 Hb2 Dc2 Ed2 Me2 Df2 Hg2 Rh2 "
        "ra8 rb8 rc8 cd8 ce8 rf8 rg8 rh8 ra7 hb7 dc7 md7 ee7 df7 hg7 rh7",
        [8, 106, 1522, 24244, 203561], 22746, 3331,
    ),
]  # fmt: skip


@pytest.mark.parametrize(("pieces", "counts", "sequences", "boards"), PERFT)
def test_turns_counted_by_another_program(pieces: str, counts: list[int], sequences: int, boards: int) -> None:
    """By arimaasharp 5f336a7; 3331 is the published median of the second turn.

    In the first of them three pulls can be followed by the push that takes them back as third and fourth step. That
    would not change the board; arimaasharp lets the push begin.
    """
    game = make("arimaa")
    placed = {NAMES.index(piece[1:]): piece[0] for piece in pieces.split()}
    state = position(game, "".join(placed.get(square, ".") for square in range(64)))
    assert perft(game, len(counts), state) == counts
    count, found = turn_ends(game, state)
    assert (count, len(found)) == (sequences, boards)


def placed(pieces: str) -> str:
    """A board with pieces such as Ra2."""
    found = {piece[1:]: piece[0] for piece in pieces.split()}
    return "".join(found.get(name, ".") for name in NAMES)


def after(pieces: str, moves: str, player: int = 1) -> tuple[Game, State]:
    game = make("arimaa")
    return game, play(game, position(game, placed(pieces), player), moves)


@pytest.mark.parametrize(
    ("pieces", "player", "moves", "square", "steps"),
    [
        ("Rd4", 1, "", "d4", "Rd4w Rd4e Rd4n"),
        ("rd4", 2, "", "d4", "rd4s rd4w rd4e"),
        ("Cd4 dd5", 1, "", "d4", ""),  # frozen
        ("Cd4 Re4 dd5", 1, "", "d4", "Cd4s Cd4w"),  # a friend beside it
        ("Cd4 cd5", 1, "", "d4", "Cd4s Cd4w Cd4e"),  # not weaker
        ("Dd4 rd5", 1, "", "d5", "rd5w rd5e rd5n"),  # pushes, also back
        ("Dd4 dd5", 1, "", "d5", ""),
        ("Dd4 rd5 hd3", 1, "", "d5", ""),  # who is frozen does not push
        ("Dd4 rd5", 1, "rd5n", "d4", "Dd4n"),
        ("Dd4 Ce5 rd5", 1, "rd5n", "e5", "Ce5w"),  # whoever could have pushed
        ("Dd4 Re5 rd5", 1, "rd5n", "e5", ""),
        ("Dd4 Re5 rd5", 1, "rd5n", "h2", ""),  # a push must be completed
        ("Dd4 rd5", 1, "Dd4s", "d5", "rd5s"),  # a pull
        ("Dd4 rd5", 1, "Dd4s rd5s", "d4", "rd4w rd4e"),  # pushes; to take it all back is no turn
        ("Dd4 Ce4 rd5", 1, "Dd4s rd5s", "d4", "rd4w rd4n"),  # the cat may come after
        ("Dd4 rd5 rc4", 1, "rd5n Dd4n", "c4", ""),  # a push is not a pull as well
        ("Dd4 rd5 rc4", 1, "Dd4s rc4e", "d5", ""),  # one pull at a time
        ("Dd4 rd5", 1, "Rh2n Rh3n Dd4e", "d5", "rd5s"),
        ("Dd4 rd5", 1, "Rh2n Rh3n Rh4n", "d5", ""),  # a push takes two steps
        ("Dc4 rc5", 1, "Dc4s", "c5", "rc5s"),  # the pulling dog is lost in the trap
    ],
)
def test_steps(pieces: str, player: int, moves: str, square: str, steps: str) -> None:
    game, state = after(f"{pieces} Rh2 rh7", moves, player)
    assert {name for name in names(game, state) if name[1:3] == square} == set(steps.split())


@pytest.mark.parametrize(
    ("pieces", "moves", "remaining"),
    [
        ("Dd3 Ra2", "Dd3w", "Ra2"),
        ("Dd3 Cb3", "Dd3w", "Dc3 Cb3"),
        ("Dd3 Cc3", "Dd3n", "Dd4"),  # the friend leaves
        ("Dd4 rd3", "rd3w Dd4s", "Dd3"),
        ("Dd4 rd3 cc3 rb3", "rd3e Dd4s", "Dd3 re3 cc3 rb3"),
        ("Dd4 rd3 cc3", "rd3e Dd4s", "Dd3 re3"),  # the friend is pushed away
        ("Dc4 rc5", "Dc4s rc5s", "rc4"),
    ],
)
def test_traps(pieces: str, moves: str, remaining: str) -> None:
    _, state = after(pieces, moves)
    assert board_of(state[8:40]) == placed(remaining)


@pytest.mark.parametrize(
    ("pieces", "player", "moves", "outcome"),
    [
        ("Ra7 Rh2 rh7", 1, "Ra7n end", 1),
        ("Ra7 Rh2 rh7", 1, "Ra7n Ra8e Rh2n Rh3n", 1),
        ("ra2 Rh2 rh7", 2, "ra2s end", -1),
        ("Ra7 Db2 rc2", 1, "Ra7n rc2s Db2e end", 1),  # both on their last rows
        ("Rh2 Db2 rc2", 1, "rc2s Db2e end", -1),
        ("Rh2 Db2 rc2 Cb3 rh7", 1, "rc2s Db2e Dc2n rc1n", None),  # it was there only during the turn
        ("Rh2 Dd4 rd3", 1, "rd3w Dd4s end", 1),  # the last rabbit is lost
        ("Rd3 Rh2 rh7", 1, "Rd3w end", None),
        ("Rd3 Dh2 rh7", 1, "Rd3w end", -1),
        ("Rd3 De4 re3", 1, "Rd3w re3e De4s end", 1),  # both last rabbits: who moved wins
        ("rd3 de4 Re3", 2, "rd3w Re3e de4s end", -1),
        ("Ra2 Dg6 rh7", 1, "Dg6n end", 1),  # frozen
        ("Ra2 Dg6 rh7 rh8", 1, "Dg6n end", None),
        ("Ra2 Rh6 Ch8 Cg6 rh7", 1, "Cg6n end", 1),  # frozen by cats
        ("Ra2 Rh6 Rg7 Rh7 rh8", 1, "Ra2n end", None),
        ("Ra2 Rh7 Rg7 Rg8 rh8", 1, "Ra2n end", 1),  # no place to move
    ],
)
def test_ends_of_matches(pieces: str, player: int, moves: str, outcome: int | None) -> None:
    game, state = after(pieces, moves, player)
    assert game.outcome(state) == outcome


def test_the_third_time() -> None:
    """The board of the beginning counts as there once; a turn may pass through what it must not end with."""
    once = "Ca2n end ca8s end Ca3s end ca7n end"
    game, state = after("Ca2 Rh2 ca8 rh7", f"{once} Ca2n end ca8s end Ca3s end ca7n")
    assert "end" not in names(game, state)
    state = play(game, state, "ca8e")
    assert "end" in names(game, state)
    game, state = after("Ca2 Rh2 ca8 rh7", f"{once} Ca2n end ca8s end Ca3s end rh7s rh6s rh5s")
    assert "ca7n" in names(game, state)


def test_only_turns_that_repeat() -> None:
    """The cat can only go to and fro; so the third time it has no turn left."""
    once = "Eh1n end ca8s end Eh2s end ca7n end"
    game, state = after("Eh1 Rd1 Ca6 Cb7 Cb8 ca8 rh7 Dg7", f"{once} Eh1n end ca8s end")
    assert game.outcome(state) is None
    assert game.outcome(play(game, state, "Eh2s end")) == 1
    game, state = after("Eh1 Rd1 Ca6 Cb7 Cb8 ca8 rh7 Dg7", f"{once} Eh1n end ca8s end Eh2w")
    assert game.outcome(play(game, state, "end")) is None


def test_loss_of_a_piece_forgets_earlier_boards() -> None:
    game, state = after("Ca2 Rh2 Dd3 ca8 rh7", "Ca2n end ca8s end Ca3s end ca7n end")
    assert state[4] == 8
    assert state[72] > 0
    state = play(game, state, "Dd3w")
    assert not state[72:].any()
    assert state[4] == 1


def test_the_order_of_steps_does_not_matter() -> None:
    _, one = after("Ca2 Rd4 rh7 rg7", "Ca2n Rd4n Rd5n end rh7s end")
    _, other = after("Ca2 Rd4 rh7 rg7", "Rd4n Ca2n Rd5n end rh7s end")
    assert np.array_equal(one, other)


def test_the_heuristic_of_arimaa() -> None:
    """69 of whoever wins, and what the pieces are worth; 0 for a draw, between the wins and the losses."""
    heuristic = make_heuristic("arimaa", make("arimaa"))
    assert (heuristic.scale, heuristic.bounded, heuristic.constants.tolist()) == (69, False, [])
    game, state = after("Ra7 Rh2 Dd4 rh7 cc5", "Ra7n end")
    assert value_of_end(game, heuristic, state) == 69 + (6 + 6 + 2) - (6 + 1)
    game, state = after("ra2 Rh2 md4 rh7 Hc5", "ra2s end", player=2)
    assert value_of_end(game, heuristic, state) == -69 + (6 + 3) - (6 + 6 + 4)
    game = make("arimaa:40")
    state = game.initial()
    for action in random_match(game, seed=1):
        state = game.play(state, action)
    assert (game.outcome(state), value_of_end(game, heuristic, state), game.length(state)) == (0, 0, 40)


def test_setup() -> None:
    """A row is filled from either end, so that mirrored matches are matches."""
    game = make("arimaa")
    left = game.after("Ra1 Rb1 Rc1 Rd1 Re1 Rf1 Rg1 Eh1")
    right = game.after("Eh1 Rg1 Rf1 Re1 Rd1 Rc1 Rb1 Ra1")
    assert np.array_equal(left, right)
    assert names(game, left) == {f"{kind}{square}" for kind in "RCDHM" for square in ("a2", "h2")}
    assert names(game, play(game, left, "Rh2")) == {f"{kind}g2" for kind in "CDHM"}
    with pytest.raises(GameError, match=r"move 2: 'Rh1' is not a legal action of arimaa here; legal are rb1, cb1, "):
        game.after("Ra1 Rh1")


def test_planes() -> None:
    game, state = after("Dd4 rd5 Ca2 Rh2 rh7 cc6 db6", "Ca2n Dd4s")
    planes = game.encode(state)

    def shown(plane: int) -> set[str]:
        return {NAMES[square] for square in np.flatnonzero(planes[plane])}

    assert shown(0) == {"d3", "a3", "h2"}
    assert shown(1) == {"d5", "h7", "c6", "b6"}
    assert [shown(3 + kind) for kind in range(6)] == [{"h2"}, {"a3"}, {"d3"}, set(), set(), set()]
    assert shown(9) == {"d5", "h7"}
    assert shown(16) == {"c3", "f3", "c6", "f6"}
    assert [len(shown(plane)) for plane in (15, 17, 18, 19, 20, 21, 24, 25)] == [57, 0, 64, 64, 0, 0, 0, 0]
    assert shown(22) == {"d5"}
    assert shown(23) == {"a2", "a3", "d3", "d4"}
    planes = game.encode(after("Dd4 rd5 Rh2 rh7", "rd5n")[1])
    assert shown(21) == {"d5"}
    planes = game.encode(after("Ca2 Rh2 ca8 rh7", "Ca2n end ca8s end Ca3s end ca7n")[1])
    assert shown(24) == set(NAMES)


def test_planes_of_the_limit() -> None:
    game = make("arimaa:64")
    state, shown = game.initial(), []
    for action in random_match(game, seed=1):
        state = game.play(state, action)
        shown.append([bool(plane.any()) for plane in game.encode(state)[25:]])
    assert [sum(column) for column in zip(*shown, strict=True)] == [33, 17, 9]
