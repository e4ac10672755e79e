"""Havannah in SGF. It has no number there: its form comes from Little Golem, where a letter names a line of cells and
the number counts within the line.
"""

import re
from collections.abc import Sequence

from athenan.rules.game import Game, GameError, State
from athenan.rules.sgf import LETTERS, Sgf, SgfTurns, called, known


def sgf_of(side: int) -> Sgf:
    """Havannah on a board with this many cells a side."""

    def before(letter: str) -> int:
        """The numbers of a line here that come before its first cell."""
        return max(0, LETTERS.index(letter) + 1 - side)

    def write(game: Game, state: State, actions: Sequence[int]) -> str:
        name = game.action_name(state, actions[0])
        found = re.fullmatch(r"([a-z])(\d{1,2})", name)
        return f"{found[1].upper()}{int(found[2]) - before(found[1])}" if found else name

    def read(game: Game, state: State, text: str) -> list[int]:
        found = re.fullmatch(r"([a-z])(\d{1,2})", text.lower())
        if not found:
            return [game.parse_action(state, text.lower())]
        line, number = LETTERS.index(found[1]), int(found[2])
        length = min(side + line, 3 * side - 2 - line)
        if line > 2 * side - 2 or not 1 <= number <= length:
            last = LETTERS[2 * side - 2].upper()
            cells = f"lines A to {last}" if line > 2 * side - 2 else f"1 to {length} in line {found[1].upper()}"
            raise GameError(f"{text[:20]!r} is not on a board with {side} cells a side: expected {cells}")
        return [game.parse_action(state, f"{found[1]}{number + before(found[1])}")]

    rules = known(called("havannah", "standard", "swap", "default"))
    return Sgf("havannah", None, SgfTurns(write, read), size="side", rules=rules)
