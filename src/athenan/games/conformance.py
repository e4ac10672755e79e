"""Checks that hold for every game: conformance of its kernels, perft counts, random matches.

>>> from athenan import check_game, make, perft
>>> perft(make("tictactoe"), 4)
[9, 72, 504, 3024]
>>> check_game(make("tictactoe"))
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numba import types
from numpy.typing import NDArray

from athenan.games import kernels as k
from athenan.games.game import Game, GameError, State
from athenan.games.randomness import random_action, streams

_addresses = types.Array(types.int64, 1, "C")
_states = types.Array(types.int8, 2, "C")
_action_lists = types.Array(types.int32, 2, "C")
_counts = types.Array(types.int64, 1, "C")
_random = types.Array(types.uint64, 1, "C")

_PERFT_STEPS = 1 << 16


def perft(game: Game, depth: int, state: State | None = None) -> list[int]:
    """The numbers of action sequences of lengths 1 to `depth` from a state (default: the initial state).

    A finished match counts at its own length only.
    """
    if depth < 1:
        raise GameError(f"the depth of perft must be at least 1, not {depth}")
    states = np.zeros((depth + 1, game.state_size), np.int8)
    states[0] = game.initial() if state is None else state
    actions = np.empty((depth, game.max_actions), np.int32)
    number, position, counts = np.zeros((3, depth), np.int64)
    legal = game.actions(states[0])
    actions[0, : len(legal)] = legal
    number[0] = counts[0] = len(legal)
    level = 0 if depth > 1 else -1
    while level >= 0:  # Python sees Ctrl-C between the calls
        level = _perft(game.kernels, game.params, states, actions, number, position, counts, level, _PERFT_STEPS)
    return [int(count) for count in counts]


@k.kernel(
    types.int64(
        _addresses, _counts, _states, _action_lists, _counts, _counts, _counts, types.int64, types.int64,
    )
)  # fmt: skip
def _perft(kernels, params, states, actions, number, position, counts, level, steps):  # type: ignore[no-untyped-def]
    """Counts without recursion, at most `steps` states; returns the depth at which to go on, -1 at the end.

    `states[d]` is the current state at depth d, `number[d]` the number of its legal actions, `position[d]` the next of
    them to play.
    """
    depth = counts.shape[0]
    for _ in range(steps):
        if level < 0:
            break
        if position[level] == number[level]:
            level -= 1
            continue
        action = actions[level, position[level]]
        position[level] += 1
        k.play(kernels, params, states[level], action, states[level + 1])
        if k.outcome(kernels, params, states[level + 1]) != k.ONGOING:
            continue
        level += 1
        number[level] = k.actions(kernels, params, states[level], actions[level])
        position[level] = 0
        counts[level] += number[level]
        if level == depth - 1:
            level -= 1
    return level


@k.kernel(types.int64(_addresses, _counts, _random, types.int64, types.int64))
def random_play(kernels, params, random, steps, state_size):  # type: ignore[no-untyped-def]
    """Plays uniformly random matches until `steps` actions are played; returns the number of finished matches.

    `random` is uint64[1]. This is the loop that `athenan bench` times.
    """
    states = np.zeros((2, state_size), np.int8)
    actions = np.empty(1 << 16, np.int32)
    state, following, matches = states[0], states[1], 0
    k.initial(kernels, params, state)
    for _ in range(steps):
        k.play(kernels, params, state, random_action(kernels, params, state, actions, random), following)
        state, following = following, state
        if k.outcome(kernels, params, state) != k.ONGOING:
            matches += 1
            k.initial(kernels, params, state)
    return matches


def random_match(game: Game, seed: int) -> list[int]:
    """The actions of a uniformly random match."""
    random, state, played = np.random.default_rng(seed), game.initial(), []
    while game.outcome(state) is None:
        played.append(int(random.choice(game.actions(state))))
        state = game.play(state, played[-1])
    return played


def mean_actions(game: Game, matches: int = 20, seed: int = 0) -> float:
    """The mean number of legal actions of the states of random matches."""
    counts = []
    for stream in streams(seed, matches):
        state = game.initial()
        for action in random_match(game, int(stream)):
            counts.append(len(game.actions(state)))
            state = game.play(state, action)
    return float(np.mean(counts))


def check_game(game: Game, matches: int = 20, seed: int = 0) -> None:
    """Raises GameError, saying what is wrong, unless the game's kernels and tables agree with each other.

    Plays random matches and looks, at every state: legal actions ascend, are in range and not too many; a kernel
    writes all of its output and none of its input; the header counts; names are distinct and can be read; the
    outcome agrees with the legal actions and the score with the outcome; drawn actions are legal, and all legal ones
    are drawn; and each declared symmetry maps matches to matches.
    """
    _check_tables(game)
    _check_state(game, game.initial(), 0)
    _check_sample(game)
    for number, stream in enumerate(streams(seed, matches)):
        played = random_match(game, int(stream))
        _check_match(game, played)
        image = 1 + number % max(1, len(game.plane_symmetries) - 1)
        if image < len(game.plane_symmetries):
            _check_symmetry(game, played, image)


def _check(condition: bool, game: Game, what: str) -> None:
    if not condition:
        raise GameError(f"{game.name}: {what}")


def _guarded(game: Game, size: int, kernel: Callable[[NDArray[Any]], object], dtype: type, filler: int) -> NDArray[Any]:
    """What a kernel writes into an array of `size`; it must leave the bytes after its end alone."""
    buffer: NDArray[Any] = np.full(size + 8, filler, dtype)
    kernel(buffer[:size])
    _check(bool((buffer[size:] == filler).all()), game, "a kernel writes beyond the end of its output")
    return buffer[:size]


def _check_tables(game: Game) -> None:
    cells, symmetries = int(np.prod(game.planes)), len(game.plane_symmetries)
    _check(game.plane_symmetries.shape == (symmetries, cells), game, "plane_symmetries has a wrong shape")
    _check(game.action_symmetries.shape == (symmetries, game.action_count), game, "action_symmetries: wrong shape")
    for name, table, size in (
        ("plane", game.plane_symmetries, cells),
        ("action", game.action_symmetries, game.action_count),
    ):
        _check(bool((np.sort(table, axis=1) == np.arange(size)).all()), game, f"a {name} symmetry is no permutation")
        _check(bool((table[0] == np.arange(size)).all()), game, f"{name} symmetry 0 is not the identity")


def _check_match(game: Game, played: list[int]) -> None:
    state = game.initial()
    _check(game.length(state) == 0, game, "the initial state has a length above 0")
    for number, action in enumerate(played):
        _check_state(game, state, number)
        state = _play_checked(game, state, action)
    _check_state(game, state, len(played))
    _check(len(played) <= game.max_length, game, f"a match of {len(played)} actions is longer than max_length")


def _check_state(game: Game, state: State, number: int) -> None:
    _guarded(game, game.max_actions, partial(k.actions, game.kernels, game.params, state), np.int32, -1)
    actions, outcome = game.actions(state), game.outcome(state)
    _check(game.player(state) in (0, 1), game, "the side to move is neither 0 nor 1")
    _check(game.player(state) < game.players, game, "a second player is to move in a game of one player")
    _check(game.length(state) == number, game, f"the header counts {game.length(state)} actions, not {number}")
    _check(outcome in (None, -1, 0, 1), game, f"the outcome {outcome} is none of 1, 0, -1 and ongoing")
    _check((len(actions) == 0) == (outcome is not None), game, "actions and outcome disagree on the end of the match")
    _check(bool((np.diff(actions) > 0).all()), game, "the legal actions do not ascend")
    _check(len(actions) <= game.max_actions, game, "more legal actions than max_actions")
    _check(bool(((actions >= 0) & (actions < game.action_count)).all()), game, "an action is out of range")
    names = [game.action_name(state, int(action)) for action in actions]
    _check(len({name.lower() for name in names}) == len(names), game, f"two actions have one name: {names}")
    _check(all(name and not any(map(str.isspace, name)) for name in names), game, "a name is empty or has spaces")
    _check(bool(game.text(state)), game, "the text picture is empty")
    encode = partial(k.encode, game.kernels, game.params, state)
    planes = [_guarded(game, int(np.prod(game.planes)), encode, np.int8, filler) for filler in (0, 77)]
    _check(bool((planes[0] == planes[1]).all()), game, "encode leaves planes unwritten")
    if outcome is not None and game.max_score is not None:
        _check(abs(game.score(state)) <= game.max_score, game, "a score is larger than max_score")


def _check_sample(game: Game) -> None:
    """Draws a first and a last action many times: a legal one is missed with a probability below 10^-6."""
    if not game.kernels[list(k.SLOTS).index("sample")]:
        return
    random, state = streams(0, 1), game.initial()
    draw = partial(k.sample, game.kernels, game.params)
    while game.outcome(state) is None:
        last, state = state, game.play(state, draw(state, random))
    for where in (game.initial(), last):
        legal = game.actions(where)
        drawn = {draw(where, random) for _ in range(len(legal) * (16 + len(legal).bit_length()))}
        _check(drawn == set(legal.tolist()), game, "sample draws other actions than the legal ones, or not all")


def _play_checked(game: Game, state: State, action: int) -> State:
    before = state.copy()
    play = partial(k.play, game.kernels, game.params, state, action)
    results = [_guarded(game, game.state_size, play, np.int8, filler) for filler in (0, 77)]
    _check(bool((state == before).all()), game, "play changes the state it is given")
    _check(bool((results[0] == results[1]).all()), game, "play leaves bytes of the following state unwritten")
    return results[0]


def _check_symmetry(game: Game, played: list[int], image: int) -> None:
    planes, actions = game.plane_symmetries[image], game.action_symmetries[image]
    state, mapped = game.initial(), game.initial()
    for action in [*played, None]:
        what = f"symmetry {image} does not map matches to matches:"
        _check(game.player(state) == game.player(mapped), game, f"{what} side to move")
        _check(game.outcome(state) == game.outcome(mapped), game, f"{what} outcome")
        legal = np.sort(actions[game.actions(state)])
        _check(np.array_equal(legal, game.actions(mapped)), game, f"{what} legal actions")
        encoded = game.encode(state).reshape(-1)[planes]
        _check(np.array_equal(encoded, game.encode(mapped).reshape(-1)), game, f"{what} planes")
        if action is not None:
            state, mapped = game.play(state, action), game.play(mapped, int(actions[action]))
