"""What `levels.py` and `ladder.py` share: their command, the page that they write, and the ratings in a card."""

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from athenan.arena.pairs import close_players
from athenan.arena.store import Store
from athenan.arena.tournaments.standings import DuelStandings
from athenan.games.catalogue import make
from athenan.networks.card import Rated
from athenan.play.levels import Level, LevelName
from athenan.rules.game import Game

PAGE = Path(__file__).parent.parent / "docs" / "strength.md"


def options_of(name: str, description: str | None) -> argparse.ArgumentParser:
    """The options of both commands; `name` is the command's name."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games_of", nargs="+", metavar="GAME")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--store", type=Path, default=Path(f"runs/{name}.sqlite"), help="the file of the results")
    parser.add_argument("--page", type=Path, default=PAGE)
    parser.set_defaults(name=name)
    return parser


def measure_games(measure: Callable[[Game, Store, argparse.Namespace], None], given: argparse.Namespace) -> None:
    """Measures one game after another. Ends the process with a sentence if the input is wrong."""
    given.store.parent.mkdir(parents=True, exist_ok=True)
    try:
        with Store(given.store) as store:
            for game in given.games_of:
                measure(make(game), store, given)
    except ValueError as error:
        sys.exit(f"{given.name}: error: {error}")
    finally:
        close_players()


def rated(found: DuelStandings, levels: Sequence[tuple[LevelName, Level, int]]) -> list[Rated]:
    """The ratings of levels, each with its place in the standings, which have ratings."""
    ratings, made = found.ratings, list[Rated]()
    assert ratings  # all levels have met their neighbours and fixed players
    for name, level, place in levels:
        elo, games = round(ratings[place].elo), sum(found.counts(place))
        low, high = map(round, ratings[place].interval)
        made.append(Rated(name, level.evaluations, level.temperature, level.sight, elo, low, high, games))
    return made
