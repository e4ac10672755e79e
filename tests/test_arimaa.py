"""Arimaa against slow rules, on random matches, random boards and boards made for its special rules."""

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import types
from numpy.typing import NDArray
from slow_arimaa import ALL_PIECES, NAMES, SlowArimaa, moved
from test_rules import agree, seeds

from athenan import Game, GameError, make, perft
from athenan.games import kernels as k
from athenan.games.conformance import random_match
from athenan.games.game import State

CODES = ".RCDHME  rcdhme"
_ints, _bytes = types.Array(types.int64, 1, "C"), types.Array(types.int8, 2, "C")


def squares(rows: str) -> str:
    """A board from its eight rows, the eighth first, with x for empty traps."""
    return "".join(reversed(rows.split())).replace("x", ".")


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
    """Plays at random, but ends turns early and takes back the last step of the side's turn before, to repeat boards."""

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


@k.kernel(types.int64(_ints, _ints, _bytes, types.Array(types.int32, 2, "C"), _bytes))
def list_ends(kernels, params, states, actions, boards):  # type: ignore[no-untyped-def]
    """Writes the boards with which a turn from states[0] can end, one for each sequence of actions, and counts them."""
    player, count, depth = states[0, 0], 0, 0
    number, tried = np.zeros(5, np.int64), np.zeros(5, np.int64)
    number[0] = k.actions(kernels, params, states[0], actions[0])
    while depth >= 0:
        if tried[depth] == number[depth]:
            depth -= 1
            continue
        action = actions[depth, tried[depth]]
        tried[depth] += 1
        following = states[depth + 1]
        k.play(kernels, params, states[depth], action, following)
        if following[0] != player or following[1]:
            boards[count] = following[8:40]
            count += 1
        else:
            depth += 1
            number[depth], tried[depth] = k.actions(kernels, params, following, actions[depth]), 0
            if number[depth] == 0:
                return -1  # a turn that cannot be finished
    return count


def turn_ends(game: Game, state: State) -> tuple[int, set[str]]:
    """The number of sequences of actions that are turns, and the boards to which they lead."""
    states, actions = np.zeros((6, game.state_size), np.int8), np.empty((5, game.max_actions), np.int32)
    boards = np.empty((6_000_000, 32), np.int8)  # mapped only as far as it is written
    states[0] = state
    count = list_ends(game.kernels, game.params, states, actions, boards)
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
    assert check_turns(seed=1, number=40, most=4) > 0


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100))
def test_turns_on_ten_thousand_boards(seed: int) -> None:
    """Of every hundred, five have up to 16 pieces a side, the others up to 6: they are the slower the more there are."""
    check_turns(seed, 95, 6)
    check_turns(1000 + seed, 5, 16)
