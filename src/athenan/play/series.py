"""Series of matches, of two players or of one.

    >>> from athenan import Budget, make
    >>> from athenan.play.roster import make_player
    >>> game = make("tictactoe")
    >>> duel = play_series(game, [make_player("mcts:1000", game), make_player("random", game)], games=20)
    >>> duel.games, duel.score > 0.8
    (20, True)
    >>> morpion = make("morpion:4D,size=9")
    >>> solo = play_series(morpion, [make_player("mcts:50", morpion)], games=4)
    >>> solo.score > play_series(morpion, [make_player("random", morpion)], games=20).score
    True

Games of two players come in pairs: one opening, played twice with the colours exchanged, and with the same dice where
chance takes part.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import TypeVar

from athenan.play.cube import CubeRules
from athenan.play.limit import DEFAULT_LIMIT, Limit
from athenan.play.match import play_match
from athenan.play.openings import Opening, random_openings
from athenan.play.player import Player
from athenan.play.records import MatchRecord
from athenan.play.results import Series, of_players
from athenan.rules.game import Game, GameError
from athenan.rules.randomness import streams

Result = TypeVar("Result")


def play_series(
    game: Game,
    players: Sequence[Player],
    games: int = 100,
    limit: Limit = DEFAULT_LIMIT,
    openings: Sequence[Opening] | None = None,
    random_opening: int = 1,
    seed: int = 0,
    progress: Callable[[Series], None] | None = None,
    more: Sequence[Sequence[Player]] = (),
    cube: CubeRules | None = None,
) -> Series:
    """Plays `games` matches; returns the results of `players[0]`: a `Duel`, or a `Solo` in a game of one player.

    Two players play two matches per opening, with the colours exchanged and the same dice. `limit` is for each action,
    or the clock of each player and match. `openings` are used in their order, and again if they are too few; by default
    they are `random_opening` random actions (see `random_openings`). `progress` is called with the results so far after
    each opening. `more` are further lists of the same players, each of which plays in its own thread; matches depend
    only on `seed`, so they are the same with any number of threads unless a limit is a time. `cube` is that of
    backgammon. Raises GameError for a number of players or games that the game does not allow, and the errors of
    `play_match`.
    """
    _check(game, players, games, openings)
    count = games // game.players
    openings = random_openings(game, random_opening, count, seed) if openings is None else openings
    seeds = streams(seed, games)

    def play(those: Sequence[Player], number: int) -> list[MatchRecord]:
        opening, first = openings[number % len(openings)], number * game.players
        orders = [those, those[::-1]][: game.players]
        return [
            play_match(game, order, opening, int(seeds[first + n]), limit, dice=int(seeds[first]), cube=cube)
            for n, order in enumerate(orders)
        ]

    names = tuple(player.name for player in players)
    series = of_players(game, names, seed)
    for matches in _spread(play, [players, *more], count):
        series = of_players(game, names, seed, (*series.matches, *matches))
        if progress:
            progress(series)
    return series


def _check(game: Game, players: Sequence[Player], games: int, openings: Sequence[Opening] | None) -> None:
    """Raises GameError if the game does not allow such a series."""
    if len(players) != game.players:
        who = "one player, who has no opponent" if game.players == 1 else "two players; nobody plays it alone"
        raise GameError(f"{game.name} has {who}")
    if games < 1:
        raise GameError(f"the number of games must be at least 1, not {games}")
    if games % game.players:
        raise GameError(f"the number of games must be even, as openings are played with both colours, not {games}")
    if openings is not None and not openings:
        raise GameError("the list of openings is empty")


def _spread(
    task: Callable[[Sequence[Player], int], Result], participants: Sequence[Sequence[Player]], count: int
) -> Iterator[Result]:
    """task(players, number) for the numbers below `count`, in their order; each list of players has a thread."""
    if len(participants) == 1:
        yield from (task(participants[0], number) for number in range(count))
        return
    idle = SimpleQueue[Sequence[Player]]()
    for one in participants:
        idle.put(one)

    def run(number: int) -> Result:
        one = idle.get()
        try:
            return task(one, number)
        finally:
            idle.put(one)

    executor = ThreadPoolExecutor(len(participants))
    try:
        yield from executor.map(run, range(count))
    finally:
        executor.shutdown(cancel_futures=True)
