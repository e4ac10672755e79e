"""Backgammon in files that end with .mat, as JellyFish and GNU Backgammon write them: `31: 8/5 6/5`.

The bar is 25 and the end 0; `bar` and `off` are read as well, and what some programs write where nothing can be played.
"""

import re
from collections.abc import Sequence

from athenan.games.backgammon.positions import read_play
from athenan.games.backgammon.turn import PASS
from athenan.rules.forms import Mat
from athenan.rules.game import Game, GameError, State
from athenan.rules.sgf import SgfTurns
from athenan.rules.state import CHANCE

_TURN = re.compile(r"([1-6])\s*-?\s*([1-6])\s*:(.*)", re.DOTALL)
_NOTHING = {"", "cannot move", "can't move", "no move", "no moves", "pass", "dance", "dances", "fan", "fans"}
_NUMBERS = {"bar": "25", "off": "0"}


def _write(game: Game, state: State, actions: Sequence[int]) -> str:
    roll, *moves = actions
    text = game.action_name(state, roll).replace("-", "") + ":"
    state = game.play(state, roll)
    for action in moves:
        if action != PASS:
            text += " " + re.sub("bar|off", lambda found: _NUMBERS[found[0]], game.action_name(state, action))
        state = game.play(state, action)
    return text


def _read(game: Game, state: State, text: str) -> list[int]:
    found = _TURN.fullmatch(text.strip().lower())
    if not found or game.player(state) != CHANCE:
        raise GameError(f"{text[:20]!r} is not a turn: it needs two dice, and moves such as 31: 8/5 6/5")
    high, low = sorted((found[1], found[2]), reverse=True)
    roll = game.parse_action(state, f"{high}-{low}")
    moves = " ".join(found[3].replace(",", " ").split())
    return [roll, *read_play(game, game.play(state, roll), "" if moves.rstrip(".!") in _NOTHING else moves)]


MAT = Mat("Backgammon", SgfTurns(_write, _read))
