"""Openings of matches, which make matches between the same players differ: random, all of a length, or listed.

Openings are numbered from 0, without end: after the last listed opening the first comes again. The opening with a
number depends on the game and the choice, not on how many are asked for, so a series can be continued.

>>> from athenan import make
>>> game = make("tictactoe")
>>> choice = OpeningChoice("every")
>>> [game.moves(one) for one in islice(openings(game, choice), 12)]
['a1', 'b1', 'c1', 'a2', 'b2', 'c2', 'a3', 'b3', 'c3', 'a1', 'b1', 'c1']
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path
from typing import Annotated, Literal

import numpy as np

from athenan.reading import read_text
from athenan.rules.fitting import require_whole
from athenan.rules.game import Game, GameError, State
from athenan.settings import Between, Checked, Seed, counted

Opening = tuple[int, ...]

_MOST = 4096
"""If there are at most this many openings of a length, they are listed in full and drawn without repetition."""
_MOST_LISTED = 100_000
_ATTEMPTS = 1000
"""Consecutive random attempts without a new opening after which all openings count as used."""


@dataclass(frozen=True)
class OpeningChoice(Checked):
    """How the openings of a series are chosen. `openings` lists them."""

    kind: Literal["random", "every", "listed"] = "random"
    """Random actions, every sequence of actions that leads to a different state, or the given openings."""
    plies: Annotated[int, Between(0, 10_000)] = 1
    """The number of actions of each opening, for `random` and `every`."""
    seed: Seed = 0
    """The seed of random openings."""
    listed: tuple[str, ...] = ()
    """Openings in the game's notation."""


RANDOM = OpeningChoice()


def openings(game: Game, choice: OpeningChoice) -> Iterator[Opening]:
    """The openings, without end. Raises GameError without openings, or if a listed one is illegal or ends the match."""
    if choice.kind == "random":
        return _random(game, choice.plies, choice.seed)
    return cycle(different_openings(game, choice) or ())


def different_openings(game: Game, choice: OpeningChoice) -> list[Opening] | None:
    """All openings, for `listed` and `every`; None for random openings, which never end."""
    if choice.kind == "random":
        return None
    if choice.kind == "listed":
        return [_parsed(game, text) for text in choice.listed]
    if (every := _every(game, choice.plies, _MOST_LISTED)) is None:
        raise GameError(f"{game.name} has more than {_MOST_LISTED:,} openings of {choice.plies} actions")
    return _some(every, game, choice.plies)


def read_openings(path: str | Path, game: Game) -> OpeningChoice:
    """The openings of a text file, one a line, in the game's notation, with comments after #.

    Raises GameError if the file has no opening or, with the line number, if one is illegal or ends the match.
    """
    found = []
    try:
        lines = read_text(path).splitlines()
    except UnicodeDecodeError:
        raise GameError(f"{path} is not a text file; openings are lines of moves, such as 'd4 c5'") from None
    for number, line in enumerate(lines, 1):
        if text := " ".join(line.partition("#")[0].split()):
            try:
                found.append(game.moves(_parsed(game, text)))
            except GameError as error:
                raise GameError(f"{path}, line {number}: {error}") from None
    if not found:
        raise GameError(f"{path} has no opening; openings are lines of moves, such as 'd4 c5'")
    return OpeningChoice("listed", listed=tuple(found))


def random_openings(game: Game, plies: int, count: int, seed: int) -> list[Opening]:
    """The first `count` random openings of `plies` actions each, none of which ends the match.

    They lead to distinct states; if there are too few, each is used once before any is used again. Chance draws by its
    probabilities, and then openings may repeat. Raises GameError without openings.
    """
    require_whole("the number of random actions", plies)
    if plies < 0:
        raise GameError(f"an opening has 0 or more random actions, not {plies}")
    return list(islice(_random(game, plies, seed), count))


def _random(game: Game, plies: int, seed: int) -> Iterator[Opening]:
    random = np.random.default_rng(seed)
    every = None if game.stochastic else _every(game, plies, _MOST)
    if every is None:
        yield from _sampled(game, plies, random)
        return
    every = _some(every, game, plies)
    while True:
        for index in random.permutation(len(every)):
            yield every[index]


def _some(every: list[Opening], game: Game, plies: int) -> list[Opening]:
    if not every:
        raise GameError(f"{game.name} has no opening of {counted(plies, 'action')}: every match is over by then")
    return every


def _every(game: Game, plies: int, most: int) -> list[Opening] | None:
    """One opening for each state that an opening reaches; None if there are more such states than `most`."""
    level: dict[bytes, Opening] = {game.initial().tobytes(): ()}
    for _ in range(plies):
        following: dict[bytes, Opening] = {}
        for key, opening in level.items():
            state = np.frombuffer(key, np.int8).copy()
            for action in game.actions(state):
                after = game.play(state, int(action))
                if game.outcome(after) is None:
                    following.setdefault(after.tobytes(), (*opening, int(action)))
            if len(following) > most:
                return None
        level = following
    return list(level.values())


def _sampled(game: Game, plies: int, random: np.random.Generator) -> Iterator[Opening]:
    """Openings of uniformly random actions, for games with very many."""
    seen: set[bytes] = set()
    in_vain = 0
    while in_vain < _ATTEMPTS or seen:
        if in_vain == _ATTEMPTS:  # all likely openings have been used: start again
            seen, in_vain = set(), 0
        state: State = game.initial()
        opening: Opening = ()
        while len(opening) < plies and game.outcome(state) is None:
            opening = (*opening, game.draw(state, random))
            state = game.play(state, opening[-1])
        key = state.tobytes()
        in_vain += 1
        if game.outcome(state) is None and (game.stochastic or key not in seen):
            seen.add(key)
            in_vain = 0
            yield opening
    raise GameError(f"{game.name} has hardly any openings of {plies} random actions; ask for fewer actions")


def _parsed(game: Game, text: str) -> Opening:
    """The opening of these moves. Raises GameError if it is illegal or ends the match."""
    opening = game.parse_moves(text)
    if game.outcome(game.replay(opening)) is not None:
        raise GameError(f"after {text!r} the match is over")
    return tuple(opening)
