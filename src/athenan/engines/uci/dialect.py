"""How UCI, UGI, UAI and UCCI differ, and how they write moves.

Moves are in the game's notation, except that moves from square to square have no sign in between, as in `a2a3`. Ranks
of Xiangqi count from 0, as in UCCI and engines such as Pikafish, or from 1 in programs with `UCI_Variant`, such as
Fairy-Stockfish.
"""

import re
from dataclasses import dataclass

from athenan.engines.names import ProtocolName
from athenan.engines.uci.variants import written as written_by_variant
from athenan.rules.forms import UciVariant
from athenan.rules.game import Game, State
from athenan.rules.state import PASS_NAME

_FROM_TO = re.compile(r"([a-z]\d+)[-x]([a-z]\d+)")
_SQUARE = re.compile(r"([a-i])([0-9]+)")


@dataclass(frozen=True)
class Dialect:
    """The words of a protocol."""

    name: str
    """The first word that is sent; with `ok` appended it is the answer, with `newgame` it starts a match."""
    sides: tuple[str, str]
    """The prefixes of the times of the two sides."""
    passing: str = PASS_NAME
    """How a pass is written. Both this and the game's own word are read."""
    variant: UciVariant | None = None
    """The selected variant of Fairy-Stockfish, if any."""

    def written(self, game: Game, name: str, state: State | None = None) -> str:
        """Writes the action with this name in the game's notation; variants need `state`, the state before it."""
        if self.variant and self.variant.drops and state is not None:
            return written_by_variant(self.variant, game, state, name)
        return self.passing if name == PASS_NAME else self._shifted(_bare(name), 1)

    def read(self, game: Game, state: State, text: str) -> int:
        """Reads an action of a state. Raises GameError if it is not legal."""
        if self.variant and self.variant.drops:
            wanted, variant, names = text.lower(), self.variant, game.named_actions(state)
            ours = (name for name in names if written_by_variant(variant, game, state, name).lower() == wanted)
            return game.parse_action(state, next(ours, text))
        if text == self.passing:
            return game.parse_action(state, PASS_NAME)
        wanted = self._shifted(text.strip().lower(), -1)
        for name, action in game.named_actions(state).items():
            if _bare(name).lower() == wanted:
                return action
        return game.parse_action(state, text)

    def _shifted(self, move: str, sign: int) -> str:
        """The move with the numbers of its ranks as the program counts them, or with sign -1 as the game does."""
        if self.variant is None or not self.variant.first_rank:
            return move
        ranks = sign * self.variant.first_rank
        return _SQUARE.sub(lambda square: f"{square[1]}{int(square[2]) + ranks}", move)


def _bare(name: str) -> str:
    return found[1] + found[2] if (found := _FROM_TO.fullmatch(name)) else name


DIALECTS: dict[ProtocolName, Dialect] = {
    "uci": Dialect("uci", ("w", "b")),
    "ugi": Dialect("ugi", ("p1", "p2")),
    "uai": Dialect("uai", ("b", "w"), passing="0000"),
    "ucci": Dialect("ucci", ("", "opp")),
}
