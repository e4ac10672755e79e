"""The turns of a match, where a player makes several actions in succession and a protocol tells them as one."""

from collections.abc import Sequence

from athenan.rules.game import Game, State


def turns_of(game: Game, actions: Sequence[int]) -> tuple[list[tuple[State, list[int]]], list[int]]:
    """The whole turns of a match, each the state in which it began and its actions; and the actions of one begun."""
    whole, state, turn, start = list[tuple[State, list[int]]](), game.initial(), list[int](), game.initial()
    for action in actions:
        turn.append(action)
        following = game.play(state, action)
        if game.outcome(following) is not None or game.player(following) != game.player(state):
            whole.append((start, turn))
            turn, start = [], following
        state = following
    return whole, turn
