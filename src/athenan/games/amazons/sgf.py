"""Amazons in SGF (red-bean.com/sgf/amazons.html): the points of the start, of the end and of the arrow."""

from collections.abc import Sequence
from functools import partial

from athenan.rules.game import Game, GameError, State
from athenan.rules.sgf import Sgf, SgfTurns, called, cell, known, point


def sgf_of(size: int) -> Sgf:
    """Amazons on a board of this size."""

    def write(game: Game, state: State, actions: Sequence[int]) -> str:
        move, arrow = game.action_name(state, actions[0]), game.action_name(game.play(state, actions[0]), actions[1])
        return "".join(point(size, one) for one in (*move.split("-"), arrow))

    def read(game: Game, state: State, text: str) -> list[int]:
        start, end, arrow = (cell(size, text[place : place + 2]) for place in (0, 2, 4))
        action = game.parse_action(state, f"{start}-{end}")
        if len(text) != 6:
            raise GameError(f"{text[:20]!r} is not a turn: it needs the points of the start, the end and the arrow")
        return [action, game.parse_action(game.play(state, action), arrow)]

    return Sgf(
        "amazons", 18, SgfTurns(write, read), rules=known(called("amazons", "standard", "default")),
        point=partial(point, size),
    )  # fmt: skip
