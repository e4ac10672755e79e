"""Turns of Arimaa as AEI writes them, and as actions.

AEI writes a turn as its steps, with each capture after the step that makes it, as in `hc4n Rc3x`. It writes a setup as
the sixteen pieces of a side, in any order. Our actions do not write captures, place pieces in a fixed order, and end
turns of fewer than four steps with `end`.
"""

from collections.abc import Sequence

from athenan.files.turns import turns
from athenan.play.records import plies_of
from athenan.rules.game import Game, GameError, State
from athenan.settings import shown

TRAPS = ("c3", "f3", "c6", "f6")
_TO = {"n": (0, 1), "s": (0, -1), "e": (1, 0), "w": (-1, 0)}
END = "end"


def read_turn(game: Game, state: State, text: str) -> list[int]:
    """The actions of a turn. Raises GameError if it is not legal."""
    side, actions = game.player(state), list[int]()
    tokens = [token for token in text.split() if not token.endswith("x")]
    while tokens and game.outcome(state) is None:  # the limit on actions may end a match within a turn
        if game.player(state) != side:
            raise GameError(f"{shown(text)} continues after the end of the turn")
        names = game.named_actions(state)
        token = next((token for token in tokens if token in names), None)
        if token is None or (token != tokens[0] and len(token) != 3):  # only pieces of a setup may come in any order
            raise GameError(f"{shown(text)} is not a legal turn: {shown(tokens[0])} cannot be played there")
        tokens.remove(token)
        actions.append(names[token])
        state = game.play(state, actions[-1])
    if not actions:
        raise GameError("a turn needs a step")
    if game.outcome(state) is None and game.player(state) == side:
        actions.append(game.parse_action(state, END))
    return actions


def write_turn(game: Game, state: State, actions: Sequence[int]) -> str:
    """Writes the turn that these actions make up."""
    words = []
    for action in actions:
        name, before = game.action_name(state, action), _pieces_on_traps(game, state)
        state = game.play(state, action)
        if name != END:
            words.append(name)
        if len(name) == 4:
            words += _captures(name, before, _pieces_on_traps(game, state))
    return " ".join(words)


def whole_turns(game: Game, actions: Sequence[int]) -> tuple[list[str], bool]:
    """The whole turns of a match so far, and whether no actions are left over."""
    played = list(turns(game, plies_of(game, actions), game.initial()))
    whole = [write_turn(game, turn.state, turn.actions) for turn in played if turn.whole]
    return whole, len(whole) == len(played)


def _pieces_on_traps(game: Game, state: State) -> dict[str, str]:
    """The letters of the pieces on traps, "." for none."""
    rows = {line.split()[0]: line.split()[1:] for line in game.text(state).splitlines()[1:]}
    on = {trap: rows[trap[1]]["abcdefgh".index(trap[0])] for trap in TRAPS}
    return {trap: "." if piece == "x" else piece for trap, piece in on.items()}


def _captures(step: str, before: dict[str, str], after: dict[str, str]) -> list[str]:
    """The captures that a step made."""
    right, up = _TO[step[3]]
    start, to = step[1:3], chr(ord(step[1]) + right) + str(int(step[2]) + up)
    there = {**before, **({start: "."} if start in before else {}), **({to: step[0]} if to in before else {})}
    return [f"{piece}{trap}x" for trap, piece in there.items() if piece != "." and after[trap] == "."]
