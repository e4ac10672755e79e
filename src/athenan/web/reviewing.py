"""The review of a page's match, action by action."""

from collections.abc import Sequence
from typing import Any

from athenan.drawing.overlay import line_layer
from athenan.files.annotation import AnnotatedPly, annotate, expected_points
from athenan.play.session import Session
from athenan.rules.game import Game, State
from athenan.search.budget import Budget
from athenan.web.position import Position


class Review:
    """A review that goes on when asked; between two requests nothing is searched."""

    def __init__(self, session: Session, position: Position, seconds: float) -> None:
        """`seconds` is the time of each search."""
        self._session, self._position, self._limit = session, position, Budget(seconds=seconds)
        start = session.game.read_fen(position.fen) if position.fen else None
        self._plies = annotate(session, position.actions, self._limit, start)

    def next(self) -> AnnotatedPly | None:
        """The next action with the findings about it; None after the last one."""
        return next(self._plies, None)

    def told(self, ply: AnnotatedPly) -> dict[str, Any]:
        """An action for the page: the number and the findings of the position before it, and what the action lost."""
        return {
            "ply": ply.number - 1, "value": ply.value, "proven": ply.proven, "win_chance": ply.win_chance,
            "lost": ply.lost, "mark": ply.mark, "way": self._way(ply) if ply.mark else "",
            **_told_line(self._position.game, self._position.states[ply.number - 1], ply.line),
        }  # fmt: skip

    def told_of_end(self) -> dict[str, Any]:
        """The last position, for the page."""
        found = self._session.think(self._limit)
        return {
            "ply": len(self._position.actions), "value": found.value, "proven": found.proven,
            "win_chance": expected_points(found), "lost": None, "mark": "", "way": "",
            **_told_line(self._position.game, self._position.state, found.line),
        }  # fmt: skip

    def _way(self, ply: AnnotatedPly) -> str:
        """The better line, drawn over the board of the position before the action."""
        game, state = self._position.game, self._position.states[ply.number - 1]
        return line_layer(game, state, game.parse_moves(" ".join(ply.line), state))


def tried(session: Session, position: Position, action: int, seconds: float) -> dict[str, Any]:
    """What a person's move instead of a mistake is worth, for the page: its mark, what it lost, and how it is answered.

    `seconds` is the time of each search. Raises GameError for an illegal action.
    """
    limit = Budget(seconds=seconds)
    position.take(session)
    [ply] = annotate(session, [action], limit, session.state)
    following = position.game.play(position.state, action)
    return {
        "move": ply.action, "lost": ply.lost, "mark": ply.mark,
        **_told_line(position.game, following, session.think(limit).line),
    }  # fmt: skip


def _told_line(game: Game, state: State, line: Sequence[str]) -> dict[str, Any]:
    """A line for the page: the names of its moves and who plays them."""
    sides = list[int]()
    for name in line:
        sides.append(game.player(state))
        state = game.play(state, game.parse_action(state, name))
    return {"line": list(line), "sides": sides}
