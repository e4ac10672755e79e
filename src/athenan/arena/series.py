"""Series of matches, of two players or of one.

    >>> from athenan import make
    >>> duel = play_series(make("tictactoe"), ["mcts:1000", "random"], games=20)
    >>> duel.games, duel.score > 0.8
    (20, True)
    >>> morpion = make("morpion:4D,size=9")
    >>> play_series(morpion, ["mcts:50"], games=4).score > play_series(morpion, ["random"], games=20).score
    True

Two-player games come in pairs: one opening, played twice with the colours exchanged and, in games of chance, with the
same dice.
"""

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from itertools import islice

from athenan.arena.pairs import Conditions, Pair, Spread, kept_player, pairs_of, play_pair, spread_here
from athenan.arena.recording import Recording
from athenan.arena.results import Series, of_players
from athenan.play.cube import CubeRules
from athenan.play.limit import DEFAULT_LIMIT, Limit
from athenan.play.openings import Opening, random_openings
from athenan.play.player import Player, require_players
from athenan.play.records import MatchRecord
from athenan.rules.fitting import require_whole
from athenan.rules.game import Game, GameError, require_game


def play_series(
    game: Game,
    players: Sequence[Player | str],
    games: int = 100,
    limit: Limit = DEFAULT_LIMIT,
    openings: Sequence[Opening] | None = None,
    random_opening: int = 1,
    seed: int = 0,
    progress: Callable[[Series], None] | None = None,
    cube: CubeRules | None = None,
) -> Series:
    """Plays `games` matches and returns the results of `players[0]`: a `Duel`, or a `Solo` in a one-player game.

    A player is an object, or a name such as "mcts:1000" (see `make_player`). Two players play two matches per opening,
    with the colours exchanged and the same dice. `limit` is for each action, or each player's clock for a match.
    `openings` are used in order, and repeated if there are too few. By default an opening has `random_opening` random
    actions (see `random_openings`). `progress` is called with the results so far after each opening. Matches depend
    only on `seed`, unless a limit is a time. `cube` gives the rules of the doubling cube of backgammon. Raises
    GameError for a number of players or games that the game does not allow, and the errors of `make_player` and
    `play_match`.
    """
    _check(game, players, games, openings)
    made = [kept_player(one, game, named=True) if isinstance(one, str) else one for one in players]
    require_players(made)
    names, count = tuple(player.name for player in made), games // game.players
    listed = random_openings(game, random_opening, count, seed) if openings is None else openings

    def spread(pairs: Iterable[Pair]) -> Generator[tuple[Pair, list[MatchRecord]], None, None]:
        return ((pair, play_pair(game, made, pair)) for pair in pairs)

    for series in play_pairs(game, names, Conditions(limit, seed=seed, cube=cube), count, spread, listed=listed):
        if progress:
            progress(series)
    return series


def play_pairs(
    game: Game,
    names: tuple[str, ...],
    conditions: Conditions,
    count: int,
    spread: Spread = spread_here,
    threads: int = 1,
    recording: Recording | None = None,
    listed: Sequence[Opening] = (),
) -> Generator[Series, None, None]:
    """Yields the results so far after each of `count` pairs, or after each match of one player.

    `spread` plays pairs, by default by the players' names in this process. Pairs in the recording are not played again,
    and new ones are added to it. `listed` replaces the openings of the conditions. Raises the errors of `play_match`.
    """
    recorded = recording.finished if recording else {}
    pairs = islice(pairs_of(game, names, conditions, threads, listed), count)
    missing = (pair for pair in pairs if pair.number not in recorded)
    found, series = dict(recorded), of_players(game, names, conditions.seed)
    with closing(spread(missing)) as results:
        for number in range(count):
            while number not in found:
                pair, matches = next(results)
                if recording:
                    recording.add(pair, matches)
                found[pair.number] = matches
            series = of_players(game, names, conditions.seed, (*series.matches, *found.pop(number)))
            yield series


def _check(game: Game, players: Sequence[Player | str], games: int, openings: Sequence[Opening] | None) -> None:
    """Raises GameError if the game does not allow such a series, and TypeError for the name of a game."""
    require_game(game)
    require_whole("games", games)
    if len(players) != game.players:
        who = "one player and no opponent" if game.players == 1 else "two players, not one"
        raise GameError(f"{game.name} has {who}")
    if games < 1:
        raise GameError(f"the number of games must be at least 1, not {games}")
    if games % game.players:
        raise GameError(f"the number of games must be even, because openings are played with both colours, not {games}")
    if openings is not None and not openings:
        raise GameError("the list of openings is empty")
