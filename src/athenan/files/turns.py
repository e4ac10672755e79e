"""The turns of a line, which SGF and PDN write as units: the actions of one side, with the roll before them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from athenan.files.transcript import Entry, Line
from athenan.rules.game import Game, GameError, State
from athenan.rules.state import CHANCE

DEEPEST = 50
"""Most levels of variations within variations."""


@dataclass(frozen=True)
class Turn:
    """A turn, possibly cut off at the end of a line."""

    state: State
    """The state in which it begins."""
    side: int
    """The side that plays it."""
    entries: tuple[Entry, ...]
    whole: bool

    @property
    def actions(self) -> list[int]:
        return [entry.action for entry in self.entries]

    @property
    def notes(self) -> Entry:
        """The notes on the turn: the notes on a player's first action in it, with the time of all actions."""
        chosen = next((entry for entry in self.entries if entry.seconds is not None or entry.value is not None), None)
        first, times = chosen or self.entries[0], [entry.seconds for entry in self.entries if entry.seconds is not None]
        comment = "\n".join(filter(None, (entry.comment for entry in self.entries)))
        return Entry(0, sum(times) if times else None, first.value, first.proven, comment)

    @property
    def alternatives(self) -> Iterator[Line]:
        """The variations at its actions, each from the beginning of the turn."""
        for number, entry in enumerate(self.entries):
            before = tuple(Entry(one.action) for one in self.entries[:number])
            yield from ((*before, *variation) for variation in entry.variations)


def turns(game: Game, line: Sequence[Entry], state: State) -> Iterator[Turn]:
    """The turns of a line from a state. Raises GameError for an illegal action."""
    begun, entries = state, list[Entry]()
    for entry in line:
        entries.append(entry)
        side, state = game.player(state), game.play(state, entry.action)
        over = game.outcome(state) is not None
        if over or (side != CHANCE and game.player(state) != side):
            yield Turn(begun, side, tuple(entries), whole=True)
            begun, entries = state, []
    if entries:
        yield Turn(begun, game.player(state), tuple(entries), whole=False)


def noted(actions: Sequence[int], notes: Entry, at: int, variations: Sequence[Line]) -> Line:
    """A turn's actions, with the notes on the action at `at` and the variations on the first."""
    line = [Entry(action) for action in actions]
    line[at] = replace(notes, action=actions[at])
    line[0] = replace(line[0], variations=tuple(variations))
    return tuple(line)


def require_depth(depth: int) -> None:
    """Raises GameError if variations are nested too deep."""
    if depth > DEEPEST:
        raise GameError(f"variations are nested more than {DEEPEST} deep")
