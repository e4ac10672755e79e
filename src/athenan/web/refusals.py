"""What the page says when the server refuses something: a text of the tables, by its key, with values.

Details from the rules, from files and from programs are values of such a text, and English in every language.
"""

from typing import Any

from athenan.files.typed import MoveError
from athenan.games.about import titled
from athenan.rules.game import Game
from athenan.settings import one_line, shown
from athenan.web.texts import DEFAULT, said


class Refusal(ValueError):
    """A request of a page that cannot be fulfilled. Its message is the English text."""

    def __init__(self, key: str, **values: str) -> None:
        super().__init__(said(key, DEFAULT, values))
        self.key, self.values = key, values


def of_move(error: MoveError, game: Game) -> Refusal:
    """The refusal of a move that was typed."""
    number, illegal = str(error.number), error.illegal
    if illegal is None:
        return Refusal("refused.other", message=str(error))
    move = shown(illegal.text)
    if not illegal.legal:
        return Refusal("refused.over", number=number, move=move)
    return Refusal("refused.move", number=number, move=move, game=titled(game), legal=", ".join(illegal.legal))


def error_fields(error: Exception) -> dict[str, Any]:
    """An error in the form that the page shows. `text` is for other readers of the answer."""
    refusal = error if isinstance(error, Refusal) else Refusal("refused.other", message=one_line(error))
    return {"key": refusal.key, "values": refusal.values, "text": one_line(error)}
