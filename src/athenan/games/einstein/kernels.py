"""The kernels of EinStein würfelt nicht!."""

import numpy as np

from athenan import rules
from athenan.rules.geometry.bits import highest, lowest, popcount
from athenan.rules.randomness import random_below

SIZE, PIECES, PLACEMENT, NEAREST, STARTS = range(5)  # indices of `params`; the cells of both starting areas come last
PLACEMENTS = ("symmetric", "alternate", "random")
_SYMMETRIC, _ALTERNATE, _RANDOM = range(3)
MOST_PIECES = 6
"""A side."""
MOST_PUTS = MOST_PIECES**2
"""Most actions of a state that put pieces."""
_WON, TURN, MAY_MOVE = 1, 4, 5  # header bytes
_ONES, _HIGHS = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
_BYTE, _SEVEN, _ONE = np.uint64(0xFF), np.uint64(7), np.uint64(1)


@rules.helper
def _word(state, player):
    """The cells of the player's pieces, one byte each."""
    return rules.load64(state, rules.HEADER + 8 * player)


@rules.helper
def _standing(word):
    """The pieces on the board: bit 8 * i + 7 for the piece i."""
    return (word + ~_HIGHS) & _HIGHS


@rules.helper
def _unit(word, cell):
    """The lowest bit of the byte of the piece on a cell, or 0 if none of these pieces is there."""
    differences = word ^ (_ONES * np.uint64(cell + 1))
    zero = (differences - _ONES) & ~differences & _HIGHS  # its lowest bit belongs to the first byte of 0
    return (zero & (~zero + _ONE)) >> _SEVEN


@rules.helper
def _without(word, cell):
    """The pieces without the piece on the cell, if any."""
    return word & ~(_BYTE * _unit(word, cell))


@rules.helper
def _cell(word, number):
    """The cell of the piece `number`, from 1; -1 if it is not on the board."""
    return np.int64((word >> np.uint64(8 * (number - 1))) & _BYTE) - 1


@rules.helper
def _start(params, player, place):
    """A cell of a player's starting area."""
    return params[STARTS + params[PIECES] * player + place]


@rules.helper
def _opening(params):
    """The number of actions before the first roll."""
    return params[PIECES] << (params[PLACEMENT] != _SYMMETRIC)


@rules.helper
def _first_move(params):
    return params[PIECES]


@rules.helper
def _first_put(params):
    return params[PIECES] + 3 * params[SIZE] * params[SIZE]


@rules.kernel(rules.INITIAL)
def initial(params, state):
    state[:] = 0
    if params[PLACEMENT] == _RANDOM:
        state[0] = rules.CHANCE


@rules.helper
def _list_puts(params, state, actions):
    """Writes the player's numbers on the free cells of the player's area; only the next number if symmetric."""
    pieces, player, count = params[PIECES], state[TURN], 0
    word, area, ply = _word(state, player), params[SIZE] * params[SIZE], rules.length(state)
    alternate = params[PLACEMENT] == _ALTERNATE
    for number in range(0 if alternate else ply, pieces if alternate else ply + 1):
        if _cell(word, number + 1) < 0:
            for place in range(pieces):
                cell = _start(params, player, place)
                if _unit(word, cell) == 0:
                    actions[count] = _first_put(params) + number * area + cell
                    count += 1
    return count


@rules.helper
def _list_draws(params, state, actions):
    """Writes the pairs of free cells."""
    pieces, first, second, count = params[PIECES], _word(state, 0), _word(state, 1), 0
    for place in range(pieces):
        if _unit(first, _start(params, 0, place)) == 0:
            for other in range(pieces):
                if _unit(second, _start(params, 1, other)) == 0:
                    actions[count] = _first_put(params) + pieces * place + other
                    count += 1
    return count


@rules.helper
def _list_opening(params, state, actions):
    if params[PLACEMENT] != _RANDOM:
        return _list_puts(params, state, actions)
    if state[0] == rules.CHANCE:
        return _list_draws(params, state, actions)
    actions[0] = _first_put(params) + params[PIECES] * params[PIECES]
    return 1


@rules.helper
def _steps(params, cell, player):
    """The first step that a piece can make, and the number of its steps, which are consecutive."""
    size = params[SIZE]
    if cell % size == (0 if player else size - 1):
        return 2, 1
    return 0, 1 if cell // size == (size - 1 if player else 0) else 3


@rules.helper
def _list_steps(params, state, number, actions, count):
    """Appends the moves of a piece; returns the new number of actions."""
    cell = _cell(_word(state, state[TURN]), number)
    first, steps = _steps(params, cell, state[TURN])
    for step in range(first, first + steps):
        actions[count] = _first_move(params) + 3 * cell + step
        count += 1
    return count


@rules.helper
def _list_moves(params, state, actions):
    lower, higher = np.int64(state[MAY_MOVE]), np.int64(state[MAY_MOVE + 1])
    if higher == 0:
        return _list_steps(params, state, lower, actions, 0)
    word = _word(state, state[TURN])
    if _cell(word, lower) > _cell(word, higher):
        lower, higher = higher, lower
    return _list_steps(params, state, higher, actions, _list_steps(params, state, lower, actions, 0))


@rules.kernel(rules.ACTIONS)
def actions(params, state, actions):
    if state[_WON]:
        return 0
    if rules.length(state) < _opening(params):
        return _list_opening(params, state, actions)
    if state[0] != rules.CHANCE:
        return _list_moves(params, state, actions)
    for number in range(params[PIECES]):
        actions[number] = number
    return params[PIECES]


@rules.kernel(rules.PROBABILITIES)
def probabilities(params, state, probabilities):
    count = params[PIECES]
    if rules.length(state) < _opening(params):
        left = params[PIECES] - (rules.length(state) >> 1)
        count = left * left
    for outcome in range(count):
        probabilities[outcome] = 1.0 / count


@rules.helper
def _random_move(params, state, random):
    """A move, each equally likely."""
    turn = state[TURN]
    word, higher = _word(state, turn), np.int64(state[MAY_MOVE + 1])
    cell, other = _cell(word, np.int64(state[MAY_MOVE])), _cell(word, max(higher, 1))
    first, count = _steps(params, cell, turn)
    other_first, other_count = _steps(params, other, turn)
    step = random_below(random, 0, count + (other_count if higher else 0))
    if step >= count:
        return _first_move(params) + 3 * other + other_first + step - count
    return _first_move(params) + 3 * cell + first + step


@rules.kernel(rules.SAMPLE)
def sample(params, state, random):
    if rules.length(state) < _opening(params):
        listed = rules.scratch(MOST_PUTS, np.int32)
        return np.int64(listed[random_below(random, 0, _list_opening(params, state, listed))])
    if state[0] == rules.CHANCE:
        return random_below(random, 0, params[PIECES])
    return _random_move(params, state, random)


@rules.helper
def _give_turn(params, state, following, turn):
    """Writes the header of a player's turn: to place a piece while placing goes on, else to have the die rolled."""
    ply = rules.length(state) + 1
    chance = ply >= _opening(params) or (params[PLACEMENT] == _RANDOM and ply & 1 == 0)
    rules.advance_header(state, following, rules.CHANCE if chance else turn)
    following[TURN] = turn


@rules.helper
def _put(params, state, action, following):
    """Puts a piece of the player whose turn it is, or the pair of the next number by chance; nothing for `next`."""
    turn, area, pieces = np.int64(state[TURN]), params[SIZE] * params[SIZE], params[PIECES]
    action -= _first_put(params)
    if params[PLACEMENT] == _RANDOM:
        if state[0] == rules.CHANCE:
            number = rules.length(state) >> 1
            following[rules.HEADER + number] = _start(params, 0, action // pieces) + 1
            following[rules.HEADER + 8 + number] = _start(params, 1, action % pieces) + 1
    else:
        number, cell = action // area, action % area
        following[rules.HEADER + 8 * turn + number] = cell + 1
        if params[PLACEMENT] == _ALTERNATE:
            turn = 1 - turn
        else:
            following[rules.HEADER + 8 * (1 - turn) + number] = area - cell
    _give_turn(params, state, following, turn)


@rules.helper
def _roll(params, state, number, following):
    """Writes which pieces may move after a roll; `number` is from 0."""
    turn = state[TURN]
    standing, below = _standing(_word(state, turn)), (_ONE << np.uint64(8 * number)) - _ONE
    lower, higher = number + 1, 0
    if (standing >> np.uint64(8 * number + 7)) & _ONE == 0:
        next_lower, next_higher = standing & below, standing & ~below
        lower = (highest(next_lower) >> 3) + 1 if next_lower else 0
        higher = (lowest(next_higher) >> 3) + 1 if next_higher else 0
        if lower and higher and params[NEAREST]:
            up, down = higher - (number + 1), (number + 1) - lower
            lower, higher = lower if down <= up else 0, higher if up <= down else 0
    rules.advance_header(state, following, turn)
    following[TURN] = turn
    following[MAY_MOVE] = lower if lower else higher
    following[MAY_MOVE + 1] = higher if lower else 0


@rules.helper
def _move(params, state, action, following):
    turn, size = np.int64(state[TURN]), params[SIZE]
    cell, step = (action - _first_move(params)) // 3, (action - _first_move(params)) % 3
    target = cell + (1 - 2 * turn) * ((step < 2) - size * (step > 0))
    own, other = _without(_word(state, turn), target), _without(_word(state, 1 - turn), target)
    own ^= np.uint64((cell + 1) ^ (target + 1)) * _unit(own, cell)
    won = other == 0 or target == (size * (size - 1) if turn else size - 1)
    rules.advance_header(state, following, 1 - turn if won else rules.CHANCE)
    following[TURN], following[_WON] = 1 - turn, won
    rules.store64(following, rules.HEADER + 8 * turn, own)
    rules.store64(following, rules.HEADER + 8 * (1 - turn), other)


@rules.kernel(rules.PLAY)
def play(params, state, action, following):
    rules.copy_state(state, following)
    if action < _first_move(params):
        _roll(params, state, action, following)
    elif action < _first_put(params):
        _move(params, state, action, following)
    else:
        _put(params, state, action, following)


@rules.kernel(rules.OUTCOME)
def outcome(params, state):
    return rules.mover_lost(state) if state[_WON] else rules.ONGOING


@rules.kernel(rules.ENCODE)
def encode(params, state, planes):
    area, pieces = params[SIZE] * params[SIZE], params[PIECES]
    for place in range(2 * (pieces + 1) * area):
        planes[place] = 0
    for player in range(2):
        word = _word(state, player)
        for number in range(1, pieces + 1):
            cell = _cell(word, number)
            if cell >= 0:
                planes[(pieces * player + number - 1) * area + cell] = 1
                if player == state[TURN] and (number in (state[MAY_MOVE], state[MAY_MOVE + 1])):
                    planes[(2 * pieces + 1) * area + cell] = 1
    for cell in range(area):
        planes[2 * pieces * area + cell] = 1 - state[TURN]


@rules.kernel(rules.PIECES)
def pieces(params, state, player):
    return popcount(_standing(_word(state, player)))


KERNELS = rules.table(initial, actions, play, outcome, encode, pieces, sample, probabilities)
