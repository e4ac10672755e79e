"""The turns of a line, which SGF and PDN write as units: the actions of one side, with the roll before them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from athenan.files.notes import Notes
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
    def notes(self) -> Notes:
        """The notes on the player's first action, with all comments and the sum of all times, and the value before
        the dice.
        """
        chosen = next((ply for ply in self.plies if ply.side != CHANCE), replace(self.plies[0], value=None))
        times = [ply.seconds for ply in self.plies if ply.seconds is not None]
        comment = "\n".join(filter(None, (ply.comment for ply in self.plies)))
        before = self.plies[0].value if self.plies[0].side == CHANCE else None
        return Notes(sum(times) if times else None, chosen.value, chosen.proven, comment, before)

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


def noted(line: Plies, notes: Notes, at: int, variations: Sequence[Plies]) -> Plies:
    """A turn with `notes` on its action number `at`, the roll before it, and with `variations` on its first action."""
    plies = list(line)
    plies[at] = replace(plies[at], seconds=notes.seconds, value=notes.value, proven=notes.proven, comment=notes.comment)
    if at and plies[at - 1].side == CHANCE:
        plies[at - 1] = replace(plies[at - 1], value=notes.before)
    plies[0] = replace(plies[0], variations=tuple(variations))
    return tuple(plies)


def require_depth(depth: int) -> None:
    """Raises GameError if variations are nested too deep."""
    if depth > DEEPEST:
        raise GameError(f"variations are nested more than {DEEPEST} deep")
