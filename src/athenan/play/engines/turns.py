"""The turns of a match, where a player makes several actions in succession and a protocol tells them as one."""

from collections.abc import Sequence

from athenan.rules.game import Game, State


def turns_of(game: Game, actions: Sequence[int], state: State) -> tuple[list[tuple[State, list[int]]], list[int]]:
    """The whole turns from a state on, each the state in which it began and its actions; the actions of one begun."""
    whole, turn, start = list[tuple[State, list[int]]](), list[int](), state
    for action in actions:
        turn.append(action)
        following = game.play(state, action)
        if game.outcome(following) is not None or game.player(following) != game.player(state):
            whole.append((start, turn))
            turn, start = [], following
        state = following
    return whole, turn
