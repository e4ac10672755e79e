"""Random openings, so that matches between the same players differ."""

import numpy as np

from athenan.rules.game import Game, GameError, State

Opening = tuple[int, ...]


def random_openings(game: Game, plies: int, count: int, seed: int) -> list[Opening]:
    """`count` random openings of `plies` actions each, none of which ends the match.

    They lead to distinct states; if there are too few, each is used once before any is used again. Where chance takes
    part, it draws by its probabilities, and openings may be the same. Raises GameError if there is none.
    """
    if plies < 0:
        raise GameError(f"an opening has 0 or more random actions, not {plies}")
    random = np.random.default_rng(seed)
    every = None if game.stochastic else _every_opening(game, plies, limit=4 * count)
    if every is None:
        return _sampled(game, plies, count, random)
    if not every:
        raise GameError(f"{game.name} has no opening of {plies} actions: every match is over by then")
    openings: list[Opening] = []
    while len(openings) < count:
        openings += [every[index] for index in random.permutation(len(every))]
    return openings[:count]


def _every_opening(game: Game, plies: int, limit: int) -> list[Opening] | None:
    """One opening for each state that an opening reaches; None if there are more such states than `limit`."""
    level: dict[bytes, Opening] = {game.initial().tobytes(): ()}
    for _ in range(plies):
        following: dict[bytes, Opening] = {}
        for key, opening in level.items():
            state = np.frombuffer(key, np.int8).copy()
            for action in game.actions(state):
                after = game.play(state, int(action))
                if game.outcome(after) is None:
                    following.setdefault(after.tobytes(), (*opening, int(action)))
            if len(following) > limit:
                return None
        level = following
    return list(level.values())


def _sampled(game: Game, plies: int, count: int, random: np.random.Generator) -> list[Opening]:
    """Openings of uniformly random actions; used if there are many more states than openings needed."""
    openings: dict[bytes, Opening] = {}
    for number in range(100 * count):
        state: State = game.initial()
        opening: Opening = ()
        while len(opening) < plies and game.outcome(state) is None:
            opening = (*opening, game.draw(state, random))
            state = game.play(state, opening[-1])
        if game.outcome(state) is None:
            openings.setdefault(str(number).encode() if game.stochastic else state.tobytes(), opening)
        if len(openings) == count:
            return list(openings.values())
    raise GameError(f"{game.name} hardly has openings of {plies} random actions; ask for fewer actions")
