"""The board of backgammon as data to draw: points, the bar in the middle, borne off checkers to the right.

The places are the columns of the actions: 0 the second player's bar, 1 to 24 the points in the first player's
numbering, 25 the first player's bar; then 26 and 27, the first and the second player's borne off checkers.
"""

from athenan.games.backgammon import turn
from athenan.games.backgammon.board import BAR, OFF
from athenan.games.backgammon.notation import counts
from athenan.rules import CHANCE, Area, Board, Label, Piece, Place, Scene, State
from athenan.rules.board import FIRST, Awaited
from athenan.rules.geometry.boards import rectangle

_HEIGHT, _MIDDLE, _TRAY = 10.0, 6, 13
_LENGTH = 4.2
"""The length of a stack, in cells."""
_TRAYS = 26
"""The place of the first player's borne off checkers; the second player's follows."""


def _column(point: int) -> int:
    """The column of a point from the left, with the bar in between."""
    column = 12 - point if point <= 12 else point - 13
    return column + (column >= _MIDDLE)


def _place(name: str, column: int, below: bool) -> Place:
    top, bottom = (_HEIGHT - 4.8, _HEIGHT) if below else (0.0, 4.8)
    y = bottom - 0.5 if below else top + 0.5
    return Place(name, column, y, rectangle(column - 0.5, top, column + 0.5, bottom))


def _places() -> tuple[Place, ...]:
    points = [_place(str(point), _column(point), point <= 12) for point in range(1, 25)]
    bars = [_place(f"bar of the {side} player", _MIDDLE, side == "second") for side in ("second", "first")]
    trays = [_place(f"off, {side} player", _TRAY, side == "first") for side in ("first", "second")]
    return (bars[0], *points, bars[1], *trays)


def _ground(places: tuple[Place, ...]) -> Scene:
    areas = [Area(rectangle(-0.6, -0.1, _TRAY + 0.6, _HEIGHT + 0.1), "wood")]
    areas += [Area(rectangle(x - 0.5, 0, x + 0.5, _HEIGHT), "wall") for x in (_MIDDLE, _TRAY)]
    labels = []
    for point, place in enumerate(places[1:BAR], 1):
        base, tip = (_HEIGHT, _HEIGHT - 4.4) if point <= 12 else (0.0, 4.4)
        triangle = (place.x - 0.5, base), (place.x, tip), (place.x + 0.5, base)
        areas.append(Area(triangle, "dark" if point % 2 else "light"))
        labels.append(Label(place.x, _HEIGHT + 0.4 if point <= 12 else -0.4, str(point)))
    return Scene(areas=tuple(areas), labels=tuple(labels))


def _stack(places: tuple[Place, ...], place: int, owner: int, count: int) -> list[Piece]:
    step = min(0.84, _LENGTH / max(count, 1)) * (-1 if places[place].y > _HEIGHT / 2 else 1)
    return [Piece(place, owner, dy=step * number, size=0.84) for number in range(count)]


def _path(state: State, action: int) -> tuple[int, ...]:
    if action >= turn.PASS:
        return ()
    player = int(state[turn.TURN])
    die, start = turn.die_and_place(player, action)
    end = max(OFF, start - die)
    if end == OFF:
        return _on_board(player, start), _TRAYS + player
    return _on_board(player, start), _on_board(player, end)


def _on_board(player: int, place: int) -> int:
    return place if player == FIRST else BAR - place


def picture() -> Board:
    """The board."""
    places = _places()

    def scene(state: State) -> Scene:
        pieces = list[Piece]()
        for player in range(2):
            numbers = counts(state, player)
            pieces += _stack(places, _TRAYS + player, player, int(numbers[OFF]))
            for place in range(1, BAR + 1):
                pieces += _stack(places, _on_board(player, place), player, int(numbers[place]))
        dice = [int(state[byte]) for byte in (turn.FIRST_DIE, turn.SECOND_DIE) if state[byte]]
        left = int(state[turn.LEFT])
        return Scene(pieces=tuple(pieces), dice=tuple(dice if len(dice) == left else dice * left))

    return Board(
        places, scene, _ground(places), ("white", "black"), _path, dice_at=(8.2, _HEIGHT / 2), counted="pips",
        counts=_pips, facing=True, awaited=_awaited,
    )  # fmt: skip


def _awaited(state: State) -> Awaited | None:
    if state[0] == CHANCE:
        return Awaited("dice")
    left = int(state[turn.LEFT])
    return Awaited("checker", left) if left else None


def _pips(state: State) -> tuple[int, int]:
    """The points that each player's checkers still have to go."""
    first, second = (sum(place * int(number) for place, number in enumerate(counts(state, one))) for one in range(2))
    return first, second
