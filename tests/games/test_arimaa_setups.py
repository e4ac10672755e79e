"""The tray and the usual setups of Arimaa."""

import random

import numpy as np

from athenan import make


def test_usual_setups_can_be_played_from_any_position_of_theirs() -> None:
    game = make("arimaa")
    assert game.board is not None and game.board.setups is not None
    offered, randomly = game.board.setups, random.Random(7)
    for first in offered(game.initial()):
        for second in offered(game.after(first.moves)):
            state = game.after(f"{first.moves} {second.moves}")
            assert game.length(state) == 32 and offered(state) == ()
            rows = [row[2:] for row in game.text(state).split("\n")[1:]]
            if first.name == second.name:  # both see the same from their side
                assert rows[:2] == [row[::-1].lower() for row in rows[:-3:-1]]
    for _ in range(20):  # some pieces by hand, from either end of a row
        state, [wanted] = game.initial(), randomly.sample(offered(game.initial()), 1)
        while game.length(state) < 16:
            [rest] = [one.moves.split() for one in offered(state) if one.name == wanted.name]
            assert len(rest) == 16 - game.length(state)
            legal = [game.action_name(state, int(action)) for action in game.actions(state)]
            name = randomly.choice([one for one in legal if one in rest])
            game.after(" ".join(rest), state)
            state = game.play(state, game.parse_action(state, name))


def test_the_tray_holds_what_is_not_on_the_board() -> None:
    game, state = make("arimaa"), make("arimaa").initial()
    assert game.board is not None and game.board.tray is not None
    generator = np.random.default_rng(5)
    while waiting := game.board.tray(state):
        assert sum(one.number for one in waiting) == 16 - game.length(state) % 16
        legal = {int(action) for action in game.actions(state)}
        assert legal == {action for one in waiting for action in one.actions} & legal
        assert all(one.piece.owner == game.player(state) and set(one.actions) & legal for one in waiting)
        state = game.play(state, game.draw(state, generator))
    assert game.length(state) == 32
