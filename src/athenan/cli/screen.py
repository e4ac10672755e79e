"""The board in the terminal: each position once, the last action marked, in colour if the terminal has colours."""

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from rich.console import Console
from rich.text import Text

from athenan.rules.game import Game, State

_STYLES = {"x": "bold red", "X": "bold red", "o": "bold cyan", "O": "bold cyan"}


class Screen:
    """Follows a match and shows its positions."""

    def __init__(self, game: Game) -> None:
        self.game, self.console = game, Console(highlight=False)
        self.new_match()

    def new_match(self) -> None:
        """Goes back to the initial state and marks it as not shown."""
        self.actions = list[int]()
        self._before: State | None = None
        self._now, self._shown = self.game.initial(), b""

    def observe(self, action: int, following: State) -> None:
        """Follows an action."""
        self.actions.append(action)
        self._before, self._now = self._now, following

    def show(self) -> None:
        """Shows the position, unless it was the last one shown."""
        if self._shown == self._now.tobytes():
            return
        self._shown = self._now.tobytes()
        before = "" if self._before is None else self.game.text(self._before)
        self.console.print()
        self.console.print(picture(before, self.game.text(self._now), self.console.color_system is not None))


def picture(before: str, now: str, colour: bool) -> Text:
    """The picture of a position. Pieces that the last action changed are marked: reversed, or in brackets.

    >>> print(picture("1 . .", "1 x .", colour=False))
    1[x].
    """
    text, start = Text(now), 0
    for line in now.split("\n"):
        if {letter.lower() for letter in line if letter.isalpha()} <= {"x", "o"}:  # no words, no names of columns
            for place, letter in enumerate(line, start):
                if letter in _STYLES:
                    text.stylize(_STYLES[letter], place, place + 1)
        start += len(line) + 1
    if len(before) != len(now):  # pictures of different shapes do not tell what changed
        return text
    changed = [place for place, letter in enumerate(now) if letter != before[place] and letter.isalpha()]
    changed = [place for place in changed if not _in_word(now, place)]
    if colour:
        for place in changed:
            text.stylize("reverse", place, place + 1)
        return text
    letters = list(now)
    for place in changed:
        for beside, bracket in ((place - 1, "["), (place + 1, "]")):
            if 0 <= beside < len(letters) and letters[beside] == " ":
                letters[beside] = bracket
        if now[place + 1 : place + 2] in ("", "\n"):
            letters[place] += "]"
    return Text("".join(letters))


def _in_word(text: str, place: int) -> bool:
    """Whether a letter is part of a word, not a piece."""
    return any(other.isalpha() for other in text[max(0, place - 1) : place] + text[place + 1 : place + 2])


@contextmanager
def ctrl_c_calls(stop: Callable[[], None]) -> Iterator[None]:
    """Inside the context the first Ctrl-C calls `stop`; the next one interrupts."""
    usual = signal.getsignal(signal.SIGINT)

    def interrupted(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, usual)
        print(file=sys.stderr)
        stop()

    if usual is not signal.default_int_handler:  # someone else decides what Ctrl-C means, or it is ignored
        yield
        return
    signal.signal(signal.SIGINT, interrupted)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
