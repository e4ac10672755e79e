"""Annotates a whole match: a search evaluates every position and the action played there, and reviews them.

`files.review` says what a loss is, and which losses are mistakes.

>>> from athenan import Budget, Search, make
>>> from athenan.play.session import Session
>>> game = make("tictactoe")
>>> session = Session(Search(game))
>>> actions = [game.parse_action(game.after("a1"), "b1"), game.parse_action(game.initial(), "a1")]
>>> [ply.action for ply in annotate(session, actions[::-1], Budget(iterations=50))]
['a1', 'b1']
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from athenan.files.file_match import FileMatch
from athenan.files.review import LEAST, Mark, accuracy, mark_of
from athenan.play.analysis import Analysis
from athenan.play.limit import Limit
from athenan.play.records import Plies, Ply, plies_of
from athenan.play.session import Session
from athenan.rules.game import Game, State
from athenan.rules.state import sign

_REMARKS = re.compile(
    r"^(?:(?:first player \d{1,3}%|(?:blunder|mistake|inaccuracy): \d{1,3}% lost|loss \d+\.\d{3})(?:; |\n|$))+"
)


@dataclass(frozen=True)
class AnnotatedPly:
    """One ply of a match; values and gains are from the first player's point of view."""

    number: int
    """The number of the ply, from 1."""
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
    player: int = 0
    """The side that played it: 0 first player, 1 second player, 2 chance."""
    win_chance: float | None = None
    """The first player's win chance before it, or what is proven in points; None if neither is known."""
    lost: float | None = None
    """The win chance that the action lost, from 0 to 1; None if win chances are not known, and for chance."""

    @property
    def mark(self) -> Mark:
        """Whether the action was a blunder, a mistake or an inaccuracy; otherwise empty."""
        return mark_of(self.lost)


def annotate(
    session: Session, actions: Sequence[int], limit: Limit, start: State | None = None
) -> Iterator[AnnotatedPly]:
    """Searches every position of a match within a limit and yields its plies. Raises GameError for illegal actions.

    `start` is the first position, by default the initial one of the game. Afterwards the session is at the last one.
    """
    session.position(start)
    before: AnnotatedPly | None = None
    for number in range(len(actions) + 1):
        found = session.think(limit)
        if before:
            yield _judged(before, found, session, limit)
        if number == len(actions):
            return
        before = _played(number + 1, found, actions[number])
        session.play(actions[number])


def _played(number: int, found: Analysis, action: int) -> AnnotatedPly:
    """The played action in the analysed position, without its loss."""
    game, state = found.game, found.state
    return AnnotatedPly(
        number, game.side(state), game.action_name(state, action), found.value, found.proven, found.best,
        line=tuple(found.line), player=game.player(state), win_chance=expected_points(found),
    )  # fmt: skip


def expected_points(found: Analysis) -> float | None:
    """The expected points of the first player, if they are known."""
    if found.win_chance is None and found.proven is not None and found.game.players == 2:
        return (1 + found.proven) / 2
    return found.win_chance


def _judged(ply: AnnotatedPly, found: Analysis, session: Session, limit: Limit) -> AnnotatedPly:
    """An action with its loss, by the analysis of the position after it."""
    mover = sign(ply.player)
    if not mover:
        return ply
    loss = max(0.0, mover * (ply.value - found.value))
    points = expected_points(found)
    if ply.win_chance is None or points is None:
        return replace(ply, loss=loss)
    lost = max(0.0, mover * (ply.win_chance - points))
    if lost >= LEAST and (ply.proven is None or found.proven is None):
        again = 0.0 if ply.best in (None, ply.action) else _lost_again(ply, session, limit)
        lost = max(0.0, min(lost, again))
    return replace(ply, loss=loss, lost=lost)


def _lost_again(ply: AnnotatedPly, session: Session, limit: Limit) -> float:
    """How much less the played action is worth than the best one, in new searches of the positions after both."""
    game, state, found = session.game, session.previous, list[float]()
    again = Session(session.searcher, session.chances)
    for seed, action in enumerate((ply.best or "", ply.action), 1):
        again.new_match(seed)
        again.position(game.play(state, game.parse_action(state, action)))
        points = expected_points(again.think(limit))
        if points is None:  # nothing was proven this time
            return 0.0
        found.append(points)
    return sign(ply.player) * (found[0] - found[1])


def accuracies(plies: Sequence[AnnotatedPly]) -> dict[str, float | None]:
    """The accuracy of the first and of the second player; None if nothing is known about a player."""
    of_side = {side: [ply.lost for ply in plies if ply.player == side and ply.lost is not None] for side in (0, 1)}
    return {"first": accuracy(of_side[0]), "second": accuracy(of_side[1])}


def annotated(game: Game, match: FileMatch, plies: Sequence[AnnotatedPly]) -> FileMatch:
    """The match with the values of its annotation, chances, losses and marks as comments, and better lines as
    variations. If win chances are known, only marked actions get a variation and a loss. The remarks of an earlier
    annotation are replaced.
    """
    state, noted = game.position(match.start(game)), list[Ply]()
    for played, ply in zip(match.plies, plies, strict=True):
        wrong = ply.loss if ply.lost is None else ply.mark
        better = [_line(game, state, ply.line)] if wrong and ply.best not in (None, ply.action) else []
        comment = "; ".join(filter(None, (*_remarks(ply), _REMARKS.sub("", played.comment))))
        variations = (*better, *(line for line in played.variations if line not in better))
        noted.append(replace(played, value=ply.value, proven=ply.proven, comment=comment, variations=variations))
        state = game.play(state, played.action)
    return replace(match, plies=tuple(noted))


def _remarks(ply: AnnotatedPly) -> tuple[str, ...]:
    """What the comment on an action says, as `_REMARKS` finds it again."""
    if ply.lost is None:
        return (f"loss {ply.loss:.3f}",) if ply.loss else ()
    chance = f"first player {ply.win_chance:.0%}"
    return (chance, f"{ply.mark}: {ply.lost:.0%} lost") if ply.mark else (chance,)


def _line(game: Game, state: State, names: Sequence[str]) -> Plies:
    return plies_of(game, game.parse_moves(" ".join(names), state), state)
