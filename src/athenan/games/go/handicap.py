"""Positions of Go that arise outside of the rules: one side plays several times, or play goes on after two passes.

Servers set handicap stones so, and players who disagree about dead stones play on. Such a position is a state like any
other: its board and the boards before it are real, only the pass before it does not count as one. All actions still
count toward the longest match, so no state repeats.
"""

from athenan.rules import PASS_NAME, Game, GameError, State

_PASSED = 1  # bit of header byte 1


def with_turn(game: Game, state: State, side: int) -> State:
    """The state with this side to move and no pass before it. Raises GameError if the match has its most actions."""
    turned = _without_pass(state)
    if game.player(state) != side:
        turned = _without_pass(game.play(turned, game.parse_action(turned, PASS_NAME)))
    if game.outcome(turned) is not None:
        raise GameError(f"the match is over: no match has more than {game.max_length} actions")
    return turned


def _without_pass(state: State) -> State:
    turned = state.copy()
    turned[1] &= ~_PASSED
    return turned


def fixed_points(size: int, count: int) -> list[str]:
    """The points of fixed handicap in the order of GTP (version 2, section 4.1.1).

    Raises GameError for a number of stones that the board does not have points for.
    """
    most = 0 if size < 7 else 4 if size % 2 == 0 or size == 7 else 9
    if not 2 <= count <= most:
        allowed = f"2 to {most}" if most else "none"
        raise GameError(f"invalid number of stones: {allowed} on a board of {size} x {size}, not {count}")
    edge = 2 if size < 13 else 3
    low, middle, high = edge, size // 2, size - 1 - edge
    corners = [(low, low), (high, high), (low, high), (high, low)]
    sides = [(low, middle), (high, middle), (middle, low), (middle, high)]
    chosen = [*corners, *sides][: count - (count in (5, 7, 9))] + [(middle, middle)] * (count in (5, 7, 9))
    return [f"{'abcdefghjklmnopqrst'[column]}{row + 1}" for column, row in chosen]
