"""Moves as people type and paste them: `1. d3 c5 2. d6`, `D3,C5` or `d3c5d6` instead of `d3 c5 d6`.

Read besides the plain form are numbers of moves, `{comments}`, `# the rest of a line`, marks such as `?!`, a result at
the end, commas, moves without spaces, moves without their dash or cross (`b2b3` for `b2-b3`), and moves without the
passes that have no alternative. A text with several meanings is refused.

>>> from athenan import make
>>> game = make("breakthrough")
>>> game.moves(actions_of(game, "1. B2b3 {quiet} g7-g6 2.b3xb4,G6G5 *"))
'b2-b3 g7-g6 b3-b4 g6-g5'
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from athenan.rules.game import Game, GameError, IllegalAction, State
from athenan.settings import counted, shown

_IGNORED = re.compile(r"\{[^}]*(?:\}|(?P<open>\Z))|#[^\n]*|(?<![\w(/-])\d+\s*(?:\.+|\))|[?!]+")
_BETWEEN = re.compile(r"[\s,;.]+")
_WITHIN = "/():"
"""What may stand between the moves of one word, as in `d1-d7/g7`."""
_JOINT = re.compile(r"(?<=\w)[-–—:*×]+|(?<=\d)x(?=[a-z]?\d)")
"""What a move may be written without."""
_BARE_NUMBER = re.compile(r"(\d{1,6})[wbgs]?")
_RESULT = re.compile(r"[02]-[02]|1-[01]|0-1|1/2-1/2|½-½|\*")
_MOST_READINGS = 64
"""Beginnings of a word that are followed at the same time; more are refused like several meanings."""


class MoveError(GameError):
    """A move of a text cannot be read, by its number from 1; `illegal` says why if it is not legal."""

    def __init__(self, message: str, number: int = 0, illegal: IllegalAction | None = None) -> None:
        super().__init__(message)
        self.number, self.illegal = number, illegal


class _Reading(NamedTuple):
    """A way to read the beginning of a word."""

    end: int
    state: State
    actions: tuple[int, ...] = ()


def actions_of(game: Game, text: str, start: State | None = None, played: int = 0) -> list[int]:
    """The actions of a text, from `start` or the initial state. Raises MoveError for the first bad move.

    `played` is the number of actions before the text, for the number of the bad move.
    """
    return _read_words(game, text, start, played)[0]


def actions_to_the_end(game: Game, text: str, start: State | None = None) -> tuple[list[int], tuple[str, ...]]:
    """The actions of a text from `start` or the initial state until the match is over, and a sentence about what
    follows, if anything does.

    Raises MoveError for the first bad move.
    """
    actions, left = _read_words(game, text, start, 0, to_the_end=True)
    late = f"{counted(len(left), 'word')} left out: the match is over after action {len(actions)}"
    return actions, (late,) if left else ()


def _read_words(
    game: Game, text: str, start: State | None, played: int, *, to_the_end: bool = False
) -> tuple[list[int], list[str]]:
    """The actions of a text and, `to_the_end` of the match only, the words after it. Raises MoveError."""
    state, actions, number = game.initial() if start is None else start, list[int](), 0
    words = [word for word in _BETWEEN.split(_IGNORED.sub(_gap, text)) if word]
    for at, word in enumerate(words):
        if to_the_end and game.outcome(state) is not None:
            left = words[at:]
            return actions, left[:-1] if _RESULT.fullmatch(left[-1]) else left
        try:
            found = _read(game, state, word)
        except _Unreadable as error:
            bare = _BARE_NUMBER.fullmatch(word)
            if bare and (following := int(bare[1])) and following - number in (0, 1):
                number = following
            elif at < len(words) - 1 or not _RESULT.fullmatch(word):
                bad = played + len(actions) + error.read + 1
                raise MoveError(f"move {bad}: {error}", bad, error.illegal) from None
            continue
        actions += found.actions
        state = found.state
    return actions, []


def _gap(ignored: re.Match[str]) -> str:
    """The space in place of what is not read. Raises MoveError for a comment without an end."""
    if ignored["open"] is not None:
        raise MoveError(f"a comment has no end: {shown(ignored[0][:20])}")
    return " "


class _Unreadable(ValueError):
    """A word is not a sequence of moves; `read` of its moves can be read, and the next one may be `illegal`."""

    def __init__(self, text: str, read: int = 0, illegal: IllegalAction | None = None) -> None:
        super().__init__(text)
        self.read, self.illegal = read, illegal


def _read(game: Game, state: State, word: str) -> _Reading:
    """The reading of a word: one move if possible, else several."""
    plain = word.lower()
    names = _names(game, state)
    exact = [action for action, name in names.items() if name == plain]
    squeezed = _JOINT.sub("", plain)
    whole = exact or [action for action, name in names.items() if _JOINT.sub("", name) == squeezed]
    if len(whole) == 1:
        return _Reading(len(word), game.play(state, whole[0]), (whole[0],))
    return _several(game, state, word, squeezed)


def _several(game: Game, state: State, word: str, squeezed: str) -> _Reading:
    """The only reading of a word as several moves."""
    growing, complete, furthest = [_Reading(0, state)], list[_Reading](), _Reading(0, state)
    while growing and len(growing) <= _MOST_READINGS and len(complete) < 2:
        growing.sort(key=lambda one: -one.end)
        reading = growing.pop()
        if reading.end == len(squeezed):
            complete.append(reading)
            continue
        furthest = max(furthest, reading, key=lambda one: one.end)
        growing += _longer(game, reading, squeezed)
    if len(complete) == 1 and not growing:
        return complete[0]
    if complete or growing:
        raise _Unreadable(f"{shown(word)} has several meanings: write its moves with spaces between them")
    rest = squeezed[furthest.end :] if furthest.end else word
    try:
        game.parse_action(furthest.state, rest)
    except IllegalAction as error:
        raise _Unreadable(str(error), len(furthest.actions), error) from None
    raise _Unreadable(f"{shown(word)} cannot be read")


def _longer(game: Game, reading: _Reading, word: str) -> Iterator[_Reading]:
    """The readings with one more move, or with a pass that has no alternative, or past a sign between moves."""
    end, state, actions = reading
    names, found = _names(game, state), False
    for action, name in names.items():
        if word.startswith(short := _JOINT.sub("", name), end):
            found = True
            yield _Reading(end + len(short), game.play(state, action), (*actions, action))
    if end and word[end] in _WITHIN:
        yield _Reading(end + 1, state, actions)
    elif not found and len(names) == 1 and not game.places(state, only := next(iter(names))):
        yield _Reading(end, game.play(state, only), (*actions, only))


def _names(game: Game, state: State) -> dict[int, str]:
    """The legal actions and their names in small letters."""
    return {int(action): game.action_name(state, int(action)).lower() for action in game.actions(state)}
