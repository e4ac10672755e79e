"""What UCI, UGI, UAI and UCCI differ in, and how they write moves.

Moves are in the game's notation, but from one square to another without a sign between them, as `a2a3`. Ranks of
Xiangqi count from 0, as UCCI has them and engines such as Pikafish; from 1 for programs that select `UCI_Variant`, as
Fairy-Stockfish does.
"""

import re
from dataclasses import dataclass, replace

from athenan.engines.names import ProtocolName
from athenan.engines.uci.variants import Variant
from athenan.rules.game import Game, State
from athenan.rules.state import PASS_NAME

_FROM_TO = re.compile(r"([a-z]\d+)[-x]([a-z]\d+)")
_SQUARE = re.compile(r"([a-i])(\d+)")


@dataclass(frozen=True)
class Dialect:
    """The words of a protocol."""

    name: str
    """What begins it, with `ok` also the answer, and with `newgame` the beginning of a match."""
    sides: tuple[str, str]
    """The prefixes of the times of the two sides."""
    first_rank: int = 0
    """The number of the lowest rank of Xiangqi."""
    passing: str = PASS_NAME
    """How a pass is written; both this and the game's own word are read."""
    variant: Variant | None = None
    """The variant of Fairy-Stockfish that is played, if one was selected."""

    def of_variant(self, variant: Variant) -> "Dialect":
        """The same as programs speak it that select a variant; they count ranks of Xiangqi from 1."""
        return replace(self, first_rank=1, variant=variant)

    def written(self, game: Game, name: str, state: State | None = None) -> str:
        """How an action that has this name in the game's notation is written; `state`, before it, is for variants."""
        if self.variant and self.variant.drops and state is not None:
            return self.variant.written(game, state, name)
        return self.passing if name == PASS_NAME else self._shifted(game, _bare(name), self.first_rank)

    def read(self, game: Game, state: State, text: str) -> int:
        """The action of a state that is written so. Raises GameError if it is not legal."""
        if self.variant and self.variant.drops:
            names = (game.action_name(state, int(action)) for action in game.actions(state))
            ours = (name for name in names if self.variant.written(game, state, name).lower() == text.lower())
            return game.parse_action(state, next(ours, text))
        if text == self.passing:
            return game.parse_action(state, PASS_NAME)
        wanted = self._shifted(game, text.strip().lower(), -self.first_rank)
        for action in game.actions(state):
            if _bare(game.action_name(state, int(action))).lower() == wanted:
                return int(action)
        return game.parse_action(state, text)

    def _shifted(self, game: Game, move: str, ranks: int) -> str:
        if not ranks or game.family != "xiangqi":
            return move
        return _SQUARE.sub(lambda square: f"{square[1]}{int(square[2]) + ranks}", move)


def _bare(name: str) -> str:
    return found[1] + found[2] if (found := _FROM_TO.fullmatch(name)) else name


DIALECTS: dict[ProtocolName, Dialect] = {
    "uci": Dialect("uci", ("w", "b")),
    "ugi": Dialect("ugi", ("p1", "p2")),
    "uai": Dialect("uai", ("b", "w"), passing="0000"),
    "ucci": Dialect("ucci", ("", "opp")),
}
