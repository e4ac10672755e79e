"""Reports a running search to the page at a bounded cost."""

from collections.abc import Callable
from dataclasses import dataclass
from time import thread_time
from typing import Any, NamedTuple

from athenan.drawing.overlay import Value, line_layer, values_layer
from athenan.play import words
from athenan.play.analysis import ActionAnalysis, Analysis
from athenan.play.session import Session
from athenan.search.budget import Budget
from athenan.web.messages import MOST_SECONDS
from athenan.web.position import Position

_SHARE = 0.015
"""The share of a search's processor time that its reports may take."""
_LONGEST_PAUSE = 1.0
"""Seconds of processor time: a report during which memory was collected does not keep the next one back for minutes."""
_LEAST_SECONDS, _FIRST_SECONDS = 0.25, 0.1
_MOST_SHOWN = 60


@dataclass
class Report:
    """The last findings, for the overlay of the board."""

    values: list[Value]
    paths: dict[int, tuple[int, ...]]


def analyse(
    session: Session, position: Position, chances: bool, tell: Callable[[dict[str, Any], Report], None]
) -> None:
    """Searches a position until the session is stopped, and reports findings, soon at first, then less often.

    With `chances` the board shows win chances, if they are known, instead of values.
    """
    game, state = position.game, position.state
    position.take(session)
    ids = game.named_actions(state)
    paths = {action: game.places(state, action) for action in ids.values()}
    due, worked = _FIRST_SECONDS, 0.0

    def report(seconds: float) -> None:
        found = session.found(seconds)
        values = [
            Value(ids[one.action], one.value, one.proven, one.win_chance if chances else None)
            for one in found.actions if one.searched
        ]  # fmt: skip
        line = session.searcher.line()
        way, hint = (line_layer(game, state, shown) for shown in (line, line[:1]))
        overlay = values_layer(game, state, values, (), paths)
        tell({**_told(found, ids), "overlay": overlay, "way": way, "hint": hint}, Report(values, paths))

    def watch(seconds: float) -> None:
        nonlocal due, worked
        if seconds >= due and thread_time() >= worked:  # a search works less when others use the processor
            began = thread_time()
            report(seconds)
            worked = began + min((thread_time() - began) / _SHARE, _LONGEST_PAUSE)
            due = seconds + _LEAST_SECONDS

    report(session.search(Budget(seconds=MOST_SECONDS, iterations=1_000_000_000), watch))


def _told(found: Analysis, ids: dict[str, int]) -> dict[str, Any]:
    actions = ranked(found)
    return {
        "value": found.value, "win_chance": found.win_chance, "exact": found.exact, "points": found.points,
        "proven": found.proven, "evaluations": found.evaluations, "iterations": found.iterations,
        "states": found.states, "seconds": round(found.seconds, 2), "full": found.full, "line": found.line,
        "note": remark._asdict() if (remark := note(found)) else None,
        "actions": [
            {
                "name": one.action, "id": ids[one.action], "value": one.value, "win_chance": one.win_chance,
                "visits": one.visits, "searched": one.searched,
                "proven": words.proven_word(found.game, one.proven), "probability": one.probability,
            }
            for one in actions[:_MOST_SHOWN]
        ],
    }  # fmt: skip


def ranked(found: Analysis) -> list[ActionAnalysis]:
    """The actions, best value first; among equal ones, first the beginning of the principal variation."""
    if found.chance or not found.line:
        return found.actions
    first = found.actions[0]
    equal = [one for one in found.actions if (one.proven, one.value) == (first.proven, first.value)]
    played = [one for one in equal if one.action == found.best]
    return played + [one for one in found.actions if one not in played]


class Note(NamedTuple):
    """Why the principal variation begins with an action whose value is not the best."""

    played: str
    better: str
    """The action with the better value."""
    visits: tuple[int, int] | None
    """The visits of both, if the played action has more; None if this search plays it for another reason."""


def note(found: Analysis) -> Note | None:
    """Why the principal variation does not begin with the action of the best value; None if it does."""
    if found.chance or not found.line or (first := ranked(found)[0]).action == found.best:
        return None
    played = next(one for one in found.actions if one.action == found.best)
    visits = (played.visits, first.visits) if played.visits > first.visits else None
    return Note(played.action, first.action, visits)
