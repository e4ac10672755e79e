"""The turns of a line, which SGF and PDN write as units: the actions of one side, with the roll before them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from athenan.files.notes import Notes, joined
from athenan.play.records import Plies, Ply
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
    """Who plays it."""
    plies: Plies
    whole: bool

    @property
    def actions(self) -> list[int]:
        return [ply.action for ply in self.plies]

    @property
    def notes(self) -> list[Notes]:
        """The notes on each action of the player. Those on the first one have the value before the dice, and the
        comment on them.
        """
        roll = self.plies[0] if self.plies[0].side == CHANCE else None
        notes = [Notes(ply.seconds, ply.value, ply.proven, ply.comment) for ply in self.plies if ply.side != CHANCE]
        if roll:
            first = notes[0] if notes else Notes()
            notes[:1] = [first._replace(before=roll.value, comment=joined(roll.comment, first.comment))]
        return notes

    @property
    def alternatives(self) -> Iterator[Plies]:
        """The variations at its actions, each from its beginning on."""
        for number, ply in enumerate(self.plies):
            before = tuple(Ply(one.action, one.side) for one in self.plies[:number])
            yield from ((*before, *variation) for variation in ply.variations)


def turns(game: Game, line: Sequence[Ply], state: State) -> Iterator[Turn]:
    """The turns of a line from a state on. Raises GameError for an action that is not legal."""
    begun, plies = state, list[Ply]()
    for ply in line:
        plies.append(ply)
        state = game.play(state, ply.action)
        over = game.outcome(state) is not None
        if over or (ply.side != CHANCE and game.player(state) != ply.side):
            yield Turn(begun, ply.side, tuple(plies), whole=True)
            begun, plies = state, []
    if plies:
        yield Turn(begun, game.player(state), tuple(plies), whole=False)


def noted(line: Plies, notes: Sequence[Notes], at: int, variations: Sequence[Plies]) -> Plies:
    """A turn with `notes` on its actions from number `at` on, the roll before them, and with `variations`, each on the
    action that it replaces. Comments on more actions than the turn has are added to the last one.
    """
    plies = list(line)
    for number, one in enumerate(notes, at):
        if number < len(plies):
            told = replace(plies[number], seconds=one.seconds, value=one.value, proven=one.proven, comment=one.comment)
            plies[number] = told
        elif one.comment:
            plies[-1] = replace(plies[-1], comment=joined(plies[-1].comment, one.comment))
    if at and plies[at - 1].side == CHANCE:
        plies[at - 1] = replace(plies[at - 1], value=notes[0].before)
    for variation in variations:
        place = _parting(line, variation)
        plies[place] = replace(plies[place], variations=(*plies[place].variations, variation[place:]))
    return tuple(plies)


def _parting(line: Plies, variation: Plies) -> int:
    """The number of the first action of a turn that a variation replaces: the variation begins with bare copies of the
    actions before it. 0 for a variation that replaces none.
    """
    for number, (played, other) in enumerate(zip(line, variation, strict=False)):
        if other != Ply(played.action, played.side):
            return number if other.action != played.action else 0
    return 0


def require_depth(depth: int) -> None:
    """Raises GameError if variations are nested too deep."""
    if depth > DEEPEST:
        raise GameError(f"variations are nested more than {DEEPEST} deep")
