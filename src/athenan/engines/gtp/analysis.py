"""The commands with which Go programs follow a search: `lz-analyze` of Leela Zero, `kata-analyze` of KataGo.

A line has `info` for each action, the best first. Win rates and utilities are for the side to move. The utility is the
value on the scale of the search's values, limited to 1, and 1 or -1 for a proven win or loss. The win rate is the win
chance that was learnt with the network. Without one it is (1 + utility) / 2, which is not a probability.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from athenan.engines.gtp.notation import is_colour, side_of, written
from athenan.engines.numbers import whole
from athenan.play.analysis import ActionAnalysis, Analysis
from athenan.rules.state import sign

_CENTISECOND = _LEAST_INTERVAL = 0.01

WriteLine = Callable[[Analysis, float, int], str]
"""Writes an analysis, given the scale of its values and the most actions to write."""


@dataclass(frozen=True)
class Request:
    """The arguments of an analysis."""

    side: int | None = None
    interval: float = 1.0
    """Seconds between two reports, at least `_LEAST_INTERVAL`."""
    most: int = 1000
    """The most actions to report, at least 1."""


def request(arguments: Sequence[str]) -> Request:
    """Reads [COLOUR] [INTERVAL] [KEY VALUE ...], ignoring unknown keys. Raises ValueError for a bad number."""
    rest, side, interval, most = list(arguments), None, 1.0, 1000
    if rest and is_colour(rest[0]):
        side = side_of(rest.pop(0))
    if rest and rest[0].isdecimal():
        interval = whole("interval", rest.pop(0)) * _CENTISECOND
    for key, value in zip(rest[::2], rest[1::2], strict=False):
        if key == "interval":
            interval = whole(key, value) * _CENTISECOND
        elif key == "maxmoves":
            most = whole(key, value, least=1)  # an empty report would end the answer
    return Request(side, max(_LEAST_INTERVAL, interval), most)


def leela_line(found: Analysis, scale: float, most: int) -> str:
    """The line of `lz-analyze`; win rates are in hundredths of a percent."""
    parts = []
    for order, (one, pv) in enumerate(_best(found, most)):
        percent = round(10_000 * win_rate(found, one, scale))
        parts.append(
            f"info move {pv[0]} visits {one.visits} winrate {percent} prior 0 lcb {percent} order {order}"
            f" pv {' '.join(pv)}"
        )
    return " ".join(parts)


def kata_line(found: Analysis, scale: float, most: int) -> str:
    """The line of `kata-analyze`; win rates are from 0 to 1, utilities from -1 to 1."""
    parts = []
    for order, (one, pv) in enumerate(_best(found, most)):
        rate = win_rate(found, one, scale)
        parts.append(
            f"info move {pv[0]} visits {one.visits} utility {utility(found, one, scale):.6f} winrate {rate:.6f} prior 0"
            f" lcb {rate:.6f} order {order} pv {' '.join(pv)}"
        )
    return " ".join(parts)


def _best(found: Analysis, most: int) -> Iterator[tuple[ActionAnalysis, list[str]]]:
    """The actions, the one to play first, each with its best line so far."""
    line = [written(found.game, name) for name in found.line]
    ordered = sorted(found.actions, key=lambda one: one.action != found.best)
    for one in ordered[:most]:
        pv = line if one.action == found.best else [written(found.game, one.action)]
        yield one, pv


def utility(found: Analysis, one: Analysis | ActionAnalysis, scale: float) -> float:
    """The value of a position or an action on its scale, for the side to move, from -1 to 1."""
    gain = max(-1.0, min(1.0, one.value / scale)) if one.proven is None else one.proven
    return sign(found.game.player(found.state)) * gain


def win_rate(found: Analysis, one: Analysis | ActionAnalysis, scale: float) -> float:
    """The win rate of the side to move, from 0 to 1."""
    if one.win_chance is None:
        return (1 + utility(found, one, scale)) / 2
    return one.win_chance if sign(found.game.player(found.state)) > 0 else 1 - one.win_chance
