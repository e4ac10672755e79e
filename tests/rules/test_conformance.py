"""What an author of a game may do wrong in its kernels, and what `check_game` says about it."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from game_tables import TICTACTOE, tables

from athenan import Game, GameError, check_game, make, rules
from athenan.games import tictactoe
from athenan.rules.facts import altered

# Tic-tac-toe with one thing wrong, and what `check_game` must say about it.


@rules.kernel(rules.INITIAL)
def blank(params, state):
    pass


@rules.kernel(rules.INITIAL)
def half_blank(params, state):
    state[:8] = 0


@rules.kernel(rules.ACTIONS)
def beyond(params, state, actions):
    for action in range(3000):
        actions[action] = action
    return 9


@rules.kernel(rules.ACTIONS)
def none(params, state, actions):
    return 0


@rules.kernel(rules.ACTIONS)
def always(params, state, actions):
    for action in range(9):
        actions[action] = action
    return 9


@rules.kernel(rules.PLAY)
def waiting(params, state, action, following):
    rules.copy_state(state, following)
    rules.advance_header(state, following, 1 - state[0])


@rules.kernel(rules.OUTCOME)
def never(params, state):
    return rules.ONGOING


@rules.kernel(rules.SAMPLE)
def foreign_sample(params, state, random):
    return 1_000_000


@rules.kernel(rules.ROLLOUT)
def center(params, state, last, random):
    return 4


@rules.kernel(rules.SCORE)
def no_score(params, state):
    return 0


@rules.kernel(rules.ACTIONS)
def descending(params, state, actions):
    count = tictactoe.actions(params, state, actions)
    for place in range(count // 2):
        actions[place], actions[count - 1 - place] = actions[count - 1 - place], actions[place]
    return count


@rules.kernel(rules.ACTIONS)
def out_of_range(params, state, actions):
    count = tictactoe.actions(params, state, actions)
    if count:
        actions[count - 1] = 9
    return count


@rules.kernel(rules.ACTIONS)
def endless(params, state, actions):
    actions[0] = 0
    return max(1, tictactoe.actions(params, state, actions))


@rules.kernel(rules.PLAY)
def unwritten(params, state, action, following):
    last = following[-1]
    tictactoe.play(params, state, action, following)
    following[-1] = last


@rules.kernel(rules.PLAY)
def in_place(params, state, action, following):
    tictactoe.play(params, state, action, following)
    rules.copy_state(following, state)


@rules.kernel(rules.PLAY)
def uncounted(params, state, action, following):
    tictactoe.play(params, state, action, following)
    following[2] = state[2]


@rules.kernel(rules.PLAY)
def third_player(params, state, action, following):
    tictactoe.play(params, state, action, following)
    following[0] = 2 * (rules.length(following) == 1)


@rules.kernel(rules.OUTCOME)
def early_draw(params, state):
    return 0 if rules.length(state) == 3 else tictactoe.outcome(params, state)


@rules.kernel(rules.OUTCOME)
def double_win(params, state):
    outcome = tictactoe.outcome(params, state)
    return outcome if outcome == rules.ONGOING else 3


@rules.kernel(rules.ENCODE)
def half_encoded(params, state, planes):
    last = planes[-1]
    tictactoe.encode(params, state, planes)
    planes[-1] = last


@rules.kernel(rules.PLAY)
def before_the_beginning(params, state, action, following):
    tictactoe.play(params, state, action, following)
    following[params[0] - 500] = 7


@rules.kernel(rules.PLAY)
def beside_the_given_state(params, state, action, following):
    tictactoe.play(params, state, action, following)
    state[len(state) + action] = 7


@rules.kernel(rules.OUTCOME)
def own_params(params, state):
    params[0] += 1
    return tictactoe.outcome(params, state)


@rules.kernel(rules.ACTIONS)
def sometimes_fewer(params, state, actions):
    """Depends on what was in its output before."""
    left = actions[8]
    count = tictactoe.actions(params, state, actions)
    return max(count - 1, 1) if left == 77 and count > 1 else count


@rules.kernel(rules.PLAY)
def far_away(params, state, action, following):
    tictactoe.play(params, state, action, following)
    following[params[0] + (1 << 44)] = 7


@rules.kernel(rules.FEATURES)
def unequal_features(params, planes, features):
    """Marks the first cell, which symmetries move."""
    for place in range(9):
        features[place] = place == 0


@rules.kernel(rules.FEATURES)
def unwritten_features(params, planes, features):
    features[0] = 0


@rules.kernel(rules.FEATURES)
def partial_features(params, planes, features):
    """Marks the cells of the first player, but not those of the second as the exchange would."""
    for place in range(9):
        features[place] = planes[place]


@rules.kernel(rules.SCORE)
def one_corner(params, state):
    """Counts a win for more if a stone of the first player is on a1, which symmetries move."""
    return tictactoe.outcome(params, state) * (1 + (state[rules.HEADER] & 1))


@rules.kernel(rules.SCORE)
def more_for_the_first(params, state):
    return tictactoe.outcome(params, state) * (2 - rules.mover_lost(state) * (rules.length(state) < 9))


@rules.kernel(rules.FEATURES)
def always_ahead(params, planes, features):
    features[:] = 50


@rules.kernel(rules.FEATURES)
def ahead_by_stones_of_the_first(params, planes, features):
    features[:] = 10 * planes[:9].sum()


@rules.kernel(rules.PIECES)
def missing_pieces(params, state, player):
    return -1


def raising(state: Any, action: int) -> str:
    raise KeyError(action)


def broken(max_score: int | None = None, **kernels: rules.Kernel) -> Game:
    planes = rules.Features(1, kernel=kernels.pop("features")) if "features" in kernels else rules.Features()
    return altered(make("tictactoe"), table=rules.table(**tables(**kernels)), features=planes, max_score=max_score)


def estimating(kernel: rules.Kernel) -> Game:
    return altered(TICTACTOE, features=rules.Features(1, kernel=kernel, estimate=True))


def uneven(game: Game) -> Game:
    """A game whose players are the same but for points."""
    colours = TICTACTOE.colour_symmetry
    assert colours
    return altered(game, colour_symmetry=None, plane_exchange=colours.of_planes)


BROKEN = [
    (broken(initial=blank), "initial leaves some of its output unwritten"),
    (broken(initial=half_blank), "initial leaves some of its output unwritten"),
    (broken(actions=beyond), "actions writes beyond max_actions"),
    (broken(actions=none), "actions and outcome disagree on the end of the match"),
    (broken(actions=always, play=waiting, outcome=never), "a match is longer than max_length = 9"),
    (broken(sample=foreign_sample), "sample draws other actions than the legal ones"),
    (broken(rollout=center), "rollout draws the action 4, which is not legal"),
    (broken(1, score=no_score), "the score 0 does not have the sign of the gain"),
    (altered(broken(2, score=one_corner), colour_symmetry=None), "symmetry . does not map matches to matches: score"),
    (broken(3, score=more_for_the_first), "the exchange of the players does not map the score"),
    (broken(pieces=missing_pieces), "pieces counts -1 pieces"),
    (altered(TICTACTOE, params=np.zeros(1, np.int32)), "params must be a vector of int64"),
    (altered(TICTACTOE, typical_length=0), "typical_length must be at least 1, not 0"),
    (altered(TICTACTOE, max_length=70_000), "max_length is beyond 65535, the most that a header counts"),
    (broken(actions=descending), "the legal actions do not ascend"),
    (broken(actions=out_of_range), "an action is out of range"),
    (broken(actions=endless), "actions and outcome disagree on the end of the match"),
    (broken(play=unwritten), "play leaves some of its output unwritten"),
    (broken(play=in_place), "play changes the state that it is given"),
    (broken(play=before_the_beginning), "play writes before the beginning of its output"),
    (broken(play=beside_the_given_state), "play writes outside the state that it is given"),
    (broken(outcome=own_params), "outcome changes params"),
    (broken(actions=sometimes_fewer), "actions returns 9, then 8, for the same state"),
    (broken(play=far_away), "tictactoe: SIG(SEGV|BUS) in play: this kernel, or one called before it, reads or writes"),
    (altered(TICTACTOE, action_name=lambda state, action: action), "its action_name must return a text, not 0"),
    (altered(TICTACTOE, action_name=raising), "tictactoe: its action_name raised KeyError: 0"),
    (altered(TICTACTOE, text=lambda state: None), "tictactoe: its text must return a text, not None"),
    (broken(play=uncounted), "the header counts 0 actions, not 1"),
    (broken(play=third_player), "chance is to move, but there is no kernel probabilities"),
    (broken(outcome=early_draw), "actions and outcome disagree on the end of the match"),
    (broken(outcome=double_win), "the outcome must be 1, 0, -1 or ongoing, not 3"),
    (broken(encode=half_encoded), "encode leaves some of its output unwritten"),
    (altered(TICTACTOE, max_actions=8), "actions writes beyond max_actions"),
    (altered(make("othello:8"), max_actions=4), "actions writes beyond max_actions"),
    (altered(make("amazons:10"), max_actions=1), "actions writes beyond max_actions"),
    (altered(make("breakthrough:8x8"), state_size=16), "initial writes beyond state_size"),
    (altered(TICTACTOE, planes=(1, 3, 3), plane_symmetries=TICTACTOE.plane_symmetries[:1, :9],
             action_symmetries=TICTACTOE.action_symmetries[:1]), "encode writes beyond planes"),
    (replace(TICTACTOE, name="noughts"), "make does not make it .there is no game 'noughts'"),
    (replace(TICTACTOE, name="tictactoe:3"), "make does not make it .tictactoe: there is no option '3'"),
    (replace(TICTACTOE, name="hex:3"), "its name makes another game, hex:3"),
    (replace(TICTACTOE, name="go:9,komi=7"), "its name makes another game, go:9"),
    (altered(TICTACTOE, max_length=6), "is longer than max_length"),
    (altered(TICTACTOE, action_count=8, action_symmetries=TICTACTOE.action_symmetries[:1, :8],
             plane_symmetries=TICTACTOE.plane_symmetries[:1], action_planes=0, action_places=None),
     "an action is out of range"),
    (altered(TICTACTOE, action_name=lambda state, action: "ab"[action % 2]), "two actions have the same name"),
    (altered(TICTACTOE, action_name=lambda state, action: f"to {action}"), "a name is empty or has spaces"),
    (altered(TICTACTOE, text=lambda state: ""), "the text picture is empty"),
    (altered(TICTACTOE, plane_symmetries=TICTACTOE.plane_symmetries[:, :9]), "plane_symmetries has a wrong shape"),
    (altered(TICTACTOE, action_symmetries=TICTACTOE.action_symmetries[:2]), "action_symmetries: wrong shape"),
    (altered(TICTACTOE, action_symmetries=TICTACTOE.action_symmetries[::-1]), "action symmetry 0 is not the identity"),
    (altered(TICTACTOE, plane_symmetries=TICTACTOE.plane_symmetries * 0), "a plane symmetry is not a permutation"),
    (altered(TICTACTOE, action_symmetries=np.roll(TICTACTOE.action_symmetries, 1, axis=0)[[1, 0, 2, 3, 4, 5, 6, 7]],
             action_planes=0, action_places=None),
     "does not map matches to matches"),
    (altered(make("othello:4"), max_score=1), "the score -?[0-9]+ is larger than max_score = 1"),
    (broken(features=unequal_features), "symmetry 1 does not map the features to those of the image"),
    (broken(features=unwritten_features), "features leaves some of its output unwritten"),
    (broken(features=partial_features), "the exchange of the players does not map the features"),
    (altered(broken(features=partial_features), boards=3), "features are of one board"),
    (estimating(partial_features), "its estimate must be a number from -127 to 127, the same on all cells"),
    (estimating(always_ahead), "the exchange of the players does not map the features"),
    (uneven(TICTACTOE), "a plane_exchange needs an estimate among the features"),
    (uneven(estimating(ahead_by_stones_of_the_first)), "the exchange of the players does not map the features"),
    (altered(uneven(estimating(always_ahead)), colour_symmetry=TICTACTOE.colour_symmetry),
     "a plane_exchange is for games without a colour_symmetry"),
    (altered(TICTACTOE, boards=4), "its 3 planes cannot show 4 boards"),
    (altered(make("connect_four"), boards=2), "beneath is of one board"),
    (altered(TICTACTOE, action_places=None), "action_planes are declared without action_places"),
    (altered(TICTACTOE, action_places=np.arange(8, dtype=np.int32)), "action_places has a wrong shape"),
    (altered(TICTACTOE, action_places=np.arange(9)), "action_places must be of int32, not int64"),
    (altered(TICTACTOE, action_places=np.arange(1, 10, dtype=np.int32)), "an action's place lies outside"),
    (altered(TICTACTOE, action_places=np.arange(-2, 7, dtype=np.int32)), "an action's place lies outside"),
    (altered(TICTACTOE, action_places=np.zeros(9, np.int32)), "two actions have the same place"),
    (altered(TICTACTOE, action_places=np.roll(np.arange(9, dtype=np.int32), 1)), "symmetry 1 does not move the places"),
    (altered(TICTACTOE, action_places=np.arange(-1, 8, dtype=np.int32)), "symmetry 1 does not move the places"),
]  # fmt: skip


@pytest.mark.parametrize(("game", "message"), BROKEN, ids=[message.replace(" ", "-") for _, message in BROKEN])
def test_check_game_finds_what_is_wrong(game: Game, message: str) -> None:
    with pytest.raises(GameError, match=message):
        check_game(game)


def test_the_points_that_a_player_is_given_are_no_fault() -> None:
    check_game(uneven(estimating(always_ahead)))


def test_without_symmetries_the_identity_is_the_only_one() -> None:
    none = np.zeros((0, 0), np.int32)
    game = altered(TICTACTOE, plane_symmetries=none, action_symmetries=none)
    assert game.plane_symmetries.tolist() == [list(range(27))]
    assert game.action_symmetries.tolist() == [list(range(9))]
    check_game(game)


def test_a_colour_changing_symmetry_is_refused() -> None:
    """Othello's mirror image exchanges the colours of the start."""
    game = make("othello:6")
    mirror = np.arange(36).reshape(6, 6)[:, ::-1].reshape(-1)
    planes = np.stack([np.arange(108), np.concatenate([mirror + 36 * plane for plane in range(3)])]).astype(np.int32)
    actions = np.stack([np.arange(37), np.append(mirror, 36)]).astype(np.int32)
    with pytest.raises(GameError, match="symmetry 1 does not map matches to matches"):
        check_game(altered(game, plane_symmetries=planes, action_symmetries=actions))
