"""The review of a page's match, action by action."""

from typing import Any

from athenan.drawing.overlay import line_layer
from athenan.files.annotation import AnnotatedPly, annotate, expected_points
from athenan.play.session import Session
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
            "lost": ply.lost, "mark": ply.mark, "line": ply.line, "way": self._way(ply) if ply.mark else "",
        }  # fmt: skip

    def told_of_end(self) -> dict[str, Any]:
        """The last position, for the page."""
        found = self._session.think(self._limit)
        return {
            "ply": len(self._position.actions), "value": found.value, "proven": found.proven,
            "win_chance": expected_points(found), "lost": None, "mark": "", "line": [], "way": "",
        }  # fmt: skip

    def _way(self, ply: AnnotatedPly) -> str:
        """The better line, drawn over the board of the position before the action."""
        game, state = self._position.game, self._position.states[ply.number - 1]
        return line_layer(game, state, game.parse_moves(" ".join(ply.line), state))
