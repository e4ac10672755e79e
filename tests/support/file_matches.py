"""Matches with notes and variations, made at random or elsewhere, as data for the formats of files."""

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from athenan import make
from athenan.files.file_match import FileMatch
from athenan.files.formats import matches_in
from athenan.play.records import Plies, Ply
from athenan.rules.game import Game, State
from athenan.rules.state import CHANCE, sign

Part = TypeVar("Part")
QUICK = ("go:5,komi=2.5", "hex:3", "gomoku:5,opening=free", "othello:4")
OTHERS = ("go:4,superko=simple", "amazons:6", "lines_of_action", "havannah:4", "backgammon", "hex:5,swap=false")
"""Games that SGF knows: those whose matches are short, and others."""
LITTLE_GOLEM_HEX = (
    "(;FF[4]EV[hex.mc.2011.feb.1.10]PB[Tiziano]PW[sleepywind]SZ[13]GC[ game #1301977]SO[http://www.littlegolem.com];"
    "W[ll];B[swap];W[gg];B[fi];W[ih];B[gd];W[id];B[hj];W[ji])"
)


def read_sgf(text: str, game: str | None = None) -> FileMatch:
    """The only match of a text of SGF."""
    [match] = matches_in(text.encode(), ".sgf", make(game) if game else None)
    return match


def read_pdn(text: str, game: str | None = None) -> FileMatch:
    """The only match of a text of PDN."""
    [match] = matches_in(text.encode(), ".pdn", make(game) if game else None)
    return match


def only(kind: type[Part], parts: Sequence[object]) -> Part:
    """The only part of a text, which has been read without an error."""
    [part] = parts
    assert isinstance(part, kind)
    return part


def moves_of(match: FileMatch) -> str:
    return make(match.game).moves(match.actions)


def random_line(game: Game, state: State, count: int, random: np.random.Generator, depth: int = 0) -> Plies:
    """At most so many random actions from a state on, with notes, some with variations, all at the beginning of turns.

    What could be played instead of the first action of a variation is another variation, so that it has none.
    """
    line, mover = list[Ply](), -1
    for _ in range(count):
        if game.outcome(state) is not None:
            break
        begins = game.player(state) not in (mover, CHANCE) and mover != CHANCE
        action = game.draw(state, random)
        notes = dict[str, object]()
        if begins and random.random() < 0.4:
            notes = {"value": float(random.integers(-500, 500)) / 1000, "comment": str(random.choice(COMMENTS))}
        if begins and random.random() < 0.3:
            notes |= {"seconds": float(random.integers(1000)) / 1000, "proven": int(random.integers(-1, 2))}
        if begins and depth < 3 and (line or not depth) and random.random() < 0.2:
            other = random_line(game, state, 1 + int(random.integers(3)), random, depth + 1)
            if other[0].action != action:  # else it belongs to a later action of the turn
                notes["variations"] = (whole_turns(game, state, other),)
        line.append(Ply(action, game.player(state), **notes))  # type: ignore[arg-type]
        mover = game.player(state)
        state = game.play(state, action)
    return tuple(line)


def whole_turns(game: Game, state: State, line: Plies) -> Plies:
    """The line, continued by first actions until a turn has ended."""
    for ply in line:
        before, state = state, game.play(state, ply.action)
    while game.outcome(state) is None and game.player(before) in (game.player(state), CHANCE):
        line = (*line, Ply(int(game.actions(state)[0]), game.player(state)))
        before, state = state, game.play(state, line[-1].action)
    return line


def random_file_match(game: Game, seed: int, plies: int = 40) -> FileMatch:
    """A random match, that its loser may have given up."""
    random = np.random.default_rng(seed)
    line = whole_turns(game, game.initial(), random_line(game, game.initial(), plies, random))
    state = game.initial()
    for ply in line:
        state = game.play(state, ply.action)
    outcome, given_up = game.outcome(state), bool(random.random() < 0.5)
    if outcome is None and given_up and game.player(state) != CHANCE:
        return FileMatch(
            game.name, ("Ann [x]", "B\\en"), line, -sign(game.player(state)), "resigned", "a ] match", {"event": "cup"}
        )
    return FileMatch(game.name, ("Ann", "Ben"), line, outcome)


COMMENTS = ("sharp", "a ] and a \\", "ä: (not) ; so", "[%clk 0:01:00]", "two words")
