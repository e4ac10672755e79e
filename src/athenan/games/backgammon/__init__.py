"""Backgammon with two dice, or hypergammon with three checkers a side; gammons and backgammons count 2 and 3.

Goal: bring all of your checkers home and then off the board before the opponent does.

Play: Each turn rolls two dice; play each number with one checker, four times on a double. A checker may not land on a
point with two or more opposing checkers. A single opposing checker is hit: it goes to the bar and must enter again
before its side plays anything else. Once all of your checkers are in your home board, bear them off.

A player's points are numbered from 24 to 1, in the direction of play, towards the home board 6 to 1; point p of one
player is point 25 - p of the other. A checker on the bar enters by a 3 on point 22, and so on. A checker is borne off
from the point of the number, or from the highest point with a checker if the number is higher. Both numbers (all four
of a double) must be played as far as there is an order and a choice that allows it; if either can be played but not
both, the higher one. The winner scores a single game, 1; a gammon, 2, if the other has borne off none; a backgammon, 3,
if the other has borne off none and has a checker on the bar or in the winner's home board. There is no doubling cube. A
match that is not decided after `length` actions, rolls included, is drawn. Source: the rules as GNU Backgammon 1.07 and
OpenSpiel 2.0.2 have them, with which all legal moves are compared.

The first player has won the opening roll: the match begins with a roll of two different numbers (15 outcomes of 1/15),
which that player plays. So the dice do not decide who begins, as they do in OpenSpiel's 30 outcomes. Later rolls have
21 outcomes, with probability 1/36 for a double and 2/36 for the others.

`start=standard` has two checkers on 24, five on 13, three on 8, five on 6. `start=hyper` is hypergammon: three checkers
a side, on 24, 23 and 22.

Actions: a turn is one action for each checker that moves: 26 * (die - 1) + column, the column being the point that the
checker leaves in the first player's numbering, 25 the first player's bar, 0 the second player's. Then 156 to pass, when
nothing can be moved; and 157 + high * (high - 1) / 2 + low - 1 for a roll. Only one of the orders of a turn's moves
that lead to the same position is legal, so that the number of sequences of actions is the number of positions that the
rules allow. The checker on the higher point moves first, and from one point the larger die (the module `moves` has it
exactly). Notation: `13/7`, `8/5*` with a hit, `bar/20`, `6/off`, `pass`, rolls `3-1`. A position may be written as a
position ID of GNU Backgammon with the turn, `4HPwATDgc/ABMA x 3-1`, or as an XGID (the module `fen`).

State: 16 bytes for each player's checkers (see the module `board`), then two int32 sets of the places, in the player's
numbering, from which checkers may be moved now: with the first die and with the second. Header byte 1: the player whose
turn it is or who is about to roll. Byte 4: 4 plus the score when the match is over, else 0. Bytes 5 and 6: the first
and the second die to be played, 0 for no die. Byte 7: the number of checkers still to be moved in this turn.

Planes 1 x 26, the columns as in actions: points with a checker of the first player, of the second, whose turn it is (1
everywhere for the first player, 0 for the second); points with at least 2, 3, 4, 5, 6 checkers of the first player, and
the number above six; the same six of the second; one plane for each player with as many ones from the left as checkers
borne off; six planes of 1 everywhere for the numbers 1 to 6 that are to be played, and four from 1, 2, 3, 4 checkers to
be moved. Before a roll no number is to be played.
"""

from typing import Annotated, Literal

import numpy as np

from athenan import rules
from athenan.games.backgammon import turn
from athenan.games.backgammon.board import (
    BAR,
    IN_PLAY,
    OFF,
    PLACES,
    PLAYER_BYTES,
    added,
    checkers,
    highest_place,
    load,
    lowest_place,
    occupied,
    removed,
    store,
    up_to,
    worth,
)
from athenan.games.backgammon.features import FEATURES
from athenan.games.backgammon.fen import read_fen, write_fen
from athenan.games.backgammon.mat import MAT
from athenan.games.backgammon.moves import against, of_double, of_roll, second
from athenan.games.backgammon.notation import action_name, text
from athenan.games.backgammon.picture import picture
from athenan.games.backgammon.planes import PLANES, encode, exchanged
from athenan.games.backgammon.sgf import SGF
from athenan.rules import Advice, ColourSymmetry, Fen, Forms, Game, Layout, Ruleset, State
from athenan.rules.colours import exchange, other_side
from athenan.rules.geometry.bits import popcount
from athenan.rules.randomness import random_below
from athenan.settings import Between

_LENGTH, _START = 0, 1  # indices of the parameters; the start is pairs of a place and a number of checkers
_STARTS = {"standard": ((24, 2), (13, 5), (8, 3), (6, 5)), "hyper": ((24, 1), (23, 1), (22, 1))}
_TYPICAL_LENGTHS = {"standard": 200, "hyper": 60}


@rules.kernel(rules.INITIAL)
def initial(params, state):
    state[:] = 0
    state[0] = rules.CHANCE
    for player in range(2):
        sets = (0, 0, 0, 0)
        for pair in range(_START, len(params), 2):
            for _ in range(params[pair + 1]):
                sets = added(sets, params[pair])
        store(state, player, sets)


@rules.kernel(rules.OUTCOME)
def outcome(params, state):
    return np.sign(np.int64(state[turn.OVER]) - turn.DRAWN) if state[turn.OVER] else rules.ONGOING


@rules.kernel(rules.SCORE)
def score(params, state):
    return np.int64(state[turn.OVER]) - turn.DRAWN


@rules.kernel(rules.PIECES)
def pieces(params, state, player):
    return checkers(load(state, player), IN_PLAY)


@rules.helper
def _list_moves(state, starts, die, actions, count):
    """Appends the moves of a die from some places, in ascending order."""
    player = np.int64(state[0])
    while starts:
        start = highest_place(starts) if player else lowest_place(starts)
        starts ^= 1 << start
        actions[count] = turn.move_of(player, die, start)
        count += 1
    return count


@rules.kernel(rules.ACTIONS)
def actions(params, state, actions):
    if state[turn.OVER]:
        return 0
    if state[0] != rules.CHANCE:
        first, other = turn.allowed(state)
        count = _list_moves(state, other, state[turn.SECOND_DIE], actions, 0)  # the smaller die
        count = _list_moves(state, first, state[turn.FIRST_DIE], actions, count)
        if count == 0:
            actions[0] = turn.PASS
        return max(1, count)
    count, opening = 0, rules.length(state) == 0
    for roll in range(turn.ROLLS, turn.ROLLS + turn.ROLL_COUNT):
        high, low = turn.numbers_of(roll)
        actions[count] = roll
        count += not (opening and high == low)
    return count


@rules.kernel(rules.PROBABILITIES)
def probabilities(params, state, probabilities):
    opening, count = rules.length(state) == 0, 0
    for roll in range(turn.ROLLS, turn.ROLLS + turn.ROLL_COUNT):
        high, low = turn.numbers_of(roll)
        if opening and high == low:
            continue
        probabilities[count] = 1 / 15 if opening else (1 if high == low else 2) / 36
        count += 1


@rules.kernel(rules.SAMPLE)
def sample(params, state, random):
    if state[0] == rules.CHANCE:
        one, two = random_below(random, 0, turn.FACES), random_below(random, 0, turn.FACES)
        while one == two and rules.length(state) == 0:
            one, two = random_below(random, 0, turn.FACES), random_below(random, 0, turn.FACES)
        return turn.roll_of(max(one, two) + 1, min(one, two) + 1)
    first, other = turn.allowed(state)
    count = popcount(np.uint64(first))
    total = count + popcount(np.uint64(other))
    if total == 0:
        return turn.PASS
    drawn = random_below(random, 0, total)
    starts, die = first, state[turn.FIRST_DIE]
    if drawn >= count:
        starts, die, drawn = other, state[turn.SECOND_DIE], drawn - count
    for _ in range(drawn):
        starts &= starts - 1
    return turn.move_of(np.int64(state[0]), die, lowest_place(starts))


@rules.helper
def _finish(state, score):
    """Ends the match with a score of the first player."""
    turn.allow(state, 0, 0, 0, 0, 0)
    state[turn.OVER] = turn.DRAWN + score


@rules.helper
def _roll(following, player, roll):
    """Begins the player's turn with a roll in a state that is otherwise complete."""
    following[0] = player
    high, low = turn.numbers_of(roll)
    first, other, die, left = of_roll(following, player, high, low)
    if left == 0:
        turn.allow(following, 0, high, 0, low if low < high else 0, 0)
    else:
        turn.allow(following, first, die, other, low if low < high and left == 2 else 0, left)


@rules.helper
def _end_turn(following, player):
    following[0] = rules.CHANCE
    following[turn.TURN] = 1 - player
    turn.allow(following, 0, 0, 0, 0, 0)


@rules.helper
def _hit(following, player, place):
    """Sends an opponent's checker at a place, if any, to the bar."""
    there = BAR - place
    other = load(following, 1 - player)
    if place > OFF and occupied(other)[0] >> there & 1:
        store(following, 1 - player, added(removed(other, there), BAR))


@rules.helper
def _move(state, following, player, action):
    """Moves a checker of a state in the following state, which is a copy except for the header."""
    die, start = turn.die_and_place(player, action)
    before, end, left = load(state, player), max(OFF, start - die), state[turn.LEFT] - 1
    sets = added(removed(before, start), end)
    store(following, player, sets)
    _hit(following, player, end)
    if not occupied(sets)[0]:
        _finish(following, worth(following, player) * rules.sign(player))
    elif left == 0:
        _end_turn(following, player)
    elif state[turn.SECOND_DIE] == 0:
        blocked, _ = against(state, player)
        turn.allow(following, of_double(sets, blocked, die, up_to(start), left), die, 0, 0, left)
    else:
        other = state[turn.FIRST_DIE] + state[turn.SECOND_DIE] - die
        blocked, blots = against(state, player)
        rest = occupied(removed(before, start))[0]
        turn.allow(following, second(rest, blocked, blots, start, die, other), other, 0, 0, left)


@rules.kernel(rules.PLAY)
def play(params, state, action, following):
    player = np.int64(state[turn.TURN])
    rules.copy_state(state, following)
    rules.advance_header(state, following, player)
    following[turn.TURN] = player
    if action >= turn.ROLLS:
        _roll(following, player, action)
    elif action == turn.PASS:
        _end_turn(following, player)
    else:
        _move(state, following, player, action)
    if not following[turn.OVER] and rules.length(following) >= params[_LENGTH]:
        following[0] = player
        _finish(following, 0)


KERNELS = rules.table(initial, actions, play, outcome, encode, score, pieces, sample, probabilities)


def _image(state: State) -> State:
    image = other_side(state)
    exchange(image, PLAYER_BYTES)
    image[turn.TURN] = 1 - state[turn.TURN]
    if state[turn.OVER]:
        image[turn.OVER] = 2 * turn.DRAWN - state[turn.OVER]
    return image


def make(start: Literal["standard", "hyper"] = "standard", *, length: Annotated[int, Between(1, 65535)] = 2000) -> Game:
    """Backgammon, or hypergammon with three checkers a side; drawn if not decided after `length` actions."""
    columns = np.arange(PLACES, dtype=np.int32)
    identity, moves = np.arange(turn.ACTION_COUNT, dtype=np.int32), np.arange(turn.PASS, dtype=np.int32)
    mirrored = identity.copy()
    mirrored[: turn.PASS] = (PLACES * np.arange(turn.FACES)[:, None] + columns[::-1]).reshape(-1)
    places = np.concatenate([moves, np.full(1 + turn.ROLL_COUNT, -1, np.int32)])
    return Game(
        Ruleset(
            KERNELS,
            np.array([length, *np.array(_STARTS[start]).reshape(-1)], np.int64),
            state_size=turn.STATE_SIZE,
            max_actions=2 * 15,  # two dice from as many points as there are checkers
            max_length=length,
            typical_length=min(length, _TYPICAL_LENGTHS[start]),
            max_score=3,
            cube=True,
            carries_over=("length",),
            features=FEATURES,
        ),
        Layout(
            action_count=turn.ACTION_COUNT,
            planes=(PLANES, 1, PLACES),
            action_name=action_name,
            text=text,
            action_planes=turn.FACES,
            action_places=places,
            board=picture(),
            colour_symmetry=ColourSymmetry(_image, exchanged(), mirrored),
        ),
        forms=Forms(
            Fen(read_fen, write_fen, "Position ID"),
            sgf=SGF if start == "standard" else None,
            programs=("gnubg",) if start == "standard" else (),
            mat=MAT if start == "standard" else None,
        ),
        advice=Advice(search="alphabeta"),
    )
