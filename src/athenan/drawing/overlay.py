"""Draws a search's knowledge over the board: values of actions, and the expected line."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from athenan.drawing.shapes import circle, corners, ring, written
from athenan.rules.board import Board, Place, Point
from athenan.rules.game import Game, State
from athenan.rules.state import sign

_GOOD, _BAD = (24, 128, 66), (190, 45, 38)
_NEUTRAL = (105, 105, 115)
_PROVEN = {1: "1–0", 0: "½", -1: "0–1"}
_MOST_STEPS = 4
_STEP_RADIUS, _STEP_MARGIN = 0.16, 0.02
"""The radius of a step's circle, and its distance to the sides of its place."""
_ARROW_GAP, _NEAR_GAP = 0.45, 0.12
"""The distance from the end of an arrow's line, which its head partly covers, to the middle of the place: beside a
value, which must stay readable, and of an arrow alone."""


class Value(NamedTuple):
    """The value of one action, from the first player's point of view."""

    action: int
    value: float
    proven: int | None = None
    """The gain, if proven."""
    win_chance: float | None = None
    """The first player's win chance, which is shown instead of the value."""


def values_layer(
    game: Game,
    state: State,
    values: Sequence[Value],
    chosen: Sequence[int] = (),
    paths: Mapping[int, tuple[int, ...]] | None = None,
) -> str:
    """Numbers at the last places of actions, green for good actions of the side to move, red for bad ones.

    If actions have the same last place, the best is shown. `chosen` are clicked places: only actions that begin with
    these are shown. `paths` are the places of the actions, if known.
    """
    board = game.board
    if board is None or not values:
        return ""
    side, shown = sign(game.player(state)), dict[int, Value]()
    for one in values:
        path = game.places(state, one.action) if paths is None else paths[one.action]
        if len(path) > len(chosen) and path[: len(chosen)] == tuple(chosen):
            best = shown.get(path[-1])
            if best is None or _rank(one, side) > _rank(best, side):
                shown[path[-1]] = one
    best_value = max((_rank(one, side) for one in values), default=(0, 0.0))
    worst_value = min((_rank(one, side) for one in values), default=(0, 0.0))
    return "".join(
        _value(game, board, place, one, _colour(_rank(one, side), best_value, worst_value, side))
        for place, one in shown.items()
    )


def _rank(one: Value, side: int) -> tuple[int, float]:
    return side * (one.proven or 0), side * one.value


def _colour(rank: tuple[int, float], best: tuple[int, float], worst: tuple[int, float], side: int) -> str:
    """A colour from red, the worst, to green, the best; proven wins and losses are the ends."""
    if not side or best == worst:
        mixed = _NEUTRAL if not rank[0] else _GOOD if rank[0] > 0 else _BAD
    elif rank[0]:
        mixed = _GOOD if rank[0] > 0 else _BAD
    else:
        span = max(best[1] - worst[1], 1e-9)
        share = min(1.0, max(0.0, (rank[1] - worst[1]) / span))
        ends = zip(_BAD, _GOOD, strict=True)
        red, green, blue = (round(low + share * (high - low)) for low, high in ends)
        mixed = (red, green, blue)
    return "#{:02x}{:02x}{:02x}".format(*mixed)


def _value(game: Game, board: Board, number: int, one: Value, colour: str) -> str:
    place = board.places[number]
    if one.proven is None:
        text = short(one.value) if one.win_chance is None else percent(one.win_chance)
    else:
        text = _PROVEN[one.proven] if game.players == 2 else f"={one.value:.0f}"
    classes = "value" if one.proven is None else "value proven"
    dot = circle(place.x, place.y, 0.35, f'fill="{colour}" fill-opacity=".92"')
    label = written(place.x, place.y, text, 0.28, 'class="on"')
    return f'<g class="{classes}">{dot}{label}</g>'


def percent(chance: float) -> str:
    """A chance that is not certain: from 1% to 99%."""
    return f"{min(99, max(1, round(100 * chance)))}%"


def short(value: float) -> str:
    """A value in few characters: -.25, 0, +1, +14."""
    if abs(value) >= 9.95:
        return f"{value:+.0f}"
    if abs(value) < 0.005:
        return "0"
    text = f"{value:+.2f}" if abs(value) < 0.995 else f"{value:+.1f}".removesuffix(".0")
    return text.replace("0.", ".", 1) if abs(value) < 0.995 else text


def line_layer(game: Game, state: State, line: Sequence[int]) -> str:
    """The first actions of a variation: an arrow from place to place, or a ring around the one place of an action.

    If there are several, they are numbered. A number is inside a corner of its last place; a second number on a place
    is in another corner.
    """
    board, drawn, numbers = game.board, [], Counter[int]()
    if board is None:
        return ""
    alone = len(line) == 1
    for number, action in enumerate(line[:_MOST_STEPS], 1):
        state, places = game.play(state, action), game.places(state, action)
        if not places:
            continue
        path = [board.places[place] for place in places]
        if len(path) > 1:
            gap = _NEAR_GAP if alone else _ARROW_GAP
            through = corners((*((place.x, place.y) for place in path[:-1]), _short_of(path[-1], path[-2], gap)))
            drawn.append(f'<polyline class="way" points="{through}" marker-end="url(#athenan-head)"/>')
        else:
            drawn.append(ring(path[0], "aim"))
        if alone:
            continue
        spots = _corners(path[-1])
        x, y = spots[numbers[places[-1]] % len(spots)]
        numbers[places[-1]] += 1
        label = written(x, y, str(number), 0.22, 'class="on"')
        drawn.append(f'<g class="step">{circle(x, y, _STEP_RADIUS, "")}{label}</g>')
    return "".join(drawn)


def _short_of(place: Place, before: Place, gap: float) -> Point:
    """The end of an arrow from the place before."""
    right, down = place.x - before.x, place.y - before.y
    share = min(0.5, gap / max(math.hypot(right, down), gap))
    return place.x - share * right, place.y - share * down


def _corners(place: Place) -> list[Point]:
    """The middles of circles for steps, highest first: each as near to a corner of a place as it can be inside it."""
    middle = np.array([place.x, place.y])
    outline = np.array(place.outline)
    along = np.roll(outline, -1, axis=0) - outline
    across = np.stack([-along[:, 1], along[:, 0]], axis=1) / np.hypot(along[:, 0], along[:, 1])[:, None]
    inside = ((middle - outline) * across).sum(axis=1)  # distances of the middle from the sides of a convex outline
    across, inside = across * np.sign(inside)[:, None], abs(inside)
    found = []
    for corner in np.clip(outline, middle - 0.5, middle + 0.5):  # long places have numbers where their pieces begin
        distances = ((corner - outline) * across).sum(axis=1)
        needed = (_STEP_RADIUS + _STEP_MARGIN - distances) / np.maximum(inside - distances, 1e-9)
        x, y = corner + min(1.0, max(0.0, float(needed.max()))) * (middle - corner)
        found.append((float(x), float(y)))
    return sorted(found, key=lambda at: (round(at[1], 3), -at[0]))
