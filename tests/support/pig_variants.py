"""Games of chance for tests: Pig with a loaded die, which is rolled before the first decision; Pig for one player."""

from athenan import rules
from athenan.games import pig
from athenan.rules import Game
from athenan.rules.facts import altered


@rules.kernel(rules.INITIAL)
def initial(params, state):
    state[:] = 0
    state[0] = rules.CHANCE


@rules.kernel(rules.PROBABILITIES)
def probabilities(params, state, probabilities):
    """Each number is twice as probable as the one before; with a sum already rolled the other way round."""
    sides = params[1]
    for number in range(sides):
        power = number if state[rules.HEADER + 2] == 0 else sides - 1 - number
        probabilities[number] = 2.0**power / (2.0**sides - 1.0)


def make(target: int = 10, sides: int = 3, length: int = 12) -> Game:
    """Pig, as `games.pig.make`, with such a die and such a beginning."""
    game = pig.make(target, sides=sides, length=length)
    kernels = {**pig.KERNELS.kernels, "initial": initial, "probabilities": probabilities}
    return altered(game, table=rules.table(**kernels))


@rules.kernel(rules.PLAY)
def play_alone(params, state, action, following):
    pig.play(params, state, action, following)
    following[1] = 0
    if following[0] == 1:
        following[0] = 0


@rules.kernel(rules.SCORE)
def score_alone(params, state):
    return state[rules.HEADER + 3]


def alone() -> Game:
    """Pig for one player, whose turn is always the next one; the score is 1 if the target is reached."""
    game = pig.make(10, sides=3, length=12)
    kernels = {**pig.KERNELS.kernels, "play": play_alone, "score": score_alone}
    return altered(
        game, table=rules.table(**kernels), players=1, max_score=1, colour_symmetry=None, name="pig alone"
    )  # fmt: skip
