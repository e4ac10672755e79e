"""The doubling cube of a page's match: what a player answers about it, and the text by which addresses hold it.

The page keeps the doubles, as it keeps the moves, and names them with the cube wherever it asks something.
"""

import re
from typing import Any

from athenan.play.cube import Cube, CubeRecord, CubeRules, Offer, may_double, roller
from athenan.play.doubling import CubePlayer, Holding, decider
from athenan.play.limit import Limit
from athenan.play.player import Player, PlayerError
from athenan.rules.state import CHANCE
from athenan.web.messages import MessageError
from athenan.web.position import Position

_ON = "on"
_OFFER = re.compile(r"(\d{1,5})-([01])-([01])")


def read_cube(text: str) -> CubeRecord | None:
    """The cube of `on.6-0-1.20-1-0`: after 6 plies the first player doubled, and the double was taken; after 20 the
    second did, and it was dropped. None for an empty text. Raises MessageError for another text.
    """
    if not text:
        return None
    first, *offers = text.split(".")
    found = [_OFFER.fullmatch(offer) for offer in offers]
    if first != _ON or not all(found):
        raise MessageError("a cube is on, with the doubles after it, such as on.6-0-1")
    return CubeRecord(offers=tuple(Offer(int(one[1]), int(one[2]), one[3] == "1") for one in found if one))


def held_cube(cube: CubeRecord | None) -> str:
    """The text that `read_cube` reads."""
    if cube is None:
        return ""
    return ".".join([_ON, *(f"{offer.ply}-{offer.side}-{int(offer.taken)}" for offer in cube.offers)])


def may_turn(position: Position) -> int | None:
    """The side that may double now if the cube allows it: the one about to roll, but not at the first roll."""
    game, state = position.game, position.state
    if not game.ruleset.cube or position.over or position.side != CHANCE:
        return None
    side = roller(game, state)
    return side if may_double(game, state, Cube(), side) else None


def answered(player: Player, position: Position, message: dict[str, Any], limit: Limit) -> bool:
    """Whether a player doubles or, if the opponent has `offered`, whether it takes.

    A player whose values say neither points nor wins never doubles and always takes. Raises MessageError if nobody may
    double.
    """
    owner = message["owner"] if message["owner"] < 2 else None
    cube, side = Cube(message["value"], owner), may_turn(position)
    if side is None or not cube.may_be_turned(side):
        raise MessageError("nobody may double here")
    asked = _decider(player)
    asked.use_cube(CubeRules())
    asked.see_cube(cube)
    return (asked.takes if message["offered"] else asked.doubles)(position.state, cube, limit)


def _decider(player: Player) -> CubePlayer:
    try:
        return decider(player)
    except PlayerError:
        return Holding()
