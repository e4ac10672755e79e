"""Annotates a whole match: a search evaluates every position and the action played there.

>>> from athenan import Budget, Search, make
>>> from athenan.play.session import Session
>>> game = make("tictactoe")
>>> session = Session(Search(game))
>>> actions = [game.parse_action(game.after("a1"), "b1"), game.parse_action(game.initial(), "a1")]
>>> [ply.action for ply in annotate(session, actions[::-1], Budget(iterations=50))]
['a1', 'b1']
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from athenan.files.file_match import FileMatch
from athenan.play.limit import Limit
from athenan.play.records import Plies, Ply
from athenan.play.session import Session
from athenan.rules.game import Game, State
from athenan.rules.state import sign


@dataclass(frozen=True)
class AnnotatedPly:
    """One ply of a match; values and gains are from the first player's point of view."""

    number: int
    """From 1."""
    side: str
    """The side that played it, in words."""
    action: str
    value: float
    """The value of the position before it."""
    proven: int | None
    """The gain of the position before it, if proven."""
    best: str | None
    """The action that the search plays there; None if chance is to move."""
    loss: float | None = None
    """How much worse the next position is for the side that played, at least 0; None for chance. It is an estimate
    unless both values are proven, because searches of the two positions do not see equally far."""
    line: tuple[str, ...] = ()
    """The principal variation there, beginning with `best`."""


def annotate(session: Session, actions: Sequence[int], limit: Limit) -> Iterator[AnnotatedPly]:
    """Searches every position of a match within a limit and yields its plies. Raises GameError for illegal actions."""
    game = session.game
    session.position()
    before: tuple[AnnotatedPly, int] | None = None
    for number in range(len(actions) + 1):
        found = session.think(limit)
        if before:
            ply, mover = before
            yield replace(ply, loss=max(0.0, mover * (ply.value - found.value)) if mover else None)
        if number == len(actions):
            return
        state, action = session.state, actions[number]
        name = game.action_name(state, action)
        ply = AnnotatedPly(
            number + 1, game.side(state), name, found.value, found.proven, found.best, None, tuple(found.line)
        )
        before = ply, sign(game.player(state))
        session.play(action)


def annotated(game: Game, match: FileMatch, plies: Sequence[AnnotatedPly]) -> FileMatch:
    """The match with the values of its annotation, losses as comments, and better lines as variations."""
    state, noted = game.initial(), list[Ply]()
    for played, ply in zip(match.plies, plies, strict=True):
        loss = f"loss {ply.loss:.3f}" if ply.loss else ""
        better = [_line(game, state, ply.line)] if ply.loss and ply.best not in (None, ply.action) else []
        comment = "; ".join(filter(None, (loss, played.comment)))
        variations = (*better, *played.variations)
        noted.append(replace(played, value=ply.value, proven=ply.proven, comment=comment, variations=variations))
        state = game.play(state, played.action)
    return replace(match, plies=tuple(noted))


def _line(game: Game, state: State, names: Sequence[str]) -> Plies:
    line = list[Ply]()
    for name in names:
        line.append(Ply(game.parse_action(state, name), game.player(state)))
        state = game.play(state, line[-1].action)
    return tuple(line)
